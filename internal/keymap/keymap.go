package keymap

import (
	"fmt"
	"slices"
)

// DefaultPrefix is the prefix key unless the configuration says otherwise.
const DefaultPrefix = "C-b"

// Binding is one line of the table.
type Binding struct {
	Action Action
	// Keys are pressed after the prefix key, or alone in the mode that the group
	// belongs to (see ModeOf).
	Keys []string
	// Group and Text are for the help and the palette.
	Group, Text string
	needs       needs
	custom      bool // the keys are the configuration's
}

// Disabled returns why the action is not possible, "" if it is.
func (b Binding) Disabled(f Facts) string { return b.needs.reason(f) }

// Groups of bindings, in the order of the help.
const (
	GroupSessions = "Sessions"
	GroupFocus    = "Focus"
	GroupLayout   = "Layout"
	GroupView     = "View"
	GroupAnswer   = "Answer bar"
	GroupPrompt   = "Prompt bar"
	GroupList     = "Session list"
	GroupBorders  = "Moving borders"
	GroupCopy     = "Copy mode"
	GroupEvents   = "Events"
	GroupProgram  = "ccdir"

	GroupViews     = "Lists"
	GroupQueue     = "Queue"
	GroupDecisions = "Decisions"
	GroupCalls     = "Tool calls"
	GroupHistory   = "History"
)

// defaults is the table. The order is that of the help.
func defaults() []Binding {
	return slices.Concat(gridDefaults(), copyMode(), eventBindings(), viewBindings())
}

// inGroup makes bindings of one group that depend on the same things.
func inGroup(group string, n needs) func(a Action, text string, keys ...string) Binding {
	return func(a Action, text string, keys ...string) Binding { return Binding{a, keys, group, text, n, false} }
}

