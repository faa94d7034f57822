package wire

// Input is a person's input in an attached terminal. It is binary on the wire.
type Input struct {
	// Type selects the fields that count.
	Type InputType
	// Text is the text of InputKey (one key name, or several joined by spaces), InputPaste
	// and InputRaw.
	Text []byte
	// Mouse is the event of InputMouse.
	Mouse MouseEvent
	// Focused is the state of InputFocus.
	Focused bool
}

// InputType distinguishes inputs. Numbers are for ever.
type InputType uint8

// Types of input.
const (
	// InputKey is one key press. Text is its name as tmux spells it, and for printable keys
	// the text that it types ("a", "é", "C-c", "M-x", "Up", "S-F5", "Space").
	InputKey InputType = 1
	// InputPaste is pasted text, bracketed if the application has asked for that.
	InputPaste InputType = 2
	// InputRaw is written unchanged.
	InputRaw InputType = 3
	// InputMouse is a mouse event in cells of the pane; dropped unless the application
	// wants it.
	InputMouse InputType = 4
	// InputFocus reports that the pane gained or lost the focus; dropped unless the
	// application wants it.
	InputFocus InputType = 5
)

// MouseEvent is a mouse event in cells of the session's screen, zero-based.
type MouseEvent struct {
	X, Y int
	// Button: 0 none (motion), 1 left, 2 middle, 3 right, 4 wheel up, 5 wheel down, 6 wheel
	// left, 7 wheel right, 8 to 11 further buttons.
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
