package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/proc"
)

// offer asks what can be restored.
func (p *place) offer(query string) api.RestoreOffer {
	p.t.Helper()
	var o api.RestoreOffer
	p.call("GET", "/v1/restore"+query, nil, &o)
	return o
}

// offered are those of the offered sessions.
func offered(o api.RestoreOffer) string {
	var out []string
	for _, s := range o.Sessions {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

// kept waits until the newest generation has these sessions.
func (p *place) kept(want string) {
	p.t.Helper()
	until(p.t, "a snapshot of "+want, func() bool {
		o := p.offer("")
		return len(o.Kept) > 0 && strings.Join(o.Kept[0].Sessions, " ") == want
	})
}

// powerOff ends everything: the daemon, and sessions as a machine does that is
// shut down (agents and hosts are told) or that loses its power.
func (p *place) powerOff(all ...api.Session) {
	p.t.Helper()
	for i, s := range all {
		sig := syscall.SIGTERM
		if i%2 == 1 {
			sig = syscall.SIGKILL
		}
		// The host first: one that is there for a moment longer than its agent tells how that ended.
		for _, pid := range []int{s.HostPID, s.PID} {
			// One may have ended by the other's end.
			if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
				p.t.Fatal(err)
			}
		}
	}
	p.stopDaemon()
	for _, s := range all {
		until(p.t, s.Name+" to be gone", func() bool { return !proc.Alive(s.HostPID, "") && !proc.Alive(s.PID, "") })
	}
}

// TestReboot: afterwards what ran is offered, all or chosen, until it is taken,
// refused or removed; what was ended by a person is not.
func TestReboot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("kill_grace = \"300ms\"\n")
	p.boot = "first"
	p.run()
	dir := filepath.Join(p.paths.Home, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	one := p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000"), CWD: dir})
	two := p.create(api.NewSession{Name: "two", Argv: sh("exec sleep 1000"), Cols: 100, Rows: 30})
	agent := p.agentSession("agent")
	if err := p.hook(agent, claude.HookUserPromptSubmit, "1", hookJSON(claude.HookUserPromptSubmit, `"prompt":"do it"`)); err != nil {
		t.Fatal(err)
	}
	p.create(api.NewSession{Name: "killed", Argv: sh("exec sleep 1000")})
	p.kept("one two agent killed")
	p.call("POST", "/v1/sessions/killed/kill", nil, nil)
	p.kept("one two agent")
	p.call("PUT", "/v1/grid", api.Grid{Layout: "2x2", Order: []string{two.ID, one.ID, agent.ID}, Zoom: one.ID}, nil)
	if o := p.offer(""); o.Reason != "" || len(o.Sessions) != 0 || len(o.Kept) != 2 {
		t.Fatalf("offered while all runs: %+v", o)
	}
	p.wantCode(api.CodeNotFound, "GET", "/v1/restore?from=99", nil)
	p.wantCode(api.CodeInvalid, "GET", "/v1/restore?from=-1", nil)
	p.powerOff(one, two, agent)

	p.boot = "second"
	p.run()
	o := p.offer("")
	if o.Reason != api.RestoreReboot || offered(o) != "one two agent" || !strings.Contains(p.eventTypes(""), api.EventRestoreOffered) {
		t.Fatalf("after the reboot: %+v", o)
	}
	if o.Sessions[0].CWD != dir || o.Sessions[1].State != api.StateLost || o.Sessions[2].Conversation != p.get("agent").Conversation || !o.Sessions[2].Resume {
		t.Errorf("offered: %+v", o.Sessions)
	}
	var done []api.Restored
	p.call("POST", "/v1/restore", api.Restore{Sessions: []string{"two"}}, &done)
	if len(done) != 1 || done[0].Session == nil || done[0].Session.ID != two.ID || done[0].Session.Cols != 100 {
		t.Fatalf("restored: %+v", done)
	}
	p.wantCode(api.CodeNotFound, "POST", "/v1/restore", api.Restore{Sessions: []string{"two"}})
	until(t, "the offer to shrink", func() bool { return offered(p.offer("")) == "one agent" })
	p.stopDaemon()
	p.run() // another daemon offers it, too
	if o := p.offer(""); offered(o) != "one agent" || o.Reason != api.RestoreReboot {
		t.Errorf("by the next daemon: %+v", o)
	}
	p.call("DELETE", "/v1/sessions/one", nil, nil)
	until(t, "what was removed to leave the offer", func() bool { return offered(p.offer("")) == "agent" })
	p.call("DELETE", "/v1/restore", nil, nil)
	if o := p.offer(""); o.Reason != "" || len(o.Sessions) != 0 {
		t.Errorf("refused: %+v", o)
	}
	p.stopDaemon()
	p.run()
	if o := p.offer(""); len(o.Sessions) != 0 {
		t.Errorf("refused, and offered again: %+v", o)
	}

	// What was removed comes back from a generation, where it was.
	p.kept("two")
	from := 0
	for _, k := range p.offer("").Kept {
		if strings.Join(k.Sessions, " ") == "one two agent" && !k.Boot {
			from = k.Number
		}
	}
	if o := p.offer(fmt.Sprintf("?from=%d", from)); o.Reason != api.RestoreAsked || offered(o) != "one agent" || o.Sessions[0].State != "" {
		t.Fatalf("generation %d: %+v", from, o)
	}
	p.call("POST", "/v1/restore", api.Restore{From: from, Sessions: []string{one.ID}, Env: []string{"PATH=" + os.Getenv("PATH"), "MARK=here"}}, &done)
	if len(done) != 1 || done[0].Session == nil || done[0].Session.Name != "one" || done[0].Session.CWD != dir || done[0].Session.ID == one.ID {
		t.Fatalf("restored anew: %+v", done)
	}
	var g api.Grid
	p.call("GET", "/v1/grid", nil, &g)
	if id := done[0].Session.ID; g.Layout != "2x2" || len(g.Order) != 3 || g.Order[1] != id || g.Zoom != id || g.Order[0] != two.ID {
		t.Errorf("the arrangement: %+v, the new id is %s", g, id)
	}
}

// TestRestoreTellsProblems: what can't be begun again says why, and stops no
// other.
func TestRestoreTellsProblems(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.boot = "first"
	p.run()
	dir := filepath.Join(p.paths.Home, "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	bad := p.create(api.NewSession{Name: "bad", Argv: sh("exec sleep 1000"), CWD: dir})
	good := p.create(api.NewSession{Name: "good", Argv: sh("exec sleep 1000")})
	p.kept("bad good")
	p.powerOff(bad, good)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	p.boot = "second"
	p.run()
	if o := p.offer(""); len(o.Sessions) != 2 || !strings.Contains(o.Sessions[0].Problem, "directory is gone") || o.Sessions[1].Problem != "" {
		t.Fatalf("offered: %+v", o)
	}
	var done []api.Restored
	p.call("POST", "/v1/restore", api.Restore{}, &done)
	if len(done) != 2 || done[0].Session != nil || !strings.Contains(done[0].Error, "does not exist") || done[1].Session == nil {
		t.Fatalf("restored: %+v", done)
	}
	until(t, "the offer to shrink", func() bool { return offered(p.offer("")) == "bad" })
}

// TestHostsLost: hosts that die with the daemon are offered without a reboot;
// what ended by itself meanwhile is not.
func TestHostsLost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	lost := p.create(api.NewSession{Name: "lost", Argv: sh("exec sleep 1000")})
	ends := p.create(api.NewSession{Name: "ends", Argv: sh("exec sleep 1000")})
	p.kill9()
	for pid, sig := range map[int]syscall.Signal{lost.HostPID: syscall.SIGKILL, ends.PID: syscall.SIGTERM} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the host to leave", func() bool { return !proc.Alive(ends.HostPID, "") })
	p.run()
	o := p.offer("")
	if o.Reason != api.RestoreLost || offered(o) != "lost" {
		t.Errorf("offered: %+v", o)
	}
	if time.Since(o.At) > time.Minute || o.At.IsZero() {
		t.Errorf("last seen at %s", o.At)
	}
}

// killHosts kills the hosts of sessions as an OOM killer does.
func (p *place) killHosts(all ...api.Session) {
	p.t.Helper()
	for _, s := range all {
		if err := syscall.Kill(s.HostPID, syscall.SIGKILL); err != nil {
			p.t.Fatal(err)
		}
	}
}

// TestHostsLostWhoeverNotices: what is lost is offered if the running daemon noticed it, or
// the next one, or each of them some, until somebody refuses it; after it ran again and was
// lost again, it is offered again.
func TestHostsLostWhoeverNotices(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	var all []api.Session
	for _, name := range []string{"a1", "a2", "a3", "a4"} {
		all = append(all, p.create(api.NewSession{Name: name, Argv: sh("exec sleep 1000")}))
	}
	p.killHosts(all[0], all[1])
	p.wait("a1", api.StateLost)
	p.wait("a2", api.StateLost)
	if o := p.offer(""); o.Reason != api.RestoreLost || offered(o) != "a1 a2" || time.Since(o.At) > time.Minute {
		t.Errorf("offered under the daemon that noticed: %+v", o)
	}
	until(t, "an event", func() bool { return strings.Contains(p.eventTypes(""), api.EventRestoreOffered) })
	if err := p.try("POST", "/v1/restore", api.Restore{Sessions: []string{"a3"}}, nil); err == nil || !strings.Contains(err.Error(), "runs") {
		t.Errorf("restoring what runs: %v", err)
	}
	p.kill9()
	p.killHosts(all[2])
	p.spawn()
	if o := p.offer(""); offered(o) != "a1 a2 a3" {
		t.Errorf("offered by the next daemon: %+v", o)
	}
	var done []api.Restored
	p.call("POST", "/v1/restore", api.Restore{Sessions: []string{"a1"}}, &done)
	if len(done) != 1 || done[0].Session == nil || done[0].Session.State.Ended() {
		t.Fatalf("restored: %+v", done)
	}
	p.call("DELETE", "/v1/restore", nil, nil)
	p.kill9()
	p.spawn()
	if o := p.offer(""); o.Reason != "" || len(o.Sessions) != 0 {
		t.Errorf("refused, and offered: %+v", o)
	}
	if err := p.try("POST", "/v1/restore", api.Restore{Sessions: []string{"a2"}}, nil); api.CodeOf(err) != api.CodeNotFound || !strings.Contains(err.Error(), "`ccdir restart a2`") {
		t.Errorf("restoring what was refused: %v", err)
	}
	p.call("POST", "/v1/sessions/a2/restart", nil, nil)
	until(t, "a2 to be forgotten", func() bool { return offered(p.offer("")) == "" })
	p.killHosts(p.get("a1"), p.get("a2"), all[3])
	for _, name := range []string{"a1", "a2", "a4"} {
		p.wait(name, api.StateLost)
	}
	until(t, "what was lost anew", func() bool { return offered(p.offer("")) == "a1 a2 a4" })
	p.call("POST", "/v1/restore", api.Restore{}, &done)
	if len(done) != 3 || done[0].Session == nil || done[1].Session == nil || done[2].Session == nil {
		t.Fatalf("restored: %+v", done)
	}
}

// TestHostsStopped: what the system ended, hosts included, is offered by the next daemons, and
// both that and its end are told, though the daemon that noticed had no time to.
func TestHostsStopped(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	s := p.create(api.NewSession{Name: "stopped", Argv: sh("exec sleep 1000")})
	if err := syscall.Kill(s.HostPID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.wait("stopped", api.StateLost)
	until(t, "the host to leave", func() bool { return !proc.Alive(s.HostPID, "") })
	for range 2 {
		p.kill9()
		p.spawn()
		if o := p.offer(""); o.Reason != api.RestoreLost || offered(o) != "stopped" {
			t.Errorf("offered: %+v", o)
		}
		var all []api.Session
		p.call("GET", "/v1/sessions", nil, &all)
		if len(all) != 1 || all[0].State != api.StateLost || all[0].Error == "" {
			t.Errorf("sessions: %+v", all)
		}
	}
	if !strings.Contains(p.eventTypes(""), api.EventRestoreOffered) {
		t.Error("nobody was told: the daemon that noticed was killed before it did")
	}
	if n := strings.Count(p.eventTypes(s.ID), "session.lost"); n != 1 {
		t.Errorf("its end was told %d times", n)
	}
}
