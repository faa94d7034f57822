package keymap

// The actions of the event sidebar. Events gives it the keyboard; while it has it, the
// keys of the others are pressed without the prefix key.
const (
	Events         Action = "events-focus" // after the prefix key
	EventsUp       Action = "events-up"
	EventsDown     Action = "events-down"
	EventsPageUp   Action = "events-page-up"
	EventsPageDn   Action = "events-page-down"
	EventsFirst    Action = "events-first"
	EventsLast     Action = "events-last"
	EventsGo       Action = "events-go"
	EventsDetail   Action = "events-detail"
	EventsFilter   Action = "events-filter"
	EventsSession  Action = "events-session"
	EventsPick     Action = "events-pick-session"
	EventsKind     Action = "events-kind"
	EventsPause    Action = "events-pause"
	EventsRaw      Action = "events-raw"
	EventsClear    Action = "events-clear"
	EventsWider    Action = "events-wider"
	EventsNarrower Action = "events-narrower"
	EventsLeave    Action = "events-leave"
)

// eventBindings are the bindings of the sidebar, in the order of the help.
func eventBindings() []Binding {
	b := inGroup(GroupEvents, 0)
	return []Binding{
		b(EventsUp, "older event", "k", "Up"),
		b(EventsDown, "newer event", "j", "Down"),
		b(EventsPageUp, "a page of older events", "PPage", "C-u"),
		b(EventsPageDn, "a page of newer events", "NPage", "C-d", "Space"),
		b(EventsFirst, "oldest event", "g", "Home"),
		b(EventsLast, "newest event, and follow", "G", "End"),
		b(EventsGo, "go to the event's session", "Enter"),
		b(EventsDetail, "the whole event as JSON", "i", "o"),
		b(EventsFilter, "filter by a part of name, kind or text", "/"),
		b(EventsSession, "this event's session only, or all again", "s"),
		b(EventsPick, "choose the session whose events are shown", "S", "f"),
		b(EventsKind, "this kind of event only, or all again", "t"),
		b(EventsRaw, "what happened in words, or every event by its type", "r"),
		b(EventsPause, "pause: events are collected and counted, nothing moves", "p"),
		b(EventsClear, "clear the list", "c"),
		b(EventsWider, "more room for the events", "C-Right", ">"),
		b(EventsNarrower, "less room for the events", "C-Left", "<"),
		b(EventsLeave, "drop the filters, then back to the pane", "Escape", "q"),
	}
}
