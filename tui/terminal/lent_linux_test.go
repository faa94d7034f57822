package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
)

// act does one thing at random that a person, a program or the painter may do, and
// says what; after an echo it looks where that went.
func (l *lending) act() string {
	h := l.focused()
	switch n := l.IntN(20); {
	case n < 8:
		rest := strings.Repeat("w", min(h.cols-h.x, 32)) // into the last column
		text, waited := []string{"x", "y", "word", "é", " ", "a b", rest}[l.IntN(7)], h.wait
		if h.print(text) {
			l.echoes++
			if waited {
				l.wraps++
			}
			l.feed()
			if why := l.misplaced(h); why != "" {
				l.t.Fatalf("%s after %q; waited: %v\n%s", why, text, waited, l.p.comp.surface.Dump())
			}
			return "echo " + text
		}
		return "text " + text
	case n < 9:
		h.newline()
		return "newline"
	case n < 10:
		if h.x > 0 { // as a program that takes back what it has printed
			h.x--
			h.wait = false
			h.lines[h.y][h.x] = ' '
			h.gen++
			h.due = true
		}
		return "backspace"
	case n < 15:
		if h.due {
			h.send()
		}
		return "frame"
	case n < 18:
		l.paint(l.IntN(3) == 0)
		return "paint"
	case n < 19 && l.IntN(3) == 0:
		l.p.emit([]byte("\x07"))
		if err := l.p.writeExtra(); err != nil {
			l.t.Fatal(err)
		}
		return "bell"
	case l.IntN(5) == 0:
		return l.step()
	}
	return ""
}

// step changes the scene at random, and says how.
func (l *lending) step() (did string) {
	if l.IntN(4) > 0 {
		l.over, l.cursor, l.content, l.ended = "", nil, nil, false
	}
	switch n := l.IntN(12); {
	case n < 3:
		l.focus = l.IntN(len(l.panes))
		did = "focus"
	case n < 5:
		l.over, did = []string{"", "dialog", "日本"}[l.IntN(3)], "over"
	case n < 6:
		l.cursor, did = nil, "cursor"
		if l.IntN(3) == 0 {
			l.cursor = &paint.Cursor{X: 1, Y: 1, Visible: true}
		}
	case n < 8:
		l.content, did = nil, "content"
		if l.IntN(3) == 0 {
			l.content = text("copied")
		}
	case n < 9:
		l.redraws++
		did = "redraw"
	case n < 10:
		l.ended, did = l.IntN(3) == 0, "ended"
	case n < 11:
		l.cols, l.rows = []int{40, 80, 120, 200}[l.IntN(4)], []int{10, 24, 40}[l.IntN(3)]
		did = "resize"
	default:
		l.panes, did = l.panesOf(1+l.IntN(4)), "panes"
		l.focus = min(l.focus, len(l.panes)-1)
	}
	l.show()
	return "scene: " + did
}

// settled paints the stage, and reports whether the terminal is lent then.
func (l *lending) settled() bool {
	l.show()
	if err := l.p.paint(l.sc, false); err != nil {
		l.t.Fatal(err)
	}
	l.feed()
	for _, h := range l.hosts {
		if h.lent() {
			return true
		}
	}
	return false
}

// The terminal is lent while a person types into a pane, and whatever lies over that or
// takes the cursor ends it.
func TestLendsOnly(t *testing.T) {
	tests := []struct {
		name string
		act  func(l *lending)
		want bool
	}{
		{"typing", func(*lending) {}, true},
		{"a dialog", func(l *lending) { l.over = "dialog" }, false},
		{"a dialog, closed", func(l *lending) { l.over = "dialog"; l.settled(); l.over = "" }, true},
		{"copy mode", func(l *lending) { l.content = text("copied") }, false},
		{"the events", func(l *lending) { l.cursor = &paint.Cursor{X: 1, Y: 1, Visible: true} }, false},
		{"another pane", func(l *lending) { l.panes[1].Show(pane.ParseStill("x", 4, 1)); l.focus = 1 }, false},
		{"an ended session", func(l *lending) { l.ended = true }, false},
		{"nothing typed for long", func(l *lending) {
			now := l.p.now().Add(lendFor + 1)
			l.p.now = func() time.Time { return now }
		}, false},
		{"the last column", func(l *lending) { h := l.focused(); h.x = l.sc.Panes[0].In.W - 1; h.send() }, true},
		{"a hidden cursor", func(l *lending) { h := l.focused(); h.hidden = true; h.send() }, false},
		{"a pause", func(l *lending) {
			defer l.p.screen.Own()()
			if l.focused().lent() {
				l.t.Error("it is lent during a pause")
			}
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLending(t, 1)
			now := time.Now()
			l.p.now = func() time.Time { return now } // however long this takes
			h := l.focused()
			h.cols = 60
			h.clear()
			h.send()
			l.p.router.NoteInput(now)
			if !l.settled() {
				t.Fatalf("it is not lent before\n%s", l.p.comp.surface.Dump())
			}
			tt.act(l)
			if got := l.settled(); got != tt.want {
				t.Errorf("lent: %v, want %v\n%s", got, tt.want, l.p.comp.surface.Dump())
			}
			if _, known := h.Line.TakeBack(); !known {
				t.Error("what was lent before is not known")
			}
		})
	}
}

// TestLending: whatever happens, the terminal shows what the painter believes it does,
// with all that hosts have written to it.
func TestLending(t *testing.T) {
	const steps = 1500
	echoes, wraps := 0, 0
	for seed := range uint64(12) {
		l := newLending(t, seed)
		var did []string
		for range steps {
			did = append(did, l.act())
			if did[len(did)-1] != "paint" {
				continue
			}
			if why := l.differs(); why != "" {
				t.Fatalf("seed %d: %s after %q\n%s", seed, why, did[max(0, len(did)-12):], l.p.comp.surface.Dump())
			}
		}
		for _, h := range l.hosts {
			if h.due {
				h.send()
			}
		}
		l.cols, l.rows = 120, 40
		l.show()
		l.paint(false)
		if why := l.differs(); why != "" {
			t.Errorf("seed %d, at the end: %s", seed, why)
		}
		fresh := NewCompositor(paint.Caps{Profile: colorprofile.TrueColor})
		fresh.Compose(l.sc, nil)
		if got, want := l.p.comp.surface.Dump(), fresh.surface.Dump(); got != want {
			t.Errorf("seed %d: painted is\n%s\nwanted\n%s", seed, got, want)
		}
		echoes += l.echoes
		wraps += l.wraps
	}
	if echoes < 250 || wraps < 8 {
		t.Errorf("only %d texts went straight, %d of them to the next row", echoes, wraps)
	}
	t.Logf("%d texts went straight, %d of them to the next row", echoes, wraps)
}
