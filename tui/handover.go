package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/ui"
)

// What was typed and pasted goes to the hosts before the grid is left: a host writes it
// to its program whoever is there, but what waits here, or in a connection behind long
// text that the program does not read, would end with the grid.
const (
	// handWithin is how long that is waited for, handStep how often it is looked at.
	handWithin = time.Second
	handStep   = 20 * time.Millisecond
)

// unhanded are the sessions that something is still on its way to, and how many bytes
// of long text that is.
func (m *model) unhanded() (ids []string, long int) {
	if m.opts.ReadOnly {
		return nil, 0
	}
	for id, p := range m.panes {
		if n, waits := p.Unhanded(); waits {
			ids, long = append(ids, id), long+n
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(m.nameOf(a), m.nameOf(b)) })
	return ids, long
}

// leave quits when the hosts have what was typed. Asked for once more, or after a while,
// the person decides.
func (m *model) leave() {
	ids, _ := m.unhanded()
	switch {
	case len(ids) == 0:
		m.quitting = true
	case m.handing.IsZero():
		m.handing = m.now()
	default:
		m.askAbandon()
	}
}

// handOver goes on with leaving.
func (m *model) handOver() {
	if m.handing.IsZero() {
		return
	}
	if ids, _ := m.unhanded(); len(ids) == 0 || m.now().Sub(m.handing) >= handWithin {
		m.leave()
	}
}

// askAbandon asks whether to leave although something would be lost.
func (m *model) askAbandon() {
	ids, long := m.unhanded()
	m.handing = time.Time{}
	var names []string
	for _, id := range ids {
		names = append(names, m.nameOf(id))
	}
	what := "what was typed"
	if long > 0 {
		what = fmt.Sprintf("%d KB of what was pasted", kilobytes(long))
	}
	m.open(confirm.Dialog{
		Question: "Detach all the same? " + strings.ToUpper(what[:1]) + what[1:] + " would be lost.",
		Detail:   "not read yet by the program of " + strings.Join(names, ", "), Yes: []ui.Effect{ui.Quit{Abandon: true}},
	})
}

// handOver waits until the hosts have what was typed, when the grid ends in another way:
// its terminal has hung up, for example. The program has ended.
func (g *program) handOver() {
	if g.model.abandons {
		return
	}
	for until := time.Now().Add(handWithin); time.Now().Before(until); time.Sleep(handStep) {
		if ids, _ := g.model.unhanded(); len(ids) == 0 {
			return
		}
	}
}
