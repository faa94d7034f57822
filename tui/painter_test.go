package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/wire"
)

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

// painting is a painter with two panes, under a fake clock.
type painting struct {
	m      *model
	p      *painter
	out    *recorder
	mirror map[string]*wire.Mirror
	stop   context.CancelFunc
	done   chan error
}

func newPainting(t *testing.T) *painting {
	t.Helper()
	r := &router{}
	out := &recorder{}
	p := newPainter(out, paint.Caps{Profile: colorprofile.TrueColor}, r)
	m := testModel(120, 40)
	m.now = time.Now
	m.router, m.popupShown = r, p.popupShown
	m.publish = func(sc *scene) { p.publish(sc, r.pending.Load() > 0) }
	pt := &painting{m: m, p: p, out: out, mirror: map[string]*wire.Mirror{}, done: make(chan error, 1)}
	for _, v := range two() {
		pane := pane.New(pane.Config{ID: v.ID, Wake: p.paneChanged})
		m.panes[v.ID], pt.mirror[v.ID] = pane, wire.NewMirror()
	}
	m.take(news{snapshot: &api.Snapshot{Sessions: two()}})
	m.Loaded = true
	m.focus = "aaaa1111"
	ctx, stop := context.WithCancel(t.Context())
	pt.stop = stop
	go func() { pt.done <- p.run(ctx) }()
	m.settle()
	return pt
}

// frame lets a host send a screen with that first line.
func (pt *painting) frame(id, text string) {
	lines := make([]string, 20)
	lines[0] = text
	if err := pt.m.panes[id].Lay(fullFrame(80, lines, 1, wire.Cursor{}, 0), pt.mirror[id]); err != nil {
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
		pt.frame("aaaa1111", "first")
		synctest.Wait()
		if n := pt.out.count(); n != 2 {
			t.Fatalf("%d writes after the first frame", n)
		}
		pt.frame("bbbb2222", "noise") // within the same sixtieth of a second: later
		synctest.Wait()
		if n := pt.out.count(); n != 2 {
			t.Fatalf("noise was not paced: %d writes", n)
		}
		pt.p.router.touched(time.Now())
		pt.frame("aaaa1111", "echo!")
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
			pt.frame("bbbb2222", "line "+strconv.Itoa(i))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(frameTime)
		synctest.Wait()
		if n := pt.out.count() - begin; n > 62 || n < 50 {
			t.Errorf("%d frames in a second", n)
		}
		pt.stop()
		<-pt.done
		if got := pt.p.comp.s.Dump(); !strings.Contains(got, "line 999") {
			t.Error("the last state is not shown")
		}
	})
}

// TestIdleIsQuiet: nothing is written and nothing wakes when nothing changes.
func TestIdleIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pt := newPainting(t)
		pt.frame("aaaa1111", "x")
		synctest.Wait()
		time.Sleep(time.Second)
		n := pt.out.count()
		pt.frame("aaaa1111", "x") // the same again
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
		pt.frame("aaaa1111", "x")
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
		press(pt.m, "C-b", "x")
		synctest.Wait()
		time.Sleep(time.Second)
		lines := make([]string, 38)
		for i := range lines {
			lines[i] = strings.Repeat("#", 80)
		}
		for id, m := range pt.mirror {
			if err := pt.m.panes[id].Lay(fullFrame(80, lines, 1, wire.Cursor{}, 0), m); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if at, ok := pt.p.popupShown(1); !ok || time.Since(at) < time.Second {
			t.Errorf("shown %v at %v", ok, at)
		}
		pt.stop()
		<-pt.done
		if got := pt.p.comp.s.Dump(); !strings.Contains(got, "Kill api?") || !strings.Contains(got, "####") {
			t.Errorf("the dialog is gone:\n%s", got)
		}
	})
}

// BenchmarkEcho is the client's part of a key's echo without the terminal and
// the sockets: a frame that changes one cell until the bytes are made.
func BenchmarkEcho(b *testing.B) {
	r := &router{}
	p := newPainter(&recorder{}, paint.Caps{Profile: colorprofile.TrueColor}, r)
	m := testModel(200, 60)
	m.router = r
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	v := two()[0]
	pane := pane.New(pane.Config{ID: v.ID})
	m.panes[v.ID] = pane
	m.take(news{snapshot: &api.Snapshot{Sessions: []api.Session{v}}})
	m.settle()
	mirror := wire.NewMirror()
	lines := make([]string, 50)
	full := fullFrame(150, lines, 1, wire.Cursor{Visible: true}, 0)
	if err := pane.Lay(full, mirror); err != nil {
		b.Fatal(err)
	}
	var frames [2]*wire.Frame
	for i, text := range []string{"a", "b"} {
		frames[i] = fullFrame(150, []string{text}, 1, wire.Cursor{X: i, Visible: true}, 0)
		frames[i].Full, frames[i].Rows = false, 50
	}
	out := discard{}
	p.out = out
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := pane.Lay(frames[i%2], mirror); err != nil {
			b.Fatal(err)
		}
		if err := p.paint(sc, false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.bytes.Load())/float64(b.N), "bytes/echo")
}

// BenchmarkScene is a whole new scene, as after every event: model to scene, scene
// to cells, difference and bytes; and a frame of a pane's rows alone (see also
// BenchmarkEcho, and tui/paint for the difference by itself).
func BenchmarkScene(b *testing.B) {
	for _, size := range []struct{ cols, rows, panes int }{{80, 24, 4}, {200, 60, 4}, {500, 150, 16}} {
		b.Run(fmt.Sprintf("%dx%d/%d", size.cols, size.rows, size.panes), func(b *testing.B) {
			m := testModel(size.cols, size.rows, many(size.panes)...)
			for _, v := range m.Sessions {
				m.withStill(v.ID, strings.Repeat(strings.Repeat("\x1b[32mabc\x1b[m 日本 ", 12)+"\r\n", 40), 120, 40)
			}
			var sc *scene
			m.publish = func(s *scene) { sc = s }
			p := newPainter(discard{}, paint.Caps{Profile: colorprofile.TrueColor}, m.router)
			now := m.now()
			m.now = func() time.Time { return now }
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Minute) // the ages in titles step
				m.settle()
				if err := p.paint(sc, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(p.bytes.Load())/float64(b.N), "bytes/scene")
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
