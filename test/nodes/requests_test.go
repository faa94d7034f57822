package nodes

import (
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// asks lets the node's demo agent ask for permission to run a command, and returns the request
// by its reference here.
func (r *rig) asks(session, command string) (ref string) {
	r.Helper()
	r.ok("send", session, "permit Bash "+command)
	r.until(session+" asks for "+command, func() bool {
		var list []struct {
			Node, ID string
			Input    struct{ Command string }
		}
		r.decode(r.ok("approvals", "--all", "--json"), &list)
		for _, q := range list {
			if q.Input.Command == command {
				ref = q.Node + "/" + q.ID
			}
		}
		return ref != ""
	})
	return ref
}

// answered are the rows of the node's ledger in which a person answered about a command.
func (r *rig) answered(command string) (rows []api.LedgerRow) {
	r.Helper()
	var all []api.LedgerRow
	r.decode(r.ok("decisions", "--node", "box", "--json"), &all)
	for _, row := range all {
		if row.By == api.ByPerson && strings.Contains(string(row.Input), command) {
			rows = append(rows, row)
		}
	}
	return rows
}

// TestRequests: a node's requests are answered from verbs and from the grid, over cuts too: each
// once, in the node's ledger, with where the answer came from.
func TestRequests(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "worker", "-a", "demo", "box/")
	r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
	ends := func(command, decision string) {
		t.Helper()
		r.until("the answer about "+command, func() bool { return len(r.answered(command)) > 0 })
		r.ok("wait", "box/worker", "--state", "idle", "--timeout", "60s")
		rows := r.answered(command)
		if len(rows) != 1 || rows[0].Decision != decision || !strings.Contains(rows[0].Client, " via ") {
			t.Errorf("the ledger about %s: %+v", command, rows)
		}
	}
	r.ok("approve", r.asks("box/worker", "touch by-verb"))
	ends("touch by-verb", api.EffectAllow)
	r.ok("deny", r.asks("box/worker", "touch never"), "--message", "not there")
	ends("touch never", api.EffectDeny)

	// The line stands still when the answer is given, and is cut then.
	ref := r.asks("box/worker", "touch by-cut")
	s, _ := r.status()
	_ = syscall.Kill(s.SSH, syscall.SIGSTOP)
	done := make(chan string, 1)
	go func() {
		_, errs, code := r.run("approve", ref)
		if code == 0 {
			errs = ""
		}
		done <- errs
	}()
	r.until("a node that does not answer", func() bool { s, ok := r.status(); return ok && s.State == "stale" })
	kill(s.SSH)
	if errs := <-done; errs != "" {
		t.Errorf("approve over a cut: %s", errs)
	}
	ends("touch by-cut", api.EffectAllow)

	g := r.grid()
	defer func() {
		if t.Failed() {
			t.Logf("the grid:\n%s", g.text())
		}
	}()
	g.shows("box/worker")
	r.asks("box/worker", "touch by-grid")
	g.attend("touch by-grid")
	g.keys("y")
	ends("touch by-grid", api.EffectAllow)
	r.asks("box/worker", "touch by-cut-grid")
	g.attend("touch by-cut-grid")
	s, _ = r.status()
	_ = syscall.Kill(s.SSH, syscall.SIGSTOP)
	g.keys("y")
	r.until("a node that does not answer", func() bool { s, ok := r.status(); return ok && s.State == "stale" })
	kill(s.SSH)
	ends("touch by-cut-grid", api.EffectAllow)

	// The ledger, and what has ended, are lists of both machines.
	g.keys("C-b", "D")
	g.shows("decisions", "box/worker", "touch by-cut-grid")
	g.keys("Escape")
	r.ok("kill", "--force", "box/worker")
	r.ok("rm", "box/worker")
	g.keys("C-b", "/")
	g.shows("history", "session box/worker")
	g.keys("/")
	g.keys("by-verb", "Enter")
	g.shows("history · ", "box/worker")
}

// attend opens the answer bar for the request about that.
func (s *screen) attend(what string) {
	s.Helper()
	s.shows("need") // somebody needs you
	s.keys("C-b", "a")
	s.until("the answer bar, or its key", func() bool {
		text := s.text()
		return strings.Contains(text, "ANSWER") || strings.Contains(text, "C-b a to answer")
	})
	if !strings.Contains(s.text(), "ANSWER") {
		s.keys("C-b", "a")
	}
	s.shows("asks for permission", what)
}
