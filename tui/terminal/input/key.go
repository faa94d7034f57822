package input

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Key is a key press.
type Key struct {
	Name  string // as key tables name it: "a", "C-b", "Escape"
	Press tea.Key
	At    time.Time // when it was read
}

// Main is the main keyboard's equivalent of a keypad key, otherwise the key itself:
// programs may tell the two apart, ccdir does not.
func (k Key) Main() Key {
	same, keypad := strings.CutPrefix(k.Name, "KP")
	if !keypad {
		return k
	}
	k.Name, k.Press = same, tea.Key{Code: tea.KeyEnter}
	if same != "Enter" {
		k.Press = tea.Key{Code: rune(same[0]), Text: same}
	}
	return k
}

// Text is the text that a key types, "" if it types none.
func (k Key) Text() string {
	switch {
	case IsText(k.Press):
		return k.Press.Text
	case k.Name == "Space":
		return " "
	}
	return ""
}

// Char is the character of a plain key, "" for other keys, those of the keypad among them.
// What an input method commits at once may be several characters.
func (k Key) Char() string {
	switch {
	case k.Name == "Space":
		return " "
	case IsText(k.Press) && k.Name == k.Press.Text:
		return k.Press.Text
	}
	return ""
}

// Blank is the line break or the tab that a key stands for in pasted text, "" for others.
func (k Key) Blank() string {
	switch k.Name {
	case "Enter", "C-j":
		return "\n"
	case "Tab":
		return "\t"
	}
	return ""
}

// Plain reports whether pasted text that comes as keys may consist of such ones.
func (k Key) Plain() bool { return k.Blank() != "" || k.Char() != "" }
