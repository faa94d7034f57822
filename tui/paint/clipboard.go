package paint

import "strings"

// Clipboard is what is known of a terminal's OSC 52, which sets the clipboard.
// No terminal tells whether it did.
type Clipboard uint8

// Kinds of clipboards.
const (
	// ClipboardNone: the terminal has none.
	ClipboardNone Clipboard = iota
	// ClipboardMaybe: most terminals take it, some only when they are told to.
	ClipboardMaybe
	// ClipboardSure: this terminal takes it unless somebody switched it off.
	ClipboardSure
	// ClipboardTmux: tmux takes it with "set-clipboard on" alone.
	ClipboardTmux
	// ClipboardScreen: GNU screen passes it on in a device control string.
	ClipboardScreen
)

func (k kind) clipboard(getenv func(string) string) Clipboard {
	switch {
	case k.tmux:
		return ClipboardTmux
	case k.gnuScreen:
		return ClipboardScreen
	case k.plain:
		return ClipboardNone
	case k.modern, strings.Contains(k.term, "contour"), strings.Contains(k.term, "rio"),
		getenv("WT_SESSION") != "", getenv("TERM_PROGRAM") == "WezTerm", getenv("TERM_PROGRAM") == "ghostty":
		return ClipboardSure
	}
	return ClipboardMaybe
}
