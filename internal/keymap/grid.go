package keymap

import "strings"

// The actions on sessions.
const (
	New        Action = "new"
	Prompt     Action = "prompt"
	List       Action = "session-list"
	ListColumn Action = "session-column"
	Picker     Action = "find-session"
	Rename     Action = "rename"
	Marks      Action = "marks"
	Restart    Action = "restart"
	Park       Action = "park"
	Restore    Action = "restore"
	Explain    Action = "explain"
	Queue      Action = "queue"
	History    Action = "history"
	Policy     Action = "session-policy"
	PullReq    Action = "pull-request"
	FailedLog  Action = "send-failing-check"
	Kill       Action = "kill"
	Menu       Action = "session-menu"
)

// Beside is the action that opens the tool of that name beside the focused session.
func Beside(tool string) Action { return Action(besidePrefix + tool) }

// besidePrefix is the beginning of the actions of tools.
const besidePrefix = "beside-"

// Tool is the name of the tool that an action opens; ok is false for other actions.
func (a Action) Tool() (name string, ok bool) { return strings.CutPrefix(string(a), besidePrefix) }

// The actions that move the focus, and those on the session that waits.
const (
	FocusLeft  Action = "focus-left"
	FocusDown  Action = "focus-down"
	FocusUp    Action = "focus-up"
	FocusRight Action = "focus-right"
	FocusNext  Action = "focus-next"
	FocusPrev  Action = "focus-previous"
	FocusLast  Action = "focus-last"
	FocusN     Action = "focus-number"
	Attention  Action = "attention"
	Snooze     Action = "snooze"
	Seen       Action = "seen"
)

// The actions on the view. Copy and Events, which begin a mode, stand with that mode.
const (
	Zoom      Action = "zoom"
	Sidebar   Action = "events"
	Calls     Action = "tool-calls"
	Decisions Action = "decisions"
	Overview  Action = "overview"
	Daemon    Action = "daemon"
	Usage     Action = "usage"
	Fleet     Action = "fleet"
	Nodes     Action = "nodes"
	Worktrees Action = "work-trees"
	Messages  Action = "conversation"
	Review    Action = "review"
	HideEnded Action = "hide-ended"
	Scope     Action = "scope"
	Redraw    Action = "redraw"
)

// The actions on ccdir itself.
const (
	Literal    Action = "send-prefix"
	Palette    Action = "palette"
	CancelWork Action = "cancel-work"
	Help       Action = "help"
	Suspend    Action = "suspend"
	Demo       Action = "demo"
	Theme      Action = "theme"
	Detach     Action = "detach"
)

// sessionBindings are those of the actions on sessions, in the order of the help.
func sessionBindings() []Binding {
	b := inGroup(GroupSessions, 0)
	return []Binding{
		b(New, "new session: agent, directory, name, prompt", "n", "c").when(needWrite | needDaemon),
		b(Prompt, "prompt bar: give the focused session a task, or start one", ":").when(needWrite | needDaemon),
		b(List, "session list: all sessions, the most needed first", "s"),
		b(ListColumn, "show or hide the session list as a column", "S"),
		b(Picker, "find a session or a state by typing its number or a part of it", "f", "'"),
		b(Rename, "rename the focused session", ",").when(needFocus | needWrite | needDaemon),
		b(Marks, "note a group, a pin, a text or a colour of the focused session", "*").when(needFocus | needWrite | needDaemon),
		b(Restart, "start an ended session again", "R").when(needFocus | needWrite | needDaemon | needEnded),
		b(Park, "park the focused session's idle agent: end its process, keep all else; wake a parked one", "M-p").when(needFocus | needWrite | needDaemon),
		b(Restore, "begin again what ran before a reboot or a crash (asks)", "M-r").when(needWrite | needDaemon),
		b(Explain, "details of the focused session, why it has its state, and what would change it", "i").when(needFocus | needDaemon),
		b(Queue, "the queue of tasks: add, start, cancel, reorder, results", "T").when(needDaemon),
		b(History, "history: what has ended; search it, read transcripts, go on with one", "/").when(needDaemon),
		b(Policy, "what the focused session may: its role, and an override for a while", "P").when(needFocus | needWrite | needDaemon),
		b(PullReq, "open the pull request of the focused session's branch, or copy its address", "g").when(needFocus),
		b(FailedLog, "send the log of the pull request's failing check to the focused session", "G").when(needFocus | needWrite | needDaemon | needAlive),
		b(Beside("shell"), "scratch shell in the focused session's directory, over the grid; the same key hides it", "!").when(needFocus | needWrite | needDaemon),
		b(Beside("editor"), "$VISUAL or $EDITOR in the focused session's directory, over the grid", "M-e").when(needFocus | needWrite | needDaemon),
		b(Beside("git"), "git client (lazygit, gitui or tig) in the focused session's directory, over the grid", "M-g").when(needFocus | needWrite | needDaemon),
		b(Menu, "menu of the focused session: what can be done with it", "M").when(needFocus),
		b(Kill, "kill the focused session, or remove an ended one (asks)", "x").when(needFocus | needWrite | needDaemon),
	}
}

