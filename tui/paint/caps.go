package paint

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Caps is what the outer terminal can do.
type Caps struct {
	// Profile is how many colours it has; ASCII and below none.
	Profile colorprofile.Profile
	// Sync: synchronized updates (mode 2026).
	Sync bool
	// Erase: ECH (CSI n X) works.
	Erase bool
	// Repeat: REP (CSI n b) works.
	Repeat bool
	// Scroll: scroll regions with DL and IL.
	Scroll bool
	// Underlines: styles and colours of underlines (SGR 4:3, 58).
	Underlines bool
	// Links: OSC 8 is understood or ignored.
	Links bool
	// Title: OSC 2 is understood or ignored, and so are other private modes.
	Title bool
	// Clipboard is what is known of OSC 52.
	Clipboard Clipboard
	// Shapes: DECSCUSR (cursor shapes).
	Shapes bool
	// Glyphs is which signs its font has.
	Glyphs Glyphs
}

// CapsOf derives the capabilities from the environment, looked up by getenv.
// Synchronized updates are left off: the terminal is asked.
func CapsOf(profile colorprofile.Profile, getenv func(string) string) Caps {
	term := getenv("TERM")
	inTmux := getenv("TMUX") != "" || strings.HasPrefix(term, "tmux")
	has := func(names ...string) bool {
		for _, n := range names {
			if strings.Contains(term, n) {
				return true
			}
		}
		return false
	}
	modern := has("kitty", "ghostty", "alacritty", "foot", "wezterm", "contour", "rio") ||
		getenv("WT_SESSION") != "" || getenv("TERM_PROGRAM") == "iTerm.app"
	plain := term == "" || term == "dumb" || strings.HasPrefix(term, "linux") || strings.HasPrefix(term, "vt")
	console := strings.HasPrefix(term, "linux")
	if console { // whatever COLORTERM says: it maps all others to its 16
		profile = min(profile, colorprofile.ANSI)
	}
	screen := strings.HasPrefix(term, "screen") && !inTmux
	return Caps{
		Profile:    profile,
		Erase:      !plain || strings.HasPrefix(term, "linux"),
		Repeat:     has("kitty", "ghostty", "alacritty", "foot", "wezterm") || inTmux,
		Scroll:     term != "" && term != "dumb",
		Underlines: modern || inTmux,
		Links:      !plain && !screen,
		Title:      !plain,
		Clipboard:  clipboardOf(term, inTmux, plain, getenv),
		Shapes:     !plain && !screen,
		Glyphs:     glyphsOf(term),
	}
}
