package daemon

import (
	"database/sql"
	"strings"
	"testing"

	"ccdir/api"
)

// TestNothingTakesChanges: where neither the database nor the reserve takes changes, calls
// that change a session fail and say so, a prompt is not typed, and health tells it; when
// the database takes changes again, all is saved.
func TestNothingTakesChanges(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config(demoConfig)
	p.reserve = 2 << 10 // the headers and one record at most
	p.run()
	s := p.create(api.NewSession{Agent: "demo", Name: "old"})
	p.wait(s.ID, api.StateIdle)
	other, err := sql.Open("sqlite", "file:"+p.paths.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error, text string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := 0; ; n++ { // until the reserve is full
		if err = p.try("POST", "/v1/sessions/"+s.ID+"/rename", api.Rename{Name: strings.Repeat("n", 20+n)}, nil); err != nil || n == 20 {
			break
		}
	}
	refused("a rename", err, "could not be saved and is lost when the daemon ends")
	refused("a prompt", p.try("POST", "/v1/sessions/"+s.ID+"/input", api.SendPrompt{Text: "say hello"}, nil), "was not sent")
	var health api.Server
	if p.call("GET", "/v1/health", nil, &health); !strings.Contains(health.Unsaved, "lost if the daemon ends") {
		t.Errorf("health says %q", health.Unsaved)
	}
	name := p.get(s.ID).Name
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	until(t, "all to be saved", func() bool {
		var now api.Server
		p.call("GET", "/v1/health", nil, &now)
		return now.Unsaved == ""
	})
	if got := p.prompts(s.ID); len(got) != 0 {
		t.Errorf("the agent took %q", got)
	}
	p.stopDaemon()
	p.run()
	if got := p.get(s.ID).Name; got != name {
		t.Errorf("its name is %q, not %q", got, name)
	}
}
