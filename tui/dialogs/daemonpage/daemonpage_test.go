package daemonpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// TestSettings: the values by their names, and nothing without one.
func TestSettings(t *testing.T) {
	for raw, want := range map[string]string{
		`{"config":{"b":1,"a":{"x":"y","none":{}}},"file":"f","problems":[]}`: `[{a.none {}} {a.x "y"} {b 1}]`,
		`{"config":{"b":1},"file":"f","problems":["p"]}`:                      `[{b 1} {problems ["p"]}]`,
		`{"b":1}`: `[{b 1}]`,
		`{}`:      `[]`,
	} {
		got, err := settings(json.RawMessage(raw))
		if text := fmt.Sprint(got); err != nil || text != want {
			t.Errorf("%s: %s, %v; want %s", raw, text, err, want)
		}
	}
}

// configured is a client that knows the configuration.
type configured struct {
	ui.Client
	raw string
	err error
}

func (c configured) Config(context.Context) (json.RawMessage, error) {
	return json.RawMessage(c.raw), c.err
}

// TestAlone: it asks once, shows what it got, and asks again after an event
// about the configuration.
func TestAlone(t *testing.T) {
	env := uitest.Env(80, 24)
	env.Server = api.Server{PID: 99, Version: api.Version, Socket: "/tmp/ccdir.sock", Started: uitest.Epoch.Add(-2 * time.Hour), StateDir: "/home/me/.local/state/ccdir"}
	d, _ := uitest.Refresh(env, New(), configured{raw: `{"config":{"max_sessions":10}}`})
	uitest.Everywhere(t, env, d, "daemon")
	if _, effects := d.(ui.Refresher).Refresh(env); len(effects) > 0 {
		t.Error("it asks again although nothing has changed")
	}
	env.Events = []api.Event{{Seq: 7, Type: api.EventConfigError}}
	d, _ = uitest.Refresh(env, d, configured{err: errors.New("the daemon is busy")})
	if d, _ = uitest.Press(env, d, "G"); !strings.Contains(uitest.Picture(env, d).Dump(), "the daemon is busy") {
		t.Errorf("the reason is nowhere:\n%s", uitest.Picture(env, d).Dump())
	}
	if _, effects := uitest.Press(env, d, "O"); len(effects) != 1 || effects[0] != (ui.Close{All: true}) {
		t.Errorf("its own key: %v", effects)
	}
}

// FuzzSettings: each value of the configuration is JSON, whatever the daemon sends.
func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"config":{"a":{"b":1},"c":[]},"file":"/x","problems":[]}`))
	f.Add([]byte(`[{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := settings(data)
		if err != nil {
			return
		}
		for _, s := range list {
			if !json.Valid([]byte(s.value)) {
				t.Errorf("%s has the value %q", s.key, s.value)
			}
		}
	})
}
