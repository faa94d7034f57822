package daemon

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions"
)

// TestCreatedOnce: the events of a session begin with its creation, also if its daemon died
// between the start of the host and the first event.
func TestCreatedOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config(demoConfig)
	p.spawnDying(sessions.PauseLaunched)
	_ = p.try("POST", "/v1/sessions", api.NewSession{Agent: "demo", Name: "early", CWD: p.paths.Home}, nil)
	p.died()
	p.spawn()
	s := p.get("early")
	p.kill9()
	p.spawn()
	types := p.eventTypes(s.ID)
	if !strings.HasPrefix(types, api.EventSessionCreated+" ") || strings.Count(types, api.EventSessionCreated) != 1 {
		t.Errorf("its events are %q", types)
	}
}
