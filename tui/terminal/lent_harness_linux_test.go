package terminal

import (
	"fmt"
	"math/rand/v2"
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

// lending is a painter in whose terminal hosts write echoes straight: an engine shows what
// both have written.
type lending struct {
	*rand.Rand
	stage
	t        *testing.T
	p        *painter
	sc       *Scene
	hosts    []*echoHost // one a pane
	display  fdWriter    // both write here
	read     int
	terminal screen.Engine
	echoes   int
	wraps    int // of these, how many began a row
}

// echoHost is the host of a session that has typed text on its screen.
type echoHost struct {
	*linetest.Pair
	pane   *pane.Pane
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
	l := &lending{
		Rand: rand.New(rand.NewPCG(seed, 1)), stage: stage{cols: 120, rows: 40}, t: t,
		display: fdWriter(pipe[1]), read: pipe[0],
	}
	caps := paint.CapsOf(colorprofile.TrueColor, func(key string) string { return map[string]string{"TERM": "xterm-256color"}[key] })
	l.p = newPainter(l.display, caps, &Router{})
	l.terminal = vt.New(screen.Options{Cols: l.cols, Rows: l.rows})
	for range 4 {
		l.addHost()
	}
	l.panes = l.panesOf(4)
	l.show()
	return l
}

// show has the painter show the stage as it is now.
func (l *lending) show() {
	l.sc = l.scene()
	l.p.router.Set(Route{Pane: l.panes[l.focus], Prefix: "C-b"})
}

// panesOf are those of the first hosts.
func (l *lending) panesOf(n int) (all []*pane.Pane) {
	for _, h := range l.hosts[:n] {
		all = append(all, h.pane)
	}
	return all
}

// fdWriter writes to a descriptor.
type fdWriter int

func (w fdWriter) Write(p []byte) (int, error) { return unix.Write(int(w), p) }

// addHost makes a host with a pane, a line and a first picture.
func (l *lending) addHost() {
	h := &echoHost{mirror: wire.NewMirror(), cols: []int{8, 16, 34, 60}[l.IntN(4)], lines: make([][]rune, []int{3, 8, 20, 40}[l.IntN(4)])}
	display := linetest.FD(l.display)
	h.pane = pane.New(pane.Config{ID: "a", Fast: pane.FastPath{Line: true, Display: display}})
	h.Pair = linetest.New(l.t, display, display)
	h.pane.UseLine(h.Line)
	h.clear()
	h.send()
	l.hosts = append(l.hosts, h)
}

func (h *echoHost) clear() {
	for y := range h.lines {
		h.lines[y] = []rune(strings.Repeat(" ", h.cols))
	}
	h.x, h.y, h.wait, h.due = 0, 0, false, true
	h.gen++
}

// send lets the host send its picture.
func (h *echoHost) send() {
	lines := make([]string, len(h.lines))
	for y, l := range h.lines {
		lines[y] = string(l)
	}
	h.due, h.sent = false, h.gen
	if err := h.pane.Lay(fullFrame(h.cols, lines, h.gen, wire.Cursor{X: h.x, Y: h.y, Visible: !h.hidden}, 0), h.mirror); err != nil {
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

// focused is the host of the focused pane.
func (l *lending) focused() *echoHost { return l.hosts[l.focus] }

// paint paints what is to be painted and lets the terminal show it.
func (l *lending) paint(between bool) {
	if l.IntN(4) == 0 {
		l.show()
	}
	l.p.router.NoteInput(l.p.now())
	if cols, rows := l.terminal.Size(); cols != l.sc.Cols || rows != l.sc.Rows {
		l.feed() // a terminal shows what was written before it was resized
		l.terminal.Resize(l.sc.Cols, l.sc.Rows)
	}
	if err := l.p.paint(l.sc, between); err != nil {
		l.t.Fatal(err)
	}
	l.feed()
}

// feed feeds the terminal with what was written.
func (l *lending) feed() {
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
	if l.sc.Cols <= 0 || l.sc.Rows <= 0 {
		return "" // nothing is painted
	}
	s, eng := l.p.comp.surface, l.terminal
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

// misplaced tells where the terminal shows something else than the screen of a host that
// has just written an echo.
func (l *lending) misplaced(h *echoHost) string {
	pc := l.p.comp.cache[h.pane]
	for _, at := range l.p.comp.last.Panes {
		if at.Pane != h.pane {
			continue
		}
		in := at.In
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
