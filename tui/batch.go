package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// batch is work of several steps: starting, ending or restarting sessions. The
// status line shows how far it is, and a key cancels what was not done yet. Several
// may be under way at a time.
type batch struct {
	ui.Batch
	id    uint64
	from  ui.ID // the component that asked for it, 0 none
	begun int   // steps that were begun
	// done counts finished steps: those that have worked are good, those that
	// have not are failed, and of those that were cancelled on their way nobody
	// knows. problem is the first reason.
	done, good, failed int
	problem            string
	// unsure counts those whose outcome is unknown.
	unsure int
	// cancelled: no further step is begun. left: those that are under way are not
	// waited for either. limited: cancelled because the next ones would meet the same
	// limit.
	cancelled, left, limited bool
	ctx                      context.Context // of the steps
	stop                     context.CancelFunc
}

// progress is a batch as it is drawn, or a call, of which nobody knows how far it is:
// its total is 0.
type progress struct {
	what        string
	done, total int
	unit        string // of both numbers, "" for things
	more        int    // other batches
	cancel      string // the key
	effect      string // the key's effect in words; "" is "cancels"
}

// mostBatches bounds what is under way at a time.
const mostBatches = 8

// startBatch begins a batch of the component with that number, 0 for the grid itself.
func (m *model) startBatch(id ui.ID, e ui.Batch) {
	if len(e.Steps) == 0 {
		return
	}
	if len(m.batches) >= mostBatches {
		m.warn("too much is under way: " + m.keys.Hint(keymap.CancelWork) + " cancels some of it")
		return
	}
	m.notice = notice{}
	m.lastWork++
	b := &batch{Batch: e, id: m.lastWork, from: id}
	b.ctx, b.stop = context.WithCancel(m.ctx)
	m.batches = append(slices.Clip(m.batches), b)
	for range min(max(e.Abreast, 1), len(e.Steps)) {
		m.nextStep(b)
	}
}

// nextStep begins a batch's next step, or ends the batch when all are done.
func (m *model) nextStep(b *batch) {
	switch {
	case b.done == b.begun && (b.cancelled || b.done == len(b.Steps)):
		b.stop()
		m.batches = slices.DeleteFunc(slices.Clone(m.batches), func(o *batch) bool { return o == b })
		m.tell(b.outcome())
		return
	case b.cancelled || b.begun == len(b.Steps):
		return // the others are still under way
	}
	step := b.Steps[b.begun]
	b.begun++
	m.away(b.ctx, patientWithin, step.Run, func(r ui.Result, err error) {
		if err == nil {
			m.carryOut(b.from, r.Effects)
			m.receive(b.from, r.Value, nil)
		}
		b.took(step.Name, err)
		m.nextStep(b)
	})
}

// took counts a step that is over.
func (b *batch) took(name string, err error) {
	b.done++
	if api.Unsure(err) {
		b.unsure++
	}
	switch {
	case err == nil:
		b.good++
	case !b.left:
		b.failed++
		if b.problem == "" {
			b.problem = name + ": " + ui.Problem(err)
		}
		if api.CodeOf(err) == api.CodeLimit && !b.cancelled {
			b.cancelled, b.limited, b.problem = true, true, ui.Problem(err)
		}
	}
}

// work is one thing under way that can be cancelled, for people; far is how far it is.
type work struct {
	id        string
	text, far string
	cancel    func()
}

// cancellable is what is in flight.
func (m *model) cancellable() (all []work) {
	for _, b := range m.batches {
		all = append(all, work{fmt.Sprint("batch ", b.id), b.What + " " + format.Plural(len(b.Steps), b.Noun, b.Noun+"s"), fmt.Sprintf("%d/%d", b.done, len(b.Steps)), b.cancel})
	}
	for _, u := range m.underway {
		all = append(all, work{fmt.Sprint("call ", u.id), u.what, fmt.Sprintf("%ds", m.now().Sub(u.began)/time.Second), u.cancel})
	}
	for _, j := range m.prompt.Jobs() {
		all = append(all, work{fmt.Sprint("text ", j.ID), "sending to " + j.To, fmt.Sprintf("%d/%d", j.Sent, j.Total), func() { m.prompt.Stop(j.ID) }})
	}
	for _, v := range m.Sessions {
		if s := m.states[v.ID]; s.Pasting > 0 {
			all = append(all, work{"paste " + v.ID, "pasting into " + m.nameOf(v.ID), fmt.Sprintf("%d/%d KB", s.Pasted>>10, kilobytes(s.Pasting)), func() { m.cancelPasting(v.ID) }})
		}
	}
	return all
}

