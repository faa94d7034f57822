package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

func TestSessionLife(t *testing.T) {
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("echo hello; read line; echo got $line; exit 3")})
	if s.Name != "command-1" || s.State != api.StateIdle || s.PID == 0 || s.HostPID == 0 || s.Cols != 80 || s.Rows != 24 {
		t.Fatalf("created: %+v", s)
	}
	until(t, "hello on the screen", func() bool {
		var out hostwire.OutputResult
		p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=text", nil, &out)
		return strings.Contains(out.Text, "hello")
	})
	p.call("POST", "/v1/sessions/command-1/input", api.SendPrompt{Text: "abc"}, nil)
	done := p.wait(s.ID, api.StateExited)
	if done.ExitCode == nil || *done.ExitCode != 3 || done.PID != 0 || done.HostPID != 0 {
		t.Fatalf("exited: %+v", done)
	}
	var raw hostwire.OutputResult
	p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=raw", nil, &raw)
	if !strings.Contains(string(raw.Raw), "got abc") {
		t.Errorf("raw output of the exited session: %q", raw.Raw)
	}
	var out hostwire.OutputResult
	p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=text&scrollback=1", nil, &out)
	if !strings.Contains(out.Text, "got abc") {
		t.Errorf("screen of the exited session: %q", out.Text)
	}
	p.call("DELETE", "/v1/sessions/"+s.ID, nil, nil)
	p.wantCode(api.CodeNotFound, "GET", "/v1/sessions/"+s.ID, nil)
	if _, err := os.Stat(p.paths.SessionDir(s.ID)); !os.IsNotExist(err) {
		t.Errorf("the directory of the removed session: %v", err)
	}
	var types []string
	for _, e := range p.events() {
		types = append(types, e.Type)
	}
	want := "daemon.started session.created prompt session.exited session.removed"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events: %s\nwant:   %s", got, want)
	}
	_ = filepath.Join
}
