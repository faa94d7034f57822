package prompt

import (
	"maps"

	"ccdir/tui/widget/edit"
)

// swapDraft has the bar hold the draft for a purpose: the answer to a request, or a task
// (""). What was written for another purpose waits aside: one reflex Enter must not send
// a task as the answer to a question.
func (b *Bar) swapDraft(purpose string) {
	if b.begun == purpose {
		return
	}
	aside := maps.Clone(b.aside)
	if aside == nil {
		aside = map[string]edit.Buffer{}
	}
	delete(aside, b.begun)
	if !b.text.Empty() && b.at == 0 {
		aside[b.begun] = b.text
	}
	b.text = aside[purpose]
	delete(aside, purpose)
	b.aside, b.begun, b.at, b.problem = aside, purpose, 0, ""
}

// kept is the draft that outlives the grid: that of a task, for its request may be over
// by then; else the answer that is being written.
func (b *Bar) kept() edit.Buffer {
	if task, waits := b.aside[""]; waits && b.begun != "" {
		return task
	}
	return b.text
}
