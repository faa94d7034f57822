package notify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestSequence(t *testing.T) {
	m := Message{Name: "web;1", Text: "asks\x1b]0;evil\a: rm"}
	for _, tt := range []struct {
		way  string
		via  Via
		want string
	}{
		{Bell, ViaTmux, "\a"},
		{OSC9, ViaNothing, "\x1b]9;ccdir: web;1 asks␛]0;evil␇: rm\a"},
		{OSC777, ViaNothing, "\x1b]777;notify;ccdir: web,1;asks␛]0,evil␇: rm\a"},
		{OSC9, ViaTmux, "\x1bPtmux;\x1b\x1b]9;ccdir: web;1 asks␛]0;evil␇: rm\a\x1b\\"},
		{OSC9, ViaScreen, "\x1bP\x1b]9;ccdir: web;1 asks␛]0;evil␇: rm\a\x1b\\"},
		{Command, ViaNothing, ""},
	} {
		if got := Sequence(tt.way, m, tt.via); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.way, got, tt.want)
		}
	}
	m.Text = strings.Repeat("日", 1000)
	if n := len([]rune(Sequence(OSC9, m, ViaNothing))); n > maxText+40 {
		t.Errorf("%d characters", n)
	}
}

func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	m := Message{Event: "permission", Session: "s1", Name: "web", Text: "asks $(rm)"}
	err := Run(t.Context(), []string{"sh", "-c", `printf '%s|' "$0" "$@" "$CCDIR_EVENT" "$CCDIR_SESSION" > "$OUT"`, "x"}, append(os.Environ(), "OUT="+out), m)
	data, _ := os.ReadFile(out)
	if err != nil || string(data) != "x|ccdir: web|asks $(rm)|permission|s1|" {
		t.Errorf("%q %v", data, err)
	}
	if err := Run(t.Context(), []string{"/no/such/program"}, nil, m); err == nil {
		t.Error("no error")
	}
}

func TestClaimOnce(t *testing.T) {
	c := Claims{File: filepath.Join(t.TempDir(), "claims")}
	var got atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range claimsKept {
				first, err := c.Claim(fmt.Sprint("event-", i))
				if err != nil {
					t.Error(err)
				}
				if first {
					got.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if got.Load() != claimsKept {
		t.Errorf("%d claims of %d", got.Load(), claimsKept)
	}
	for i := range 3 * claimsKept { // the oldest are forgotten
		if first, err := c.Claim(fmt.Sprint("later-", i)); !first || err != nil {
			t.Errorf("claim %d: %v %v", i, first, err)
		}
	}
	if info, err := os.Stat(c.File); err != nil || info.Mode().Perm() != 0o600 || info.Size() > 10<<10 {
		t.Errorf("%v %v", info, err)
	}
}

// TestSeen: what one saw the others know, and it claims nothing.
func TestSeen(t *testing.T) {
	t.Parallel()
	c := Claims{File: filepath.Join(t.TempDir(), "claims")}
	seen := func(c Claims, key string, want bool) {
		t.Helper()
		if got, err := c.Seen(key); got != want || err != nil {
			t.Errorf("%s seen: %v, %v", key, got, err)
		}
	}
	seen(c, "one", false)
	if err := c.See("one"); err != nil {
		t.Fatal(err)
	}
	seen(c, "one", true)
	seen(c, "two", false)
	for range 2 { // once more is no error
		if err := c.See("two"); err != nil {
			t.Fatal(err)
		}
	}
	if first, err := c.Claim("one"); !first || err != nil {
		t.Errorf("claimed by seeing it: %v, %v", first, err)
	}
	if err := (Claims{}).See("x"); err != nil {
		t.Error(err)
	}
	seen(Claims{}, "x", false)
	if _, err := (Claims{File: t.TempDir()}).Seen("x"); err == nil {
		t.Error("a directory is no error")
	}
}
