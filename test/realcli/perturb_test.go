package realcli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/sessions/state"
)

// How much later than recorded evidence may arrive on a busy machine, in milliseconds:
// hooks are processes that must be started, the host's facts come over one connection
// in order, and the session file is written with delay.
var lateness = map[string]int64{"hook": 700, "host": 300, "file": 900}

// stream is the way on which evidence keeps its order: the host's connection, the
// session file, or the hooks of one agent, which wait for one another.
func stream(e Entry) string {
	switch e.Source {
	case api.SourceHook:
		return "hook " + e.Fields["agent_id"]
	case api.SourceFile:
		return "file "
	}
	return "host "
}

// arrival is evidence with the moment at which it arrives.
type arrival struct {
	Entry
	ms int64
}

// delayed gives each entry another moment of arrival. stamped: hooks carry the
// time at which they were called; otherwise they are called late.
func delayed(r *rand.Rand, entries []Entry, stamped bool) []arrival {
	last := map[string]int64{}
	var out []arrival
	for _, e := range entries {
		if e.Source == SourceTruth {
			continue
		}
		way := stream(e)
		a := arrival{e, e.MS}
		if e.Source != api.SourceProcess {
			a.ms += r.Int64N(lateness[strings.Fields(way)[0]])
		}
		a.ms = max(a.ms, last[way])
		last[way] = a.ms
		if !stamped && e.Source == api.SourceHook {
			a.MS = a.ms
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b arrival) int { return int(a.ms - b.ms) })
	return out
}

// calm is how long after the last evidence the state must be the true one.
const calm = 15 * time.Second

// settled folds what arrived and returns the fold after calm.
func settled(list []arrival) state.Fold {
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(ms int64) time.Time { return base.Add(time.Duration(ms) * time.Millisecond) }
	fold := state.NewFold(true, base)
	until := func(t time.Time) {
		for due := fold.Wake(); !due.IsZero() && !due.After(t); due = fold.Wake() {
			fold = fold.Apply(api.Evidence{Source: api.SourceTimer, At: due})
		}
	}
	end := base
	for _, a := range list {
		end = at(a.ms)
		until(end)
		a.At = at(a.MS)
		fold = fold.Apply(signs(a.Evidence))
	}
	until(end.Add(calm))
	return fold
}

// final is the state at the end of a recording.
func final(r Recording) (want api.State) {
	for _, e := range r.Entries {
		if e.Source == SourceTruth {
			want = api.State(e.Name)
		}
	}
	return want
}

// trail is what arrived, for failures.
func trail(list []arrival) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "%6d %s\n", a.ms, a.Entry)
	}
	return b.String()
}

// recordings reads all that are kept.
func recordings(t *testing.T) map[string]Recording {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Root(t), "testdata", "timelines", "*", "*.json"))
	if err != nil || len(files) < 70 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	out := map[string]Recording{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r Recording
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(filepath.Dir(file))+"/"+strings.TrimSuffix(filepath.Base(file), ".json")] = r
	}
	return out
}

// TestFoldInAnyOrder: however late each source is, and whichever is first, the final
// state is true.
func TestFoldInAnyOrder(t *testing.T) {
	const rounds = 60
	for name, rec := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			want := final(rec)
			for seed := range uint64(rounds) {
				list := delayed(rand.New(rand.NewPCG(seed, 1)), rec.Entries, seed%2 == 0)
				if f := settled(list); f.State != want && want != Unsaid {
					t.Fatalf("seed %d: %s instead of %s (%s: %s)\n%s", seed, f.State, want, f.Rule, f.Reason, trail(list))
				}
			}
		})
	}
}

// readAgain is when the session file is looked at again although nothing told of a
// change of it, in milliseconds.
const readAgain = 2000

// without is the list without its i-th entry. A change of the session file of
// which nothing tells is seen when the file is looked at the next time.
func without(list []arrival, i int) []arrival {
	lost := list[i]
	out := slices.Delete(slices.Clone(list), i, i+1)
	if lost.Source != api.SourceFile {
		return out
	}
	seen := lost.ms + readAgain
	for _, a := range list[i+1:] {
		if a.Source == api.SourceFile && a.ms < seen {
			return out // overwritten
		}
	}
	lost.ms = seen
	at := slices.IndexFunc(out, func(a arrival) bool { return a.ms > seen })
	if at < 0 {
		at = len(out)
	}
	return slices.Insert(out, at, lost)
}

// TestFoldWithoutOne: any single piece of evidence may be lost, and the final state is
// true.
func TestFoldWithoutOne(t *testing.T) {
	for name, rec := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			want := final(rec)
			all := delayed(rand.New(rand.NewPCG(1, 1)), rec.Entries, true)
			for i, lost := range all {
				if lost.Source == api.SourceProcess || want == Unsaid {
					continue
				}
				list := without(all, i)
				if f := settled(list); f.State != want {
					t.Errorf("without %s: %s instead of %s (%s: %s)\n%s", lost.Entry, f.State, want, f.Rule, f.Reason, trail(list))
				}
			}
		})
	}
}
