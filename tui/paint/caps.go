package paint

import (
	"strings"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// Caps are the outer terminal's capabilities. docs/terminals.md says how they are detected.
type Caps struct {
	// Profile is how many colours it has; ASCII and below: none.
	Profile colorprofile.Profile
	// Sync: synchronized updates (mode 2026).
	Sync bool
	// Erase: ECH (CSI n X) works.
	Erase bool
	// Repeat: REP (CSI n b) works.
	Repeat bool
	// Scroll: scroll regions with DL and IL.
	Scroll bool
	// Lacks are the attributes that it shows wrongly or not at all.
	Lacks cells.Attr
	// Underlines: styles and colours of underlines (SGR 4:3, 58).
	Underlines bool
	// Links: OSC 8 is understood or ignored.
	Links bool
	// Host is the name of the machine whose files links lead to, "" unknown.
	Host string
	// Keypad: it sends other terminals' key sequences only in application keypad mode
	// (DECKPAM).
	Keypad bool
	// Sums: a cluster may take the columns of all its parts, and so cover or move its
	// neighbours, even if the cursor is placed after it.
	Sums bool
	// Extended: OSC 11, CSI > u and CSI < u are understood or ignored, not printed in
	// part.
	Extended bool
	// Asks: a query for a mode (DECRQM) is answered or ignored.
	Asks bool
	// Modes are the private modes that it has.
	Modes Modes
	// Restores: leaving the alternate screen restores what was there before. Otherwise
	// the picture has to be cleared.
	Restores bool
	// Clipboard is how well it supports OSC 52.
	Clipboard Clipboard
	// Shapes: DECSCUSR (cursor shapes).
	Shapes bool
	// Glyphs is the set of characters in its font.
	Glyphs Glyphs
}

// Modes is a set of private modes that the grid switches on.
type Modes uint8

// The modes, by their xterm numbers.
const (
	ModeAltScreen Modes = 1 << iota // 1049
	ModePaste                       // 2004: bracketed paste
	ModeFocus                       // 1004: reports of focus
	ModeMouse                       // 1002 and 1006: presses and drags, in SGR encoding
)

// Attributes that terminals lack: hardware terminals surely have only bold, blink and
// inverse; the Linux console ignores the others, except italics, which it shows in green;
// GNU screen takes SGR 3 for standout.
const (
	screenLacks = cells.Hidden | cells.Strike | cells.Overline | cells.Italic
	vtLacks     = screenLacks | cells.Dim
)

// plainNames are the first parts of the names of terminals that print unknown sequences,
// or of which nothing is known.
var plainNames = []string{"dumb", "linux", "ansi", "pcansi", "cons25", "wsvt25", "cygwin", "hurd", "mach", "sun", "network", "unknown"}

// modernNames are terminals that have everything the grid uses, including REP and
// underline styles.
var modernNames = []string{"kitty", "ghostty", "alacritty", "foot", "wezterm"}

// kind is the kind of terminal that the environment names.
type kind struct {
	term      string // TERM without the "screen." of GNU screen
	plain     bool   // one of plainNames, or of DEC's
	dec       bool   // vt100 and its successors
	console   bool   // of Linux
	gnuScreen bool
	tmux      bool
	modern    bool // one of modernNames
}

func kindOf(getenv func(string) string) kind {
	k := kind{term: getenv("TERM")}
	// Both screen and tmux may set TERM to screen. tmux sets TMUX, which a screen inside
	// it inherits; screen sets STY.
	k.gnuScreen = strings.HasPrefix(k.term, "screen") && (getenv("TMUX") == "" || getenv("STY") != "")
	k.term = strings.TrimPrefix(k.term, "screen.")
	k.console = strings.HasPrefix(k.term, "linux")
	k.dec = len(k.term) > 2 && k.term[:2] == "vt" && k.term[2] >= '0' && k.term[2] <= '9' // not vte
	k.plain = k.term == "" || k.dec || !k.gnuScreen && hasPrefix(k.term, plainNames)
	k.tmux = strings.HasPrefix(k.term, "tmux") || getenv("TMUX") != "" && !k.gnuScreen && !k.plain
	for _, n := range modernNames {
		k.modern = k.modern || !k.gnuScreen && strings.Contains(k.term, n)
	}
	return k
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// CapsOf derives the capabilities from the environment, looked up by getenv.
// Synchronized updates are left off: the terminal is asked.
func CapsOf(profile colorprofile.Profile, getenv func(string) string) Caps {
	k := kindOf(getenv)
	program := getenv("TERM_PROGRAM")
	styled := k.modern || k.tmux || !k.gnuScreen && !k.plain && (strings.Contains(k.term, "contour") || strings.Contains(k.term, "rio") ||
		getenv("WT_SESSION") != "" || program == "iTerm.app")
	return Caps{
		Profile: k.profile(profile, getenv("COLORTERM")),
		// mlterm erases too few columns where joined characters stood.
		Erase:      (!k.plain || k.console) && !strings.HasPrefix(k.term, "mlterm"),
		Repeat:     k.modern || k.tmux,
		Scroll:     !k.plain || k.console || k.dec && !hasPrefix(k.term, []string{"vt52", "vt100", "vt125"}),
		Lacks:      k.lacks(),
		Underlines: styled,
		Links:      !k.plain && !k.gnuScreen,
		Keypad:     k.term == "st" || hasPrefix(k.term, []string{"st-", "stterm"}),
		// foot may, by its version or configuration, which it does not report. Multiplexers
		// do not know what the terminal around them does, and place the cursor only if they
		// think they have to.
		Sums:      strings.HasPrefix(k.term, "foot") || k.tmux || k.gnuScreen,
		Extended:  !k.plain,
		Asks:      !k.plain && program != "Apple_Terminal", // which prints the p of the question
		Modes:     k.modes(),
		Restores:  !k.plain && !k.gnuScreen,
		Clipboard: k.clipboard(getenv),
		Shapes:    !k.plain && !k.gnuScreen,
		Glyphs:    k.glyphs(),
	}
}

// profile limits the detected colours to those of the terminal: the environment may come
// from another one.
func (k kind) profile(found colorprofile.Profile, colorTerm string) colorprofile.Profile {
	switch {
	case k.console: // it maps all others to its 16
		return min(found, colorprofile.ANSI)
	case k.gnuScreen: // true colour is off by default, and its numbers are taken for attributes
		return min(found, colorprofile.ANSI256)
	case k.dec && colorTerm == "":
		return min(found, colorprofile.ASCII)
	case strings.HasPrefix(k.term, "ms-terminal") && found == colorprofile.ANSI: // a name that few detectors know
		return colorprofile.ANSI256
	}
	return found
}

func (k kind) lacks() cells.Attr {
	switch {
	case k.gnuScreen, k.console:
		return screenLacks
	case k.plain:
		return vtLacks
	}
	return 0
}

// modes are the modes to switch on. The console has the first two in new kernels and
// ignores unknown ones; its mouse belongs to another program (gpm).
func (k kind) modes() Modes {
	switch {
	case k.console && k.plain:
		return ModeAltScreen | ModePaste
	case k.plain:
		return 0
	}
	return ModeAltScreen | ModePaste | ModeFocus | ModeMouse
}
