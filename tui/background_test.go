package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/tui/paint"
)

// TestStatesDiffer: the states that a person must tell apart have colours of
// their own, however many colours there are.
func TestStatesDiffer(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
		for _, name := range []string{"dark", "light", "contrast", "contrast on light"} {
			name, on, _ := strings.Cut(name, " on ")
			th := newTheme(paletteFor(name, on == "light", profile), nil)
			s := paint.NewSurface(1, 1, paint.Caps{Profile: profile})
			seen := map[grid.Color]api.State{}
			for _, st := range []api.State{api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission} {
				s.Text(0, 0, 1, "x", fg(th.state(st)))
				c := s.Table().Style(s.Row(0)[0].Style).FG
				if other, taken := seen[c]; taken {
					t.Errorf("%s, %v: %s and %s have the same colour", name, profile, st, other)
				}
				seen[c] = st
			}
		}
	}
}
