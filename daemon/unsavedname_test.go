package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions/launch"
)

// TestNameOnFullDisk: a name that was acknowledged while session.json could not be written, as
// on a full disk, is the session's name for the next daemon too; and the file is written again
// once that is possible.
func TestNameOnFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.create(api.NewSession{Argv: sh("exec cat"), Name: "before"})
	file := filepath.Join(p.paths.SessionDir(s.ID), launch.SpecFile)
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A directory in the place of the file: nothing can be renamed to it.
	block := func() {
		t.Helper()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	unblock := func() {
		t.Helper()
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, old, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nameInFile := func() string {
		var spec launch.Spec
		if data, err := os.ReadFile(file); err != nil || json.Unmarshal(data, &spec) != nil {
			return ""
		}
		return spec.Name
	}
	block()
	p.call("POST", "/v1/sessions/before/rename", api.Rename{Name: "after"}, nil)
	p.kill9()
	unblock()
	p.spawn()
	if got := p.get(s.ID); got.Name != "after" {
		t.Errorf("the next daemon has it as %q", got.Name)
	}
	until(t, "the adopted name to be written", func() bool { return nameInFile() == "after" })
	block()
	p.call("POST", "/v1/sessions/"+s.ID+"/rename", api.Rename{Name: "later"}, nil)
	unblock()
	until(t, "the name to be written again", func() bool { return nameInFile() == "later" })
}

// TestRestartOnFullDisk: a session whose files cannot be written goes on: it could not be started
// again.
func TestRestartOnFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.create(api.NewSession{Argv: sh("exec cat"), Name: "runs"})
	file := filepath.Join(p.paths.SessionDir(s.ID), launch.SpecFile)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err != nil { // nothing can be renamed to it
		t.Fatal(err)
	}
	err := p.try("POST", "/v1/sessions/runs/restart", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "was not ended") {
		t.Errorf("restart: %v", err)
	}
	if now := p.get(s.ID); now.PID != s.PID || now.State.Ended() {
		t.Errorf("it is %s with pid %d, which was %d", now.State, now.PID, s.PID)
	}
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	p.call("POST", "/v1/sessions/runs/restart", nil, nil)
	if now := p.get(s.ID); now.PID == s.PID || now.State.Ended() {
		t.Errorf("restarted, it is %s with pid %d", now.State, now.PID)
	}
}
