package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// batch is work of several steps: starting, ending or restarting sessions. The
// status line shows how far it is, and a key cancels what was not done yet. Several
// may be under way at a time.
type batch struct {
	what  string // "starting", "ending", …
	noun  string // of one thing
	steps []batchStep
	// abreast is how many steps are under way at once, 0 is one; begun counts
	// those that were begun.
	abreast, begun int
	// done counts finished steps: those that have worked are good, those that
	// have not are failed, and of those that were cancelled on their way nobody
	// knows. problem is the first reason.
	done, good, failed int
	problem            string
	cancelled          bool
	ctx                context.Context // of the steps
	stop               context.CancelFunc
}

// batchStep is one step: a call, away from the program.
type batchStep struct {
	name string
	call func(c calls) (then func(*model), err error)
}

// progress is a batch as it is drawn.
type progress struct {
	what        string
	done, total int
	more        int    // other batches
	cancel      string // the key
}

// mostBatches bounds what is under way at a time.
const mostBatches = 8

// startBatch begins a batch.
func (m *model) startBatch(b batch) cmd {
	if len(b.steps) == 0 {
		return nil
	}
	if len(m.batches) >= mostBatches {
		m.warn("too much is under way: " + m.keys.Hint(keymap.CancelWork) + " cancels some of it")
		return nil
	}
	m.notice = notice{}
	b.ctx, b.stop = context.WithCancel(m.ctx)
	m.batches = append(slices.Clip(m.batches), &b)
	var first []cmd
	for range min(max(b.abreast, 1), len(b.steps)) {
		first = append(first, m.nextStep(&b))
	}
	return tea.Batch(first...)
}

// nextStep begins a batch's next step, or ends the batch when all are done.
func (m *model) nextStep(b *batch) cmd {
	switch {
	case b.done == b.begun && (b.cancelled || b.done == len(b.steps)):
		b.stop()
		m.batches = slices.DeleteFunc(slices.Clone(m.batches), func(o *batch) bool { return o == b })
		m.tellBatch(*b)
		return nil
	case b.cancelled || b.begun == len(b.steps):
		return nil // the others are still under way
	}
	step := b.steps[b.begun]
	b.begun++
	over := func(m *model, err error) {
		b.done++
		switch {
		case err == nil:
			b.good++
		case !b.cancelled:
			b.failed++
			if b.problem == "" {
				b.problem = step.name + ": " + problem(err)
			}
		}
		m.later = append(m.later, m.nextStep(b))
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		within, end := context.WithTimeout(b.ctx, callWithin)
		defer end()
		c.ctx = within
		then, err := step.call(c)
		return func(m *model) {
			if then != nil {
				then(m)
			}
			over(m, nil)
		}, err
	}, over)
}

// cancelWork cancels what is under way; it asks what, if there is more than one
// thing.
func (m *model) cancelWork() {
	switch len(m.batches) {
	case 0:
		return
	case 1:
		m.batches[0].cancel()
		return
	}
	d := chooser{title: "cancel what is under way"}
	for i, b := range m.batches {
		d.fixed = append(d.fixed, pick{id: strconv.Itoa(i), text: b.what + " " + plural(len(b.steps), b.noun, b.noun+"s"), keys: fmt.Sprintf("%d/%d", b.done, len(b.steps)),
			run: func(*model) cmd { b.cancel(); return nil }})
	}
	all := m.batches
	d.fixed = append(d.fixed, pick{text: "all of it", run: func(*model) cmd {
		for _, b := range all {
			b.cancel()
		}
		return nil
	}})
	m.overlay = d
}

// cancel leaves out what was not done yet. What is under way is not waited for; it
// may still happen.
func (b *batch) cancel() {
	if !b.cancelled {
		b.cancelled = true
		b.stop()
	}
}

// tellBatch says what came of a batch.
func (m *model) tellBatch(b batch) {
	text := fmt.Sprintf("%s: %d of %s", b.what, b.good, plural(len(b.steps), b.noun, b.noun+"s"))
	switch {
	case b.cancelled:
		m.warn(text + ", cancelled")
	case b.failed > 0:
		m.warn(fmt.Sprintf("%s, %d failed (%s)", text, b.failed, b.problem))
	default:
		m.say(text + " done")
	}
}

