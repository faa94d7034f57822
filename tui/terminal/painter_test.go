package terminal

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/wire"
)

// painting is a painter with two panes, under a fake clock. The first one is focused.
type painting struct {
	stage
	p      *painter
	out    *recorder
	mirror []*wire.Mirror
	stop   context.CancelFunc
	done   chan error
}

func newPainting(t *testing.T) *painting {
	t.Helper()
	r, out := &Router{}, &recorder{}
	p := newPainter(out, paint.Caps{Profile: colorprofile.TrueColor}, r)
	pt := &painting{stage: stage{cols: 120, rows: 40}, p: p, out: out, done: make(chan error, 1)}
	for _, id := range []string{"a", "b"} {
		pt.panes = append(pt.panes, pane.New(pane.Config{ID: id, Wake: p.paneChanged}))
		pt.mirror = append(pt.mirror, wire.NewMirror())
	}
	r.Set(Route{Pane: pt.panes[0], Prefix: "C-b"})
	ctx, stop := context.WithCancel(t.Context())
	pt.stop = stop
	go func() { pt.done <- p.run(ctx) }()
	p.show(pt.scene(), false)
	return pt
}

// frame lets the host of a pane send a screen with that first line.
func (pt *painting) frame(i int, text string) { pt.lay(i, lines(20, text)) }

func (pt *painting) lay(i int, lines []string) {
	if err := pt.panes[i].Lay(fullFrame(80, lines, 1, wire.Cursor{}, 0), pt.mirror[i]); err != nil {
		panic(err)
	}
}

// TestEchoIsPaintedAtOnce: a frame of the focused pane after a key waits for
// nothing, whatever the other panes do; those are paced.
func TestEchoIsPaintedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		synctest.Wait()
		time.Sleep(time.Second)
		pt.frame(0, "first")
		synctest.Wait()
		if n := pt.out.count(); n != 2 {
			t.Fatalf("%d writes after the first frame", n)
		}
		pt.frame(1, "noise") // within the same sixtieth of a second: later
		synctest.Wait()
		if n := pt.out.count(); n != 2 {
			t.Fatalf("noise was not paced: %d writes", n)
		}
		pt.p.router.NoteInput(time.Now())
		pt.frame(0, "echo!")
		synctest.Wait()
		if n := pt.out.count(); n != 3 || !strings.Contains(pt.out.all()[2], "echo!") {
			t.Fatalf("%d writes; the echo was not painted at once", n)
		}
		if strings.Contains(pt.out.all()[2], "noise") {
			t.Error("the echo carries the noise along")
		}
		time.Sleep(frameTime)
		synctest.Wait()
		if n := pt.out.count(); n != 4 || !strings.Contains(pt.out.all()[3], "noise") {
			t.Errorf("%d writes; the noise never came", n)
		}
		pt.stop()
		if err := <-pt.done; err != nil {
			t.Error(err)
		}
	})
}

// TestFloodIsPaced: at most 60 frames a second, and the last state is shown.
func TestFloodIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		synctest.Wait()
		begin := pt.out.count()
		for i := range 1000 {
			pt.frame(1, "line "+strconv.Itoa(i))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(frameTime)
		synctest.Wait()
		if n := pt.out.count() - begin; n > 62 || n < 50 {
			t.Errorf("%d frames in a second", n)
		}
		pt.stop()
		<-pt.done
		if got := pt.p.comp.surface.Dump(); !strings.Contains(got, "line 999") {
			t.Error("the last state is not shown")
		}
	})
}

// TestIdleIsQuiet: nothing is written and nothing wakes when nothing changes.
func TestIdleIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		pt.frame(0, "x")
		synctest.Wait()
		time.Sleep(time.Second)
		n := pt.out.count()
		pt.frame(0, "x") // the same again
		time.Sleep(10 * time.Minute)
		if got := pt.out.count(); got != n {
			t.Errorf("%d frames for nothing: %q", got-n, pt.out.all()[n:])
		}
		pt.stop()
		<-pt.done
	})
}

// TestPaintingEndsWithTheTerminal: an error of the terminal is the painter's.
func TestPaintingEndsWithTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		synctest.Wait()
		pt.out.mu.Lock()
		pt.out.fail = errors.New("gone")
		pt.out.mu.Unlock()
		pt.frame(0, "x")
		if err := <-pt.done; err == nil {
			t.Error("no error")
		}
		pt.stop()
	})
}

