package restore

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// restorer is a client that begins all but docs again.
type restorer struct{ ui.Client }

func (restorer) RestoreOffer(context.Context, int) (api.RestoreOffer, error) {
	return api.RestoreOffer{}, nil
}

func (restorer) Restore(_ context.Context, q api.Restore) ([]api.Restored, error) {
	id := q.Sessions[0]
	if id == "docs0000" {
		return []api.Restored{{ID: id, Error: "the directory /gone does not exist"}}, nil
	}
	return []api.Restored{{ID: id, Session: &api.Session{ID: id}}}, nil
}

func (restorer) RefuseRestore(context.Context) error { return nil }

func offer() api.RestoreOffer {
	past := func(id, name, cwd, prompt string) api.OfferedSession {
		return api.OfferedSession{PastSession: api.PastSession{ID: id, Name: name, Agent: "claude", CWD: cwd, Prompt: prompt}, State: api.StateLost, Resume: prompt != ""}
	}
	o := api.RestoreOffer{Reason: api.RestoreReboot, At: uitest.Epoch.Add(-10 * time.Minute), Sessions: []api.OfferedSession{
		past("api00000", "api", "/home/me/shop", "add a cart"), past("web00000", "web", "/home/me/web", ""), past("docs0000", "docs", "/gone", "write"),
	}}
	o.Sessions[2].Problem = "its directory is gone: /gone"
	return o
}

// TestChoose: what cannot be begun is not chosen, unless the person does.
func TestChoose(t *testing.T) {
	env := uitest.Env(100, 16)
	d := New(offer(), nil)
	uitest.Golden(t, env, d, "restore-100x16")
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}} {
		uitest.Golden(t, uitest.Env(size[0], size[1]), d, fmt.Sprintf("restore-%dx%d", size[0], size[1]))
	}
	for _, tt := range []struct {
		keys, want []string
		failed     int
	}{
		{[]string{"Enter"}, []string{"api", "web"}, 0},
		{[]string{"Down", "Space", "Space", "Up", "Enter"}, []string{"api", "docs"}, 1},
		{[]string{"a", "Enter"}, []string{"api", "web", "docs"}, 1},
	} {
		_, effects := uitest.Press(env, d, tt.keys...)
		batch, ok := effects[len(effects)-1].(ui.Batch)
		if !ok {
			t.Fatalf("%q: %v", tt.keys, effects)
		}
		var names []string
		failed := 0
		for _, s := range batch.Steps {
			names = append(names, s.Name)
			if _, err := s.Run(context.Background(), restorer{}); err != nil {
				failed++
			}
		}
		if !slices.Equal(names, tt.want) || failed != tt.failed {
			t.Errorf("%q: %q, %d failed", tt.keys, names, failed)
		}
	}
	if _, effects := uitest.Press(env, d, "a", "a", "Enter"); fmt.Sprint(effects) != "[{none is chosen: Space chooses a row, a all}]" {
		t.Errorf("none: %v", effects)
	}
}

// TestNotForKeysInFlight: it comes by itself, and what was typed before is not for it.
func TestNotForKeysInFlight(t *testing.T) {
	env := uitest.Env(100, 16)
	env.Early = true
	if _, effects := uitest.Press(env, New(offer(), nil), "Enter", "Escape", "C-c"); len(effects) > 0 {
		t.Errorf("it did %v", effects)
	}
}
