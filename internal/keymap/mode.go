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