func gridDefaults() []Binding {
	return []Binding{
		{New, []string{"n", "c"}, GroupSessions, "new session: agent, directory, name, prompt", needWrite | needDaemon, false},
		{Prompt, []string{":"}, GroupSessions, "prompt bar: give the focused session a task, or start one", needWrite | needDaemon, false},
		{List, []string{"s"}, GroupSessions, "session list: all sessions, the most needed first", 0, false},
		{ListColumn, []string{"S"}, GroupSessions, "show or hide the session list as a column", 0, false},
		{Picker, []string{"f"}, GroupSessions, "find a session or a state by typing a part of it", 0, false},
		{Rename, []string{","}, GroupSessions, "rename the focused session", needFocus | needWrite | needDaemon, false},
		{Restart, []string{"R"}, GroupSessions, "start an ended session again", needFocus | needWrite | needDaemon | needEnded, false},
		{Restore, []string{"M-r"}, GroupSessions, "begin again what ran before a reboot or a crash (asks)", needWrite | needDaemon, false},
		{Explain, []string{"i"}, GroupSessions, "details of the focused session, why it has its state, and what would change it", needFocus | needDaemon, false},
		{Queue, []string{"T"}, GroupSessions, "the queue of tasks: add, start, cancel, reorder, results", needDaemon, false},
		{History, []string{"/"}, GroupSessions, "history: what has ended; search it, read transcripts, go on with one", needDaemon, false},
		{Policy, []string{"P"}, GroupSessions, "what the focused session may: its role, and an override for a while", needFocus | needWrite | needDaemon, false},
		{Kill, []string{"x"}, GroupSessions, "kill the focused session, or remove an ended one (asks)", needFocus | needWrite | needDaemon, false},

		{FocusLeft, []string{"h", "Left"}, GroupFocus, "focus the pane to the left", needSeveral, false},
		{FocusDown, []string{"j", "Down"}, GroupFocus, "focus the pane below", needSeveral, false},
		{FocusUp, []string{"k", "Up"}, GroupFocus, "focus the pane above", needSeveral, false},
		{FocusRight, []string{"l", "Right"}, GroupFocus, "focus the pane to the right", needSeveral, false},
		{FocusNext, []string{"Tab"}, GroupFocus, "focus the next pane", needSeveral, false},
		{FocusPrev, []string{"BTab"}, GroupFocus, "focus the previous pane", needSeveral, false},
		{FocusN, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, GroupFocus, "focus the pane of that number", needFocus, false},
		{Attention, []string{"a"}, GroupFocus, "answer the focused session, or go to the one that has waited longest", needWaiting, false},
		{Snooze, []string{"Z"}, GroupFocus, "not now: choose when the focused session asks for attention again", needWaiting, false},

		{NextLayout, []string{"Space"}, GroupLayout, "next layout: tiled, 1x1, 2x1, 2x2, 3x2, columns, rows, main + stack", needFocus, false},
		{LayoutTiled, []string{"M-0"}, GroupLayout, "tiled: as many panes as there is room for", 0, false},
		{Layout1x1, []string{"M-1"}, GroupLayout, "1x1: one pane a page", 0, false},
		{Layout2x1, []string{"M-2"}, GroupLayout, "2x1: two panes side by side", 0, false},
		{Layout2x2, []string{"M-3"}, GroupLayout, "2x2: four panes a page", 0, false},
		{Layout3x2, []string{"M-4"}, GroupLayout, "3x2: six panes a page", 0, false},
		{LayoutColumns, []string{"M-5"}, GroupLayout, "columns: all panes side by side", 0, false},
		{LayoutRows, []string{"M-6"}, GroupLayout, "rows: all panes one below the other", 0, false},
		{LayoutMain, []string{"M-7"}, GroupLayout, "main + stack: the first pane large, the others stacked beside it", 0, false},
		{ResizeLeft, []string{"C-Left"}, GroupLayout, "move the pane's border to the left (goes on without prefix)", needSeveral, false},
		{ResizeDown, []string{"C-Down"}, GroupLayout, "move the pane's border down", needSeveral, false},
		{ResizeUp, []string{"C-Up"}, GroupLayout, "move the pane's border up", needSeveral, false},
		{ResizeRight, []string{"C-Right"}, GroupLayout, "move the pane's border to the right", needSeveral, false},
		{Borders, []string{"b"}, GroupLayout, "move borders with the arrow keys until Enter", needSeveral, false},
		{Equalize, []string{"="}, GroupLayout, "give the panes of this layout equal sizes again", 0, false},
		{SwapPrev, []string{"{"}, GroupLayout, "swap the pane with the previous one", needSeveral, false},
		{SwapNext, []string{"}"}, GroupLayout, "swap the pane with the next one", needSeveral, false},
		{SwapLeft, []string{"S-Left"}, GroupLayout, "swap the pane with the one to the left", needSeveral, false},
		{SwapDown, []string{"S-Down"}, GroupLayout, "swap the pane with the one below", needSeveral, false},
		{SwapUp, []string{"S-Up"}, GroupLayout, "swap the pane with the one above", needSeveral, false},
		{SwapRight, []string{"S-Right"}, GroupLayout, "swap the pane with the one to the right", needSeveral, false},
		{Hide, []string{"-"}, GroupLayout, "hide the pane: its session goes on and stays in the list", needFocus, false},
		{ShowAll, []string{"+"}, GroupLayout, "show the hidden panes again", needHidden, false},
		{NextPage, []string{">"}, GroupLayout, "next page of panes", needPages, false},
		{PrevPage, []string{"<"}, GroupLayout, "previous page of panes", needPages, false},

		{Zoom, []string{"z"}, GroupView, "show the focused pane alone, or all again", needFocus, false},
		{Copy, []string{"[", "PPage"}, GroupView, "copy mode: look back, search, select, copy", needFocus, false},
		{Events, []string{"E"}, GroupView, "move into the events: choose, filter, pause, clear", 0, false},
		{Sidebar, []string{"e"}, GroupView, "show or hide the events", 0, false},
		{Calls, []string{"t"}, GroupView, "the calls of ccdir's tools that agents made, with a filter", 0, false},
		{Decisions, []string{"D"}, GroupView, "who allowed and denied what: the ledger, rules made of its rows", needDaemon, false},
		{Overview, []string{"o"}, GroupView, "overview: the daemon, counts, places, configuration", 0, false},
		{HideEnded, []string{"H"}, GroupView, "show or hide sessions that have ended", 0, false},
		{Redraw, []string{"r", "C-l"}, GroupView, "draw the screen anew", 0, false},

		{AnswerYes, []string{"y"}, GroupAnswer, "yes: allow what the session asks for, this once", needWrite | needDaemon, false},
		{AnswerNo, []string{"n"}, GroupAnswer, "no: refuse it, with a message to the agent if you like", needWrite | needDaemon, false},
		{AnswerAlways, []string{"a"}, GroupAnswer, "always: allow it and the same again; choose for the session, the project or all", needWrite | needDaemon, false},
		{AnswerEdit, []string{"e"}, GroupAnswer, "edit the command and allow that, or write the answer to a question", needWrite | needDaemon, false},
		{AnswerAll, []string{"A"}, GroupAnswer, "yes to all open requests that are exactly like this one", needWrite | needDaemon, false},
		{AnswerPane, []string{"o"}, GroupAnswer, "open the pane: answer in its own dialog", 0, false},
		{AnswerNext, []string{"Tab"}, GroupAnswer, "show the next request, or go to the next session that waits", 0, false},
		{AnswerSnooze, []string{"s"}, GroupAnswer, "not now: choose when it asks for attention again", 0, false},
		{AnswerLater, []string{"Escape", "q"}, GroupAnswer, "later: close the bar, nothing is answered", 0, false},

		{ListUp, []string{"Up", "k", "C-p"}, GroupList, "the session above", 0, false},
		{ListDown, []string{"Down", "j", "C-n"}, GroupList, "the session below", 0, false},
		{ListPageUp, []string{"PPage", "C-u"}, GroupList, "a page up", 0, false},
		{ListPageDown, []string{"NPage", "C-d"}, GroupList, "a page down", 0, false},
		{ListFirst, []string{"Home"}, GroupList, "the first session", 0, false},
		{ListLast, []string{"End", "G"}, GroupList, "the last session", 0, false},
		{ListFocus, []string{"Enter"}, GroupList, "focus the session", 0, false},
		{ListFilter, []string{"/"}, GroupList, "filter by typing a part of name, task, state or directory", 0, false},
		{ListSort, []string{"o"}, GroupList, "order: by need, by name, as in the grid", 0, false},
		{ListGroup, []string{"g"}, GroupList, "group by project, or not", 0, false},
		{ListMark, []string{"Space"}, GroupList, "mark the session for kill, restart, hide and tasks", 0, false},
		{ListMarkAll, []string{"a"}, GroupList, "mark all sessions that are listed, or none", 0, false},
		{ListKill, []string{"x"}, GroupList, "kill the session or the marked ones; remove ended ones (asks)", needWrite | needDaemon, false},
		{ListRename, []string{"r", ","}, GroupList, "rename the session", needWrite | needDaemon, false},
		{ListRestart, []string{"R"}, GroupList, "start the ended session, or the marked ones, again", needWrite | needDaemon, false},
		{ListHide, []string{"h", "-"}, GroupList, "hide its pane, or show it again", 0, false},
		{ListSend, []string{":", "p"}, GroupList, "give it, or the marked ones, a task in the prompt bar", needWrite | needDaemon, false},
		{ListExplain, []string{"i"}, GroupList, "its details, and why it has its state", needDaemon, false},
		{ListPolicy, []string{"P"}, GroupList, "what it may: its role, and an override for a while", needWrite | needDaemon, false},
		{ListToColumn, []string{"Tab"}, GroupList, "keep the list open as a column, or not", 0, false},
		{ListClose, []string{"Escape", "q", "s"}, GroupList, "close the list, or end the filter", 0, false},

		{BorderLeft, []string{"Left", "h", "C-Left"}, GroupBorders, "to the left", 0, false},
		{BorderDown, []string{"Down", "j", "C-Down"}, GroupBorders, "down", 0, false},
		{BorderUp, []string{"Up", "k", "C-Up"}, GroupBorders, "up", 0, false},
		{BorderRight, []string{"Right", "l", "C-Right"}, GroupBorders, "to the right", 0, false},
		{BorderNext, []string{"Tab"}, GroupBorders, "the next pane", 0, false},
		{BorderEqual, []string{"="}, GroupBorders, "equal sizes", 0, false},
		{BorderDone, []string{"Enter", "Escape", "q", "b"}, GroupBorders, "done", 0, false},

		{PromptSend, []string{"Enter"}, GroupPrompt, "send the text", 0, false},
		{PromptLine, []string{"M-Enter", "S-Enter", "C-j"}, GroupPrompt, "begin a new line", 0, false},
		{PromptHistory, []string{"C-r"}, GroupPrompt, "search the prompts of before (Up goes back one)", 0, false},
		{PromptTarget, []string{"C-t"}, GroupPrompt, "choose who gets it: sessions, all idle ones, a new one, the queue", 0, false},
		{PromptNextTarget, []string{"Tab"}, GroupPrompt, "who gets it: the next choice", 0, false},
		{PromptUnfold, []string{"C-o"}, GroupPrompt, "show the folded paste at the cursor whole", 0, false},
		{PromptClose, []string{"Escape", "C-c"}, GroupPrompt, "back to the pane, what was written stays; or cancel what is being sent", 0, false},

		{Literal, nil, GroupProgram, "send the prefix key itself to the pane", needFocus | needWrite | needAlive, false},
		{Palette, []string{"p", "M-x"}, GroupProgram, "command palette: every action by a part of its name", 0, false},
		{CancelWork, []string{"C-c"}, GroupProgram, "cancel what is under way (starting or ending several sessions)", needWork, false},
		{Help, []string{"?"}, GroupProgram, "these keys", 0, false},
		{Detach, []string{"d"}, GroupProgram, "detach: leave the grid, sessions go on", 0, false},
	}
}

