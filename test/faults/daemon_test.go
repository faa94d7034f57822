package faults

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to lock the database from outside

	"ccdir/api"
)

// TestDatabaseLocked: another program locks the database briefly. Calls wait, none
// fails, nothing is lost; a daemon that is started meanwhile reports the lock.
func TestDatabaseLocked(t *testing.T) {
	w := newWorld(t, "", "")
	w.start()
	w.sh("cat", "exec cat")
	db, err := sql.Open("sqlite", "file:"+w.paths.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	lock := func() {
		if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
	}
	lock()
	made := make(chan error, 1)
	go func() { _, err := w.try("late", "exec cat"); made <- err }()
	w.echoes("cat", "while-it-is-locked")
	select {
	case err := <-made:
		t.Errorf("a session was acknowledged before it could be saved: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Errorf("the call that waited failed: %v", err)
	}
	found := false
	for _, e := range w.events() {
		found = found || e.Type == api.EventSessionCreated && strings.Contains(string(e.Data), `"late"`)
	}
	if !found {
		t.Error("the event of the session that waited is not in the log")
	}
}

// damage overwrites the database's beginning and removes its log, which would heal it.
func (w *world) damage() {
	w.Helper()
	f, err := os.OpenFile(w.paths.Database(), os.O_WRONLY, 0)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("garbage ", 2000)), 0); err != nil {
		w.Fatal(err)
	}
	f.Close()
	if err := os.Remove(w.paths.Database() + "-wal"); err != nil {
		w.Fatal(err)
	}
}

// sameCat fails unless the session is the same one, idle.
func (w *world) sameCat(was api.Session) {
	w.Helper()
	if now, err := w.client.Session(w.Context(), "cat"); err != nil || now.PID != was.PID || now.State != api.StateIdle {
		w.Errorf("the session is %+v, %v", now, err)
	}
}

// TestDatabaseDamaged: the file is overwritten while no daemon runs. The next one begins a
// new database, keeps the old one and finds all sessions.
func TestDatabaseDamaged(t *testing.T) {
	w := newWorld(t, "", "")
	pid := w.start()
	was := w.sh("cat", "exec cat")
	w.kill9(pid)
	w.damage()
	w.start()
	w.sameCat(was)
	w.echoes("cat", "with-a-new-database")
	moved, _ := filepath.Glob(w.paths.Database() + ".damaged-*")
	if len(moved) == 0 || !strings.Contains(fmt.Sprint(w.events()), api.EventStoreMoved) {
		t.Errorf("the damaged file is at %q, and the log is %v", moved, w.events())
	}
}

// TestDatabaseDamagedUnderTheDaemon: the file is overwritten while the daemon runs, which
// still has its log. Sessions go on, and the next daemon has all that was acknowledged.
func TestDatabaseDamagedUnderTheDaemon(t *testing.T) {
	w := newWorld(t, "", "")
	pid := w.start()
	was := w.sh("cat", "exec cat")
	w.damage()
	w.echoes("cat", "with-a-damaged-database")
	w.kill9(pid)
	w.start()
	w.sameCat(was)
	w.echoes("cat", "with-the-database-that-was-kept")
	if log := fmt.Sprint(w.events()); !strings.Contains(log, api.EventSessionCreated) || strings.Contains(log, api.EventStoreMoved) {
		t.Errorf("the log is %v", log)
	}
}

// TestSocketDirectoryRemoved: a clean-up removes the sockets in /tmp. Grids and
// sessions continue, and the next verb finds the same daemon and every host again.
func TestSocketDirectoryRemoved(t *testing.T) {
	w := newWorld(t, "", "")
	pid := w.start()
	w.sh("cat", "exec cat")
	w.echoes("cat", "before")
	if err := os.RemoveAll(w.paths.Runtime); err != nil {
		t.Fatal(err)
	}
	w.client.Close() // its connections would still work
	if out := w.verb(true, "daemon", "status", "--json"); !strings.Contains(out, fmt.Sprintf(`"pid": %d,`, pid)) {
		t.Errorf("another daemon answers: %s", out)
	}
	w.echoes("cat", "afterwards")
	s := w.sh("more", "exec cat")
	if err := os.RemoveAll(w.paths.Runtime); err != nil {
		t.Fatal(err)
	}
	if err := w.hook(s, "Notification", `{"hook_event_name":"Notification","session_id":"s","message":"no-socket"}`); err != nil {
		t.Errorf("a hook without a socket: %v", err)
	}
	w.client.Close()
	w.verb(true, "ls")
	w.echoes("more", "again")
}

// TestStoppedDaemon: a daemon that hangs (SIGSTOP) stops no session and no hook; verbs
// report it, and when it continues it has all data.
func TestStoppedDaemon(t *testing.T) {
	w := newWorld(t, "", "")
	pid := w.start()
	agent := w.agent("agent")
	counter := w.sh("counter", "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.02; done")
	host, err := w.client.HostAddress(t.Context(), counter.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	followFrames(t, host, 5) // while the daemon hangs
	began := time.Now()
	if err := w.hook(agent, "Notification", `{"hook_event_name":"Notification","session_id":"s","message":"while-it-hung"}`); err != nil {
		t.Errorf("a hook: %v", err)
	}
	if d := time.Since(began); d > 8*time.Second {
		t.Errorf("the agent waited %s for its hook", d)
	}
	for _, verb := range [][]string{{"daemon", "status"}, {"ls"}} {
		w.says(said(w.verb(false, verb...)), fmt.Sprintf("the daemon (pid %d) did not answer in time", pid), "ccdir doctor", fmt.Sprintf("kill -9 %d", pid))
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.until("the hook's event to be there", func() bool { return countEvents(w, "while-it-hung") > 0 })
	w.until("the daemon to answer", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		srv, err := w.client.Health(ctx)
		return err == nil && srv.PID == pid
	})
	if n := countEvents(w, "while-it-hung"); n != 1 {
		t.Errorf("the hook's event is there %d times", n)
	}
}

func countEvents(w *world, text string) (n int) {
	for _, e := range w.events() {
		if strings.Contains(e.Message+string(e.Data), text) {
			n++
		}
	}
	return n
}
