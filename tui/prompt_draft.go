package tui

import (
	"maps"

	"ccdir/tui/widget/edit"
)

// swapDraft has the bar hold the draft for a purpose: the answer to a request, or a task
// (""). What was written for another purpose waits aside: one reflex Enter must not send
// a task as the answer to a question.
func (p *promptBar) swapDraft(purpose string) {
	if p.begun == purpose {
		return
	}
	aside := maps.Clone(p.aside)
	if aside == nil {
		aside = map[string]edit.Buffer{}
	}
	delete(aside, p.begun)
	if !p.text.Empty() && p.at == 0 {
		aside[p.begun] = p.text
	}
	p.text = aside[purpose]
	delete(aside, purpose)
	p.aside, p.begun, p.at, p.problem = aside, purpose, 0, ""
}

// kept is the draft that outlives the grid: that of a task, for its request may be over
// by then; else the answer that is being written.
func (p *promptBar) kept() edit.Buffer {
	if task, waits := p.aside[""]; waits && p.begun != "" {
		return task
	}
	return p.text
}
