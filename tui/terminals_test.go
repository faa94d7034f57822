package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/tui/attention/notify"
	"ccdir/tui/copymode/clipboard"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/tty"
)

// terminalFacts is what a terminal does by its documentation, its source or its
// terminfo entry (docs/terminals.md names them). Kinds of sequences are written
// as kindsOf names them.
type terminalFacts struct {
	name string
	env  string // NAME=value, separated by blanks
	// does is what changes what is shown or sent as it should; ignores is what has no
	// effect at all. Anything else would be printed, or do something else.
	does, ignores string
	signs         paint.Glyphs
	profile       colorprofile.Profile
	must          string // what makes use of the terminal
}

// Kinds that belong together.
const (
	vt220Kinds = "BS LF CR H A B C D J K X L M @ n r m0 m1 m4 m5 m7 m22 m24 m25 m27 ?25 ?7"
	colours16  = " m30 m40 m90 m100"
	colours256 = colours16 + " m38;5 m48;5"
	colours24  = colours256 + " m38;2 m48;2"
	xtermKinds = vt220Kinds + " m2 m3 m8 m9 m23 m28 m29 ?1049 ?2004 ?1004 ?1002 ?1006 q OSC10 OSC11 OSC52 BEL"
	// Of screen: private modes and OSC that it does not know.
	screenIgnores = "?1004 ?2026 ?2031 >u <u ?$p OSC10 OSC11"
	optional      = "m53 m55 >u <u ?$p ?2026 ?2031 OSC8 OSC9 OSC777" // ignored by what parses as ECMA-48 has it
	modernest     = xtermKinds + colours24 + " b ?2026 ?$p m4: m58 m59 OSC8"
)