// Map is a table of bindings with its prefix key. It doesn't change.
type Map struct {
	prefix   string
	bindings []Binding
	byKey    map[Mode]map[string]int
}

// Make builds a table. prefix is the prefix key ("" is the default); custom
// replaces the keys of actions by name. It returns every problem: unknown
// actions and keys, and keys bound twice; the map is usable all the same.
func Make(prefix string, custom map[string][]string) (*Map, []error) {
	var problems []error
	m := &Map{prefix: DefaultPrefix, bindings: defaults(), byKey: map[Mode]map[string]int{}}
	if prefix != "" {
		if name, err := Normal(prefix); err != nil {
			problems = append(problems, fmt.Errorf("keys.prefix: %w", err))
		} else if len([]rune(name)) == 1 {
			problems = append(problems, fmt.Errorf("keys.prefix: %q is a character that people type: take one with C- or M-, or a function key", prefix))
		} else {
			m.prefix = name
		}
	}
	names := make([]string, 0, len(custom))
	for name := range custom {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(m.bindings, func(b Binding) bool { return string(b.Action) == name })
		if i < 0 {
			problems = append(problems, unknown(name))
			continue
		}
		keys, errs := normalAll(name, custom[name])
		problems = append(problems, errs...)
		m.bindings[i].Keys, m.bindings[i].custom = keys, true
	}
	// The prefix key twice is the prefix key itself.
	if i := m.index(Literal); !slices.Contains(m.bindings[i].Keys, m.prefix) {
		m.bindings[i].Keys = append([]string{m.prefix}, m.bindings[i].Keys...)
	}
	return m, append(problems, m.fill()...)
}

