package ansi

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
)

// page is what a client has that shows rows of text.
type page struct {
	rows   [][]span
	cursor []int
}

func (p *page) take(t *testing.T, data []byte) {
	t.Helper()
	if data == nil {
		return
	}
	var e rowsEvent
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	if e.All {
		p.rows = make([][]span, e.Rows)
	}
	for y, row := range e.Set {
		p.rows[y] = row
	}
	p.cursor = e.Cursor
}

func (p *page) text() string {
	var lines []string
	for _, row := range p.rows {
		line := ""
		for _, s := range row {
			line += s.Text
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// TestRows: a page that takes what has changed shows the text of the session's screen, and where its cursor is;
// a slow one too.
func TestRows(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		from := vt.New(screen.Options{Cols: 40, Rows: 12})
		w, p, gen := NewScreen(0, 0), &page{}, uint64(0)
		for range 40 {
			for range rnd.IntN(6) {
				from.Feed([]byte(pieces[rnd.IntN(len(pieces))]))
			}
			if err := w.Apply(frameOf(from, gen)); err != nil {
				t.Fatal(err)
			}
			if gen = from.Gen(); rnd.IntN(3) == 0 {
				continue
			}
			p.take(t, w.DrawRows())
			if again := w.DrawRows(); again != nil {
				t.Fatalf("nothing changed, and %s was drawn", again)
			}
			var lines []string
			for y := range 12 {
				lines = append(lines, strings.TrimRight(string(from.Table().AppendText(nil, from.Row(y).Cells)), " "))
			}
			if got, want := p.text(), strings.TrimRight(strings.Join(lines, "\n"), "\n"); got != want {
				t.Fatalf("seed %d: the page has\n%s\nwant\n%s", seed, got, want)
			}
			var cursor []int
			if c := from.State().Cursor; c.Visible {
				cursor = []int{c.X, c.Y}
			}
			if !slices.Equal(p.cursor, cursor) {
				t.Fatalf("seed %d: the cursor is at %v, want %v", seed, p.cursor, cursor)
			}
		}
	}
}

// TestRowsOfText: colours and attributes are told for as long as they hold, and a character that turns text around is a blank.
func TestRowsOfText(t *testing.T) {
	from := vt.New(screen.Options{Cols: 30, Rows: 1})
	from.Feed([]byte("a\x1b[1;31mbc\x1b[0;7m漢\x1b[m\u202ed \x1b[4;48;2;1;2;3m <b>\x1b[m  "))
	w := NewScreen(0, 0)
	if err := w.Apply(frameOf(from, 0)); err != nil {
		t.Fatal(err)
	}
	p := &page{}
	p.take(t, w.DrawRows())
	for _, s := range p.rows[0] {
		if strings.ContainsRune(s.Text, 0x202e) {
			t.Errorf("%q turns text around", s.Text)
		}
	}
	got, err := json.Marshal(p.rows[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`[{"t":"a"},{"t":"bc","f":16777217,"a":1},{"t":"漢","a":16}`, `{"t":" \u003cb\u003e","b":33620483,"u":true}]`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}
