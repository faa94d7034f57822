package outbox

import (
	"maps"
	"slices"

	"ccdir/tui/widget/edit"
)

// Drafts are the texts that were begun for different purposes: the answer to a request, by
// its id, or a task (""). One of them is in the bar.
type Drafts struct {
	// Purpose is what the text in the bar was begun for.
	Purpose string
	// aside are the others. Replaced, never changed in place.
	aside map[string]edit.Buffer
}

// Swap returns the draft for a purpose, and puts aside the one in the bar unless that is
// empty: one reflex Enter must not send a task as the answer to a question.
func (d *Drafts) Swap(purpose string, inBar edit.Buffer) edit.Buffer {
	aside := maps.Clone(d.aside)
	if aside == nil {
		aside = map[string]edit.Buffer{}
	}
	delete(aside, d.Purpose)
	if !inBar.Empty() {
		aside[d.Purpose] = inBar
	}
	out := aside[purpose]
	delete(aside, purpose)
	d.aside, d.Purpose = aside, purpose
	return out
}

// TakeOver takes out the drafts of requests that are over, which no purpose finds any more;
// open reports whether a request is still open.
func (d *Drafts) TakeOver(open func(request string) bool) (out []edit.Buffer) {
	left := maps.Clone(d.aside)
	for _, request := range slices.Sorted(maps.Keys(d.aside)) {
		if request != "" && !open(request) {
			out = append(out, d.aside[request])
			delete(left, request)
		}
	}
	d.aside = left
	return out
}

// lasting is the draft that outlives the grid: that of a task, for its request may be over
// by then; else the answer that is being written.
func (d *Drafts) lasting(inBar edit.Buffer) edit.Buffer {
	if task, waits := d.aside[""]; waits && d.Purpose != "" {
		return task
	}
	return inBar
}
