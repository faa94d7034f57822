package tmux

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var colourCodes = regexp.MustCompile(`[34]8;[25];[0-9;]+`)

// TestThemeFollowsTheTerminal: the colours change while the grid is attached when the
// terminal tells that it has become light, and back; nothing of it reaches a pane.
func TestThemeFollowsTheTerminal(t *testing.T) {
	r := newRig(t)
	r.session("one", echoing("typing-here")...)
	g := r.grid(100, 30)
	g.shows("typing-here", "one ○")
	colours := func() string {
		seen := map[string]bool{}
		for _, c := range colourCodes.FindAllString(g.styled(), -1) {
			seen[c] = true
		}
		return strings.Join(slices.Sorted(maps.Keys(seen)), " ")
	}
	dark := colours()
	g.text("\x1b[?997;2n")
	g.until("other colours", func(string) bool { return colours() != dark })
	g.text("\x1b[?997;1n")
	g.until("the colours of before", func(string) bool { return colours() == dark })
	if out := r.run("ccdir", "output", "one"); strings.Contains(out, "997") {
		t.Errorf("the report was typed into the pane:\n%s", out)
	}
}
