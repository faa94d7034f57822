package cli_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/test/programs"
)

// TestRestartOffered: after an update the grid asks whether the daemon may be restarted. With
// a no everything stays as it is; with a yes no session ends, and the grid opens.
func TestRestartOffered(t *testing.T) {
	h := newHome(t)
	old := t.TempDir()
	if err := programs.BuildVersion(old, "0.0.9"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(old, programs.Ccdir), "new", "-n", "one", "--", "sleep", "1000")
	cmd.Env, cmd.Dir = h.env, h.paths.Home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	version := func() string {
		t.Helper()
		var srv api.Server
		if err := json.Unmarshal([]byte(h.run("daemon", "status", "--json")), &srv); err != nil {
			t.Fatal(err)
		}
		return srv.Version
	}
	s := h.start(nil)
	s.see("still 0.0.9", "No agent is interrupted", "Restart the daemon now? [Y/n]")
	s.keys("n\r")
	if code := s.exit(); code != 1 || version() != "0.0.9" {
		t.Errorf("after a no: code %d, the daemon is %s", code, version())
	}
	s = h.start(nil)
	s.see("[Y/n]")
	s.keys("\r")
	s.see("\x1b[?1049h") // the grid takes the terminal
	s.keys("\x02d")
	if code := s.exit(); code != 0 || version() != api.Version {
		t.Errorf("after a yes: code %d, the daemon is %s", code, version())
	}
	var session api.Session
	if err := json.Unmarshal([]byte(h.run("show", "one", "--json")), &session); err != nil || session.State != api.StateIdle {
		t.Errorf("the session is %s, %v", session.State, err)
	}
	h.run("daemon", "stop", "--kill-sessions")
}
