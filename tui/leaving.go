package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/hosts"
	"ccdir/tui/ui"
)

// Before the grid quits, it flushes input to the hosts: a host writes it to its program
// without the grid, but input that still waits here, or in a connection behind long text
// that the program does not read, would be lost.
const (
	// flushWithin bounds the wait, flushStep is the time between two looks.
	flushWithin = time.Second
	flushStep   = 20 * time.Millisecond
)

// leaving is how far the end of the grid is.
type leaving struct {
	quitting  bool
	saving    bool      // it quits as soon as what was written is on disk
	quitSince time.Time // when quit was requested; the hosts get queued input first. Zero: not quitting
	abandons  bool      // input that has not reached the hosts is given up
	fatal     error     // why it quits, nil for a detach
}

// leave quits when the hosts have what was typed. Asked for once more, or after a while,
// the person decides.
func (m *model) leave() {
	ids, _ := m.hosts.Unflushed()
	switch {
	case len(ids) == 0:
		m.quitting = true
	case m.quitSince.IsZero():
		m.quitSince = m.now()
	default:
		m.askAbandon()
	}
}

// flushOnQuit goes on with leaving.
func (m *model) flushOnQuit() {
	if m.quitSince.IsZero() {
		return
	}
	if ids, _ := m.hosts.Unflushed(); len(ids) == 0 || m.now().Sub(m.quitSince) >= flushWithin {
		m.leave()
	}
}

// askAbandon asks whether to leave although something would be lost.
func (m *model) askAbandon() {
	ids, long := m.hosts.Unflushed()
	m.quitSince = time.Time{}
	var names []string
	for _, id := range ids {
		names = append(names, m.NameOf(id))
	}
	slices.Sort(names)
	what := "what was typed"
	if long > 0 {
		what = fmt.Sprintf("%d KB of what was pasted", hosts.Kilobytes(long))
	}
	m.open(confirm.Dialog{
		Question: "Detach all the same? " + strings.ToUpper(what[:1]) + what[1:] + " would be lost.",
		Detail:   "not read yet by the program of " + strings.Join(names, ", "), Yes: follows(func(m *model) { m.abandons, m.quitting = true, true }),
	})
}

// flushOnQuit waits until the hosts have the input, when the grid ends in another way: its
// terminal has hung up, for example. The program has ended.
func (g *program) flushOnQuit() {
	if g.model.abandons {
		return
	}
	for until := time.Now().Add(flushWithin); time.Now().Before(until); time.Sleep(flushStep) {
		if ids, _ := g.model.hosts.Unflushed(); len(ids) == 0 {
			return
		}
	}
}

// detach leaves the grid. What was written and is on no disk yet is kept before; if that
// cannot be, the person says whether to leave all the same. Asked for once more while it
// is being kept, it does not wait for that.
func (m *model) detach() {
	save, edits := m.prompt.Leaving(m.opts.ReadOnly)
	if save == nil || m.saving {
		m.leave()
		return
	}
	m.saving = true
	m.call(ui.Nobody, ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		return ui.Result{Effects: follows(func(m *model) {
			m.saving = false
			m.leave()
			m.prompt.Kept(edits)
		})}, save()
	}, Failed: func(_ ui.Env, err error) []ui.Effect {
		return follows(func(m *model) {
			m.saving = false
			what := m.prompt.Unsent()
			m.open(confirm.Dialog{
				Question: "Detach all the same? " + strings.ToUpper(what[:1]) + what[1:] + " cannot be kept and would be lost.",
				Detail:   ui.Problem(err), Yes: follows((*model).leave),
			})
		})
	}})
}
