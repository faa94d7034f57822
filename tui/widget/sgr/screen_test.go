package sgr

import (
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
)

func TestParse(t *testing.T) {
	s := Parse("\x1b[1;31mred\x1b[0m 日\x1b[38;2;1;2;3mx\x1b[48:5:200my\x1b]0;title\x07z\x1b[2K\r\nsecond\x1b[4:3;58:2::9:8:7m!", 5, 4)
	if cols, rows := s.Cols, len(s.Rows); cols != 9 || rows != 4 {
		t.Fatalf("%dx%d", cols, rows)
	}
	text := func(y int) string { return string(s.Table.AppendText(nil, s.Rows[y].Cells)) }
	if text(0) != "red 日xyz" || text(1) != "second!" || text(2) != "" {
		t.Errorf("%q %q", text(0), text(1))
	}
	style := func(x, y int) cells.Style { return s.Table.Style(s.Rows[y].Cells[x].Style) }
	if st := style(0, 0); st.FG != cells.Indexed(1) || st.Attrs != cells.Bold {
		t.Errorf("red: %+v", st)
	}
	if st := style(4, 0); st != (cells.Style{}) {
		t.Errorf("reset: %+v", st)
	}
	if st := style(7, 0); st.FG != cells.RGB(1, 2, 3) || st.BG != cells.Indexed(200) {
		t.Errorf("colours: %+v", st)
	}
	if st := style(6, 1); st.Underline != cells.UnderlineCurly || st.UnderlineColor != cells.RGB(9, 8, 7) {
		t.Errorf("underline: %+v", st)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("\x1b[38;5mx\x1b[38:2::1m\x1b[", 10, 3)
	f.Add("\x1b]8;;http://x\x1b\\日\x1b", 1, 1)
	f.Fuzz(func(t *testing.T, text string, cols, rows int) {
		s := Parse(text, cols, rows)
		w, h := s.Cols, len(s.Rows)
		if w < 1 || w > maxCols+1 || h > maxRows {
			t.Fatalf("%dx%d", w, h)
		}
		c := paint.NewSurface(20, 3, paint.Caps{Profile: colorprofile.TrueColor})
		var l paint.Layer
		for y := range min(h, 3) {
			l.Row(c, 0, y, 20, s.Table, s.Rows[y].Cells, false)
		}
	})
}

// TestLinks: a safe link gets its place in the surface, another is text.
func TestLinks(t *testing.T) {
	for uri, want := range map[string]string{"https://a.example/x": "https://a.example/x", "javascript:x": "", "file://elsewhere/x": ""} {
		s := paint.NewSurface(20, 1, paint.Caps{Links: true, Host: "here"})
		if n := Draw(s, 0, 0, 20, Linked("\x1b[1mab\x1b[0mc", uri)+"d"); n != 4 {
			t.Errorf("%s takes %d columns", uri, n)
		}
		for x, c := range s.Row(0)[:4] {
			got := s.Table().LinkURI(s.Table().Style(c.Style).Link)
			if (x < 3 && got != want) || (x == 3 && got != "") {
				t.Errorf("%s: cell %d leads to %q", uri, x, got)
			}
		}
	}
}
