package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/sys/unix"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/wire"
	"ccdir/wire/directline/linetest"
)

// lending is a grid in whose terminal hosts write echoes straight: an engine shows
// what both have written.
type lending struct {
	*storm
	t        *testing.T
	p        *painter
	scene    *scene
	hosts    map[string]*echoHost
	display  fdWriter // both write here
	read     int
	terminal screen.Engine
	echoes   int
	wraps    int // of these, how many began a row
}

// echoHost is the host of a session that has typed text on its screen.
type echoHost struct {
	*linetest.Pair
	mirror *wire.Mirror
	cols   int
	lines  [][]rune
	x, y   int
	wait   bool // in the last column: the next letter begins a row
	gen    uint64
	sent   uint64 // generation of the last frame
	due    bool   // a frame is to be sent
	hidden bool   // the cursor
}

func newLending(t *testing.T, seed uint64) *lending {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]); unix.Close(pipe[1]) })
	if _, err := unix.FcntlInt(uintptr(pipe[1]), unix.F_SETPIPE_SZ, 1<<20); err != nil {
		t.Fatal(err)
	}
	l := &lending{storm: newStorm(seed), t: t, hosts: map[string]*echoHost{}, display: fdWriter(pipe[1]), read: pipe[0]}
	r := &router{}
	caps := paint.CapsOf(colorprofile.TrueColor, func(key string) string { return map[string]string{"TERM": "xterm-256color"}[key] })
	l.p = newPainter(l.display, caps, r)
	l.m.router = r
	l.m.publish = func(sc *scene) { l.scene = sc }
	l.terminal = vt.New(screen.Options{Cols: l.m.cols, Rows: l.m.rows})
	l.m.settle()
	return l
}

// fdWriter writes to a descriptor.
type fdWriter int

func (w fdWriter) Write(p []byte) (int, error) { return unix.Write(int(w), p) }

// host is that of a session's pane, with a line and a first picture.
func (l *lending) host(id string) *echoHost {
	if h := l.hosts[id]; h != nil {
		return h
	}
	if l.m.panes[id] == nil {
		return nil
	}
	p := pane.New(pane.Config{ID: id, Report: l.m.inbox.pane, Fast: pane.FastPath{Line: true, Display: linetest.FD(l.display)}})
	l.m.panes[id] = p
	h := &echoHost{mirror: wire.NewMirror(), cols: []int{8, 16, 34, 60}[l.IntN(4)], lines: make([][]rune, []int{3, 8, 20, 40}[l.IntN(4)])}
	l.hosts[id] = h
	h.Pair = linetest.New(l.t, linetest.FD(l.display), linetest.FD(l.display))
	p.UseLine(h.Line)
	h.clear()
	h.send(p)
	return h
}

func (h *echoHost) clear() {
	for y := range h.lines {
		h.lines[y] = []rune(strings.Repeat(" ", h.cols))
	}
	h.x, h.y, h.wait, h.due = 0, 0, false, true
	h.gen++
}

// send lets the host send its picture.
func (h *echoHost) send(p *pane.Pane) {
	lines := make([]string, len(h.lines))
	for y, l := range h.lines {
		lines[y] = string(l)
	}
	h.due, h.sent = false, h.gen
	if err := p.Lay(fullFrame(h.cols, lines, h.gen, wire.Cursor{X: h.x, Y: h.y, Visible: !h.hidden}, 0), h.mirror); err != nil {
		panic(err)
	}
}

// print lets the program print text, and reports whether it went straight.
func (h *echoHost) print(text string) bool {
	n := len([]rune(text))
	wrap := h.wait
	if wrap && h.y == len(h.lines)-1 || !wrap && h.x+n > h.cols {
		h.clear()
		return false
	}
	echo, straight := h.Lines.Echo(h.gen, []byte(text))
	straight = straight && echo.Write(wrap)
	if wrap {
		h.x, h.wait = 0, false
		h.y++
	}
	copy(h.lines[h.y][h.x:], []rune(text))
	if h.x += n; h.x == h.cols {
		h.x, h.wait = h.cols-1, true
	}
	h.gen++
	h.due = true
	return straight
}

