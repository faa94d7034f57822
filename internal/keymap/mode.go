package keymap

// Mode is a context in which keys are bound: one key may have another action in each.
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
	// ModeViews: a list over the panes is open: tasks, history, ledger, tool calls.
	// Each of them has keys of its own, which win.
	ModeViews
	// ModeQueue: the queue of tasks is open.
	ModeQueue
	// ModeDecisions: the ledger of decisions is open.
	ModeDecisions
	// ModeCalls: the tool calls are open.
	ModeCalls
	// ModeHistory: the history is open.
	ModeHistory
	// ModeConversation: a conversation is open.
	ModeConversation
	// ModeReview: a review is open.
	ModeReview
	// ModeRestore: the sessions from before a reboot are offered.
	ModeRestore
	// ModeNodes: the list of other machines is open.
	ModeNodes
	// ModeTrees: the list of work trees is open.
	ModeTrees
)

// modes are the groups whose keys are pressed without the prefix key, with a phrase for
// the place.
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

	GroupViews:        {ModeViews, "lists over the panes"},
	GroupQueue:        {ModeQueue, "the queue"},
	GroupDecisions:    {ModeDecisions, "the decisions"},
	GroupCalls:        {ModeCalls, "the tool calls"},
	GroupHistory:      {ModeHistory, "the history"},
	GroupConversation: {ModeConversation, "a conversation"},
	GroupReview:       {ModeReview, "a review"},
	GroupRestore:      {ModeRestore, "what can be restored"},
	GroupNodes:        {ModeNodes, "the nodes"},
	GroupTrees:        {ModeTrees, "the work trees"},
}

// ModeOf is the mode in which the keys of a group are pressed.
func ModeOf(group string) Mode { return modes[group].mode }

// where names the mode of a conflict, "" after the prefix key.
func (m Mode) where() string {
	for _, g := range modes {
		if g.mode == m {
			return " in " + g.words
		}
	}
	return ""
}
