package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/grid"
	"ccdir/internal/hostwire"
	"ccdir/tui/paint"
	"ccdir/tui/tiling"
)

func TestTilesAreSensible(t *testing.T) {
	for _, tt := range []struct {
		cols, rows, n int
		want          string // sizes of the first and the last
	}{
		{164, 58, 4, "82x29 82x29"}, {80, 22, 4, "40x11 40x11"}, {200, 58, 3, "100x29 200x29"},
		{200, 58, 6, "66x29 67x29"}, {80, 40, 2, "80x20 80x20"}, {200, 24, 2, "100x24 100x24"}, {164, 58, 1, "164x58 164x58"},
		{80, 38, 5, "40x12 80x13"}, {80, 38, 6, "40x12 40x13"}, {80, 38, 3, "80x12 80x13"}, {160, 57, 16, "40x14 40x15"}, {80, 22, 2, "80x11 80x11"},
	} {
		p := tiling.Arrange(tiling.Tiled, paint.Rect{W: tt.cols, H: tt.rows}, tt.n, nil, paneLimits).Panes
		size := func(r paint.Rect) string { return itoa(r.W) + "x" + itoa(r.H) }
		if got := size(p[0]) + " " + size(p[len(p)-1]); got != tt.want {
			t.Errorf("%d in %dx%d: %s, want %s", tt.n, tt.cols, tt.rows, got, tt.want)
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestPages(t *testing.T) {
	l := arrange(layoutInput{cols: 80, rows: 24, sessions: 20, focus: 13})
	if len(l.panes) == 0 || l.pages < 2 || l.first > 13 || l.first+len(l.panes) <= 13 {
		t.Errorf("%+v", l)
	}
	last := arrange(layoutInput{cols: 80, rows: 24, sessions: 20, focus: 19})
	if last.first+len(last.panes) != 20 || last.page != last.pages-1 {
		t.Errorf("%+v", last)
	}
	for _, r := range last.panes {
		if r.W < minPaneCols || r.H < minPaneRows {
			t.Errorf("pane %+v", r)
		}
	}
}

// TestTilesAreUseful: the automatic layout pages before its panes are too small to
// work in, and shows four at once where that is the choice.
func TestTilesAreUseful(t *testing.T) {
	for _, tt := range []struct {
		cols, rows, sidebar, n int
		perPage                int
		least                  string
	}{
		{80, 24, 0, 12, 4, "40x11"}, {80, 24, 0, 5, 4, "40x11"}, {80, 24, 0, 3, 3, "40x11"},
		{120, 40, 40, 40, 6, "40x12"}, {200, 60, 40, 40, 20, "40x11"}, {500, 150, 40, 40, 40, "76x21"},
		{60, 16, 0, 9, 4, "30x7"}, {100, 30, 40, 9, 4, "30x14"}, {62, 60, 0, 12, 10, "31x11"}, {80, 12, 0, 5, 2, "40x10"},
	} {
		l := arrange(layoutInput{cols: tt.cols, rows: tt.rows, sidebar: tt.sidebar, sessions: tt.n, kind: tiling.Tiled})
		w, h := tt.cols, tt.rows
		for _, r := range l.panes {
			w, h = min(w, r.W), min(h, r.H)
		}
		if got := itoa(w) + "x" + itoa(h); l.perPage != tt.perPage || got != tt.least {
			t.Errorf("%d in %dx%d: %d a page, the least %s; want %d and %s", tt.n, tt.cols, tt.rows, l.perPage, got, tt.perPage, tt.least)
		}
	}
}

func TestEditor(t *testing.T) {
	type step struct{ key, want string }
	var e editor
	show := func() string { return strings.Join(e.before, "") + "|" + strings.Join(e.after, "") }
	for _, s := range []step{
		{"a", "a|"}, {"b", "ab|"}, {"Space", "ab |"}, {"日", "ab 日|"}, {"Left", "ab |日"}, {"x", "ab x|日"}, {"Home", "|ab x日"},
		{"DC", "|b x日"}, {"BSpace", "|b x日"}, {"C-Right", "b| x日"}, {"End", "b x日|"}, {"BSpace", "b x|"}, {"C-w", "b |"},
		{"C-a", "|b "}, {"C-k", "|"}, {"C-w", "|"}, {"Left", "|"}, {"Right", "|"}, {"é", "é|"}, {"C-u", "|"},
	} {
		e, _ = e.key(s.key, keyOf(s.key))
		if got := show(); got != s.want {
			t.Fatalf("after %s: %q, want %q", s.key, got, s.want)
		}
	}
	e = e.insert("one\r\ntwo\rthree\x00").move(-1)
	if e.String() != "one\ntwo\nthree\x00" {
		t.Errorf("%q", e.String())
	}
	if _, ok := e.key("F5", keyOf("F5")); ok {
		t.Error("F5 was taken")
	}
	// An older value does not change with a newer one.
	a := newEditor("abc")
	b := a.insert("x")
	c := a.insert("y")
	if a.String() != "abc" || b.String() != "abcx" || c.String() != "abcy" {
		t.Errorf("%q %q %q", a.String(), b.String(), c.String())
	}
}

func TestEditorShowsTheCursor(t *testing.T) {
	s := paint.NewSurface(10, 1, paint.Caps{})
	e := newEditor("0123456789abc日")
	for back := range len(e.before) + 1 {
		s.Clear()
		at := e.move(-back).draw(s, 1, 0, 8, grid.Style{})
		if at < 0 || at > 7 {
			t.Fatalf("%d back: cursor in column %d of 8", back, at)
		}
		if got := s.Row(0); got[0].Glyph != 0 || got[9].Glyph != 0 || got[9].Span != 0 {
			t.Fatalf("%d back: drawn outside: %q", back, s.Dump())
		}
	}
}

func TestAge(t *testing.T) {
	for _, tt := range []struct {
		ago  time.Duration
		want string
		step time.Duration
	}{
		// The epoch is at 5 s of a grain.
		{-1500 * time.Millisecond, "<20s", 16500 * time.Millisecond}, {0, "<20s", 15 * time.Second}, {15 * time.Second, "<1m", 40 * time.Second},
		{34500 * time.Millisecond, "<1m", 20500 * time.Millisecond}, {54 * time.Second, "<1m", time.Second}, {55 * time.Second, "1m", time.Minute},
		{time.Minute, "1m", 55 * time.Second}, {90 * time.Second, "1m", 25 * time.Second}, {115 * time.Second, "2m", time.Minute},
		{59*time.Minute + 54*time.Second, "59m", time.Second}, {61 * time.Minute, "1h01m", 55 * time.Second}, {50 * time.Hour, "2d", 55 * time.Second},
	} {
		now := epoch.Add(tt.ago)
		if got := age(now, epoch); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.ago, got, tt.want)
		}
		if got := ageStep(now, epoch); got != tt.step {
			t.Errorf("%v: step %v, want %v", tt.ago, got, tt.step)
		}
	}
}

// TestAgesAreTrue: what is shown of an age in its first minute is true at every moment
// until it is shown anew, and all ages step together.
func TestAgesAreTrue(t *testing.T) {
	most := map[string]time.Duration{"<20s": 20 * time.Second, "<1m": time.Minute, "1m": 150 * time.Second}
	for at := range 60 {
		from := epoch.Add(time.Duration(at) * time.Second)
		for ms := time.Duration(0); ms < 80_000; ms += 250 {
			now := from.Add(ms * time.Millisecond)
			text, step := age(now, from), ageStep(now, from)
			if last := now.Add(step - time.Millisecond); age(last, from) != text || last.Sub(from) > most[text] {
				t.Fatalf("%v after %v it is %s for %v", now.Sub(from), from, text, step)
			}
			if now.Add(step).Unix()%ageGrain != 0 || now.Add(step).Nanosecond() != 0 {
				t.Fatalf("%v after %v it steps in %v", now.Sub(from), from, step)
			}
		}
	}
}

func TestStill(t *testing.T) {
	s := parseStill("\x1b[1;31mred\x1b[0m 日\x1b[38;2;1;2;3mx\x1b[48:5:200my\x1b]0;title\x07z\x1b[2K\r\nsecond\x1b[4:3;58:2::9:8:7m!", 5, 4)
	if cols, rows := s.Size(); cols != 9 || rows != 4 {
		t.Fatalf("%dx%d", cols, rows)
	}
	text := func(y int) string { return string(s.table.AppendText(nil, s.Row(y).Cells)) }
	if text(0) != "red 日xyz" || text(1) != "second!" || text(2) != "" {
		t.Errorf("%q %q", text(0), text(1))
	}
	style := func(x, y int) grid.Style { return s.table.Style(s.Row(y).Cells[x].Style) }
	if st := style(0, 0); st.FG != grid.Indexed(1) || st.Attrs != grid.Bold {
		t.Errorf("red: %+v", st)
	}
	if st := style(4, 0); st != (grid.Style{}) {
		t.Errorf("reset: %+v", st)
	}
	if st := style(7, 0); st.FG != grid.RGB(1, 2, 3) || st.BG != grid.Indexed(200) {
		t.Errorf("colours: %+v", st)
	}
	if st := style(6, 1); st.Underline != grid.UnderlineCurly || st.UnderlineColor != grid.RGB(9, 8, 7) {
		t.Errorf("underline: %+v", st)
	}
}

func FuzzStill(f *testing.F) {
	f.Add("\x1b[38;5mx\x1b[38:2::1m\x1b[", 10, 3)
	f.Add("\x1b]8;;http://x\x1b\\日\x1b", 1, 1)
	f.Fuzz(func(t *testing.T, text string, cols, rows int) {
		s := parseStill(text, cols, rows)
		w, h := s.Size()
		if w < 1 || w > maxStillCols+1 || h > maxStillRows {
			t.Fatalf("%dx%d", w, h)
		}
		c := paint.NewSurface(20, 3, paint.Caps{Profile: colorprofile.TrueColor})
		var l paint.Layer
		for y := range min(h, 3) {
			l.Row(c, 0, y, 20, s.Table(), s.Row(y).Cells, false)
		}
	})
}

// TestOffsetFollowsTheCursor: of a screen that is larger than its room the part
// with the cursor is shown.
func TestOffsetFollowsTheCursor(t *testing.T) {
	m := hostwire.NewMirror()
	lines := make([]string, 50)
	apply := func(x, y int) {
		if err := m.Apply(fullFrame(120, lines, 1, hostwire.Cursor{X: x, Y: y, Visible: true}, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ x, y, wantX, wantY int }{
		{0, 0, 0, 0}, {39, 9, 0, 0}, {39, 10, 0, 1}, {0, 49, 0, 40}, {40, 0, 20, 0}, {119, 49, 80, 40},
	} {
		apply(tt.x, tt.y)
		if x, y := offsetOf(m, 40, 10); x != tt.wantX || y != tt.wantY {
			t.Errorf("cursor %d,%d: offset %d,%d", tt.x, tt.y, x, y)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		in   string
		w    int
		want string
	}{
		{"one two three", 7, "one two|three"}, {"abcdefghij", 4, "abcd|efgh|ij"}, {"日本語", 4, "日本|語"}, {"日", 1, "日"}, {"", 5, ""}, {"x", 0, ""},
	} {
		if got := strings.Join(wrap(tt.in, tt.w), "|"); got != tt.want {
			t.Errorf("%q in %d: %q, want %q", tt.in, tt.w, got, tt.want)
		}
	}
}