// TestOverlayStaysOnTop: what panes print goes below an open dialog, and the
// popup is known to be on the screen.
func TestOverlayStaysOnTop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		synctest.Wait()
		if _, ok := pt.p.popupShown(1); ok {
			t.Error("shown before it was opened")
		}
		pt.over, pt.popup = "Kill api?", 1
		pt.p.show(pt.scene(), true)
		synctest.Wait()
		time.Sleep(time.Second)
		for i := range pt.panes {
			pt.lay(i, filled(38, 80, "#"))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if at, ok := pt.p.popupShown(1); !ok || time.Since(at) < time.Second {
			t.Errorf("shown %v at %v", ok, at)
		}
		pt.stop()
		<-pt.done
		if got := pt.p.comp.surface.Dump(); !strings.Contains(got, "Kill api?") || !strings.Contains(got, "####") {
			t.Errorf("the dialog is gone:\n%s", got)
		}
	})
}

// BenchmarkEcho is the client's part of a key's echo without the terminal and
// the sockets: a frame that changes one cell until the bytes are made.
func BenchmarkEcho(b *testing.B) {
	p := newPainter(discard{}, paint.Caps{Profile: colorprofile.TrueColor}, &Router{})
	one := pane.New(pane.Config{ID: "a"})
	st := stage{cols: 200, rows: 60, panes: []*pane.Pane{one}}
	sc := st.scene()
	mirror := wire.NewMirror()
	if err := one.Lay(fullFrame(150, make([]string, 50), 1, wire.Cursor{Visible: true}, 0), mirror); err != nil {
		b.Fatal(err)
	}
	var frames [2]*wire.Frame
	for i, text := range []string{"a", "b"} {
		frames[i] = fullFrame(150, []string{text}, 1, wire.Cursor{X: i, Visible: true}, 0)
		frames[i].Full, frames[i].Rows = false, 50
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := one.Lay(frames[i%2], mirror); err != nil {
			b.Fatal(err)
		}
		if err := p.paint(sc, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.bytes.Load())/float64(b.N), "bytes/echo")
}

func TestSlowTerminalIsNoticed(t *testing.T) {
	p := newPainter(discard{}, paint.Caps{}, &Router{})
	now := epoch
	p.now = func() time.Time { now = now.Add(slowWrite); return now } // each write takes a little more than that
	st := stage{cols: 80, rows: 24}
	if p.slow() {
		t.Error("slow before anything was written")
	}
	p.now = func() time.Time { now = now.Add(2 * slowWrite); return now }
	if err := p.paint(st.scene(), false); err != nil || !p.slow() {
		t.Errorf("a slow write was not noticed (%v)", err)
	}
	now = now.Add(slowFor)
	if p.slow() {
		t.Error("slow for ever")
	}
}

// A dialog is drawn once, not again by frames of the panes below, which do not show
// through; a wide character that it cuts in half is blank.
func TestOverIsDrawnOnce(t *testing.T) {
	one := pane.New(pane.Config{ID: "a"})
	st := stage{cols: 40, rows: 12, panes: []*pane.Pane{one}, over: "日本語 counted"}
	sc := st.scene()
	drawn := &counted{Drawing: sc.Drawing}
	sc.Drawing = drawn
	c := NewCompositor(paint.Caps{})
	mirror := wire.NewMirror()
	cur := c.Compose(sc, nil)
	for gen := range 5 {
		if err := one.Lay(fullFrame(80, filled(20, 10+gen, "x"), uint64(gen+1), wire.Cursor{}, 0), mirror); err != nil {
			t.Fatal(err)
		}
		if got := c.Compose(sc, nil); got != cur {
			t.Errorf("cursor %+v, want %+v", got, cur)
		}
	}
	if got := c.Surface().Dump(); drawn.overs != 1 || drawn.chromes != 1 || !strings.Contains(got, "counted") || !strings.Contains(got, "xxx") {
		t.Errorf("drawn %d and %d times:\n%s", drawn.overs, drawn.chromes, got)
	}
}

// counted counts how often it is drawn.
type counted struct {
	Drawing
	chromes, overs int
}

func (c *counted) Chrome(s *paint.Surface) { c.chromes++; c.Drawing.Chrome(s) }
func (c *counted) Over(s *paint.Surface) paint.Cursor {
	c.overs++
	return c.Drawing.Over(s)
}
