package tty

import (
	"strings"
	"testing"

	"ccdir/tui/paint"
)

// TestSchemeReportsAreSwitchedOff: mode 2031 is on exactly while the grid has a
// terminal whose background matters.
func TestSchemeReportsAreSwitchedOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ extended, follows, want bool }{{true, true, true}, {true, false, false}, {false, true, false}} {
		m := Modes{Caps: paint.Caps{Extended: tt.extended}, Background: tt.follows}
		for what, seq := range map[string][2]string{
			"begin": {m.Begin(true), TellScheme}, "again": {m.Begin(false), TellScheme}, "end": {m.End(), hideScheme},
		} {
			if got := strings.Contains(seq[0], seq[1]); got != tt.want {
				t.Errorf("%s of %+v: %v (%q)", what, tt, got, seq[0])
			}
		}
	}
}
