package claude

import (
	"os/exec"
	"testing"

	"ccdir/agents"
)

// TestOutsideHooksAreFoundAgain: in both forms, those of before the guard too,
// and a shim that is gone makes neither noise nor failure.
func TestOutsideHooksAreFoundAgain(t *testing.T) {
	for _, shim := range []string{"/opt/bin/ccdir-shim", "/a b/it's/ccdir-shim"} {
		for _, version := range []agents.Version{{}, {2, 1, 100}, {2, 1, 329}} {
			for _, h := range OutsideHooks(shim, version) {
				if got, ok := h.Shim(); !ok || got != shim {
					t.Fatalf("%v %+v: %q, %v", version, h, got, ok)
				}
				cmd := exec.Command(h.Command, h.Args...)
				if h.Args == nil {
					cmd = exec.Command("/bin/sh", "-c", h.Command)
				}
				if h.Event == "Stop" {
					if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
						t.Errorf("a missing shim: %v, %q", err, out)
					}
				}
			}
		}
	}
	old := OutsideHook{Event: "Stop", Command: "/x/ccdir-shim", Args: []string{"hook", "Stop", "--external"}}
	if path, ok := old.Shim(); !ok || path != "/x/ccdir-shim" {
		t.Errorf("the form before: %q, %v", path, ok)
	}
	for _, other := range []OutsideHook{
		{Event: "Stop", Command: "/bin/sh", Args: []string{"-c", "echo", "/x/ccdir-shim", "hook", "Stop", "--external"}},
		{Event: "Stop", Command: "test ! -x a || exec b/ccdir-shim hook Stop --external"},
	} {
		if _, ok := other.Shim(); ok {
			t.Errorf("%+v is none of ours", other)
		}
	}
}
