package outbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ccdir/tui/widget/edit"
)

// Purpose is what a text is written for: the answer to a request, by its id, or a task for a
// session, by its id; the zero value is a task for no session in particular.
type Purpose struct{ Request, Session string }

// Drafts are the texts that were begun for different purposes. One of them is in the bar.
type Drafts struct {
	// Purpose is what the text in the bar was begun for.
	Purpose Purpose
	// aside are the others. Replaced, never changed in place.
	aside map[Purpose]edit.Buffer
}

// with is what is aside with another draft for a purpose; an empty one is none.
func (d *Drafts) with(p Purpose, text edit.Buffer) map[Purpose]edit.Buffer {
	aside := maps.Clone(d.aside)
	if aside == nil {
		aside = map[Purpose]edit.Buffer{}
	}
	delete(aside, p)
	if !text.Empty() {
		aside[p] = text
	}
	return aside
}

// Swap returns the draft for a purpose, and puts aside the one in the bar unless that is
// empty: one reflex Enter must not send a task as the answer to a question, nor to another
// session.
func (d *Drafts) Swap(purpose Purpose, inBar edit.Buffer) edit.Buffer {
	d.aside = d.with(d.Purpose, inBar)
	out := d.aside[purpose]
	d.aside, d.Purpose = d.with(purpose, edit.Buffer{}), purpose
	return out
}

// Become makes the text in the bar one for another purpose. It returns what was written for
// that before, which no purpose finds any more.
func (d *Drafts) Become(purpose Purpose) (displaced edit.Buffer) {
	if purpose != d.Purpose {
		displaced = d.aside[purpose]
		d.aside, d.Purpose = d.with(purpose, edit.Buffer{}), purpose
	}
	return displaced
}

// Put puts a text aside for a purpose, and reports whether there was none.
func (d *Drafts) Put(purpose Purpose, text edit.Buffer) bool {
	if old := d.aside[purpose]; purpose == d.Purpose || !old.Empty() {
		return false
	}
	d.aside = d.with(purpose, text)
	return true
}

// TakeOver takes out the drafts that no purpose finds any more: those of requests that are over
// and of sessions that are gone. open reports whether a purpose is still there; the zero one is.
func (d *Drafts) TakeOver(open func(Purpose) bool) (out []edit.Buffer) {
	left := maps.Clone(d.aside)
	for _, p := range d.purposes() {
		if p != (Purpose{}) && !open(p) {
			out = append(out, d.aside[p])
			delete(left, p)
		}
	}
	d.aside = left
	return out
}

// purposes are those that have a draft aside, in order.
func (d *Drafts) purposes() []Purpose {
	return slices.SortedFunc(maps.Keys(d.aside), func(a, b Purpose) int {
		return cmp.Or(strings.Compare(a.Request, b.Request), strings.Compare(a.Session, b.Session))
	})
}

// lasting is the draft that outlives the grid in the bar, and the session that it is for: that of a
// task, for its request may be over by then; else the answer that is being written.
func (d *Drafts) lasting(inBar edit.Buffer) (text edit.Buffer, of Purpose) {
	if d.Purpose.Request != "" {
		for _, p := range []Purpose{{Session: d.Purpose.Session}, {}} {
			if task, waits := d.aside[p]; waits {
				return task, p
			}
		}
	}
	return inBar, Purpose{Session: d.Purpose.Session}
}

// mostAside bounds the drafts that outlive the grid beside that in the bar, in bytes.
const mostAside = 2 << 20

// keptDraft is a draft of a session ("": of none) that outlives the grid.
type keptDraft struct {
	Session string `json:"session"`
	Text    string `json:"text"`
}

// others are the drafts that outlive the grid beside that of lasting.
func (d *Drafts) others(inBar edit.Buffer) (list []keptDraft) {
	_, not := d.lasting(inBar)
	room := mostAside
	for _, p := range d.purposes() {
		text := d.aside[p]
		if p.Request != "" || p == not {
			continue
		}
		if s := text.String(); len(s) <= room {
			room -= len(s)
			list = append(list, keptDraft{p.Session, s})
		}
	}
	return list
}

// restore takes back what outlived a grid; what was written meanwhile stays.
func (d *Drafts) restore(list []keptDraft) {
	for _, k := range list[:min(len(list), mostTries)] {
		if strings.TrimSpace(k.Text) != "" {
			d.Put(Purpose{Session: k.Session}, edit.New(k.Text))
		}
	}
}

// Sessions are those that have a draft aside, in order.
func (d *Drafts) Sessions() (ids []string) {
	for _, p := range d.purposes() {
		if p.Request == "" && p.Session != "" {
			ids = append(ids, p.Session)
		}
	}
	return ids
}
