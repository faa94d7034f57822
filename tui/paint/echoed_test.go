package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// Text that another process has printed is not written again, and the next change goes
// where it belongs, in its style.
func TestEchoed(t *testing.T) {
	w := NewWriter(Caps{Profile: colorprofile.TrueColor})
	s := NewSurface(20, 3, Caps{Profile: colorprofile.TrueColor})
	red := cells.Style{FG: cells.Indexed(1)}
	s.Text(0, 0, 20, "red", red)
	first := string(w.AppendPlain(w.Frame(s, Cursor{X: 2, Y: 1, Visible: true})))
	if again := string(w.AppendPlain(nil)); first[len(first)-3:] != "\x1b[m" || again != "" {
		t.Fatalf("the first frame is %q, after it %q", first, again)
	}
	w.Echoed(s, Echo{Text: "a é"})
	s.Text(2, 1, 20, "a é", cells.Style{})
	if got := string(w.Frame(s, Cursor{X: 5, Y: 1, Visible: true})); got != "" {
		t.Errorf("what was echoed is written again: %q", got)
	}
	s.Text(5, 1, 20, "!", red)
	if got, want := string(w.Frame(s, Cursor{X: 6, Y: 1, Visible: true})), "\x1b[31m!"; got != want {
		t.Errorf("the next frame is %q, want %q", got, want)
	}
}

// A text that cannot have been printed where it was, and one on a surface of another
// size, make the next frame begin anew.
func TestEchoedElsewhere(t *testing.T) {
	for name, act := range map[string]func(w *Writer, s *Surface){
		"over the border": func(w *Writer, s *Surface) { w.Echoed(s, Echo{Text: "0123456789"}) },
		"another size":    func(w *Writer, s *Surface) { s.Resize(9, 2); w.Echoed(s, Echo{Text: "x"}) },
		"cleared":         func(w *Writer, s *Surface) { w.Clear(); w.Echoed(s, Echo{Text: "x"}) },
	} {
		w, s := NewWriter(Caps{}), NewSurface(10, 2, Caps{})
		w.Frame(s, Cursor{X: 1, Visible: true})
		act(w, s)
		cols, rows := s.Size()
		s.Resize(cols, rows)
		if got, want := string(w.Frame(s, Cursor{X: 1, Visible: true})), "\x1b[m\x1b[H\x1b[2J"; !strings.Contains(got, want) {
			t.Errorf("%s: the next frame is %q, without %q", name, got, want)
		}
	}
}
