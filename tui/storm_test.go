package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
)

// storm does random things to a grid: keys, the mouse, other sizes, sessions
// that come and go, and what another terminal arranges.
type storm struct {
	*rand.Rand
	m    *model
	keys []string
	made int
}

func newStorm(seed uint64) *storm {
	s := &storm{Rand: rand.New(rand.NewPCG(seed, 1)), m: testModel(100, 30)}
	s.m.opts.Sidebar.Width = 24
	for _, b := range s.m.keys.Bindings() {
		s.keys = append(s.keys, b.Keys...)
	}
	for range 4 {
		s.session()
	}
	return s
}

// session adds a session whose screen is full of wide characters.
func (s *storm) session() {
	states := []api.State{api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission, api.StateExited}
	s.made++
	v := named(fmt.Sprintf("id%06d", s.made), []string{"api", "日本語の名前", "e\u0301tude", "👩‍👩‍👧 family"}[s.IntN(4)], states[s.IntN(len(states))], 0)
	v.Prompt, v.CWD = "絵を描く 🎨 and more", "/home/me/日本"
	s.m.take(news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}})
	line := strings.Repeat("あ漢字👩‍👩‍👧é🇩🇪x", 30)
	s.m.withStill(v.ID, strings.Repeat(line+"\r\n"+"x"+line+"\r\n", 30), 200, 60)
}

func (s *storm) step() string {
	m := s.m
	switch n := s.IntN(20); {
	case n < 9:
		keys := []string{s.keys[s.IntN(len(s.keys))]}
		if s.IntN(4) > 0 {
			keys = append([]string{"C-b"}, keys...)
		}
		if slices.Contains(keys, "d") {
			return "" // would detach
		}
		press(m, keys...)
		return "keys " + strings.Join(keys, " ")
	case n < 13:
		e := uv.Mouse{X: s.IntN(m.cols + 2), Y: s.IntN(m.rows + 2), Button: uv.MouseLeft}
		events := []uv.Event{uv.MouseClickEvent(e), uv.MouseMotionEvent(e), uv.MouseMotionEvent(e), uv.MouseReleaseEvent(e), uv.MouseWheelEvent{X: e.X, Y: e.Y, Button: uv.MouseWheelDown}}
		ev := events[s.IntN(len(events))]
		m.Update(terminal.Typed{Event: ev})
		return fmt.Sprintf("mouse %T %d,%d", ev, e.X, e.Y)
	case n < 16:
		sizes := [][2]int{{0, 0}, {1, 1}, {20, 5}, {40, 10}, {45, 12}, {80, 24}, {97, 31}, {121, 40}, {200, 60}}
		size := sizes[s.IntN(len(sizes))]
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		return fmt.Sprint("size ", size)
	case n < 17 && len(m.Sessions) < 12:
		s.session()
		return "a session"
	case n < 18 && len(m.Sessions) > 0:
		m.take(news{News: known.News{Removed: map[string]bool{m.Sessions[s.IntN(len(m.Sessions))].ID: true}}})
		return "a session less"
	default:
		g := api.Grid{Layout: []string{"", "2x2", "main", "columns", "rows", "nonsense"}[s.IntN(6)]}
		for _, v := range m.Sessions {
			if s.IntN(2) == 0 {
				g.Order = append(g.Order, v.ID)
			} else if s.IntN(3) == 0 {
				g.Hidden = append(g.Hidden, v.ID)
			}
		}
		m.take(news{News: known.News{Grid: &g}})
		return "another terminal: " + g.Layout
	}
}

// TestStorm: whatever happens the frames of the panes stay whole, wide
// characters at their borders included, and the focused pane is on the page.
func TestStorm(t *testing.T) {
	const steps = 250
	for seed := range uint64(4) {
		s := newStorm(seed)
		var did []string
		for range steps {
			did = append(did, s.step())
			surface := s.m.picture()
			if s.m.quitting {
				t.Fatalf("seed %d: it quits after %q", seed, did[max(0, len(did)-5):])
			}
			if why := s.broken(surface); why != "" {
				t.Fatalf("seed %d: %s after %q\n%s", seed, why, did[max(0, len(did)-5):], surface.Dump())
			}
		}
	}
}

// broken says what is wrong with the picture, "" if nothing is.
func (s *storm) broken(surface *paint.Surface) string {
	m := s.m
	shown := m.grid.Shown(&m.World)
	if m.cols > 0 && m.rows > 0 && len(shown) > 0 {
		if at := slices.IndexFunc(shown, func(v api.Session) bool { return v.ID == m.grid.Focus }); m.grid.Layout.Pane(at) < 0 {
			return "the focused pane is not on the page"
		}
	}
	if m.overlay != nil || m.mode == modePrompt {
		return "" // dialogs and the prompt bar may lie over frames
	}
	lines := strings.Split(surface.Dump(), "\n")
	right := 0
	for _, r := range m.grid.Layout.Panes {
		right = max(right, r.X+r.W)
	}
	for _, r := range m.grid.Layout.Panes {
		if c := cellAt(lines, r.X, r.Y); !r.Empty() && !strings.Contains("─━", c) {
			return fmt.Sprintf("%q in the rule above %+v", c, r)
		}
		for y := r.Y; y < r.Y+r.H && r.X+r.W < right; y++ {
			if c := cellAt(lines, r.X+r.W, y); !strings.Contains("│┃┬┳├┣┤┫┼╋┴┻", c) {
				return fmt.Sprintf("%q in the rule beside %+v in row %d", c, r, y)
			}
		}
	}
	return ""
}

// cellAt is what a dump shows in a cell.
func cellAt(lines []string, x, y int) string {
	if y >= len(lines) {
		return ""
	}
	at := 0
	for rest := lines[y]; rest != ""; {
		n, w := paint.Next(rest)
		if at == x {
			return rest[:n]
		}
		if at += w; at > x {
			return rest[:n] // the second half of a wide one
		}
		rest = rest[n:]
	}
	return ""
}
