package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/programs"
)

// TestSkew: a laptop of another version uses the node as it is, because the API is the same; node
// update brings the laptop's version there, restarts the daemon, and ends no session.
func TestSkew(t *testing.T) {
	const version = "9.8.7"
	newer := t.TempDir()
	if err := programs.BuildVersion(newer, version); err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	home := r.file("person")
	old := filepath.Join(home, ".local/share/ccdir", api.Version)
	if err := os.MkdirAll(old, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ccdir", "ccdir-daemon", "ccdir-shim"} {
		if err := os.Symlink(filepath.Join(bin, name), filepath.Join(old, name)); err != nil {
			t.Fatal(err)
		}
	}
	key, err := os.ReadFile(r.file("authorized_keys"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("authorized_keys", `command="HOME=`+home+`; export HOME; PATH=/usr/bin:/bin; exec $SSH_ORIGINAL_COMMAND" `+string(key), 0o600)
	r.bin = newer
	if out := r.add(); !strings.Contains(out, "online") || !strings.Contains(out, "ccdir "+api.Version) {
		t.Errorf("node add: %s", out)
	}
	r.ok("new", "-n", "goes-on", "box/", "--", "cat")
	pid := field(r.ok("show", "box/goes-on", "--json"), "pid")
	r.ok("node", "update", "box")
	if list := r.nodes(); list[0].Version != version || list[0].State != "online" {
		t.Errorf("after the update: %+v", list)
	}
	if now := field(r.ok("show", "box/goes-on", "--json"), "pid"); now != pid {
		t.Errorf("the session's process was %s and is %s", pid, now)
	}
	r.ok("keys", "box/goes-on", "h", "i", "Enter")
	r.until("the echo", func() bool { return strings.Count(r.ok("output", "box/goes-on"), "hi") == 2 })
}
