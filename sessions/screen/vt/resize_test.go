package vt

import (
	"slices"
	"testing"

	"ccdir/sessions/screen"
)

// resizeCase is what a screen shows, and its history, after input, other sizes and more
// input.
type resizeCase struct {
	name, in   string
	cols, rows int // before
	to         [][2]int
	then       string
	want       []string
	history    []string
	x, y       int
}

func TestResize(t *testing.T) {
	testResizes(t, []resizeCase{
		{
			name: "narrower wraps", in: "abcdefgh\r\n$", cols: 10, rows: 4, to: [][2]int{{5, 4}},
			want: []string{"abcde", "fgh", "$", ""}, x: 1, y: 2,
		}, {
			name: "wider unwraps", in: "abcdefgh\r\n$", cols: 5, rows: 4, to: [][2]int{{10, 4}},
			want: []string{"abcdefgh", "$", "", ""}, x: 1, y: 1,
		}, {
			name: "the cursor's line wraps too", in: "abcdefgh", cols: 10, rows: 4, to: [][2]int{{5, 4}}, then: "i",
			want: []string{"abcde", "fghi", "", ""}, x: 4, y: 1,
		}, {
			name: "a wrap stays pending behind the text", in: "abcdefgh", cols: 10, rows: 3, to: [][2]int{{4, 3}}, then: "i",
			want: []string{"abcd", "efgh", "i"}, x: 1, y: 2,
		}, {
			name: "wide characters do not split", in: "a日本語\r\n$", cols: 10, rows: 4, to: [][2]int{{4, 4}},
			want: []string{"a日", "本語", "$", ""}, x: 1, y: 2,
		}, {
			name: "nor leave a gap when joined again", in: "a日本語\r\n$", cols: 10, rows: 4, to: [][2]int{{4, 4}, {10, 4}},
			want: []string{"a日本語", "$", "", ""}, x: 1, y: 1,
		}, {
			name: "lower pushes from the top", in: "1\r\n2\r\n3\r\n4", cols: 4, rows: 4, to: [][2]int{{4, 2}},
			want: []string{"3", "4"}, history: []string{"1", "2"}, x: 1, y: 1,
		}, {
			name: "higher takes back", in: "1\r\n2\r\n3\r\n4", cols: 4, rows: 2, to: [][2]int{{4, 4}},
			want: []string{"1", "2", "3", "4"}, x: 1, y: 3,
		}, {
			name: "higher pads below a cursor that is not at the bottom", in: "1\r\n2\r\n3\r\n4\x1b[A", cols: 4, rows: 2, to: [][2]int{{4, 4}},
			want: []string{"3", "4", "", ""}, history: []string{"1", "2"}, x: 1, y: 0,
		}, {
			name: "text below the cursor is cut", in: "1\r\n2\r\n3\x1b[H", cols: 4, rows: 3, to: [][2]int{{4, 1}},
			want: []string{"1"}, x: 0, y: 0,
		}, {
			name: "and comes back", in: "1\r\n2\r\n3\x1b[H", cols: 4, rows: 3, to: [][2]int{{4, 1}, {4, 3}},
			want: []string{"1", "2", "3"}, x: 0, y: 0,
		}, {
			name: "but not over what was drawn since", in: "1\r\n2\r\n3\x1b[H", cols: 4, rows: 3, to: [][2]int{{4, 1}}, then: "x",
			want: []string{"x"}, x: 1, y: 0,
		}, {
			name: "erased lines do not join", in: "abcdefgh\x1b[2K\r\n$", cols: 5, rows: 4, to: [][2]int{{10, 4}},
			want: []string{"abcde", "", "$", ""}, x: 1, y: 2,
		}, {
			name: "a line feed ends a line", in: "abcdefgh\x1b[H\n\n$", cols: 5, rows: 4, to: [][2]int{{10, 4}},
			want: []string{"abcde", "fgh", "$", ""}, x: 1, y: 2,
		}, {
			name: "the alternate screen is clipped", in: "\x1b[?1049habcdefgh\r\nxy", cols: 10, rows: 4, to: [][2]int{{5, 4}, {10, 4}},
			want: []string{"abcde", "xy", "", ""}, x: 2, y: 1,
		}, {
			name: "and the main one under it wraps", in: "abcdefgh\r\n\x1b[?1049hx", cols: 10, rows: 4, to: [][2]int{{5, 4}}, then: "\x1b[?1049l",
			want: []string{"abcde", "fgh", "", ""}, x: 0, y: 2,
		}, {
			name: "margins go", in: "\x1b[2;3r\x1b[4;1H", cols: 5, rows: 4, to: [][2]int{{5, 5}}, then: "\x1b[5;1Ha\nb",
			want: []string{"", "", "", "a", " b"}, history: []string{""}, x: 2, y: 4,
		}, {
			name: "tab stops stay", in: "\x1b[3g\x1b[1;4H\x1bH\r", cols: 8, rows: 2, to: [][2]int{{20, 2}}, then: "\ta\tb",
			want: []string{"   a    b", ""}, x: 9, y: 0,
		},
	})
}