// progress is how far the oldest batch is, nil if there is none.
func (m *model) progress() *progress {
	if len(m.batches) == 0 {
		return nil
	}
	b := m.batches[0]
	return &progress{what: b.what, done: b.done, total: len(b.steps), more: len(m.batches) - 1, cancel: m.keys.Hint(keymap.CancelWork)}
}

// progressWidth is the width of the bar.
const progressWidth = 20

// draw shows the progress in w columns and returns how many it took.
func (p *progress) draw(s *paint.Surface, x, y, w int, t *theme) int {
	from, end := x, x+w
	put := func(text string, st grid.Style) {
		if x < end {
			x += s.Text(x, y, end-x, paint.Cut(text, end-x), st)
		}
	}
	put(fmt.Sprintf("%s %d/%d ", p.what, p.done, p.total), bold(t.accent))
	if width := min(progressWidth, w/3); width >= 4 {
		x += drawStyled(s, x, y, min(width, end-x), progressBar(t, p.done, p.total, width)) + 1
	}
	if p.more > 0 {
		put(fmt.Sprintf("and %d more ", p.more), bold(t.accent))
	}
	if p.cancel != "" {
		put(p.cancel+" cancels ", fg(t.dim))
	}
	return x - from
}

// askEnd asks whether to end sessions, and remove those that have ended.
// Afterwards the dialog behind comes back.
func (m *model) askEnd(all []api.Session, back overlay) {
	if len(all) == 1 {
		m.askKill(all[0])
		if d, ok := m.overlay.(confirm); ok {
			d.back = back
			m.overlay = d
		}
		return
	}
	running := 0
	var names []string
	for _, v := range all {
		if !v.State.Ended() {
			running++
		}
		names = append(names, textsafe.Line(v.Name))
	}
	d := confirm{popup: m.openPopup(), back: back, detail: strings.Join(names, ", ")}
	switch ended := len(all) - running; {
	case running == 0:
		d.question = "Remove " + plural(ended, "session", "sessions") + " from the list?"
	case ended == 0:
		d.question = "Kill " + plural(running, "session", "sessions") + "?"
	default:
		d.question = fmt.Sprintf("Kill %s and remove %d that have ended?", plural(running, "session", "sessions"), ended)
	}
	d.yes = func(m *model) cmd {
		if l, ok := m.overlay.(sessionList); ok {
			l.marked = nil
			m.overlay = l
		}
		return m.startBatch(batch{what: "ending", noun: "session", steps: endSteps(all), abreast: endAbreast})
	}
	m.overlay = d
}

// endAbreast is how many sessions are ended at once: each call waits for its
// process.
const endAbreast = 8

// endSteps kill sessions and remove ended ones.
func endSteps(all []api.Session) (steps []batchStep) {
	for _, v := range all {
		steps = append(steps, batchStep{textsafe.Line(v.Name), func(c calls) (func(*model), error) {
			if v.State.Ended() {
				return nil, c.RemoveSession(c.ctx, v.ID)
			}
			v, err := c.KillSession(c.ctx, v.ID, api.Kill{})
			return func(m *model) { m.upsert(v) }, err
		}})
	}
	return steps
}

// restartAll starts those sessions again that have ended.
func (m *model) restartAll(all []api.Session) cmd {
	var steps []batchStep
	for _, v := range all {
		if !v.State.Ended() {
			continue
		}
		steps = append(steps, batchStep{textsafe.Line(v.Name), func(c calls) (func(*model), error) {
			v, err := c.RestartSession(c.ctx, v.ID)
			return func(m *model) { m.upsert(v) }, err
		}})
	}
	if len(steps) == 0 {
		m.say("none of them has ended")
		return nil
	}
	return m.startBatch(batch{what: "restarting", noun: "session", steps: steps})
}

// createSeveral starts n sessions of one kind, numbered if they have a name.
func (m *model) createSeveral(one api.NewSession, n int) cmd {
	one.Env = m.opts.Env
	one.Cols, one.Rows = m.nextSize()
	var steps []batchStep
	for i := range n {
		next := one
		if one.Name != "" {
			next.Name = fmt.Sprintf("%s-%d", one.Name, i+1)
		}
		steps = append(steps, batchStep{fmt.Sprintf("number %d", i+1), func(c calls) (func(*model), error) {
			v, err := c.CreateSession(c.ctx, next)
			return func(m *model) { m.upsert(v) }, err
		}})
	}
	return m.startBatch(batch{what: "starting", noun: "session", steps: steps})
}
