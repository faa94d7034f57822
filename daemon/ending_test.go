package daemon

import (
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/sessions"
)

// TestKilledWhileEnding: a session that was asked to end does, also if the
// daemon dies before it has done anything about it.
func TestKilledWhileEnding(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawnDying(sessions.PauseEnding)
	v := p.create(api.NewSession{Name: "ends", Argv: sh("exec cat")})
	_ = p.try("POST", "/v1/sessions/"+v.ID+"/kill", api.Kill{}, nil) // the daemon dies
	p.died()
	p.spawn()
	p.wait(v.ID, api.StateExited)
	p.kill9()
}

// TestKillSparesTheNextProcess: a kill whose process ends in another way, and is
// started again meanwhile, does not end the new one.
func TestKillSparesTheNextProcess(t *testing.T) {
	t.Parallel()
	for _, force := range []bool{false, true} {
		p := newPlace(t)
		p.config("kill_grace = \"200ms\"\n")
		ending, goOn := make(chan struct{}), make(chan struct{})
		p.pause = func(point string) {
			if point == sessions.PauseEnding {
				ending <- struct{}{}
				<-goOn
			}
		}
		p.run()
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000"), Name: "again"})
		killed := make(chan error, 1)
		go func() { killed <- p.try("POST", "/v1/sessions/again/kill", api.Kill{Force: force}, nil) }()
		<-ending
		if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := <-killed; err != nil {
			t.Fatal(err)
		}
		var now api.Session
		p.call("POST", "/v1/sessions/again/restart", nil, &now)
		close(goOn)
		// The kill goes on now. It would have signalled within kill_grace.
		for end := time.Now().Add(600 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if !proc.Alive(now.PID, "") {
				t.Fatalf("force %t: the new process was ended by the kill of the old one", force)
			}
		}
		// A kill of its own is heeded.
		go func() { <-ending }()
		p.call("POST", "/v1/sessions/again/kill", api.Kill{Force: force}, nil)
	}
}
