// Package target is who gets the text of the prompt bar: a value, and what it comes to
// among the sessions that the grid knows now. It is pure: it asks nobody and changes nothing.
package target

import (
	"slices"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Kind is what kind of receiver gets a text.
type Kind int

// The kinds, in the order in which a key goes through them.
const (
	Focused Kind = iota // the focused session; a new one if there is none
	New                 // a new session
	Queue               // the queue
	Idle                // those of the agents with these ids that are idle
	Chosen              // the sessions with these ids, whatever runs in them
	Later               // the one with this id, which has ended: when it was started again
)

// Target is who gets a text; the zero value is the session in focus.
type Target struct {
	Kind Kind
	IDs  []string // of Idle, Chosen and Later; never changed in place
}

// ChosenOf is a target of the sessions with these ids.
func ChosenOf(ids ...string) Target { return Target{Kind: Chosen, IDs: ids} }

// One returns the session of a target that is one named session, and whether it is.
func (t Target) One() (id string, one bool) {
	if (t.Kind == Chosen || t.Kind == Later) && len(t.IDs) == 1 {
		return t.IDs[0], true
	}
	return "", false
}

// ForSession is the target of one session that was named: now, or when it was started again.
func ForSession(env ui.Env, id string) Target {
	t := ChosenOf(id)
	if v := env.Session(id); v != nil && KeptFor(*v) {
		t.Kind = Later
	}
	return t
}

// IdleNow is a target of the agents that are idle now: one that becomes idle later
// does not get what was written for these.
func IdleNow(env ui.Env) Target {
	t := Target{Kind: Idle}
	for _, v := range idle(env) {
		t.IDs = append(t.IDs, v.ID)
	}
	return t
}

// Takes reports whether texts can be sent to a session: it runs, or is about to
// again, and then they are held for it.
func Takes(v api.Session) bool { return !v.State.Ended() || v.Restarting }

// KeptFor reports whether a text can wait for an ended session to be started again. A
// shell would run it.
func KeptFor(v api.Session) bool { return !Takes(v) && !v.External && ui.PlainOf(v) == "" }

// gridded are the sessions that have panes, in the grid's order.
func gridded(env ui.Env) []api.Session {
	return slices.DeleteFunc(slices.Clone(env.List.Sessions), func(v api.Session) bool { return v.External })
}

// idle are the agents in the grid that could take a prompt at once. Shells and commands
// are in no group: they would run the text, or take it for keys.
func idle(env ui.Env) []api.Session {
	return slices.DeleteFunc(gridded(env), func(v api.Session) bool { return v.State != api.StateIdle || ui.PlainOf(v) != "" })
}

// Next is the next target that makes sense. The one after the session in
// focus is never a group: whoever presses the key once too often sends one text to one.
func (t Target) Next(env ui.Env) Target {
	kinds := []Kind{Focused, New, Queue, Idle}
	at := t.Kind
	if v := env.Session(env.Focus); v == nil || !Takes(*v) {
		kinds = kinds[1:] // the focused session would be a new one
		if v != nil && KeptFor(*v) {
			kinds = append(kinds, Later)
		}
		if at == Focused && env.CanQueue {
			at = New
		}
	}
	if !env.CanQueue {
		kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return k == Queue })
	}
	if len(idle(env)) == 0 {
		kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return k == Idle })
	}
	next := Target{Kind: kinds[(slices.Index(kinds, at)+1)%len(kinds)]} // -1 goes on with the first
	switch next.Kind {
	case Idle:
		return IdleNow(env)
	case Later:
		next.IDs = []string{env.Focus}
	}
	return next
}

// Choice is a target that can be chosen, in words.
type Choice struct {
	Text, Note string
	Target     Target // an Idle one without ids: of those that are idle when it is taken
}

// Choices are the targets that there are, in the order in which they are listed.
func Choices(env ui.Env) (out []Choice) {
	all := gridded(env)
	for _, v := range all {
		if Takes(v) {
			note := ui.StandingWord(v, env.Now)
			if plain := ui.PlainOf(v); plain != "" && note != plain {
				note += ", a " + plain
			}
			if v.ID == env.Focus {
				note += ", focused"
			}
			out = append(out, Choice{textsafe.Line(v.Name), note, ChosenOf(v.ID)})
		}
	}
	out = append(out, Choice{"new session", "", Target{Kind: New}})
	for _, v := range all {
		if KeptFor(v) {
			out = append(out, Choice{textsafe.Line(v.Name), "has ended: when it was started again", Target{Kind: Later, IDs: []string{v.ID}}})
		}
	}
	if env.CanQueue {
		out = append(out, Choice{"queue", "starts when its turn comes", Target{Kind: Queue}})
	}
	if to := idle(env); len(to) > 0 {
		const text = "all idle agents"
		out = append(out, Choice{text, countOf(to, "agent", labelRoom(env, text)), Target{Kind: Idle}})
	}
	return out
}
