package target

import (
	"cmp"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// Label is who gets the text, for people.
func (s Seen) Label() string {
	to := s.Receivers()
	switch s.Kind {
	case Queue:
		return "the queue"
	case Idle:
		out := s.NotIdle()
		if out != "" {
			out = "; " + out
		}
		if len(to) == 0 {
			return "no idle agent" + out
		}
		return countOf(to, "idle agent", labelRoom(s.env, out)) + out
	case Later:
		return textsafe.Line(cmp.Or(s.env.Names[s.IDs[0]], s.IDs[0])) + ", when it was started again"
	case Focused, Chosen:
		if ended := s.ChosenEnded(); ended != "" && len(to) > 0 {
			out := "; " + ended
			return countOf(to, "session", labelRoom(s.env, out)) + out
		}
		if len(to) == 1 {
			return nameOf(to[0])
		}
		if name := s.Ended(); name != "" {
			return name + ", which has ended"
		}
		if s.Kind == Chosen {
			return countOf(to, "session", labelRoom(s.env, ""))
		}
	}
	return "a new session"
}

// labelRoom is how many columns the bar's first line has for who gets the text, with
// what follows that.
func labelRoom(env ui.Env, after string) int {
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
