package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ccdir/api"
)

// TestTakenOverWithTooFewFiles: a daemon that may open fewer files than there are
// sessions takes over as many as it can. It declares none of the others dead, and the
// next one finds them all.
func TestTakenOverWithTooFewFiles(t *testing.T) {
	w := newWorld(t, "", "max_sessions = 200\n")
	pid := w.start()
	var made []api.Session
	for i := range 30 {
		made = append(made, w.sh(fmt.Sprintf("s%d", i), "exec cat"))
	}
	w.kill9(pid)
	path := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", `ulimit -n 30; exec "$0" daemon run`, w.exe())
	cmd.Env, cmd.Stderr = w.env, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	short := func() bool {
		text, _ := os.ReadFile(path)
		return bytes.Contains(text, []byte("too many open files"))
	}
	w.until("the files to be too few", short)
	// It ends, whether it is serving yet or not.
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	w.client.Close()
	w.start()
	for _, was := range made {
		now, err := w.client.Session(t.Context(), was.ID)
		if err != nil || now.PID != was.PID || now.State.Ended() {
			t.Errorf("%s, pid %d, is %+v, %v", was.Name, was.PID, now, err)
		}
	}
	for _, e := range w.events() {
		if e.Type == api.EventSessionLost {
			t.Errorf("said: %s", e.Message)
		}
	}
	w.echoes(made[0].ID, "all-are-there")
}