// TestResizeKeepsSavedCursor: a saved position stays at its character, as the cursor does.
func TestResizeKeepsSavedCursor(t *testing.T) {
	wider := [][2]int{{10, 4}}
	testResizes(t, []resizeCase{
		{
			name: "behind the text", in: "abcdefg\x1b7", cols: 5, rows: 4, to: wider, then: "\x1b8Z",
			want: []string{"abcdefgZ", "", "", ""}, x: 8,
		}, {
			name: "on the text", in: "abcdefg\x1b[D\x1b[s", cols: 5, rows: 4, to: wider, then: "\x1b[uZ",
			want: []string{"abcdefZ", "", "", ""}, x: 7,
		}, {
			name: "narrower", in: "abcdefghij\x1b[1;8H\x1b7\x1b[1;1H", cols: 10, rows: 4, to: [][2]int{{5, 4}}, then: "\x1b8Z",
			want: []string{"abcde", "fgZij", "", ""}, x: 3, y: 1,
		}, {
			name: "there and back", in: "abcdefghij\x1b[1;8H\x1b7\x1b[1;1H", cols: 10, rows: 4, to: [][2]int{{3, 4}, {10, 4}}, then: "\x1b8Z",
			want: []string{"abcdefgZij", "", "", ""}, x: 8,
		}, {
			name: "mode 1048", in: "abcdefg\x1b[?1048h\x1b[H", cols: 5, rows: 4, to: wider, then: "\x1b[?1048lZ",
			want: []string{"abcdefgZ", "", "", ""}, x: 8,
		}, {
			name: "under the alternate screen", in: "abcdefg\x1b[?1049h\x1b[Hx", cols: 5, rows: 4, to: wider, then: "\x1b[?1049lZ",
			want: []string{"abcdefgZ", "", "", ""}, x: 8,
		}, {
			name: "lines above and below the cursor's", in: "abcdefgh\r\n\x1b7123\r\n\r\n456789", cols: 5, rows: 6, to: [][2]int{{10, 6}}, then: "\x1b8Z",
			want: []string{"abcdefgh", "Z23", "", "456789", "", ""}, x: 1, y: 1,
		}, {
			name: "a pending wrap", in: "abcdefgh\x1b7", cols: 10, rows: 3, to: [][2]int{{4, 3}}, then: "\x1b8i",
			want: []string{"abcd", "efgh", "i"}, x: 1, y: 2,
		}, {
			name: "a line that begins in the history", in: "abcdefghijk\x1b7\x1b[Hx", cols: 4, rows: 2, to: [][2]int{{12, 2}}, then: "\x1b8Z",
			want: []string{"abcdxfghijkZ", ""}, x: 11,
		}, {
			name: "in a row that went to the history and came back", in: "1\r\n2\r\n3\r\n4\x1b[H\x1b7\x1b[4;2H", cols: 4, rows: 4,
			to: [][2]int{{4, 2}, {4, 4}}, then: "\x1b8Z", want: []string{"Z", "2", "3", "4"}, x: 1,
		}, {
			name: "in a row that was cut off and came back", in: "1\r\n2\r\n3\x1b7\x1b[H", cols: 4, rows: 3,
			to: [][2]int{{4, 1}, {4, 3}}, then: "\x1b8Z", want: []string{"1", "2", "3Z"}, x: 2, y: 2,
		}, {
			name: "in a row that is cut off meanwhile", in: "1\r\n2\r\nabcdefgh\x1b7\x1b[H", cols: 5, rows: 5,
			to: [][2]int{{5, 2}, {10, 2}, {10, 5}}, then: "\x1b8Z", want: []string{"1", "2", "abcdefghZ", "", ""}, x: 9, y: 2,
		}, {
			name: "nothing saved is home", in: "1\r\n2\r\n3\r\n4", cols: 4, rows: 2, to: [][2]int{{4, 4}}, then: "\x1b8Z",
			want: []string{"Z", "2", "3", "4"}, x: 1,
		},
	})
}

