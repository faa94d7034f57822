package terminal

import (
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/wire"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// recorder notes what was written.
type recorder struct {
	mu     sync.Mutex
	writes []string
	fail   error
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return 0, r.fail
	}
	r.writes = append(r.writes, string(p))
	return len(p), nil
}

func (r *recorder) count() int { return len(r.all()) }

// all is a copy of what was written.
func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.writes)
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// stage is what scenes of tests are made of.
type stage struct {
	cols, rows int
	panes      []*pane.Pane
	focus      int
	ended      bool   // the focused session
	over       string // a dialog; "" none
	cursor     *paint.Cursor
	content    Content // in the focused pane
	redraws    uint64
	popup      uint64
	loading    bool
}

// places are side by side, with a frame around each.
func (st *stage) places() (all []paint.Rect) {
	n := len(st.panes)
	for i := range n {
		x0, x1 := st.cols*i/n, st.cols*(i+1)/n
		all = append(all, paint.Rect{X: x0, W: x1 - x0, H: st.rows - 1})
	}
	return all
}

// scene is the stage as it is now.
func (st *stage) scene() *Scene {
	sc := &Scene{
		Cols: st.cols, Rows: st.rows, Over: st.over != "", Cursor: st.cursor,
		Redraws: st.redraws, Popup: st.popup, Empty: st.loading, Loaded: !st.loading,
	}
	now := *st
	now.panes = slices.Clone(st.panes)
	sc.Drawing = &now
	for i, r := range st.places() {
		p := Pane{Pane: st.panes[i], In: r.Inset(1), Focused: i == st.focus, Ended: i == st.focus && st.ended}
		if p.Focused {
			p.Content = st.content
		}
		sc.Panes = append(sc.Panes, p)
	}
	return sc
}

// Chrome draws frames and a status line.
func (st *stage) Chrome(s *paint.Surface) {
	for i, r := range st.places() {
		style := cells.Style{}
		if i == st.focus {
			style.FG = cells.Indexed(2)
		}
		for x := range r.W {
			s.Text(r.X+x, r.Y, 1, "-", style)
			s.Text(r.X+x, r.Y+r.H-1, 1, "-", style)
		}
		for y := range r.H {
			s.Text(r.X, r.Y+y, 1, "|", style)
			s.Text(r.X+r.W-1, r.Y+y, 1, "|", style)
		}
	}
	s.Text(0, st.rows-1, st.cols, "status", cells.Style{FG: cells.Indexed(4)})
}

// Over draws the dialog.
func (st *stage) Over(s *paint.Surface) paint.Cursor {
	for y := range 3 {
		s.Text(2, 2+y, st.cols-4, st.over, cells.Style{BG: cells.Indexed(1)})
	}
	return paint.Cursor{X: 3, Y: 2, Visible: true}
}

// text is content instead of a picture.
type text string

func (c text) Draw(s *paint.Surface, _ *paint.Layer) {
	s.Text(3, 3, 6, string(c), cells.Style{FG: cells.Indexed(3)})
}

func (c text) Cursor() paint.Cursor { return paint.Cursor{X: 4, Y: 3, Visible: true} }

// fullFrame is a host's frame of these lines.
func fullFrame(cols int, lines []string, gen uint64, cur wire.Cursor, flags wire.FrameFlags) *wire.Frame {
	var enc wire.RowEncoder
	enc.Reset(cells.NewTable())
	for y, l := range lines {
		row := make([]cells.Cell, cols)
		for x, r := range []rune(l) {
			if x < cols {
				row[x].Glyph = cells.Glyph(r)
			}
		}
		enc.Add(y, cells.Row{Cells: row})
	}
	return &wire.Frame{Full: true, Gen: gen, Cols: cols, Rows: len(lines), Cursor: cur, Flags: flags, Data: enc.AppendTo(nil)}
}

// lines are rows of a host's screen, the first one with text.
func lines(rows int, first string) []string {
	all := make([]string, rows)
	all[0] = first
	return all
}

// filled are rows full of one character.
func filled(rows, cols int, c string) []string {
	all := make([]string, rows)
	for i := range all {
		all[i] = strings.Repeat(c, cols)
	}
	return all
}
