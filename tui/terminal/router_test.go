package terminal

import (
	"testing"

	"ccdir/internal/keymap"
	"ccdir/tui/pane"
)

// While an input is in flight to the program, the next ones go there too.
func TestRouterKeepsTheOrder(t *testing.T) {
	r := &Router{}
	if r.direct("a") != nil || r.Route() != (Route{}) {
		t.Error("without a route")
	}
	p := pane.New(pane.Config{ID: "x"})
	r.Set(Route{Pane: p, Prefix: "C-b"})
	if r.direct("a") != p || r.direct("C-b") != nil || r.Busy() {
		t.Error("at rest")
	}
	r.pending.Add(1)
	if r.direct("a") != nil || !r.Busy() {
		t.Error("a key overtakes the prefix")
	}
	r.Handled()
	if r.direct("a") != p {
		t.Error("stuck")
	}
}

func TestPrefixByte(t *testing.T) {
	for prefix, want := range map[string]byte{"": 2, "C-a": 1, "M-x": 0, "F5": 0, "C-Space": 0} {
		k, _ := keymap.Make(prefix, nil)
		r := &Router{}
		if r.SetKeys(k); r.PrefixByte() != want {
			t.Errorf("%q: %d, want %d", prefix, r.PrefixByte(), want)
		}
	}
	if k, _ := keymap.Make("", map[string][]string{"zoom": {"C-M-b"}}); prefixByte(k) != 0 {
		t.Error("a key that is bound is taken apart")
	}
}
