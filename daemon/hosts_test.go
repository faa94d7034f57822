package daemon

import (
	"testing"

	"ccdir/api"
)

// TestSnapshotHosts: a watcher that asks for them gets the addresses of the
// hosts that run, the same as one by one, and nobody else does.
func TestSnapshotHosts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	runs := p.create(api.NewSession{Name: "runs", Argv: sh("exec cat")})
	ended := p.create(api.NewSession{Name: "ended", Argv: sh("exit 0")})
	p.wait(ended.ID, api.StateExited)
	var want api.HostAddress
	p.call("GET", "/v1/sessions/"+runs.ID+"/host", nil, &want)

	var m api.WatchMessage
	p.stream("/v1/watch?hosts=1").next(&m)
	if m.Snapshot == nil || len(m.Snapshot.Hosts) != 1 || m.Snapshot.Hosts[runs.ID] != want || want.Ticket == "" {
		t.Errorf("snapshot with hosts: %s, want %v", toJSON(t, m.Snapshot), want)
	}
	var plain api.WatchMessage
	p.stream("/v1/watch").next(&plain)
	if plain.Snapshot == nil || plain.Snapshot.Hosts != nil {
		t.Errorf("snapshot: %s", toJSON(t, plain.Snapshot))
	}
}
