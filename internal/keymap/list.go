package keymap

// The actions of the session list. Their keys are pressed without the prefix key while
// it has the keyboard.
const (
	ListUp       Action = "list-up"
	ListDown     Action = "list-down"
	ListPageUp   Action = "list-page-up"
	ListPageDown Action = "list-page-down"
	ListFirst    Action = "list-first"
	ListLast     Action = "list-last"
	ListFocus    Action = "list-focus"
	ListFilter   Action = "list-filter"
	ListSort     Action = "list-sort"
	ListGroup    Action = "list-group"
	ListScope    Action = "list-scope"
	ListMark     Action = "list-mark"
	ListMarkAll  Action = "list-mark-all"
	ListKill     Action = "list-kill"
	ListRename   Action = "list-rename"
	ListMarks    Action = "list-marks"
	ListRestart  Action = "list-restart"
	ListHide     Action = "list-hide"
	ListSend     Action = "list-send"
	ListExplain  Action = "list-explain"
	ListPolicy   Action = "list-policy"
	ListSnooze   Action = "list-snooze"
	ListMenu     Action = "list-menu"
	ListWider    Action = "list-wider"
	ListNarrower Action = "list-narrower"
	ListToColumn Action = "list-column"
	ListClose    Action = "list-close"
)

// listBindings are the bindings of the session list, in the order of the help.
func listBindings() []Binding {
	b := inGroup(GroupList, 0)
	return []Binding{
		b(ListUp, "the session above", "Up", "k", "C-p"),
		b(ListDown, "the session below", "Down", "j", "C-n"),
		b(ListPageUp, "a page up", "PPage", "C-u"),
		b(ListPageDown, "a page down", "NPage", "C-d"),
		b(ListFirst, "the first session", "Home"),
		b(ListLast, "the last session", "End", "G"),
		b(ListFocus, "focus the session", "Enter"),
		b(ListFilter, "filter by typing a part of name, task, state or directory; Enter keeps the filter, Esc drops it", "/"),
		b(ListSort, "order: by need, by name, as in the grid", "o"),
		b(ListGroup, "group by project, or not", "g"),
		b(ListScope, "scope: only what is filtered, else the session's repository, for grid, list and keys; once more: all", "w"),
		b(ListMark, "mark the session for kill, restart, hide and tasks", "Space"),
		b(ListMarkAll, "mark all sessions that are listed, or none", "a"),
		b(ListKill, "kill the session or the marked ones; remove ended ones (asks)", "x").when(needWrite | needDaemon),
		b(ListRename, "rename the session", "r", ",").when(needWrite | needDaemon),
		b(ListMarks, "note a group, a pin, a text or a colour of the session", "*").when(needWrite | needDaemon),
		b(ListRestart, "start the ended session, or the marked ones, again", "R").when(needWrite | needDaemon),
		b(ListHide, "hide its pane, or show it again", "h", "-"),
		b(ListSend, "give it, or the marked ones, a task in the prompt bar", ":", "p").when(needWrite | needDaemon),
		b(ListExplain, "its details, and why it has its state", "i").when(needDaemon),
		b(ListPolicy, "what it may: its role, and an override for a while", "P").when(needWrite | needDaemon),
		b(ListSnooze, "not now: choose when it asks for attention again; once more: have it ask now", "z", "Z").when(needWrite | needDaemon),
		b(ListMenu, "menu of the session: what else can be done with it (or the right button)", "M"),
		b(ListWider, "more room for the list, where it is a column", "C-Right", ">"),
		b(ListNarrower, "less room for the list", "C-Left", "<"),
		b(ListToColumn, "keep the list open as a column, or not", "Tab"),
		b(ListClose, "close the list, or end the filter", "Escape", "q", "s"),
	}
}
