package lent

import (
	"os"
	"testing"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/wire"
	"ccdir/wire/directline/linetest"
)

// rig is a screen, and a pane whose host may be lent the terminal, a file.
type rig struct {
	*linetest.Pair
	*Screen
	surface *paint.Surface
	pane    *pane.Pane
	echoed  int
}

func newRig(t *testing.T, fast bool) *rig {
	t.Helper()
	null, err := os.OpenFile("/dev/null", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	terminal := linetest.FD(null.Fd())
	r := &rig{Pair: linetest.New(t, terminal, terminal), surface: paint.NewSurface(20, 4, paint.Caps{})}
	c := pane.Config{ID: "a"}
	if fast {
		c.Fast = pane.FastPath{Line: true, Display: terminal}
	}
	r.pane = pane.New(c)
	r.pane.UseLine(r.Line)
	r.Screen = New(paint.NewWriter(paint.Caps{}), r.surface, func(n int) { r.echoed += n })
	return r
}

// frame shows the picture of that number, whose cursor is in column x of a pane that
// begins at 1, 1.
func (r *rig) frame(t *testing.T, number uint64, x int, change func(*Picture)) (wrote string) {
	t.Helper()
	pic := Picture{Lend: true, Cursor: paint.Cursor{X: 1 + x, Y: 1, Visible: true}}
	pic.Focus = Focus{
		Pane: r.pane, Number: number, Cols: 10, Rows: 2, In: paint.Rect{X: 1, Y: 1, W: 10, H: 2},
		X: 1 + x, Y: 1, Cursor: wire.Cursor{X: x, Visible: true},
	}
	if change != nil {
		change(&pic)
	}
	err := r.Frame(false, func() Picture { return pic }, func(b []byte) error { wrote = string(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return wrote
}

func (r *rig) lent(number uint64) bool {
	_, lent := r.Lines.Echo(number, []byte("x"))
	return lent
}

func TestLends(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fast   bool
		change func(*Picture)
		want   bool
	}{
		{"typing", true, nil, true},
		{"the fast path is off", false, nil, false},
		{"nothing typed lately", true, func(p *Picture) { p.Lend = false }, false},
		{"nowhere", true, func(p *Picture) { p.Focus = Focus{} }, false},
		{"a picture of no host", true, func(p *Picture) { p.Focus.Number = 0 }, false},
		{"a hidden cursor", true, func(p *Picture) { p.Cursor.Visible = false }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.fast)
			r.frame(t, 7, 0, tt.change)
			if got := r.lent(7); got != tt.want {
				t.Errorf("lent: %v, want %v", got, tt.want)
			}
			release := r.Own()
			if r.lent(7) {
				t.Error("it is lent while it is owned")
			}
			r.Close() // not a deadlock
			release()
		})
	}
}

// The next frame writes nothing of what the host has written, in the row of the cursor
// and in the next one.
func TestFindsTheEcho(t *testing.T) {
	for name, at := range map[string]struct {
		x    int
		wrap bool
	}{"at the cursor": {3, false}, "at the start of the next row": {9, true}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, true)
			r.frame(t, 7, at.x, nil)
			echo, ok := r.Lines.Echo(7, []byte("é"))
			if !ok || !echo.Write(at.wrap) {
				t.Fatal("nothing was written")
			}
			x, y := 1+at.x, 1
			if at.wrap {
				x, y = 1, 2
			}
			wrote := r.frame(t, 8, at.x+1, func(p *Picture) {
				r.surface.Text(x, y, 1, "é", cells.Style{})
				p.Cursor.X, p.Cursor.Y = x+1, y
			})
			if wrote != "" || r.echoed != len("é") {
				t.Errorf("%q was written again, %d bytes counted", wrote, r.echoed)
			}
		})
	}
}

// A loan over a line that is closed meanwhile ends without a trace.
func TestClosedLine(t *testing.T) {
	r := newRig(t, true)
	r.frame(t, 7, 0, nil)
	r.Line.Close()
	if wrote := r.frame(t, 8, 0, nil); wrote != "" || r.lent(8) {
		t.Errorf("a line that was closed: %q was written", wrote)
	}
}
