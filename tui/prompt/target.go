package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// nextTarget goes on to the next target that makes sense. The one after the session in
// focus is never a group: whoever presses the key once too often sends one text to one.
func (b *Bar) nextTarget(env ui.Env) {
	kinds := []targetKind{targetFocused, targetNew, targetQueue, targetIdle}
	at := b.target.kind
	if v := env.Session(env.Focus); v == nil || !takesPrompts(*v) {
		kinds = kinds[1:] // the focused session would be a new one
		if v != nil && keepsPrompts(*v) {
			kinds = append(kinds, targetLater)
		}
		if at == targetFocused && env.CanQueue {
			at = targetNew
		}
	}
	if !env.CanQueue {
		kinds = slices.DeleteFunc(kinds, func(k targetKind) bool { return k == targetQueue })
	}
	if len(b.idle(env)) == 0 {
		kinds = slices.DeleteFunc(kinds, func(k targetKind) bool { return k == targetIdle })
	}
	b.target = target{kind: kinds[(slices.Index(kinds, at)+1)%len(kinds)]} // -1 goes on with the first
	if b.target.kind == targetLater {
		b.target.ids = []string{env.Focus}
	}
	b.problem = ""
	b.pinPrompt(env)
	b.beginAnew(env)
}

// idle are the agents in the grid that could take a prompt at once. Shells and commands
// are in no group: they would run the text, or take it for keys.
func (b *Bar) idle(env ui.Env) []api.Session {
	return slices.DeleteFunc(slices.Clone(gridded(env)), func(v api.Session) bool { return v.State != api.StateIdle || ui.PlainOf(v) != "" })
}

// idleTarget is a target of the agents that are idle now: one that becomes idle later
// does not get what was written for these.
func (b *Bar) idleTarget(env ui.Env) target {
	t := target{kind: targetIdle}
	for _, v := range b.idle(env) {
		t.ids = append(t.ids, v.ID)
	}
	return t
}

// receivers are the sessions that get the text, nil if a new one does or the
// queue.
func (b *Bar) receivers(env ui.Env) []api.Session {
	switch t := b.target; t.kind {
	case targetFocused:
		if v := env.Session(b.promptSession(env)); v != nil && takesPrompts(*v) {
			return []api.Session{*v}
		}
	case targetIdle:
		return slices.DeleteFunc(b.idle(env), func(v api.Session) bool { return !slices.Contains(t.ids, v.ID) })
	case targetChosen:
		return slices.DeleteFunc(slices.Clone(gridded(env)), func(v api.Session) bool { return !takesPrompts(v) || !slices.Contains(t.ids, v.ID) })
	}
	return nil
}

// notIdle says which of the idle agents that the text is for are not idle any more, ""
// if all are: they do not get it.
func (b *Bar) notIdle(env ui.Env) string {
	t := b.target
	if t.kind != targetIdle {
		return ""
	}
	to := b.receivers(env)
	var names []string
	for _, id := range t.ids {
		if !slices.ContainsFunc(to, func(v api.Session) bool { return v.ID == id }) {
			names = append(names, textsafe.Line(cmp.Or(env.Names[id], id)))
		}
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + " is not idle any more"
	default:
		return strings.Join(names[:min(n, 3)], ", ") + more(n-3) + " are not idle any more"
	}
}

// targetLabel is who gets the text, for people.
func (b *Bar) targetLabel(env ui.Env) string {
	to := b.receivers(env)
	switch b.target.kind {
	case targetQueue:
		return "the queue"
	case targetIdle:
		out := b.notIdle(env)
		if out != "" {
			out = "; " + out
		}
		if len(to) == 0 {
			return "no idle agent" + out
		}
		return countOf(to, "idle agent", b.labelRoom(env, out)) + out
	case targetLater:
		return textsafe.Line(cmp.Or(env.Names[b.target.ids[0]], b.target.ids[0])) + ", when it was started again"
	case targetFocused, targetChosen:
		if ended := b.chosenEnded(env); len(ended) > 0 && len(to) > 0 {
			out := "; " + haveEnded(ended)
			return countOf(to, "session", b.labelRoom(env, out)) + out
		}
		if len(to) == 1 {
			return nameOf(to[0])
		}
		if name := b.promptEnded(env); name != "" {
			return name + ", which has ended"
		}
		if b.target.kind == targetChosen {
			return countOf(to, "session", b.labelRoom(env, ""))
		}
	}
	return "a new session"
}

// labelRoom is how many columns the bar's first line has for who gets the text, with
// what follows that.
func (b *Bar) labelRoom(env ui.Env, after string) int {
	return max(24, env.Cols-8-paint.Width(after))
}

// nameOf is the name of a session that gets the text, and that it is no agent.
func nameOf(v api.Session) string {
	name := textsafe.Line(v.Name)
	if plain := ui.PlainOf(v); plain != "" {
		return name + ", a " + plain
	}
	return name
}

// countOf is how many sessions get the text, and which, in at most so many columns, if
// that is possible; those that are no agents are the last that are left out.
func countOf(to []api.Session, noun string, room int) string {
	var agents, plain []string
	last := ""
	for _, v := range to {
		if name := textsafe.Line(v.Name); ui.PlainOf(v) == "" {
			agents = append(agents, name)
		} else {
			plain, last = append(plain, name), nameOf(v)
		}
	}
	head := format.Plural(len(to), noun, noun+"s")
	room -= paint.Width(head + ": ")
	tail := ""
	if n := len(plain); n == 1 {
		tail = last
	} else if n > 1 {
		const no = ", which are no agents"
		tail = fmt.Sprintf("%d shells or commands", n)
		if names := fitNames(plain, max(room/2, room-paint.Width(strings.Join(agents, ", "))-len(" and "))-len(no)); names != "" {
			tail = names + no
		}
	}
	switch {
	case len(agents) == 0:
		return head + ": " + tail
	case tail == "":
		if names := fitNames(agents, room); names != "" {
			return head + ": " + names
		}
		return head
	}
	if names := fitNames(agents, room-paint.Width(" and "+tail)); names != "" {
		return head + ": " + names + " and " + tail
	}
	return head + " with " + tail
}

// fitNames are as many names as fit into so many columns, and how many more there are;
// "" if none fits.
func fitNames(names []string, room int) string {
	for n := len(names); n > 0; n-- {
		out := strings.Join(names[:n], ", ")
		if left := len(names) - n; left > 0 {
			out += fmt.Sprintf(", %d more", left)
		}
		if paint.Width(out) <= room {
			return out
		}
	}
	return ""
}
