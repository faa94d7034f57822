package daemon

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/conversations"
)

// TestIndexThroughDeaths kills the daemon again and again in the middle of indexing a
// conversation: afterwards a search finds each turn, and each once.
func TestIndexThroughDeaths(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("[agents.demo]\nargs = [\"--delay=50ms\"]\n")
	p.spawn()
	s := p.create(api.NewSession{Agent: "demo", Prompt: "say first", Cols: 100, Rows: 30})
	p.wait(s.ID, api.StateIdle)
	p.call("POST", "/v1/sessions/"+s.ID+"/kill", api.Kill{}, nil)
	p.wait(s.ID, api.StateExited)
	p.kill9()

	files, err := filepath.Glob(filepath.Join(p.paths.SessionDir(s.ID), "conversations", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the agent's files are %q, %v", files, err)
	}
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const turns = 30
	lines := json.NewEncoder(f)
	for i := range turns {
		type object map[string]any
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC).Format(time.RFC3339)
		for _, line := range []object{
			{"type": "user", "timestamp": at, "message": object{"role": "user", "content": fmt.Sprintf("prompt %d", i)}},
			{"type": "assistant", "timestamp": at, "message": object{"role": "assistant", "id": fmt.Sprintf("m%d", i), "model": "demo", "stop_reason": "end_turn",
				"content": []object{{"type": "text", "text": "the needle " + strings.Repeat(fmt.Sprintf("straw%d ", i), 8<<10)}}}},
		} {
			if err := lines.Encode(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	for range 3 {
		p.spawnUnless(conversations.PauseIndexed) // it may die before it says that it is ready
		p.died()
	}
	p.spawn()
	found := map[int]int{}
	until(t, "every turn to be found", func() bool {
		var hits []api.SearchHit
		p.call("GET", "/v1/search?limit=500&q=needle", nil, &hits)
		clear(found)
		for _, h := range hits {
			if h.Kind == api.HitTurn && h.Session == s.ID {
				found[h.Turn]++
			}
		}
		return len(found) >= turns
	})
	for turn, n := range found {
		if n != 1 {
			t.Errorf("turn %d is found %d times", turn, n)
		}
	}
}