// table is the map that holds a binding's keys: those of one mode don't get
// into the way of another's.
func (m *Map) table(b Binding) map[string]int {
	mode := ModeOf(b.Group)
	if m.byKey[mode] == nil {
		m.byKey[mode] = map[string]int{}
	}
	return m.byKey[mode]
}

// fill makes byKey and reports conflicts within a mode: a key that the
// configuration bound wins, else the binding that is first in the table.
func (m *Map) fill() (problems []error) {
	for _, custom := range []bool{true, false} {
		for i, b := range m.bindings {
			if b.custom != custom {
				continue
			}
			byKey := m.table(b)
			for _, k := range b.Keys {
				if j, taken := byKey[k]; taken && j != i {
					winner := m.bindings[j].Action
					problems = append(problems, fmt.Errorf("key %s is bound to both %s and %s%s: %s keeps it", k, winner, b.Action, ModeOf(b.Group).where(), winner))
					continue
				}
				byKey[k] = i
			}
		}
	}
	return problems
}

func normalAll(name string, keys []string) (out []string, problems []error) {
	for _, k := range keys {
		n, err := Normal(k)
		if err != nil {
			problems = append(problems, fmt.Errorf("keys.%s: %w", name, err))
			continue
		}
		out = append(out, n)
	}
	return out, problems
}

func (m *Map) index(a Action) int {
	return slices.IndexFunc(m.bindings, func(b Binding) bool { return b.Action == a })
}

// Actions lists the names of all actions, in the order of the table.
func Actions() []string {
	var names []string
	for _, b := range defaults() {
		names = append(names, string(b.Action))
	}
	return names
}

// Prefix is the prefix key's name.
func (m *Map) Prefix() string { return m.prefix }

// Bindings returns the table in the order of the help. Don't change it.
func (m *Map) Bindings() []Binding { return m.bindings }

// Lookup finds the binding of a key pressed after the prefix key.
func (m *Map) Lookup(key string) (Binding, bool) { return m.LookupIn(ModePrefix, key) }

// LookupAnswer finds the binding of a key pressed in the answer bar.
func (m *Map) LookupAnswer(key string) (Binding, bool) { return m.LookupIn(ModeAnswer, key) }

// LookupIn finds the binding of a key pressed in a mode.
func (m *Map) LookupIn(mode Mode, key string) (Binding, bool) {
	i, ok := m.byKey[mode][key]
	if !ok {
		return Binding{}, false
	}
	return m.bindings[i], true
}

// Of returns the binding of an action.
func (m *Map) Of(a Action) Binding {
	if i := m.index(a); i >= 0 {
		return m.bindings[i]
	}
	return Binding{Action: a}
}

// Hint is how to press an action, "C-b n" for example, or "y" in the answer
// bar; "" if no key is bound.
func (m *Map) Hint(a Action) string {
	if b := m.Of(a); len(b.Keys) > 0 {
		if ModeOf(b.Group) != ModePrefix {
			return b.Keys[0]
		}
		return m.prefix + " " + b.Keys[0]
	}
	return ""
}
