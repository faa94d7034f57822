package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

func TestCapsOfTerminals(t *testing.T) {
	for _, c := range []struct {
		term     string
		glyphs   Glyphs
		profile  colorprofile.Profile // with true colour detected
		extended bool
		erase    bool
		shapes   bool
	}{
		{"xterm-256color", GlyphsAll, colorprofile.TrueColor, true, true, true},
		{"tmux-256color", GlyphsAll, colorprofile.TrueColor, true, true, true},
		{"screen", GlyphsAll, colorprofile.ANSI256, true, true, false},
		{"screen.linux", GlyphsConsole, colorprofile.ANSI, true, true, false},
		{"vte-256color", GlyphsAll, colorprofile.TrueColor, true, true, true},
		{"xterm-kitty", GlyphsAll, colorprofile.TrueColor, true, true, true},
		{"linux", GlyphsConsole, colorprofile.ANSI, false, true, false},
		{"linux-16color", GlyphsConsole, colorprofile.ANSI, false, true, false},
		{"vt220", GlyphsASCII, colorprofile.ASCII, false, false, false},
		{"dumb", GlyphsASCII, colorprofile.TrueColor, false, false, false},
		{"", GlyphsASCII, colorprofile.TrueColor, false, false, false},
	} {
		got := CapsOf(colorprofile.TrueColor, func(key string) string {
			if key == "TERM" {
				return c.term
			}
			return ""
		})
		if got.Glyphs != c.glyphs || got.Profile != c.profile || got.Extended != c.extended || got.Erase != c.erase || got.Shapes != c.shapes {
			t.Errorf("TERM=%s: %+v", c.term, got)
		}
	}
	if got := CapsOf(colorprofile.ASCII, func(string) string { return "linux" }); got.Profile != colorprofile.ASCII {
		t.Errorf("NO_COLOR on a console: %v", got.Profile)
	}
}

// TestGlyphs: chrome and foreign rows are drawn with what the font has.
func TestGlyphs(t *testing.T) {
	for _, c := range []struct {
		glyphs Glyphs
		want   string
	}{
		{GlyphsAll, "╭───╮\n│▸é…│\n╰───╯\n❯╭日 \n"},
		{GlyphsConsole, "┌───┐\n│►é~│\n└───┘\n>┌日 \n"},
		{GlyphsASCII, "+---+\n|>é~|\n+---+\n>+日 \n"},
	} {
		s := NewSurface(5, 4, Caps{Glyphs: c.glyphs})
		s.Box(Rect{0, 0, 5, 3}, Round, cells.Style{})
		s.Text(1, 1, 3, "▸é…", cells.Style{})
		var l Layer
		l.Row(s, 0, 3, 5, cells.NewTable(), []cells.Cell{{Glyph: '❯'}, {Glyph: '╭'}, {Glyph: '日', Span: cells.Wide}, {Span: cells.Tail}}, false)
		got := strings.TrimRight(s.Dump(), "\n")
		if want := strings.TrimRight(c.want, "\n "); strings.TrimRight(got, " ") != want {
			t.Errorf("%d:\n%s\nwant:\n%s", c.glyphs, got, want)
		}
	}
}