// terminalTable is the terminals that the grid is made for. xterm stands for all that
// call themselves so: REP, which xterm has, is not among it, because many of them
// lack it.
var terminalTable = []terminalFacts{
	{name: "xterm", env: "TERM=xterm-256color", does: xtermKinds + colours256, ignores: optional, profile: colorprofile.ANSI256, must: "X L M r ?7 @ q OSC8 OSC11 OSC52 m38;5 ?1006 ?$p"},
	{name: "xterm, 16 colours", env: "TERM=xterm-16color", does: xtermKinds + colours16, ignores: optional, profile: colorprofile.ANSI, must: "m90"},
	{name: "xterm, true colour", env: "TERM=xterm-256color COLORTERM=truecolor", does: xtermKinds + colours24, ignores: optional, profile: colorprofile.TrueColor, must: "m38;2"},
	{name: "NO_COLOR", env: "TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", does: xtermKinds, ignores: optional, profile: colorprofile.ASCII, must: "m1 m7"},
	{name: "tmux", env: "TERM=tmux-256color TMUX=/tmp/s,1,0", does: xtermKinds + colours256 + " b m4: m58 m59 m53 m55 tmux", ignores: optional, profile: colorprofile.ANSI256, must: "b tmux m4: OSC52"},
	{name: "tmux as screen", env: "TERM=screen-256color TMUX=/tmp/s,1,0", does: xtermKinds + colours256 + " b m4: m58 m59 m53 m55 tmux", ignores: optional, profile: colorprofile.ANSI256, must: "b"},
	// SGR 3 is standout; 38;2 sets attributes by its numbers; strings longer than 768
	// bytes are printed; the alternate screen is off by default.
	{name: "screen", env: "TERM=screen STY=1.pts COLORTERM=truecolor", does: vt220Kinds + colours256 + " m2 ?1049 ?2004 ?1002 ?1006 BEL DCS", ignores: screenIgnores, profile: colorprofile.ANSI256, must: "X L DCS"},
	{name: "screen, 256 colours", env: "TERM=screen-256color STY=1.pts", does: vt220Kinds + colours256 + " m2 ?1049 ?2004 ?1002 ?1006 BEL DCS", ignores: screenIgnores, profile: colorprofile.ANSI256, must: "m38;5"},
	{name: "screen in kitty", env: "TERM=screen.xterm-kitty STY=1.pts COLORTERM=truecolor", does: vt220Kinds + colours256 + " m2 ?1049 ?2004 ?1002 ?1006 BEL DCS", ignores: screenIgnores, profile: colorprofile.ANSI256, must: "m38;5"},
	{name: "screen on the console", env: "TERM=screen.linux STY=1.pts", does: vt220Kinds + colours16 + " m2 ?1049 ?2004 ?1002 ?1006 BEL DCS", ignores: screenIgnores, signs: paint.GlyphsConsole, profile: colorprofile.ANSI},
	{name: "screen in tmux", env: "TERM=screen-256color STY=1.pts TMUX=/tmp/s,1,0", does: vt220Kinds + colours256 + " m2 ?1049 ?2004 ?1002 ?1006 BEL DCS", ignores: screenIgnores, profile: colorprofile.ANSI256},
	// Unknown private modes are ignored. Of CSI > 1 u it prints 1u, of CSI ? 2026 $ p p.
	{name: "Linux console", env: "TERM=linux COLORTERM=truecolor", does: vt220Kinds + " m30 m40 m2 BEL", ignores: "?1049 ?2004", signs: paint.GlyphsConsole, profile: colorprofile.ANSI, must: "X L M r m30 m40 m1"},
	{name: "Linux console with a stale TMUX", env: "TERM=linux TMUX=/tmp/s,1,0", does: vt220Kinds + " m30 m40 m2 BEL", ignores: "?1049 ?2004", signs: paint.GlyphsConsole, profile: colorprofile.ANSI},
	{name: "vt220", env: "TERM=vt220", does: vt220Kinds + " BEL", signs: paint.GlyphsASCII, profile: colorprofile.ASCII, must: "L m1 m7"},
	{name: "VTE", env: "TERM=vte-256color COLORTERM=truecolor", does: xtermKinds + colours24, ignores: optional, profile: colorprofile.TrueColor, must: "q"},
	// Of its keys some are those of others only with the keypad in its application mode.
	{name: "st", env: "TERM=st-256color COLORTERM=truecolor", does: xtermKinds + colours24 + " ESC= ESC>", ignores: optional, profile: colorprofile.TrueColor, must: "ESC= ESC> X"},
	// Its ECH counts joined characters wrongly.
	{name: "mlterm", env: "TERM=mlterm", does: strings.Replace(xtermKinds, " X ", " ", 1) + colours16, ignores: optional, profile: colorprofile.ANSI},
	{name: "iTerm2", env: "TERM=xterm-256color COLORTERM=truecolor TERM_PROGRAM=iTerm.app", does: modernest + " ?2031 OSC9 >u <u", ignores: optional, profile: colorprofile.TrueColor, must: "?2031 m4: m58 OSC9"},
	{name: "iTerm2 3.4", env: "TERM=xterm-256color COLORTERM=truecolor TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.4.23", does: xtermKinds + colours24 + " b ?$p m4: OSC8 OSC9 >u <u", ignores: optional + " m58 m59", profile: colorprofile.TrueColor},
	// Prints the p of a question for a mode.
	{name: "Terminal.app", env: "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", does: xtermKinds + colours256, ignores: "m53 m55 >u <u ?2031 OSC8 OSC9 OSC777", profile: colorprofile.ANSI256, must: "OSC11"},
	{name: "kitty", env: "TERM=xterm-kitty COLORTERM=truecolor", does: modernest + " ?2031 OSC9 OSC777 >u <u", ignores: optional, profile: colorprofile.TrueColor, must: "?2031 b X M r ?2026 m4: m58 OSC8 q m38;2"},
	{name: "ghostty", env: "TERM=xterm-ghostty COLORTERM=truecolor", does: modernest + " ?2031 m53 m55 OSC9 OSC777 >u <u", ignores: optional, profile: colorprofile.TrueColor, must: "?2031 b ?2026 m4:"},
	{name: "Windows Terminal", env: "TERM=xterm-256color WT_SESSION=1", does: modernest + " m53 m55 OSC777 >u <u", ignores: optional, profile: colorprofile.TrueColor, must: "m4: m38;2 OSC777"},
	{name: "ms-terminal", env: "TERM=ms-terminal", does: modernest + " m53 m55 OSC777 >u <u", ignores: optional, profile: colorprofile.ANSI256, must: "m38;5"},
	// What SSH carries over: TERM alone.
	{name: "Windows Terminal over SSH", env: "TERM=xterm-256color", does: modernest + " m53 m55 OSC777 >u <u", ignores: optional, profile: colorprofile.ANSI256, must: "m38;5 ?1006"},
	{name: "rxvt-unicode", env: "TERM=rxvt-unicode-256color COLORFGBG=15;0", does: vt220Kinds + colours256 + " m2 m3 m8 m23 m28 ?1049 ?2004 ?1004 ?1002 ?1006 q OSC10 OSC11 OSC52 OSC777 BEL", ignores: optional + " m9 m29", profile: colorprofile.ANSI256},
}

