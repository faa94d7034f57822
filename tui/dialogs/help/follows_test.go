package help

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui/uitest"
)

// TestFollowing: the panel of what may follow the prefix key takes at most eight rows above
// the status line, and has the first keys of every group where there is room.
func TestFollowing(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 36}, {200, 60}, {20, 4}, {5, 2}} {
		env := uitest.Env(size[0], size[1])
		env.Facts = keymap.Facts{Sessions: 4, Panes: 4, Focused: true, Pages: 1}
		s := paint.NewSurface(env.Cols, env.Rows, paint.Caps{Profile: colorprofile.TrueColor})
		DrawFollowing(env, s)
		lines := strings.Split(s.Dump(), "\n")
		used := 0
		for _, l := range lines[:env.Rows] {
			if strings.TrimSpace(l) != "" {
				used++
			}
		}
		if used > 8 {
			t.Errorf("%v: %d rows", size, used)
		}
		if size[1] < 12 {
			continue
		}
		for _, want := range []string{"C-b and then", "hjkl focus", "n new", "a answer", ": prompt", "f session", "? keys"} {
			if !strings.Contains(s.Dump(), want) {
				t.Errorf("%v lacks %q:\n%s", size, want, s.Dump())
			}
		}
		for _, want := range []string{"; last", "w scope", "* mark", "! shell"} {
			if size[0] >= 80 && !strings.Contains(s.Dump(), want) {
				t.Errorf("%v lacks %q:\n%s", size, want, s.Dump())
			}
		}
	}
}
