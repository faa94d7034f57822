package explain

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
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
	inside, _ := uitest.Press(env, d, "Enter")
	uitest.Everywhere(t, env, inside, "evidence")
	if back, effects := uitest.Press(env, inside, "Enter"); len(effects) > 0 || uitest.Picture(env, back).Dump() != uitest.Picture(env, d).Dump() {
		t.Errorf("the second Enter does not show the session again: %v", effects)
	}
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
		env := uitest.Env(60, 24)
		env.Now = uitest.Epoch.Add(at)
		for _, l := range about(env, 60, v) {
			got = got || strings.Contains(l, "allow reads until ")
		}
		if got != want {
			t.Errorf("after %v: %v", at, got)
		}
	}
}

// TestAbout: what a person wants to know stands on top, at every size.
func TestAbout(t *testing.T) {
	v := api.Session{
		ID: "bbbb2222", Name: "web", Agent: "claude", Model: "opus", Task: "t1", State: api.StateIdle, Since: uitest.Epoch, Created: uitest.Epoch, CWD: "/home/me/shop", PID: 4711, Argv: []string{"/bin/claude", "--settings", "x"},
		Prompt: "make the tests pass", Answer: "All 14 tests pass.", Branch: "fix/x", Changed: 3, Unread: true,
	}
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}} {
		env := uitest.Env(size[0], size[1])
		env.Sessions = []api.Session{v}
		env.Work.Tasks = []api.Task{{ID: "t1", Result: api.TaskResult{Tokens: 1200, Cost: 0.41, Files: []string{"a.go", "b.go"}}}}
		d := New(v)
		uitest.Golden(t, env, d, fmt.Sprintf("about-%dx%d", size[0], size[1]))
		if dump := uitest.Picture(env, d).Dump(); strings.Contains(dump, "4711") || strings.Contains(dump, "--settings") {
			t.Errorf("processes are not behind a key:\n%s", dump)
		}
	}
}
