package ui

import (
	"slices"
	"strconv"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
)

// RequestOf is the oldest open request of a session, nil if there is none; the pointer is
// for reading.
func (w *World) RequestOf(session string) *api.Request {
	for i := range w.Requests {
		if w.Requests[i].Session == session {
			return &w.Requests[i]
		}
	}
	return nil
}

// Request finds an open request by its id, nil if there is none; the pointer is for reading.
func (w *World) Request(id string) *api.Request {
	for i := range w.Requests {
		if w.Requests[i].ID == id {
			return &w.Requests[i]
		}
	}
	return nil
}

// EndedRequest is how a request ended lately, nil if that is not known.
func (w *World) EndedRequest(id string) *api.Decision {
	for i := range slices.Backward(w.Ended) {
		if w.Ended[i].Request.ID == id {
			return &w.Ended[i]
		}
	}
	return nil
}

// Waits reports whether a session waits for a person, put off or not. Its request may be
// here before its state is.
func (w *World) Waits(v api.Session) bool {
	return v.State.NeedsPerson() || !v.State.Ended() && w.RequestOf(v.ID) != nil
}

// Snoozed reports whether a session waits and that was put off.
func (w *World) Snoozed(v api.Session, now time.Time) bool { return v.PutOff(now) && w.Waits(v) }

// SnoozedCount is how many sessions that wait were put off.
func (w *World) SnoozedCount(now time.Time) (n int) {
	for _, v := range w.Sessions {
		if w.Snoozed(v, now) {
			n++
		}
	}
	return n
}

// Waiting are the sessions that wait for a person and were not put off, the longest
// waiting first.
func (w *World) Waiting(now time.Time) []api.Session {
	var out []api.Session
	for _, v := range w.Sessions {
		if w.Waits(v) && !w.Snoozed(v, now) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b api.Session) int { return w.waitBegan(a).Compare(w.waitBegan(b)) })
	return out
}

// StillWait says how many sessions but this one wait, for the notice after an answer; ""
// if none does.
func (e Env) StillWait(but string) string {
	n := 0
	for _, v := range e.Waiting(e.Now) {
		if v.ID != but {
			n++
		}
	}
	key := " (" + e.Keys.Hint(keymap.Attention) + ")"
	switch n {
	case 0:
		return ""
	case 1:
		return "; one more waits" + key
	}
	return "; " + strconv.Itoa(n) + " more wait" + key
}

// waitBegan is since when a session waits: since it has its state, or, where its state is
// behind what it asks, since it asks.
func (w *World) waitBegan(v api.Session) time.Time {
	if r := w.RequestOf(v.ID); r != nil && !v.State.NeedsPerson() {
		return r.Since
	}
	return v.Since
}

// AskText is the question of a session that waits, in one line.
func (w *World) AskText(v api.Session) string {
	q, r := v.Question, w.RequestOf(v.ID)
	if r != nil && r.Question != "" {
		q = r.Question
	}
	switch {
	case q != "":
		return textsafe.Line(q)
	case r != nil:
		return textsafe.Line(r.Tool)
	case v.State == api.StatePermission:
		return "it asks for permission"
	}
	return "it asks something"
}
