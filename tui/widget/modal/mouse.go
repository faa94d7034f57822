package modal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/paint"
)

// Clicked is where the left button went down, ok is false for everything else.
func Clicked(msg tea.MouseMsg) (e tea.Mouse, ok bool) {
	_, click := msg.(tea.MouseClickMsg)
	e = msg.Mouse()
	return e, click && e.Button == tea.MouseLeft
}

// FootKeyAt is the key that a dialog's last line names at column x of it, "" if
// none: "Enter start   Esc cancel", "[y]es   [n]o".
func FootKeyAt(text string, x int) string {
	at := 0
	for item := range strings.SplitSeq(text, "   ") {
		end := at + paint.Width(item)
		if x < at || x >= end {
			at = end + 3
			continue
		}
		word, _, _ := strings.Cut(strings.TrimSpace(item), " ")
		if key, ok := strings.CutPrefix(word, "["); ok {
			word, _, _ = strings.Cut(key, "]")
		}
		if word == "Esc" {
			return "Escape"
		}
		return word
	}
	return ""
}
