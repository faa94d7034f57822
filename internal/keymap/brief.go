package keymap

import (
	"slices"
	"strings"
)

// Following is a group of what may be pressed after the prefix key, in few words: for the
// panel that shows after it.
type Following struct {
	Group string
	Keys  []BriefKey
}

// BriefKey is a key, or several that belong together, and what it does in a word or two.
type BriefKey struct {
	Key, Word string
	Binding   Binding
}

// briefs are the groups of that panel in their order, the most wanted keys of each first.
// Actions that are not here follow in the last one by the beginning of their text.
var briefs = []struct {
	group string
	keys  []brief
}{
	{"panes", []brief{
		{"focus", []Action{FocusLeft, FocusDown, FocusUp, FocusRight}}, {"next", []Action{FocusNext}}, {"last", []Action{FocusLast}}, {"number", []Action{FocusN}}, {"zoom", []Action{Zoom}},
		{"layout", []Action{NextLayout}}, {"borders", []Action{Borders}}, {"swap", []Action{SwapPrev, SwapNext}}, {"page", []Action{PrevPage, NextPage}},
		{"hide", []Action{Hide}}, {"unhide", []Action{ShowAll}}, {"equal", []Action{Equalize}}, {"previous", []Action{FocusPrev}},
	}},
	{"sessions", []brief{
		{"new", []Action{New}}, {"list", []Action{List}}, {"scope", []Action{Scope}}, {"mark", []Action{Marks}}, {"menu", []Action{Menu}}, {"kill", []Action{Kill}}, {"details", []Action{Explain}},
		{"rename", []Action{Rename}}, {"restart", []Action{Restart}}, {"park", []Action{Park}},
		{"what it may", []Action{Policy}}, {"ended", []Action{HideEnded}}, {"column", []Action{ListColumn}}, {"after a reboot", []Action{Restore}},
	}},
	{"answer", []brief{{"answer", []Action{Attention}}, {"not now", []Action{Snooze}}, {"seen", []Action{Seen}}, {"decisions", []Action{Decisions}}}},
	{"work", []brief{
		{"prompt", []Action{Prompt}}, {"queue", []Action{Queue}}, {"conversation", []Action{Messages}}, {"review", []Action{Review}}, {"shell", []Action{Beside("shell")}}, {"work trees", []Action{Worktrees}},
		{"editor", []Action{Beside("editor")}}, {"git client", []Action{Beside("git")}},
		{"pull request", []Action{PullReq}}, {"failed check", []Action{FailedLog}}, {"tool calls", []Action{Calls}},
	}},
	{"find", []brief{
		{"session", []Action{Picker}}, {"action", []Action{Palette}}, {"past and words", []Action{History}}, {"copy mode", []Action{Copy}}, {"cards", []Action{Overview}},
	}},
	{"more", []brief{
		{"keys", []Action{Help}}, {"detach", []Action{Detach}}, {"events", []Action{Events}}, {"show events", []Action{Sidebar}}, {"machines", []Action{Nodes}},
		{"daemon", []Action{Daemon}}, {"usage", []Action{Usage}}, {"fleet", []Action{Fleet}}, {"theme", []Action{Theme}}, {"suspend", []Action{Suspend}}, {"cancel", []Action{CancelWork}}, {"redraw", []Action{Redraw}}, {"itself", []Action{Literal}},
		{"layouts", []Action{LayoutTiled, Layout1x1, Layout2x1, Layout2x2, Layout3x2, LayoutColumns, LayoutRows, LayoutMain}},
		{"border", []Action{ResizeLeft, ResizeDown, ResizeUp, ResizeRight}}, {"swap", []Action{SwapLeft, SwapDown, SwapUp, SwapRight}},
	}},
}

// brief is what actions that belong together do, in a word or two.
type brief struct {
	word    string
	actions []Action
}

// Following are the keys that may follow the prefix key, in groups.
func (m *Map) Following() []Following {
	var groups []Following
	known := map[Action]bool{}
	for _, g := range briefs {
		f := Following{Group: g.group}
		for _, row := range g.keys {
			var keys []string
			for _, a := range row.actions {
				known[a] = true
				keys = append(keys, m.firstKeys(a)...)
			}
			if len(keys) > 0 {
				f.Keys = append(f.Keys, BriefKey{together(keys), row.word, m.Of(row.actions[0])})
			}
		}
		groups = append(groups, f)
	}
	last := &groups[len(groups)-1]
	for _, b := range m.bindings {
		if ModeOf(b.Group) == ModePrefix && !known[b.Action] && len(b.Keys) > 0 {
			last.Keys = append(last.Keys, BriefKey{b.Keys[0], firstWords(b.Text), b})
		}
	}
	return slices.DeleteFunc(groups, func(f Following) bool { return len(f.Keys) == 0 })
}

// firstKeys are the keys of an action that the panel names: the first, of numbers all.
func (m *Map) firstKeys(a Action) []string {
	keys := m.Of(a).Keys
	if a == FocusN {
		return keys
	}
	return keys[:min(1, len(keys))]
}

// together names keys that belong together: "hjkl", "1-9", "M-0…M-7".
func together(keys []string) string {
	long := slices.ContainsFunc(keys, func(k string) bool { return len([]rune(k)) > 1 })
	switch {
	case len(keys) > 4 && !long:
		return keys[0] + "-" + keys[len(keys)-1]
	case len(keys) > 1 && long:
		return keys[0] + "…" + keys[len(keys)-1]
	}
	return strings.Join(keys, "")
}

// firstWords are the words of a text that say enough.
func firstWords(text string) string {
	if i := strings.IndexAny(text, ":,;("); i > 0 {
		text = text[:i]
	}
	words := strings.Fields(text)
	return strings.Join(words[:min(3, len(words))], " ")
}
