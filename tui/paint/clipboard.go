package paint

import "strings"

// Clipboard is how well a terminal supports OSC 52, which sets the clipboard. No terminal
// reports success.
type Clipboard uint8

// Kinds of clipboards.
const (
	// ClipboardNone: the terminal has none.
	ClipboardNone Clipboard = iota
	// ClipboardMaybe: most terminals support it, some only if configured so.
	ClipboardMaybe
	// ClipboardSure: supported, unless it was switched off.
	ClipboardSure
	// ClipboardTmux: tmux supports it only with "set-clipboard on".
	ClipboardTmux
	// ClipboardScreen: GNU screen passes it on inside a DCS.
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
