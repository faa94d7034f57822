package nodes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
)

// hangs bounds the verbs here grossly: unbounded they take minutes.
const hangs = 30 * time.Second

// newShortRig is a rig whose ssh is a script that runs what it is given here, or hangs while the
// file "hang" exists.
func newShortRig(t *testing.T) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "cn")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{T: t, dir: dir, bin: bin}
	r.near, r.far = home(t, filepath.Join(dir, "near")), home(t, filepath.Join(dir, "far"))
	r.path = dir + ":" + os.Getenv("PATH")
	r.write("ssh", "#!/bin/sh\n[ -e "+r.file("hang")+" ] && exec sleep 1000\nexec env -i HOME="+r.far.Home+" PATH="+os.Getenv("PATH")+" SHELL=/bin/sh sh\n", 0o700)
	t.Cleanup(r.endAll)
	return r
}

// inTime is run, within a gross bound.
func (r *rig) inTime(args ...string) (out, errs string, code int) {
	r.Helper()
	began := time.Now()
	out, errs, code = r.run(args...)
	if took := time.Since(began); took > hangs {
		r.Errorf("ccdir %s took %s", strings.Join(args, " "), took)
	}
	return out, errs, code
}

// TestHangingSSH: while ssh hangs, each verb says so soon, in words; verbs for every machine show
// the others.
func TestHangingSSH(t *testing.T) {
	t.Parallel()
	r := newShortRig(t)
	r.addHere()
	r.ok("new", "-n", "here", "--", "cat")
	r.ok("node", "down", "box")
	r.write("hang", "", 0o600)
	for _, args := range [][]string{{"ls", "--node", "box"}, {"send", "box/x", "hi"}, {"new", "box/"}, {"task", "add", "--node", "box", "hi"}} {
		out, errs, code := r.inTime(args...)
		if code != 1 || !strings.Contains(errs, "node box") || strings.Contains(errs, "context deadline") || strings.Count(errs, "\n") > 2 {
			t.Errorf("ccdir %s: exit %d, %q, %q", strings.Join(args, " "), code, out, errs)
		}
	}
	r.rowsOfHere()
	if err := os.Remove(r.file("hang")); err != nil {
		t.Fatal(err)
	}
	r.ok("node", "down", "box")
	r.ok("ls", "--node", "box")
}

// rowsOfHere: `ls --all` shows the session here, and says that box does not answer.
func (r *rig) rowsOfHere() {
	r.Helper()
	out, errs, code := r.inTime("ls", "--all", "--json")
	var list []json.RawMessage
	r.decode(out, &list)
	if code != 0 || len(list) != 1 || !strings.Contains(errs, "node box") {
		r.Errorf("ls --all: exit %d, %s, %q", code, out, errs)
	}
}

// TestHangingDaemon: a node whose daemon hangs is stale, and keeps no verb from answering.
func TestHangingDaemon(t *testing.T) {
	t.Parallel()
	r := newShortRig(t)
	r.addHere()
	r.ok("new", "-n", "here", "--", "cat")
	var far api.Server
	r.decode(r.ok("daemon", "status", "--node", "box", "--json"), &far)
	if err := syscall.Kill(far.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(far.PID, syscall.SIGCONT) }()
	r.rowsOfHere()
	for _, args := range [][]string{{"ls", "--node", "box"}, {"send", "box/x", "hi"}} {
		if out, errs, code := r.inTime(args...); code != 1 || !strings.Contains(errs, "node box does not answer") || strings.Contains(errs, "context deadline") {
			t.Errorf("ccdir %s: exit %d, %q, %q", strings.Join(args, " "), code, out, errs)
		}
	}
	out, errs, code := r.inTime("node", "ls", "--json")
	var list []node
	r.decode(out, &list)
	if code != 0 || len(list) != 1 || list[0].State != "stale" || list[0].Reason == "" {
		t.Errorf("node ls: exit %d, %s, %q", code, out, errs)
	}
	if err := syscall.Kill(far.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.until("the node to be online again", func() bool { return r.nodes()[0].State == "online" })
}
