package edit

import (
	"strings"
	"testing"
)

// TestKeyLines: every key that the help names does something in the middle of a text.
func TestKeyLines(t *testing.T) {
	for _, l := range KeyLines() {
		for _, key := range strings.Fields(l.Keys) {
			b := New("one two\nzero three four\nfive six seven")
			b, _ = b.Key("Up", "", 80)
			b, _ = b.Key("M-b", "", 80)
			b, _ = b.Key("C-w", "", 80) // so that there is something to take back and to put in
			next, ok := b.Key(key, "", 80)
			if !ok || next.String() == b.String() && next.row == b.row && next.off == b.off {
				t.Errorf("%s (%s) does nothing", key, l.Text)
			}
		}
	}
}
