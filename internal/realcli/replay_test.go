package realcli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/sessions"
)

// Tolerances of the replay, in milliseconds. Evidence comes some time after its
// cause (Esc is reported after 90 ms; recordings were made on a busy machine),
// and a dialog is announced half a second before it is drawn, an answer's end
// just before the test sees it.
const (
	graceMS       = 400
	earlyDialogMS = 700
	earlyMS       = 300
)

// gaps are the recordings in which the state is not always right, and why. One
// that is right after all fails the test, so that the list stays true.
var gaps = map[string]string{}

// TestFoldOnTimelines folds the recorded evidence of every scenario, version
// and variant and compares the state with what was really so, at every moment.
func TestFoldOnTimelines(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "testdata", "timelines", "*", "*.json"))
	if err != nil || len(files) < 70 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r Recording
			if err := json.Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			wrong := replay(r, 1)
			reason, gap := gaps[name]
			switch {
			case gap && len(wrong) == 0:
				t.Errorf("no longer wrong: take it off the list of gaps")
			case gap:
				t.Logf("known gap: %s", reason)
			case len(wrong) > 0:
				t.Errorf("the state is wrong:\n%s", strings.Join(wrong, "\n"))
			}
		})
	}
}

// signs gives recorded titles and statuses the meaning that the adapter knows.
func signs(e api.Evidence) api.Evidence {
	switch e.Source {
	case api.SourceTitle:
		e.Says = agents.Claude{}.TitleSays(e.Fields["text"])
	case api.SourceFile:
		if e.Fields["status"] != "" {
			return agents.FileStatus{Status: e.Fields["status"], WaitingFor: e.Fields["waiting_for"]}.Evidence(e.At)
		}
	}
	return e
}

// segment is a stretch of time in which one state is true.
type segment struct {
	from, to int64
	state    api.State
}

// replay folds the evidence of a recording and says where the state is wrong.
// The tolerances are multiplied by slack.
func replay(r Recording, slack int64) (wrong []string) {
	var truth []segment
	for _, e := range r.Entries {
		if e.Source == SourceTruth {
			if n := len(truth); n > 0 {
				truth[n-1].to = e.MS
			}
			truth = append(truth, segment{e.MS, 1 << 40, api.State(e.Name)})
		}
	}
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fold := sessions.NewFold(true, base)
	next, changed := 0, int64(0)
	early := func(s segment, after api.State) bool {
		window := earlyMS * slack
		if after.NeedsPerson() {
			window = earlyDialogMS * slack
		}
		return fold.State == after && changed >= max(s.from, s.to-window)
	}
	check := func(ms int64) {
		for i, s := range truth {
			if ms < s.from || ms >= s.to {
				continue
			}
			ok := fold.State == s.state || s.state == Unsaid
			ok = ok || i > 0 && ms-s.from < graceMS*slack && (fold.State == truth[i-1].state || truth[i-1].state == Unsaid)
			ok = ok || i+1 < len(truth) && early(s, truth[i+1].state)
			ok = ok || fold.State == api.StateExiting && i+1 == len(truth)
			if !ok {
				wrong = append(wrong, fmt.Sprintf("at %d ms %s instead of %s (%s: %s)", ms, fold.State, s.state, fold.Rule, fold.Reason))
			}
		}
	}
	moments := []int64{}
	for _, s := range truth {
		moments = append(moments, s.from+graceMS*slack, s.to-1)
	}
	for ms := int64(0); next < len(r.Entries) || ms < r.Entries[len(r.Entries)-1].MS+graceMS; ms++ {
		for next < len(r.Entries) && r.Entries[next].MS <= ms {
			e := r.Entries[next]
			next++
			if e.Source == SourceTruth {
				continue
			}
			e.At = base.Add(time.Duration(e.MS) * time.Millisecond)
			if e.Question != "" {
				fields := map[string]string{"question": e.Question}
				for k, v := range e.Fields {
					fields[k] = v
				}
				e.Fields = fields
			}
			before := fold.State
			if fold = fold.Apply(signs(e.Evidence)); fold.State != before {
				changed = ms
			}
			check(ms)
		}
		if due := fold.Wake(); !due.IsZero() && !base.Add(time.Duration(ms)*time.Millisecond).Before(due) {
			fold = fold.Apply(api.Evidence{Source: api.SourceTimer, At: due})
			changed = ms
			check(ms)
		}
		for _, m := range moments {
			if m == ms {
				check(ms)
			}
		}
	}
	return wrong
}