func testResizes(t *testing.T, cases []resizeCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			term := newTest(c.cols, c.rows, c.in)
			for _, size := range c.to {
				before := term.Gen()
				term.Resize(size[0], size[1])
				checkInvariants(t, term)
				if term.Gen() <= before {
					t.Error("no new generation")
				}
			}
			term.Feed([]byte(c.then))
			wantGrid(t, term, c.want...)
			if got := cursorOf(term); got != [2]int{c.x, c.y} {
				t.Errorf("cursor %v, want %d,%d", got, c.x, c.y)
			}
			if got := historyText(term); !slices.Equal(got, append([]string{}, c.history...)) {
				t.Errorf("history %q, want %q", got, c.history)
			}
		})
	}
}

func TestResizeLimits(t *testing.T) {
	for _, c := range [][4]int{{0, 0, 1, 1}, {-5, 5000, 1, screen.MaxRows}, {5000, 2, screen.MaxCols, 2}} {
		term := New(screen.Options{Cols: c[0], Rows: c[1]})
		if cols, rows := term.Size(); cols != c[2] || rows != c[3] {
			t.Errorf("New(%d, %d) has %dx%d", c[0], c[1], cols, rows)
		}
		term = newTest(10, 10, "text")
		term.Resize(c[0], c[1])
		if cols, rows := term.Size(); cols != c[2] || rows != c[3] {
			t.Errorf("Resize(%d, %d) gives %dx%d", c[0], c[1], cols, rows)
		}
		checkInvariants(t, term)
	}
	term := newTest(10, 10, "text")
	gen := term.Gen()
	term.Resize(10, 10)
	if term.Gen() != gen {
		t.Error("the same size gives a new generation")
	}
}

// TestHistoryRewraps: colours, links and clusters survive, numbers go on, and
// readers are told.
func TestHistoryRewraps(t *testing.T) {
	term := newTest(12, 2, "\x1b[31m\x1b]8;;http://a/\x07red 日本e\u0301 long\x1b]8;;\x07 line\x1b[m\r\nshort\r\n\r\n")
	epoch, total := term.HistoryEpoch(), term.HistoryTotal()
	term.Resize(5, 2)
	if term.HistoryEpoch() == epoch {
		t.Error("the epoch is the same after a re-wrap")
	}
	if term.HistoryTotal()-uint64(term.HistoryLen()) != total-3 {
		t.Errorf("the oldest line has number %d", term.HistoryTotal()-uint64(term.HistoryLen()))
	}
	term.Resize(12, 2)
	want := []string{"red 日本e\u0301 lo", "ng line", "short"}
	if got := append(historyText(term), gridText(term)...); !slices.Equal(got[:3], want) {
		t.Errorf("history %q, want %q", got, want)
	}
	row := term.HistoryRow(0)
	if s := term.Table().Style(row.Cells[5].Style); term.Table().LinkURI(s.Link) != "http://a/" || s.FG.IsDefault() || !row.Wrapped {
		t.Errorf("the first line lost its style %+v, or its wrap %v", s, row.Wrapped)
	}
}
