package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// act does one thing at random that a person, a program or the painter may do, and
// says what; after an echo it looks where that went.
func (l *lending) act() string {
	h, p := l.focused()
	if h == nil {
		return l.step()
	}
	switch n := l.IntN(20); {
	case n < 8:
		rest := strings.Repeat("w", min(h.cols-h.x, 32)) // into the last column
		text, waited := []string{"x", "y", "word", "é", " ", "a b", rest}[l.IntN(7)], h.wait
		if h.print(text) {
			l.echoes++
			if waited {
				l.wraps++
			}
			l.show()
			if why := l.misplaced(h, p); why != "" {
				l.t.Fatalf("%s after %q; waited: %v\n%s", why, text, waited, l.p.comp.s.Dump())
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
			h.send(p)
		}
		return "frame"
	case n < 18:
		l.paint(l.IntN(3) == 0)
		return "paint"
	case n < 19 && l.IntN(3) == 0:
		l.p.emit([]byte("\x07"))
		if err := l.p.aside(); err != nil {
			l.t.Fatal(err)
		}
		return "bell"
	case l.IntN(5) == 0:
		return l.step()
	}
	return ""
}

// step is one of the storm.
func (l *lending) step() string {
	did := "storm: " + l.storm.step()
	l.m.settle()
	return did
}

// tile is that of the focused pane.
func (l *lending) tile() tileView {
	i := slices.IndexFunc(l.scene.tiles, func(t tileView) bool { return t.focused })
	return l.scene.tiles[i]
}

// settled paints what the model shows, and reports whether the terminal is lent then.
func (l *lending) settled() bool {
	l.m.settle()
	if err := l.p.paint(l.scene, false); err != nil {
		l.t.Fatal(err)
	}
	l.show()
	for _, h := range l.hosts {
		if h.lent() {
			return true
		}
	}
	return false
}

// The terminal is lent while a person types into a pane, and whatever lies over that
// or takes the cursor ends it.
func TestLendsOnly(t *testing.T) {
	tests := []struct {
		name string
		act  func(l *lending)
		want bool
	}{
		{"typing", func(*lending) {}, true},
		{"the prefix key", func(l *lending) { press(l.m, "C-b") }, true},
		{"the prompt bar", func(l *lending) { press(l.m, "C-b", ":") }, false},
		{"a dialog", func(l *lending) { press(l.m, "C-b", "?") }, false},
		{"a dialog, closed", func(l *lending) { press(l.m, "C-b", "?"); press(l.m, "Escape") }, true},
		{"copy mode", func(l *lending) { press(l.m, "C-b", "[") }, false},
		{"the events", func(l *lending) { l.m.focusEvents() }, false},
		{"another pane", func(l *lending) { press(l.m, "C-b", "o") }, false},
		{"nothing typed for long", func(l *lending) {
			now := l.p.now().Add(lendFor + 1)
			l.p.now = func() time.Time { return now }
		}, false},
		{"the last column", func(l *lending) { h, p := l.focused(); h.x = l.tile().inner().W - 1; h.send(p) }, true},
		{"a hidden cursor", func(l *lending) { h, p := l.focused(); h.hidden = true; h.send(p) }, false},
		{"a pause", func(l *lending) {
			h, _ := l.focused()
			defer l.p.screen.Own()()
			if h.lent() {
				l.t.Error("it is lent during a pause")
			}
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLending(t, 1)
			now := time.Now()
			l.p.now = func() time.Time { return now } // however long this takes
			l.m.focus = l.m.Sessions[0].ID
			l.m.settle()
			h, _ := l.focused()
			l.p.router.touched(now)
			if !l.settled() {
				t.Fatalf("it is not lent before\n%s", l.p.comp.s.Dump())
			}
			tt.act(l)
			if got := l.settled(); got != tt.want {
				t.Errorf("lent: %v, want %v\n%s", got, tt.want, l.p.comp.s.Dump())
			}
			if _, known := h.Line.TakeBack(); !known {
				t.Error("what was lent before is not known")
			}
		})
	}
}

// TestLending: whatever happens, the terminal shows what the painter believes it
// does, with all that hosts have written to it.
func TestLending(t *testing.T) {
	const steps = 1500
	echoes, wraps := 0, 0
	for seed := range uint64(12) {
		l := newLending(t, seed)
		var did []string
		for range steps {
			did = append(did, l.act())
			if l.m.quitting {
				break
			}
			if did[len(did)-1] != "paint" {
				continue
			}
			if why := l.differs(); why != "" {
				t.Fatalf("seed %d: %s after %q\n%s", seed, why, did[max(0, len(did)-12):], l.p.comp.s.Dump())
			}
		}
		for id, h := range l.hosts {
			if p := l.m.panes[id]; p != nil && h.due {
				h.send(p)
			}
		}
		l.m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		l.m.settle()
		l.paint(false)
		if why := l.differs(); why != "" {
			t.Errorf("seed %d, at the end: %s", seed, why)
		}
		if got, want := l.p.comp.s.Dump(), l.m.picture().Dump(); got != want {
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
