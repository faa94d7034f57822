package keymap

// Mode is where keys are bound: the same key may mean something else in each.
type Mode int

// The modes.
const (
	// ModePrefix: after the prefix key.
	ModePrefix Mode = iota
	// ModeAnswer: the answer bar is open.
	ModeAnswer
	// ModeList: the session list has the keyboard.
	ModeList
	// ModeBorders: arrow keys move borders.
	ModeBorders
	// ModePrompt: the prompt bar is open.
	ModePrompt
	// ModeCopy: the focused pane is in copy mode.
	ModeCopy
	// ModeEvents: the event sidebar has the keyboard.
	ModeEvents
	// ModeViews: a list over the panes is open: the tasks, the history, the
	// ledger, the calls of tools. Each of them has keys of its own, which come
	// first.
	ModeViews
	// ModeQueue: the queue of tasks is open.
	ModeQueue
	// ModeDecisions: the ledger of decisions is open.
	ModeDecisions
	// ModeCalls: the calls of tools are open.
	ModeCalls
	// ModeHistory: the history is open.
	ModeHistory
	// ModeRestore: what ran before a reboot is offered.
	ModeRestore
)

// modes are the groups whose keys are pressed without the prefix key, with
// where that is in words.
var modes = map[string]struct {
	mode  Mode
	words string
}{
	GroupAnswer:  {ModeAnswer, "the answer bar"},
	GroupList:    {ModeList, "the session list"},
	GroupPrompt:  {ModePrompt, "the prompt bar"},
	GroupBorders: {ModeBorders, "the moving of borders"},
	GroupCopy:    {ModeCopy, "copy mode"},
	GroupEvents:  {ModeEvents, "the events"},

	GroupViews:     {ModeViews, "lists over the panes"},
	GroupQueue:     {ModeQueue, "the queue"},
	GroupDecisions: {ModeDecisions, "the decisions"},
	GroupCalls:     {ModeCalls, "the tool calls"},
	GroupHistory:   {ModeHistory, "the history"},
	GroupRestore:   {ModeRestore, "what can be restored"},
}

// ModeOf is the mode in which the keys of a group are pressed.
func ModeOf(group string) Mode { return modes[group].mode }

// where says for a conflict in which mode it is, "" after the prefix key.
func (m Mode) where() string {
	for _, g := range modes {
		if g.mode == m {
			return " in " + g.words
		}
	}
	return ""
}