// focusBindings are those of the actions that choose a session.
func focusBindings() []Binding {
	b := inGroup(GroupFocus, 0)
	return []Binding{
		b(FocusLeft, "focus the pane to the left", "h", "Left").when(needSeveral),
		b(FocusDown, "focus the pane below", "j", "Down").when(needSeveral),
		b(FocusUp, "focus the pane above", "k", "Up").when(needSeveral),
		b(FocusRight, "focus the pane to the right", "l", "Right").when(needSeveral),
		b(FocusNext, "focus the next pane", "Tab").when(needSeveral),
		b(FocusPrev, "focus the previous pane", "BTab").when(needSeveral),
		b(FocusLast, "focus the pane that had the focus before, and back", ";").when(needSeveral),
		b(FocusN, "focus the pane of that number", "1", "2", "3", "4", "5", "6", "7", "8", "9").when(needFocus),
		b(Attention, "answer the focused session, or go to the one that has waited longest", "a").when(needWaiting),
		b(Snooze, "not now: choose when the focused session asks for attention again; once more: have it ask now", "Z").when(needWaiting | needWrite | needDaemon),
		b(Seen, "what the panes on the screen show was looked at: done becomes idle", ".").when(needFocus | needWrite | needDaemon),
	}
}

// shownBindings are those of the actions on what is shown.
func shownBindings() []Binding {
	b := inGroup(GroupView, 0)
	return []Binding{
		b(Zoom, "show the focused pane alone, or all again", "z").when(needFocus),
		b(Copy, "copy mode: look back, search, select, copy", "[", "PPage").when(needFocus),
		b(Messages, "the conversation: what the focused agent was told, said and did, turn by turn", "m").when(needFocus | needDaemon),
		b(Review, "review: what the focused session changed, by turn, since you last looked, in all; or the plan that waits", "v").when(needFocus | needDaemon),
		b(Events, "move into the events: choose, filter, pause, clear", "E"),
		b(Sidebar, "show or hide the events", "e"),
		b(Calls, "the calls of ccdir's tools that agents made, with a filter", "t"),
		b(Decisions, "who allowed and denied what: the ledger, rules made of its rows", "D").when(needDaemon),
		b(Overview, "overview: every session as a card, the most needed first", "o"),
		b(Daemon, "the daemon: counts, places, configuration", "O"),
		b(Usage, "usage: what is left of the accounts' limits, what was used, and what it cost", "U").when(needDaemon),
		b(Worktrees, "work trees of all machines: branch, changes, merged or not, the sessions in each", "W").when(needDaemon),
		b(Nodes, "other machines: how each is reached, connect, leave alone, its sessions", "N"),
		b(Fleet, "the fleet: its machines, their free places and limits, what runs where, why something waits", "F"),
		b(Scope, "scope: only the sessions of one repository with its work trees, for grid, list and keys; once more: all", "w"),
		b(HideEnded, "show or hide sessions that have ended", "H"),
		b(Redraw, "draw the screen anew", "r", "C-l"),
	}
}

// programBindings are those of the actions on ccdir itself.
func programBindings() []Binding {
	b := inGroup(GroupProgram, 0)
	return []Binding{
		b(Literal, "send the prefix key itself to the pane").when(needFocus | needWrite | needAlive),
		b(Palette, "command palette: every action by a part of its name", "p", "M-x"),
		b(CancelWork, "cancel what is under way: starting or ending sessions, a paste, a call that takes long", "C-c").when(needWork),
		b(Help, "the keys to begin with; once more all of them", "?"),
		b(Demo, "the tour: a grid of scripted agents apart from yours (`ccdir demo`), and back", "Y"),
		b(Theme, "choose a theme: each is shown as you go to it, Enter keeps it", "M-t"),
		b(Suspend, "suspend: back to the shell, whose fg brings the grid back", "C-z"),
		b(Detach, "detach: leave the grid, sessions go on", "d"),
	}
}