// emittedBy is all that the grid sends a terminal: what begins and ends it, frames of
// every view, of panes with everything that an agent may print, and what goes
// beside them.
func emittedBy(t *testing.T, f terminalFacts) (out string, caps paint.Caps) {
	env := strings.Fields(f.env)
	o := Options{Env: append(env, "HOME=/home/me")}
	getenv := o.getenv
	profile := colorprofile.Env(env)
	if getenv("NO_COLOR") != "" {
		profile = min(profile, colorprofile.ASCII)
	}
	caps = paint.CapsOf(profile, getenv)
	modes := tty.Modes{Caps: caps, Mouse: true, Background: true}
	w := paint.NewWriter(caps)
	w.SetSync(strings.Contains(f.does, " ?2026"))
	var b strings.Builder
	b.WriteString(modes.Begin(true))
	for i, view := range goldenViews() {
		if i%4 != 0 && f.signs == paint.GlyphsAll { // they are made of the same parts
			continue
		}
		m := view.make(80, 24)
		m.caps, m.theme = caps, themeOf(o, m.light, caps.Profile, caps.Glyphs)
		var sc *scene
		m.publish = func(s *scene) { sc = s }
		m.settle()
		c := newComposer(caps)
		cur := c.compose(sc)
		b.Write(w.Frame(c.s, cur))
	}
	b.WriteString(printedBy(caps, w))
	m := testModel(80, 24)
	m.caps = caps
	if caps.Clipboard != paint.ClipboardNone {
		b.Write(clipboard.OSC52(strings.Repeat("x", 2000), caps.Clipboard))
	}
	for _, way := range []string{notify.Bell, notify.OSC9, notify.OSC777} {
		b.WriteString(notify.Sequence(way, notify.Message{Name: "日本", Text: strings.Repeat("“x”", 60)}, m.means().Via))
	}
	b.WriteString(modes.End())
	b.WriteString(modes.Begin(false))
	return b.String(), caps
}

