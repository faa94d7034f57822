package realcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/sessions/state"
)

// gaps are the recordings whose state is not always right, and why. A recording in the
// list that is right fails the test, so that the list stays true.
var gaps = map[string]string{}

// interruptedAtEnd are the scenarios whose last turn a key interrupts.
const interruptedAtEnd = " api-529-escape escape-before-output escape-in-tool escape-while-streaming permission-ctrl-c permission-escape permission-escape-at-once permission-no prompt-in-dialog question-escape "

// TestFoldOnTimelines folds the recorded evidence of every scenario, version and
// variant and compares the state with the truth, at every moment, and at the end whether a turn was interrupted.
func TestFoldOnTimelines(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(Root(t), "testdata", "timelines", "*", "*.json"))
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
			wrong, last := replay(r, 1)
			if want := strings.Contains(interruptedAtEnd, " "+r.Scenario+" "); last.Interrupted != want {
				t.Errorf("its last turn is interrupted: %t, want %t", last.Interrupted, want)
			}
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

// signs gives recorded hooks, titles and statuses the meaning that the adapter knows.
func signs(e api.Evidence) api.Evidence {
	switch e.Source {
	case api.SourceHook:
		claude.Interpret(&e)
	case api.SourceTitle:
		e.Says = claude.Adapter{}.TitleSays(e.Fields["text"])
	case api.SourceFile:
		if e.Fields["status"] != "" {
			return agents.FileStatus{Status: e.Fields["status"], WaitingFor: e.Fields["waiting_for"]}.Evidence(e.At)
		}
	}
	return e
}

// replay folds the evidence of a recording and says where the state is wrong, with the fold at
// the end. The tolerances are multiplied by slack.
func replay(r Recording, slack int64) (wrong []string, last state.Fold) {
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fold := state.NewFold(true, base)
	shown := []moment{{0, fold.State, ""}}
	note := func(ms int64) {
		if last := shown[len(shown)-1]; last.state != fold.State {
			shown = append(shown, moment{ms, fold.State, fold.Rule + ": " + fold.Reason})
		}
	}
	next := 0
	end := r.Entries[len(r.Entries)-1].MS + graceMS*slack + 1 // what is not known by then is missed
	for ms := int64(0); next < len(r.Entries) || ms < end; ms++ {
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
			fold = fold.Apply(signs(e.Evidence))
			note(ms)
		}
		if due := fold.Wake(); !due.IsZero() && !base.Add(time.Duration(ms)*time.Millisecond).Before(due) {
			fold = fold.Apply(api.Evidence{Source: api.SourceTimer, At: due})
			note(ms)
		}
	}
	return judge(truth(r.Entries), shown, end, slack), fold
}
