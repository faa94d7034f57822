package daemon

import (
	"testing"

	"ccdir/internal/api"
	"ccdir/sessions"
)

// TestKilledWhileEnding: a session that was asked to end does, also if the
// daemon dies before it has done anything about it.
func TestKilledWhileEnding(t *testing.T) {
	p := newPlace(t)
	p.spawnDying(sessions.PauseEnding)
	v := p.create(api.NewSession{Name: "ends", Argv: sh("exec cat")})
	_ = p.try("POST", "/v1/sessions/"+v.ID+"/kill", api.Kill{}, nil) // the daemon dies
	p.died()
	p.spawn()
	p.wait(v.ID, api.StateExited)
	p.kill9()
}