// printedBy are frames with what agents print: all styles, links, wide and joined
// characters, runs, blanks and moving rows.
func printedBy(caps paint.Caps, w *paint.Writer) string {
	const cols, rows = 60, 20
	s := paint.NewSurface(cols, rows, caps)
	tab := cells.NewTable()
	var layer paint.Layer
	link, _ := tab.Link("https://example.org/" + strings.Repeat("x", 900))
	line := func(y int, text string, st cells.Style) {
		id, _ := tab.StyleID(st)
		var row []cells.Cell
		for _, r := range text {
			row = append(row, cells.Cell{Glyph: cells.Glyph(r), Style: id})
			if cells.RuneWidth(r) == 2 {
				row[len(row)-1].Span = cells.Wide
				row = append(row, cells.Cell{Style: id, Span: cells.Tail})
			}
		}
		layer.Row(s, 0, y, cols, tab, row, false)
	}
	var out strings.Builder
	frame := func(shape uint8) { out.Write(w.Frame(s, paint.Cursor{X: 3, Y: 4, Visible: true, Shape: shape})) }
	for i := range 8 {
		line(i, "attributes", cells.Style{Attrs: 1 << i})
		line(8+i, "underlined", cells.Style{Underline: cells.Underline(i % 6), UnderlineColor: cells.RGB(9, 8, 7), FG: cells.Indexed(uint8(i)), BG: cells.Indexed(uint8(8 + i))})
	}
	line(16, "256 and true", cells.Style{FG: cells.Indexed(208), BG: cells.RGB(1, 200, 90)})
	line(17, "true and 256", cells.Style{FG: cells.RGB(200, 100, 9), BG: cells.Indexed(99)})
	line(18, "a link", cells.Style{Link: link})
	frame(5)
	for y := range rows { // one after the other, so that styles are also switched off
		line(y, fmt.Sprintf("row %2d 日本語 🚀 ✅ %s", y, strings.Repeat("=", 20+y%3)), cells.Style{})
		frame(2)
	}
	line(3, "xx"+strings.Repeat(" ", 30)+"yy", cells.Style{})
	line(4, "", cells.Style{})
	s.Text(cols-3, 5, 3, "👩‍🚀e\u0301", cells.Style{})
	frame(0)
	for y := range rows - 2 { // two rows up
		line(y, fmt.Sprintf("row %2d 日本語 🚀 ✅ %s", y+2, strings.Repeat("=", 20+(y+2)%3)), cells.Style{})
	}
	frame(0)
	for y := 2; y < rows; y++ { // and down again
		line(y, fmt.Sprintf("row %2d 日本語 🚀 ✅ %s", y, strings.Repeat("=", 20+y%3)), cells.Style{})
	}
	frame(0)
	return out.String()
}

// TestTerminalsGetWhatTheyHave: each terminal is sent nothing but what it does or
// ignores, draws with the signs and colours that it has, and what it has is used.
func TestTerminalsGetWhatTheyHave(t *testing.T) {
	for _, f := range terminalTable {
		t.Run(f.name, func(t *testing.T) {
			out, caps := emittedBy(t, f)
			if caps.Glyphs != f.signs || caps.Profile != f.profile {
				t.Errorf("signs %d and colours %v, want %d and %v", caps.Glyphs, caps.Profile, f.signs, f.profile)
			}
			kinds := kindsOf(out)
			known := append(strings.Fields(f.does), strings.Fields(f.ignores)...)
			for _, k := range slices.Sorted(maps.Keys(kinds)) {
				if !slices.Contains(known, k) {
					t.Errorf("%s is sent, as in %q", k, kinds[k])
				}
			}
			for _, k := range strings.Fields(f.must) {
				if _, ok := kinds[k]; !ok {
					t.Errorf("%s is never sent", k)
				}
			}
			if bad := foreignSigns(out, f.signs); bad != "" {
				t.Errorf("its font lacks %q", bad)
			}
			// Pictures must not rest on what is ignored.
			for _, k := range []string{"BS", "LF", "CR", "H", "A", "B", "C", "D", "J", "K", "X", "b", "L", "M", "r", "m0"} {
				if slices.Contains(strings.Fields(f.ignores), k) {
					t.Errorf("%s cannot be ignored", k)
				}
			}
		})
	}
}

// consoleSigns are the signs of code page 437 that consoles' fonts have.
const consoleSigns = "─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█▓▒░▄▀▌▐↑↓←→►◄▲▼·√"

// foreignSigns are the characters in out that a font lacks, letters aside, which
// nothing could replace, and what printedBy has in it.
func foreignSigns(out string, font paint.Glyphs) string {
	has := map[paint.Glyphs]string{paint.GlyphsConsole: consoleSigns, paint.GlyphsASCII: ""}
	signs, limited := has[font]
	if !limited {
		return ""
	}
	var bad []rune
	for _, r := range strings.NewReplacer("✅", "", "🚀", "", "👩", "", "”", "").Replace(out) {
		if r >= 0x7f && !unicode.IsLetter(r) && !strings.ContainsRune(signs, r) && !slices.Contains(bad, r) {
			bad = append(bad, r)
		}
	}
	return string(bad)
}
