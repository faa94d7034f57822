package host

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

// quietHost is a host without process or socket, for what happens between
// engine and frame.
func quietHost(engine string, cols, rows int) *host {
	h := &host{opts: Options{Engine: NewEngine}, clients: map[*client]struct{}{}, replyWake: make(chan struct{}, 1)}
	h.spec = wire.HostSpec{Cols: cols, Rows: rows, Scrollback: 100, Engine: engine}
	h.ring.limit = 1 << 16
	h.evidence.init(100)
	h.osc.h = h
	h.size.init(h)
	h.tidy.init(h)
	h.reaped = true // no signals, no PTY
	h.newEngine(cols, rows)
	return h
}

func quietClient(h *host) *client {
	c := &client{h: h, wake: make(chan struct{}, 1), full: true}
	c.view = wire.View{Visible: true, MaxFPS: 1000}
	h.clients[c] = struct{}{}
	return c
}

// randomOutput is what applications print: text, movements, scrolling, regions,
// styles, wide characters, both screens.
func randomOutput(r *rand.Rand) []byte {
	var b []byte
	for range 1 + r.IntN(20) {
		switch r.IntN(16) {
		case 0, 1, 2:
			b = append(b, "plain text "[:1+r.IntN(10)]...)
		case 3:
			b = append(b, "世界é👩‍💻e\u0301"...)
		case 4, 5, 6:
			b = append(b, "\r\n"...)
		case 7:
			b = fmt.Appendf(b, "\x1b[%d;%dH", r.IntN(14), r.IntN(42))
		case 8:
			b = fmt.Appendf(b, "\x1b[3%d;4%d;%dm", r.IntN(8), r.IntN(8), r.IntN(8))
		case 9:
			b = fmt.Appendf(b, "\x1b[%d%c", r.IntN(4), "JKLMPX@STLM"[r.IntN(11)])
		case 10:
			b = fmt.Appendf(b, "\x1b[%d;%dr", r.IntN(12), r.IntN(13))
		case 11:
			b = append(b, []string{"\x1b[?1049h", "\x1b[?1049l", "\x1bM", "\x1b[?25l", "\x1b[?25h", "\x1b[m", "\x1b[r"}[r.IntN(7)]...)
		case 12:
			b = append(b, bytes.Repeat([]byte("-"), r.IntN(60))...)
		case 13:
			b = append(b, bytes.Repeat([]byte("\n"), r.IntN(9))...)
		case 14:
			b = fmt.Appendf(b, "\x1b]8;;https://example.org/%d\x1b\\link\x1b]8;;\x1b\\", r.IntN(3))
		default:
			b = append(b, "\x1b[38;2;1;2;3mrgb\x1b[0m\t"...)
		}
	}
	return b
}

// TestFramesFollowEngine: whatever is printed and however frames are skipped,
// the mirror of a client shows what the engine shows.
func TestFramesFollowEngine(t *testing.T) {
	for _, engine := range []string{engineVT, engineVT10x} {
		t.Run(engine, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			h := quietHost(engine, 40, 12)
			c := quietClient(h)
			m := wire.NewMirror()
			now := time.Now()
			scrolled := 0
			for step := range 3000 {
				h.output(randomOutput(r))
				if r.IntN(50) == 0 {
					h.mu.Lock()
					h.size.apply(20+r.IntN(40), 5+r.IntN(10))
					h.mu.Unlock()
				}
				if r.IntN(3) == 0 {
					continue
				}
				now = now.Add(time.Second)
				b, _, wait, _ := c.collect(now)
				if wait != 0 {
					t.Fatalf("step %d: wait %v", step, wait)
				}
				for _, f := range frames(t, b) {
					if f.ScrollN != 0 {
						scrolled++
					}
					if err := m.Apply(&f); err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
				}
				compare(t, step, h.eng, m)
			}
			if engine == engineVT && scrolled == 0 {
				t.Error("no frame was scrolled")
			}
		})
	}
}

// frames reads the frames among encoded messages.
func frames(t testing.TB, b []byte) (out []wire.Frame) {
	t.Helper()
	c := wire.NewConn(&readOnlyConn{r: bytes.NewReader(b)})
	for {
		m, err := c.Receive()
		if err != nil {
			return out
		}
		if f, ok := m.(*wire.Frame); ok {
			cp := *f
			cp.Data = bytes.Clone(f.Data)
			out = append(out, cp)
		}
	}
}

func compare(t testing.TB, step int, eng screen.Engine, m *wire.Mirror) {
	t.Helper()
	cols, rows := eng.Size()
	if c, r := m.Size(); c != cols || r != rows {
		t.Fatalf("step %d: mirror of %dx%d, engine %dx%d", step, c, r, cols, rows)
	}
	s := eng.State()
	if cur := m.Cursor(); cur.X != s.Cursor.X || cur.Y != s.Cursor.Y || cur.Visible != s.Cursor.Visible {
		t.Fatalf("step %d: cursor %+v, engine %+v", step, cur, s.Cursor)
	}
	for y := range rows {
		a, b := eng.Row(y), m.Row(y)
		if a.Wrapped != b.Wrapped {
			t.Fatalf("step %d row %d: wrapped %v", step, y, b.Wrapped)
		}
		for x := range cols {
			ca, cb := a.Cells[x], b.Cells[x]
			sa, sb := eng.Table().Style(ca.Style), m.Table().Style(cb.Style)
			la, lb := eng.Table().LinkURI(sa.Link), m.Table().LinkURI(sb.Link)
			sa.Link, sb.Link = 0, 0
			ta, tb := eng.Table().AppendGlyph(nil, ca.Glyph), m.Table().AppendGlyph(nil, cb.Glyph)
			if sa != sb || la != lb || string(ta) != string(tb) || ca.Span != cb.Span {
				t.Fatalf("step %d row %d col %d: mirror %q %+v %q, engine %q %+v %q", step, y, x, tb, sb, lb, ta, sa, la)
			}
		}
	}
}

// TestPacing: a burst goes out at once, a flood is paced, a key opens the gate.
func TestPacing(t *testing.T) {
	h := quietHost(engineVT, 80, 24)
	c := quietClient(h)
	c.view.MaxFPS = 0
	now := time.Now()
	sent := func() int {
		h.output([]byte("x"))
		b, _, _, _ := c.collect(now)
		return len(frames(t, b))
	}
	burst := 0
	for range 100 {
		burst += sent()
	}
	if burst != frameBurst {
		t.Errorf("%d frames at once", burst)
	}
	flood := 0
	for range 1000 {
		now = now.Add(time.Millisecond)
		flood += sent()
	}
	if flood < 55 || flood > 65 {
		t.Errorf("%d frames in a second of flood", flood)
	}
	h.typed++
	if sent() != 1 {
		t.Error("no frame after a key press")
	}
	now = now.Add(time.Second)
	if sent() != 1 {
		t.Error("no frame after a pause")
	}
	b, _, wait, _ := c.collect(now)
	if len(frames(t, b)) != 0 || wait != 0 {
		t.Errorf("nothing changed, but %d bytes and a wait of %v", len(b), wait)
	}
}

// BenchmarkFlood is the host's side of a flood: parse, ring, frames for a
// client that takes them at 60 a second.
func BenchmarkFlood(b *testing.B) {
	h := quietHost(engineVT, 200, 50)
	c := quietClient(h)
	p := []byte(strings.Repeat("0123456789012345678901234567890123456789\r\n", 100))
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		h.output(p)
		c.collect(time.Now())
	}
}
