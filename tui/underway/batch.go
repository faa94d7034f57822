package underway

import (
	"context"
	"fmt"
	"slices"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
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

// mostBatches bounds what is under way at a time.
const mostBatches = 8

// Batch begins a batch of the component with that number, 0 for the grid itself.
func (w *Work) Batch(way Way, keys *keymap.Map, id ui.ID, e ui.Batch) []ui.Effect {
	if len(e.Steps) == 0 {
		return nil
	}
	if len(w.batches) >= mostBatches {
		return []ui.Effect{ui.Warn{Text: "too much is under way: " + keys.Hint(keymap.CancelWork) + " cancels some of it"}}
	}
	w.last++
	b := &batch{Batch: e, id: w.last, from: id}
	b.ctx, b.stop = context.WithCancel(way.Ctx)
	w.batches = append(slices.Clip(w.batches), b)
	for range min(max(e.Abreast, 1), len(e.Steps)) {
		w.nextStep(way, b)
	}
	return []ui.Effect{ui.Say{}}
}

// nextStep begins a batch's next step, or ends the batch when all are done.
func (w *Work) nextStep(way Way, b *batch) []ui.Effect {
	switch {
	case b.done == b.begun && (b.cancelled || b.done == len(b.Steps)):
		b.stop()
		w.batches = slices.DeleteFunc(slices.Clone(w.batches), func(o *batch) bool { return o == b })
		return b.outcome()
	case b.cancelled || b.begun == len(b.Steps):
		return nil // the others are still under way
	}
	step := b.Steps[b.begun]
	b.begun++
	away(b.ctx, way, patientWithin, step.Run, Over{follows: func(w *Work, way Way, _ ui.Env, r ui.Result, err error) (out Outcome) {
		if err == nil {
			out = Outcome{To: b.from, Effects: r.Effects, Tells: true, Value: r.Value}
		}
		b.took(step.Name, err)
		out.Last = w.nextStep(way, b)
		return out
	}})
	return nil
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

// outcome says how the batch ended; as a warning unless all was done.
func (b *batch) outcome() []ui.Effect {
	text, alert := b.ended()
	if alert {
		return []ui.Effect{ui.Warn{Text: text}}
	}
	return []ui.Effect{ui.Say{Text: text}}
}

func (b *batch) ended() (text string, alert bool) {
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
