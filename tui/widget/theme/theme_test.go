package theme

import (
	"testing"

	"ccdir/api"
	"ccdir/internal/cells"
)

// TestThemes: each palette has colours of its own, and takes those that the person chose.
func TestThemes(t *testing.T) {
	seen := map[cells.Color]bool{}
	for _, base := range []string{"dark", "light", "contrast", "contrast-light", "dark16", "light16"} {
		th := New(base, map[string]cells.Color{"lost": cells.Indexed(1), "fly": cells.Indexed(2)})
		seen[th.State(api.StateIdle)] = true
		if th.State(api.StateLost) != cells.Indexed(1) || th.State(api.StateExited) == cells.Indexed(1) {
			t.Errorf("%s: %+v", base, th)
		}
	}
	if len(seen) != 6 {
		t.Error("the palettes are alike")
	}
}

// TestLight: what COLORFGBG says.
func TestLight(t *testing.T) {
	for env, want := range map[string]bool{"": false, "15;0": false, "7;8": false, "0;15": true, "0;default;7": true, "0;default": false, "default;default": false, ";": false, "x": false, "0;12": true} {
		if got := Light(func(string) string { return env }); got != want {
			t.Errorf("COLORFGBG=%s: light %v", env, got)
		}
	}
}
