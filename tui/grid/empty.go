package grid

import (
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// drawEmpty is the screen without sessions.
func (p Picture) drawEmpty(s *paint.Surface) {
	left := p.Layout.Column().W
	w := p.Cols - left
	h := p.Rows - p.Layout.Prompt.H - p.Layout.Status.H
	lines := p.emptyLines(max(1, w-2), h)
	y := max(0, (h-len(lines))/2)
	for i, l := range lines {
		if y+i >= h {
			return
		}
		st := cells.Style{}
		switch {
		case l == emptyTitle:
			st = theme.Bold(p.Theme.Accent)
		case strings.HasPrefix(l, "!"):
			l, st = l[1:], theme.FG(p.Theme.Input)
		}
		s.Text(left+max(0, (w-paint.Width(l))/2), y+i, w, l, st)
	}
}

const emptyTitle = "ccdir"

// emptyLines are what the empty screen says, in lines of at most w columns, and in few
// words where h are not enough for it; warnings begin with "!".
func (p Picture) emptyLines(w, h int) []string {
	out := []string{emptyTitle}
	add := func(sign, text string) {
		for _, l := range modal.Wrap(text, w) {
			out = append(out, sign+l)
		}
	}
	gap := func() {
		if p.Rows >= 14 {
			out = append(out, "")
		}
	}
	gap()
	switch {
	case !p.Loaded:
		add("", "asking the daemon…")
	case p.Total == 0 && p.List.Beyond > 0:
		add("", "No session is in "+sessionlist.ScopeName(p.List.Scope)+".")
		add("", "Press "+p.key(keymap.Scope)+" to show all "+fmt.Sprint(p.List.Beyond)+".")
	case p.Total > 0 && p.Facts.Hidden == 0:
		add("", fmt.Sprintf("%s hidden.", format.Plural(p.Total, "ended session is", "ended sessions are")))
		add("", "Press "+p.key(keymap.HideEnded)+" to show them.")
	case p.Total > 0:
		add("", fmt.Sprintf("%s hidden.", format.Plural(p.Total, "session is", "sessions are")))
		add("", "Press "+p.key(keymap.ShowAll)+" to show what you hid, "+p.key(keymap.List)+" to list all.")
	case p.ReadOnly:
		add("", "No sessions.")
	default:
		add("", "No sessions yet.")
		add("", "Press "+p.key(keymap.New)+" to start one, "+p.key(keymap.Prompt)+" to type a task for a new one,")
		add("", p.key(keymap.Help)+" for all keys, "+p.key(keymap.Detach)+" to leave.")
		if missing := missingAgents(p.Agents); missing != "" {
			gap()
			add("!", missing)
			if len(out) > h {
				out = nil
				add("", "Press "+p.key(keymap.New)+" to start a session, "+p.key(keymap.Help)+" for all keys.")
				add("!", missing)
				add("", p.key(keymap.Demo)+" shows a tour with scripted agents.")
				break
			}
		}
		p.addStart(&out, w, h)
	}
	return out
}

// addStart adds what a first look needs besides keys, as far as there is room.
func (p Picture) addStart(out *[]string, w, h int) {
	blocks := []string{"First time? " + p.key(keymap.Demo) + " shows a tour with scripted agents (`ccdir demo`)."}
	if p.Keys.Prefix() == keymap.DefaultPrefix && p.Getenv("TMUX") != "" {
		blocks = append(blocks, "!Where "+keymap.DefaultPrefix+" is tmux's prefix, too, press it twice, or `ccdir config set keys.prefix C-a`.")
	}
	if p.ConfigFile != "" {
		blocks = append(blocks, "Settings: "+format.Home(p.ConfigFile, p.Home)+" (`ccdir config edit`)")
	}
	for i, text := range blocks {
		sign := ""
		if rest, warns := strings.CutPrefix(text, "!"); warns {
			sign, text = "!", rest
		}
		lines := modal.Wrap(textsafe.Line(text), w)
		if len(*out)+len(lines)+1 > h {
			return
		}
		if i == 0 || sign != "" {
			*out = append(*out, "")
		}
		for _, l := range lines {
			*out = append(*out, sign+l)
		}
	}
}

// key is the key of an action on the empty screen, where no prefix is needed.
func (p Picture) key(a keymap.Action) string {
	if keys := p.Keys.Of(a).Keys; len(keys) > 0 {
		return keys[0]
	}
	return string(a)
}

// missingAgents says that the default agent is not installed, "" if it is.
func missingAgents(agents []api.AgentInfo) string {
	for _, a := range agents {
		if a.Default && a.Path == "" {
			text := textsafe.Line(a.Name) + " is not installed"
			if a.Hint != "" {
				text += ": " + textsafe.Line(a.Hint)
			}
			return text
		}
	}
	return ""
}
