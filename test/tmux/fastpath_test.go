package tmux

import (
	"fmt"
	"strings"
	"testing"
)

// Typed text arrives and is shown once and in its place, with the fast path and without:
// key by key, across the end of a row, while another pane prints, and behind a key that
// the host has to encode.
func TestFastPath(t *testing.T) {
	for _, fast := range []bool{true, false} {
		t.Run(fmt.Sprint("fast_path=", fast), func(t *testing.T) {
			r := newRig(t)
			r.configure(fast, "")
			r.session("typed", echoing("type-here")...)
			r.session("noisy", "sh", "-c", "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done")
			g := r.grid(60, 30)
			g.shows("type-here", "line ")
			g.until("typed focused", focusedTitle("typed"))
			const letters = "abcdefghijklmnopqrstuvwxyz"
			for i := range letters {
				g.text(letters[i : i+1])
				g.shows(letters[:i+1])
			}
			g.keys("BSpace", "Enter")
			long := strings.Repeat("0123456789", 7) // more than one row
			g.text("<" + long + ">")
			g.keys("Enter")
			r.eventually("the program read all of it", func() bool {
				out := strings.ReplaceAll(r.run("ccdir", "output", "typed"), "\n", "")
				return strings.Count(out, letters[:25]) == 2 && strings.Count(out, "<"+long+">") == 2
			})
			g.keys("C-b", "z")
			g.until("each line twice on the screen", func(s string) bool {
				return strings.Count(s, letters[:25]) == 2 && strings.Count(s, "<0123") == 2
			})
		})
	}
}
