package daemon

import (
	"os"
	"testing"

	"ccdir/api"
)

// TestProcessUse: a session's processes are counted with what they started.
func TestProcessUse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	v := p.create(api.NewSession{Name: "two", Argv: []string{"/bin/sh", "-c", "sleep 1000 & cat; :"}, CWD: t.TempDir(), Env: os.Environ()})
	var use api.ProcessUse
	until(t, "three processes run", func() bool {
		p.call("GET", "/v1/sessions/two/process", nil, &use)
		return use.Processes == 3
	})
	if use.Session != v.ID || use.PID <= 0 || use.HostPID <= 0 || use.Memory <= 0 {
		t.Errorf("%+v", use)
	}
	p.wantCode(api.CodeNotFound, "GET", "/v1/sessions/none/process", nil)
}
