package paint

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// simple is a terminal with widths of its own, each character by itself. What does not
// fit in a row goes to the next one, and moves all rows up below the last, unless
// that is switched off.
type simple struct {
	cols, x, y int
	rows       [][]string
	width      func(r rune) int
	noWrap     bool
	marksWrap  bool // a mark goes to the next row, too, even of a letter in the last column
}

func newSimple(cols, rows int, width func(rune) int) *simple {
	s := &simple{cols: cols, width: width}
	for range rows {
		s.rows = append(s.rows, strings.Split(strings.Repeat(" ", cols), ""))
	}
	return s
}

func (s *simple) feed(out string) {
	for len(out) > 0 {
		if strings.HasPrefix(out, "\x1b[") {
			end := 2
			for out[end] < 0x40 {
				end++
			}
			s.csi(out[2:end], out[end])
			out = out[end+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(out)
		out = out[n:]
		switch r {
		case '\r':
			s.x = 0
		case '\n':
			s.y++
		case '\b':
			s.x--
		default:
			s.put(string(r), s.width(r))
		}
	}
}

func (s *simple) put(c string, w int) {
	if w == 0 && (!s.marksWrap || s.x < s.cols || s.noWrap) {
		return
	}
	w = max(1, w)
	if s.x+w > s.cols && s.noWrap {
		s.x = s.cols - w
	} else if s.x+w > s.cols {
		if s.x, s.y = 0, s.y+1; s.y == len(s.rows) {
			s.y--
			s.rows = append(s.rows[1:], strings.Split(strings.Repeat(" ", s.cols), ""))
		}
	}
	for i := range w {
		s.rows[s.y][s.x+i] = map[bool]string{true: c, false: ""}[i == 0]
	}
	s.x += w
}

func (s *simple) csi(params string, final byte) {
	a, b, _ := strings.Cut(params, ";")
	n, _ := strconv.Atoi(a)
	m, _ := strconv.Atoi(b)
	switch final {
	case 'H':
		s.y, s.x = max(n, 1)-1, max(m, 1)-1
	case 'A':
		s.y -= max(n, 1)
	case 'B':
		s.y += max(n, 1)
	case 'C':
		s.x += max(n, 1)
	case 'D':
		s.x -= max(n, 1)
	case 'K':
		for x := s.x; x < s.cols; x++ {
			s.rows[s.y][x] = " "
		}
	case '@':
		row := s.rows[s.y]
		copy(row[s.x+1:], row[s.x:])
		row[s.x] = " "
	case 'h', 'l':
		if params == "?7" {
			s.noWrap = final == 'l'
		}
	case 'J':
		for y := range s.rows {
			for x := range s.rows[y] {
				s.rows[y][x] = " "
			}
		}
	}
}

// TestWidthsInDoubt: on terminals that give some characters other widths, all other
// characters are where they belong, after any changes.
func TestWidthsInDoubt(t *testing.T) {
	words := []string{"plain", "日本", "🚀", "✅ ok", "👩‍🚀", "🇩🇪", "❤️", "e\u0301", "a🚀b", "👩‍🚀👩‍🚀", "    ", "x", "☰ x☰y"}
	for name, width := range map[string]func(rune) int{
		"each part by itself": cells.RuneWidth,
		"emoji of one column": func(r rune) int {
			if cells.RuneWidth(r) == 2 && !alwaysWide(r) {
				return 1
			}
			return cells.RuneWidth(r)
		},
		"symbols of two columns": func(r rune) int {
			if widened(r) {
				return 2
			}
			return cells.RuneWidth(r)
		},
		"marks that wrap":       cells.RuneWidth,                                        // Windows Terminal
		"joiners of one column": func(r rune) int { return max(1, cells.RuneWidth(r)) }, // mlterm
	} {
		for seed := range uint64(100) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			const cols, rows = 30, 3
			caps := Caps{Profile: colorprofile.ASCII}
			s, w, term := NewSurface(cols, rows, caps), NewWriter(caps), newSimple(cols, rows, width)
			term.marksWrap = name == "marks that wrap"
			for range 20 {
				y := rnd.IntN(rows)
				s.Text(rnd.IntN(cols), y, 4, words[rnd.IntN(len(words))], cells.Style{})
				out := string(w.Frame(s, Cursor{}))
				term.feed(out)
				for y := range rows {
					compareSure(t, name, s, w, term, y, out)
				}
				if t.Failed() {
					t.Fatalf("%s, seed %d", name, seed)
				}
			}
		}
	}
}

// compareSure compares a row's cells outside of characters in doubt.
func compareSure(t *testing.T, name string, s *Surface, w *Writer, term *simple, y int, out string) {
	t.Helper()
	row := s.Row(y)
	for x := 0; x < len(row); x++ {
		c := row[x]
		switch {
		case w.doubtful(c) && c.Span == cells.Wide:
			if x++; !slices.Contains([]string{"", " ", "🚀", "🇪", "\u200d", "\ufe0f"}, term.rows[y][x]) {
				t.Errorf("%s: column %d row %d keeps %q beside a character of one column; written: %q", name, x, y, term.rows[y][x], out)
			}
		case w.doubtful(c), c.Span == cells.Tail:
		default:
			if want := string(s.tab.AppendGlyph(nil, c.Glyph)); term.rows[y][x] != want {
				t.Errorf("%s: column %d row %d shows %q, want %q; written: %q", name, x, y, term.rows[y][x], want, out)
			}
		}
	}
}

// TestConsoleHasNoClusters: a console draws the first character of a cluster.
func TestConsoleHasNoClusters(t *testing.T) {
	for glyphs, want := range map[Glyphs]string{GlyphsAll: "e\u0301👩‍🚀", GlyphsConsole: "e👩", GlyphsASCII: "e👩"} {
		s := NewSurface(3, 1, Caps{Glyphs: glyphs})
		s.Text(0, 0, 3, "e\u0301👩‍🚀", cells.Style{})
		if got := strings.TrimSpace(s.Dump()); got != want {
			t.Errorf("%d: %q, want %q", glyphs, got, want)
		}
		// The same in a row of a pane.
		tab := cells.NewTable()
		accent, _ := tab.Glyph([]byte("e\u0301"))
		rocket, _ := tab.Glyph([]byte("👩‍🚀"))
		s.Clear()
		(&Layer{}).Row(s, 0, 0, 3, tab, []cells.Cell{{Glyph: accent}, {Glyph: rocket, Span: cells.Wide}, {Span: cells.Tail}}, false)
		if got := strings.TrimSpace(s.Dump()); got != want {
			t.Errorf("%d, in a pane: %q, want %q", glyphs, got, want)
		}
	}
}

// TestSummedClusters: where joined characters may take the columns of all their
// parts, those whose columns are not that sum are drawn as the first of them.
func TestSummedClusters(t *testing.T) {
	const text = "e\u0301👩‍🚀👍🏽🇩🇪❤\ufe0f日का"
	const first = "e\u0301👩👍🇩🇪❤日का"
	for env, want := range map[string]string{"TERM=foot": first, "TERM=foot-extra": first, "TERM=tmux-256color TMUX=/s,1,0": first, "TERM=screen-256color TMUX=/s,1,0": first,
		"TERM=screen STY=1.pts": first, "TERM=xterm-kitty": text, "TERM=xterm-256color": text} {
		caps := CapsOf(colorprofile.TrueColor, func(name string) string {
			for kv := range strings.FieldsSeq(env) {
				if k, v, _ := strings.Cut(kv, "="); k == name {
					return v
				}
			}
			return ""
		})
		s := NewSurface(13, 1, caps)
		s.Text(0, 0, 13, text, cells.Style{})
		if got := strings.TrimSpace(s.Dump()); got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}
