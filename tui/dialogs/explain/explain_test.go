package explain

import (
	"context"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/tui/widget/theme"
)

// explaining is a client that explains.
type explaining struct {
	ui.Client
	asked *int
}

func (c explaining) Explain(context.Context, string) (api.Explanation, error) {
	*c.asked++
	return api.Explanation{
		State: api.StatePermission, Since: uitest.Epoch, Rule: "hook-permission", Reason: "a dialog is open in the pane",
		Winner: &api.Evidence{Source: api.SourceHook, At: uitest.Epoch, Name: "PermissionRequest", Says: api.StatePermission},
	}, nil
}

// TestFollows: it asks when the session changes, and once for each change.
func TestFollows(t *testing.T) {
	env := uitest.Env(60, 24)
	v := api.Session{ID: "bbbb2222", Name: "web", Agent: "claude", State: api.StatePermission, CWD: "/home/me/shop", Created: uitest.Epoch}
	env.Sessions = []api.Session{v}
	asked := 0
	d, _ := uitest.Refresh(env, New(v), explaining{asked: &asked})
	d, _ = uitest.Refresh(env, d, explaining{asked: &asked})
	uitest.Golden(t, env, d, "explain-60x24")
	v.State = api.StateWorking
	env.Sessions = []api.Session{v}
	d, _ = uitest.Refresh(env, d, explaining{asked: &asked})
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}
	env.Sessions = nil
	if !strings.Contains(uitest.Picture(env, d).Dump(), "web · removed") {
		t.Error("nothing says that the session was removed")
	}
}

// TestDetailsOfOverride: an override is named until it ends.
func TestDetailsOfOverride(t *testing.T) {
	v := api.Session{ID: "aaaa1111", Name: "api", State: api.StateIdle}
	v.Override = &api.Override{Mode: api.OverrideReads, Until: uitest.Epoch.Add(time.Hour)}
	for at, want := range map[time.Duration]bool{0: true, 2 * time.Hour: false} {
		got := false
		for _, l := range details(theme.New("", nil), uitest.Epoch.Add(at), 60, "", v, nil) {
			got = got || strings.Contains(l, "allow reads until ")
		}
		if got != want {
			t.Errorf("after %v: %v", at, got)
		}
	}
}
