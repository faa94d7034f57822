package paint

import (
	"strings"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// Caps is what the outer terminal can do. docs/terminals.md tells by what it is
// known.
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
	// Lacks are the attributes that it does not show as what they are.
	Lacks cells.Attr
	// Underlines: styles and colours of underlines (SGR 4:3, 58).
	Underlines bool
	// Links: OSC 8 is understood or ignored.
	Links bool
	// Keypad: its keys are those of other terminals only in the application mode of
	// the keypad (DECKPAM).
	Keypad bool
	// Sums: joined characters may take the columns of all their parts, and hide or move
	// whatever stands in them, though the cursor is placed after them.
	Sums bool
	// Extended: OSC and sequences of other terminals are understood or ignored
	// and not printed in part: CSI > u, CSI < u, OSC 11.
	Extended bool
	// Asks: the question for a mode (DECRQM) is answered or ignored.
	Asks bool
	// Modes are the private modes that it has.
	Modes Modes
	// Restores: leaving the alternate screen brings back what was there before. If
	// not, the picture stays when the grid is left, unless it is cleared.
	Restores bool
	// Clipboard is what is known of OSC 52.
	Clipboard Clipboard
	// Shapes: DECSCUSR (cursor shapes).
	Shapes bool
	// Glyphs is which signs its font has.
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

// What terminals lack: of hardware ones only bold, blink and inverse are sure; the
// Linux console ignores the others, but italics, for which it has the colour green;
// GNU screen takes SGR 3 for standout.
const (
	screenLacks = cells.Hidden | cells.Strike | cells.Overline | cells.Italic
	vtLacks     = screenLacks | cells.Dim
)

// plainNames are terminals, by the beginnings of their names, that print what
// they do not know, or of which nothing else is known.
var plainNames = []string{"dumb", "linux", "ansi", "pcansi", "cons25", "wsvt25", "cygwin", "hurd", "mach", "sun", "network", "unknown"}

// modernNames are terminals that have everything the grid uses, REP and styles of
// underlines among it.
var modernNames = []string{"kitty", "ghostty", "alacritty", "foot", "wezterm"}

// kind is what the environment says of the terminal.
type kind struct {
	term      string // TERM without the "screen." of GNU screen
	plain     bool   // one of plainNames, or of DEC's
	dec       bool   // vt100 and so on
	console   bool   // of Linux
	gnuScreen bool
	tmux      bool
	modern    bool // one of modernNames
}

func kindOf(getenv func(string) string) kind {
	k := kind{term: getenv("TERM")}
	// screen and tmux both call themselves screen; tmux sets TMUX, which screen inside
	// of it inherits, and screen sets STY.
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
		// foot, if older or set up so: it does not tell. Multiplexers do not know what
		// the terminal around them does, and place the cursor only if they think they must.
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

// profile bounds the colours that were found to those that the terminal has,
// whatever the environment says that came from another one.
func (k kind) profile(found colorprofile.Profile, colorTerm string) colorprofile.Profile {
	switch {
	case k.console: // it maps all others to its 16
		return min(found, colorprofile.ANSI)
	case k.gnuScreen: // whose true colour is off by default; else it takes the numbers for attributes
		return min(found, colorprofile.ANSI256)
	case k.dec && colorTerm == "":
		return min(found, colorprofile.ASCII)
	case strings.HasPrefix(k.term, "ms-terminal") && found == colorprofile.ANSI: // a name that few know
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

// modes are the modes to switch on. The console has the first two in new kernels;
// unknown ones it ignores, and its mouse is another program's.
func (k kind) modes() Modes {
	switch {
	case k.console && k.plain:
		return ModeAltScreen | ModePaste
	case k.plain:
		return 0
	}
	return ModeAltScreen | ModePaste | ModeFocus | ModeMouse
}
