package rollout

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/usage"
)

// limitsIn are the windows that a file tells.
func limitsIn(t *testing.T, text string) map[string]usage.Sample {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := transcript.NewFile(path, Decoder{}, transcript.Options{})
	if err := f.Read(t.Context(), func(api.Turn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	u, err := f.Used(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]usage.Sample{}
	for _, s := range u.Limits {
		found[s.Name] = s
	}
	return found
}

// tokenCount is an entry as 0.169.0 writes it, recorded; only the limits differ.
func tokenCount(at, limits string) string {
	return `{"timestamp":"` + at + `","ordinal":12,"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":1020},"model_context_window":258400},"rate_limits":` + limits + "}}\n"
}

// TestLimits: a window is known by its length, in whichever place it stands, and the newest entry counts.
func TestLimits(t *testing.T) {
	const old = `{"limit_id":"codex","limit_name":null,"primary":{"used_percent":42.5,"window_minutes":300,"resets_at":1795896350},"secondary":{"used_percent":17.0,"window_minutes":10080,"resets_at":1796187350},"plan_type":null}`
	const swapped = `{"limit_id":"codex","primary":{"used_percent":18,"window_minutes":10080,"resets_at":1796187350},"secondary":null}`
	const model = `{"limit_id":"codex_spark","limit_name":"Spark","primary":{"used_percent":3,"window_minutes":90,"resets_at":0}}`
	got := limitsIn(t, tokenCount("2026-11-28T17:35:50.653Z", old)+tokenCount("2026-11-28T17:45:00Z", swapped)+
		tokenCount("2026-11-28T17:40:00Z", old)+tokenCount("2026-11-28T17:46:00Z", model))
	if len(got) != 3 {
		t.Fatalf("windows %+v", got)
	}
	for name, want := range map[string]struct {
		used  float64
		reset int64
		len   time.Duration
		at    string
	}{
		"5h": {42.5, 1795896350, usage.FiveHours, "17:40:00"}, "7d": {18, 1796187350, usage.SevenDays, "17:45:00"}, "90m Spark": {3, 0, 90 * time.Minute, "17:46:00"},
	} {
		s := got[name]
		if s.UsedPercent == nil || *s.UsedPercent != want.used || s.Length != want.len || s.Source != usage.SourceTranscript || s.At.Format(time.TimeOnly) != want.at ||
			want.reset != 0 && s.ResetsAt.Unix() != want.reset || want.reset == 0 && !s.ResetsAt.IsZero() {
			t.Errorf("%s: %+v, want %+v", name, s, want)
		}
	}
	for _, none := range []string{"null", `{"primary":null}`, `{"primary":{"used_percent":null,"window_minutes":300}}`, `{"primary":{"used_percent":-1,"window_minutes":300}}`,
		`{"primary":{"used_percent":1,"window_minutes":0}}`, `{"primary":{"used_percent":1,"window_minutes":9e18}}`, `{"primary":{"used_percent":1e400}}`} {
		if got := limitsIn(t, tokenCount("2026-11-28T17:35:50Z", none)); len(got) > 0 {
			t.Errorf("%s: %+v", none, got)
		}
	}
}