// newline scrolls as a terminal does.
func (h *echoHost) newline() {
	h.x, h.wait = 0, false
	if h.y++; h.y == len(h.lines) {
		h.y--
		h.lines = append(h.lines[1:], []rune(strings.Repeat(" ", h.cols)))
	}
	h.gen++
	h.due = true
}

// lent reports whether the terminal is lent to h.
func (h *echoHost) lent() bool {
	_, lent := h.Lines.Echo(h.sent, []byte("x"))
	return lent
}

// focused is the host of the focused pane, nil if there is none.
func (l *lending) focused() (*echoHost, *pane.Pane) {
	p := l.m.panes[l.m.focus]
	if p == nil {
		return nil, nil
	}
	return l.host(l.m.focus), p
}

// paint paints what is to be painted and lets the terminal show it.
func (l *lending) paint(between bool) {
	if l.IntN(4) == 0 {
		l.m.settle()
	}
	l.p.router.touched(l.p.now())
	if l.scene.Cols <= 0 || l.scene.Rows <= 0 {
		return
	}
	if cols, rows := l.terminal.Size(); cols != l.scene.Cols || rows != l.scene.Rows {
		l.show() // a terminal shows what was written before it was resized
		l.terminal.Resize(l.scene.Cols, l.scene.Rows)
	}
	if err := l.p.paint(l.scene, between); err != nil {
		l.t.Fatal(err)
	}
	l.show()
}

// show feeds the terminal with what was written.
func (l *lending) show() {
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(l.read, buf)
		if n <= 0 || err != nil {
			return
		}
		l.terminal.Feed(buf[:n])
	}
}

// differs tells where the terminal shows something else than what was painted.
func (l *lending) differs() string {
	if l.scene.Cols <= 0 || l.scene.Rows <= 0 {
		return "" // nothing is painted
	}
	s, eng := l.p.comp.s, l.terminal
	cols, rows := s.Size()
	if c, r := eng.Size(); c != cols || r != rows {
		return "" // too small for any picture
	}
	for y := range rows {
		have, want := eng.Row(y).Cells, s.Row(y)
		for x := range cols {
			a := string(eng.Table().AppendGlyph(nil, have[x].Glyph))
			b := string(s.Table().AppendGlyph(nil, want[x].Glyph))
			if strings.Trim(a, " ") != strings.Trim(b, " ") {
				return fmt.Sprintf("%q instead of %q at %d,%d", a, b, x, y)
			}
			st, wanted := eng.Table().Style(have[x].Style), s.Table().Style(want[x].Style)
			if st.Link, wanted.Link = 0, 0; have[x].Blank() {
				st, wanted = cells.Style{BG: st.BG}, cells.Style{BG: wanted.BG}
			}
			if st != wanted {
				return fmt.Sprintf("%q in the style %+v instead of %+v at %d,%d", a, st, wanted, x, y)
			}
		}
	}
	return ""
}

// misplaced tells where the terminal shows something else than the screen of a host
// that has just written an echo.
func (l *lending) misplaced(h *echoHost, p *pane.Pane) string {
	pc := l.p.comp.cache[p]
	for _, t := range l.p.comp.last.tiles {
		if t.pane != p {
			continue
		}
		in := t.inner()
		for y := range min(in.H, len(h.lines)-pc.oy) {
			cells := l.terminal.Row(in.Y + y).Cells[in.X : in.X+in.W]
			have := string(l.terminal.Table().AppendText(nil, cells))
			want := h.lines[y+pc.oy][pc.ox:]
			if got, want := strings.TrimRight(have, " "), strings.TrimRight(string(want[:min(len(want), in.W)]), " "); got != want {
				return fmt.Sprintf("row %d of the pane shows %q, not %q", y, got, want)
			}
		}
	}
	return ""
}
