package orchestrator

import (
	"encoding/json"
	"testing"
)

// TestRecordForm: records of older databases are read whole and written the same.
func TestRecordForm(t *testing.T) {
	old := `{"id":"t7","prompt":"p","kind":"interactive","state":"waiting","since":"2026-01-02T03:04:05Z","created":"2026-01-02T03:04:05Z","rank":7,"attempt":2,` +
		`"env":["@env:x"],"seq":7,"released":true,"forced":true,"pending":[{"task":"t1"}],"slot":true,"closing":true,"held":true,"untaken":true,` +
		`"progress":"2026-01-02T03:04:06Z","turn_end":"2026-01-02T03:04:07Z","exit":"2026-01-02T03:04:08Z","background":true,"owed":true,` +
		`"resume":"c","again":"go on","begun":true,"lost":1,"parks":2,"stalls":3}`
	var r Record
	if err := json.Unmarshal([]byte(old), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Approved || !r.First || r.Unmet[0].Task != "t1" || !r.HasSlot || !r.Ending || !r.OnHold || !r.PromptPending || r.Progress.IsZero() || r.TurnEnd.IsZero() ||
		r.Exit.IsZero() || !r.Background || !r.ReportDue || r.Resume != "c" || r.ResumePrompt != "go on" || !r.Answered || r.LostAttempts != 1 || r.LimitHits != 2 || r.Interruptions != 3 {
		t.Errorf("%+v", r)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var was, is map[string]any
	if json.Unmarshal([]byte(old), &was) != nil || json.Unmarshal(data, &is) != nil {
		t.Fatal(string(data))
	}
	for k := range was {
		if a, _ := json.Marshal(was[k]); string(a) != string(func() []byte { b, _ := json.Marshal(is[k]); return b }()) {
			t.Errorf("%s: %v became %v", k, was[k], is[k])
		}
	}
}
