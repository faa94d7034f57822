package wire

// Input is what a person did in an attached terminal. Binary on the wire.
type Input struct {
	// Type says which of the fields count.
	Type InputType
	// Text: the text of InputKey (a key name, or several joined by spaces),
	// InputPaste, InputRaw.
	Text []byte
	// Mouse for InputMouse.
	Mouse MouseEvent
	// Focused for InputFocus.
	Focused bool
}

// InputType tells inputs apart. Numbers are for ever.
type InputType uint8

// Types of input.
const (
	// InputKey is one key press: Text holds its name as tmux spells it, with
	// the text it produces for printable ones ("a", "é", "C-c", "M-x", "Up",
	// "S-F5", "Space").
	InputKey InputType = 1
	// InputPaste is pasted text: bracketed if the application asked for it.
	InputPaste InputType = 2
	// InputRaw is written as it is.
	InputRaw InputType = 3
	// InputMouse is a mouse event in the pane's cells; dropped unless the
	// application wants it.
	InputMouse InputType = 4
	// InputFocus tells that the pane got or lost the focus; sent on if the
	// application wants to know.
	InputFocus InputType = 5
)

// MouseEvent is a mouse event in cells of the session's screen, zero-based.
type MouseEvent struct {
	X, Y int
	// Button: 0 none (motion), 1 left, 2 middle, 3 right, 4 wheel up, 5 wheel
	// down, 6 wheel left, 7 wheel right, 8-11 the further ones.
	Button uint8
	Action MouseAction
	Shift  bool
	Alt    bool
	Ctrl   bool
}

// MouseAction is what happened to the button.
type MouseAction uint8

// Mouse actions.
const (
	MousePress   MouseAction = 0
	MouseRelease MouseAction = 1
	MouseMotion  MouseAction = 2
)