// cancelWork cancels what is under way; it asks what, if there is more than one
// thing.
func (m *model) cancelWork() {
	all := m.cancellable()
	if len(all) == 1 {
		all[0].cancel()
	}
	if len(all) < 2 {
		return
	}
	var picks []chooser.Pick
	var each []ui.Effect
	for _, w := range all {
		cancel := then{do: func(*model) { w.cancel() }}
		each = append(each, cancel)
		picks = append(picks, chooser.Pick{ID: w.id, Text: w.text, Keys: w.far, Effects: []ui.Effect{cancel}})
	}
	picks = append(picks, chooser.Pick{Text: "all of it", Effects: each})
	m.openOver(nil, chooser.New("cancel what is under way", "", picks))
}

// cancel leaves out what was not begun. What is under way is waited for, so that it can
// be said what was done; cancelled once more, the batch leaves that too, and it may
// still happen.
func (b *batch) cancel() {
	if b.cancelled && !b.left {
		b.left = true
		b.stop()
	}
	b.cancelled = true
}

// outcome says how the batch ended, and whether that is a warning.
func (b *batch) outcome() (text string, alert bool) {
	text = fmt.Sprintf("%s: %d of %s", b.What, b.good, format.Plural(len(b.Steps), b.Noun, b.Noun+"s"))
	switch {
	case b.limited && b.unsure == 0:
		return text + " done: " + b.problem, true
	case b.cancelled && b.unsure > 0:
		return fmt.Sprintf("%s, cancelled; of %d it is not known yet: the list will show it", text, b.unsure), true
	case b.cancelled && b.failed > 0:
		return fmt.Sprintf("%s, the rest cancelled, %d failed (%s)", text, b.failed, b.problem), true
	case b.cancelled && b.good < len(b.Steps):
		return text + ", the rest cancelled", true
	case b.failed > 0:
		return fmt.Sprintf("%s, %d failed (%s)", text, b.failed, b.problem), true
	}
	return text + " done", false
}

// progress is what is under way, with the key that cancels it if that key is heard now.
func (m *model) progress(now time.Time) *progress {
	p := m.works.progress(now, m.pasteProgress(now), m.keys.Hint(keymap.CancelWork))
	if p != nil && !m.overlay.leavesPrefix() {
		p.cancel = ""
	}
	return p
}

// progressWidth is the width of the bar.
const progressWidth = 20

// Draw shows the progress in w columns and returns how many it took.
func (p *progress) Draw(env ui.Env, s *paint.Surface, x, y, w int) int {
	t := env.Theme
	from, end := x, x+w
	put := func(text string, st cells.Style) {
		if x < end {
			x += s.Text(x, y, end-x, paint.Cut(text, end-x), st)
		}
	}
	if p.total == 0 {
		put(p.what+" ", theme.Bold(t.Accent))
	} else {
		put(fmt.Sprintf("%s %d/%d%s ", p.what, p.done, p.total, p.unit), theme.Bold(t.Accent))
	}
	if width := min(progressWidth, w/3); width >= 4 && p.total > 0 {
		x += sgr.Draw(s, x, y, min(width, end-x), modal.ProgressBar(t, p.done, p.total, width)) + 1
	}
	if p.more > 0 {
		put(fmt.Sprintf("and %d more ", p.more), theme.Bold(t.Accent))
	}
	if p.cancel != "" {
		put(p.cancel+" "+cmp.Or(p.effect, "cancels")+" ", theme.FG(t.Dim))
	}
	return x - from
}
