package faults

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/api"
)

// refused runs a verb that has to start a daemon and cannot: it exits with 1 and prints
// one line with all of the words.
func (w *world) refused(words ...string) {
	w.Helper()
	cmd := w.command("ls")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || out.Len() > 0 {
		w.Errorf("ccdir ls: %v, printed %q", err, out.String())
	}
	w.says(said(strings.TrimSpace(stderr.String())), words...)
}

// content is what lies in a directory, by name, but for the daemon's log and lock.
func content(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "daemon.") {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func unchanged(t *testing.T, before, now map[string][sha256.Size]byte) {
	t.Helper()
	for path, sum := range before {
		if now[path] != sum {
			t.Errorf("%s was changed or removed", path)
		}
	}
	for path := range now {
		if _, known := before[path]; !known {
			t.Errorf("%s is new", path)
		}
	}
}

// used is a home in which a daemon ran, with a session that is still running.
func used(t *testing.T, home string) (*world, api.Session) {
	t.Helper()
	w := newWorld(t, home, "")
	w.start()
	s := w.sh("cat", "exec cat")
	w.echoes("cat", "before")
	w.verb(true, "daemon", "stop")
	w.client.Close()
	return w, s
}

// TestStartLocked: another program locks the database while a daemon starts. The daemon
// reports it and overwrites nothing; once the lock is released, all data is there.
func TestStartLocked(t *testing.T) {
	t.Parallel() // it mostly waits
	w, was := used(t, "")
	db, err := sql.Open("sqlite", "file:"+w.paths.Database()+"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE; UPDATE sessions SET name = name"); err != nil {
		t.Fatal(err)
	}
	w.refused("ccdir.db", "locked", "another program", "close it")
	if moved, _ := filepath.Glob(w.paths.Database() + ".*"); len(moved) > 0 {
		t.Errorf("the database was moved: %v", moved)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w.start()
	if now, err := w.client.Session(t.Context(), "cat"); err != nil || now.PID != was.PID {
		t.Errorf("the session is %+v, %v", now, err)
	}
	w.echoes("cat", "afterwards")
}

// TestStartReadOnly: the home is read-only. The daemon reports it and does not work
// around it.
func TestStartReadOnly(t *testing.T) {
	home := smallDisk(t)
	if home == "" {
		t.Log("a disk of its own cannot be mounted here")
		return
	}
	w := newWorld(t, home, "") // without a session: its host would write on
	w.start()
	seen := len(w.events())
	w.verb(true, "daemon", "stop")
	w.client.Close()
	before := content(t, home)
	remount := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("", home, "", unix.MS_REMOUNT|unix.MS_BIND|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	remount(unix.MS_RDONLY)
	w.refused("read-only", home, "CCDIR_HOME")
	unchanged(t, before, content(t, home))
	remount(0)
	w.start()
	if n := len(w.events()); n <= seen {
		t.Errorf("%d events, and %d before", n, seen)
	}
}

// TestStartFull: the very first start finds a full disk. The daemon reports it, and
// starts once there is room.
func TestStartFull(t *testing.T) {
	home := smallDisk(t)
	if home == "" {
		t.Log("a disk of its own cannot be mounted here")
		return
	}
	w := newWorld(t, home, "")
	empty := fillDisk(t, home)
	w.refused("no space left", "make room")
	if info, err := os.Stat(w.paths.Reserve()); err == nil && info.Size() > 0 {
		t.Errorf("a reserve of %d bytes", info.Size())
	}
	empty()
	w.start()
	w.sh("cat", "exec cat")
	w.echoes("cat", "with-room")
	if info, err := os.Stat(w.paths.Reserve()); err != nil || info.Sys().(*syscall.Stat_t).Blocks*512 < info.Size() {
		t.Errorf("the reserve has not the room that it says: %v, %v", info, err)
	}
}

// TestStartWhileWritten: another program is writing to the database. Reading works, so
// the daemon starts, and keeps pending what it cannot store yet.
func TestStartWhileWritten(t *testing.T) {
	t.Parallel()
	w, was := used(t, "")
	db, err := sql.Open("sqlite", "file:"+w.paths.Database()+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	rolledBack := make(chan error, 1)
	time.AfterFunc(2*time.Second, func() { // it is in the way for a while
		_, err := db.Exec("ROLLBACK")
		rolledBack <- err
	})
	if _, err := w.client.Connect(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-rolledBack; err != nil {
		t.Fatal(err)
	}
	if now, err := w.client.Session(t.Context(), "cat"); err != nil || now.PID != was.PID {
		t.Errorf("the session is %+v, %v", now, err)
	}
	w.echoes("cat", "afterwards")
}

// TestDowngrade: programs that are older than the database are found out before the daemon
// that can use it is ended.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	w, was := used(t, "")
	pid := w.start()
	db, err := sql.Open("sqlite", "file:"+w.paths.Database()+"?_pragma=busy_timeout(30000)") // the daemon writes, too
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var schema int
	if err := db.QueryRow("PRAGMA user_version").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	// As a daemon of the next version has left it, which runs.
	if _, err := db.Exec(fmt.Sprintf("PRAGMA user_version = %d", schema+1)); err != nil {
		t.Fatal(err)
	}
	w.says(errors.New(w.verb(false, "daemon", "restart")), "the daemon is left as it is", "newer ccdir: install that version again", fmt.Sprint("schema ", schema+1))
	if srv, err := w.client.Connect(t.Context()); err != nil || srv.PID != pid {
		t.Errorf("the daemon is %+v, %v; it was %d", srv, err, pid)
	}
	if now, err := w.client.Session(t.Context(), "cat"); err != nil || now.PID != was.PID {
		t.Errorf("the session is %+v, %v", now, err)
	}
	if _, err := db.Exec(fmt.Sprintf("PRAGMA user_version = %d", schema)); err != nil {
		t.Fatal(err)
	}
	w.verb(true, "daemon", "restart")
}
