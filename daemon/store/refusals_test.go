package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
)

// TestSumRefusals: what walls refused is counted by hosts and tools, of one session or of all, since a
// moment; what is beyond the most frequent is counted too.
func TestSumRefusals(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	start := time.Unix(1000, 0).UTC()
	var events []api.Event
	refused := func(session string, r api.SandboxRefusal) {
		data, _ := json.Marshal(r)
		seq := int64(len(events) + 1)
		events = append(events, api.Event{Seq: seq, At: start.Add(time.Duration(seq) * time.Second), Session: session, Type: api.EventSandboxRefused, Source: "sandbox", Data: data})
	}
	refused("s", api.SandboxRefusal{Sandbox: "offline", Host: "old.example:443", Count: 50})
	refused("s", api.SandboxRefusal{Sandbox: "offline", Host: "a.example:443", Count: 3})
	refused("s", api.SandboxRefusal{Sandbox: "offline", Tool: "Bash", Says: "one", Count: 1})
	refused("s", api.SandboxRefusal{Sandbox: "offline", Tool: "Bash", Says: "another", Count: 1})
	refused("s", api.SandboxRefusal{Sandbox: "offline", Host: "a.example:443", Count: 4})
	refused("other", api.SandboxRefusal{Sandbox: "worktree", Tool: "Bash", Count: 1})
	for i := range 6 {
		refused("other", api.SandboxRefusal{Sandbox: "worktree", Host: fmt.Sprintf("%d.example:443", i), Count: 10 + i})
	}
	if err := s.Commit(events, make([]string, len(events)), nil); err != nil {
		t.Fatal(err)
	}
	since := start.Add(2 * time.Second)
	sum, err := s.SumDecisions(t.Context(), "s", since)
	if err != nil || len(sum.Refusals) != 2 || sum.Refusals[0] != (api.SandboxRefusal{Sandbox: "offline", Host: "a.example:443", Count: 7}) || sum.Refusals[1] != (api.SandboxRefusal{Sandbox: "offline", Tool: "Bash", Count: 2}) {
		t.Errorf("of one session: %+v, %v", sum, err)
	}
	sum, err = s.SumDecisions(t.Context(), "", since)
	if err != nil || len(sum.Refusals) != sumRefused || sum.Refusals[0].Host != "5.example:443" || sum.OtherRefusals != 10+7+2+1 {
		t.Errorf("of all: %+v, %v", sum, err)
	}
}
