package claude

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ccdir/usage"
)

var reportedAt = time.Date(2026, 11, 28, 17, 0, 0, 0, time.UTC)

// recorded is a file of testdata/usage, in one line.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "usage", name))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// told is a window in a report: its name, share and end.
type told struct {
	name string
	used float64
	ends int64
}

func wantSamples(t *testing.T, got []usage.Sample, source usage.Source, want ...told) {
	t.Helper()
	slices.SortFunc(got, func(a, b usage.Sample) int { return cmp.Compare(a.Name, b.Name) })
	if len(got) != len(want) {
		t.Fatalf("%d windows, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		s := got[i]
		ends := int64(0)
		if !s.ResetsAt.IsZero() {
			ends = s.ResetsAt.Unix()
		}
		if s.Agent != "claude" || s.Name != w.name || s.UsedPercent == nil || *s.UsedPercent != w.used || ends != w.ends || s.Source != source || !s.At.Equal(reportedAt) {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
}

func TestStatusLine(t *testing.T) {
	m, err := Adapter{}.ReadMeter(reportedAt, recorded(t, "statusLine.after-answer.oauth.json"))
	if err != nil {
		t.Fatal(err)
	}
	wantSamples(t, m.Samples, usage.SourceStatusLine, told{"5h", 42, 1795895581}, told{"7d", 17, 1796186581})
	if m.ContextLeft == nil || *m.ContextLeft != 100 || m.ContextTokens != 30 || m.CostUSD == nil || *m.CostUSD != 0.00044 || m.Model != "claude-opus-5-5" || m.Work != 308 {
		t.Errorf("%+v", m)
	}
	if m, _ = (Adapter{}).ReadMeter(reportedAt, recorded(t, "statusLine.fresh.oauth.json")); m.ContextLeft != nil || m.ContextTokens != 0 || len(m.Samples) != 2 {
		t.Errorf("before the first answer: %+v", m)
	}
	if m, _ = (Adapter{}).ReadMeter(reportedAt, recorded(t, "statusLine.after-answer.api-key.json")); len(m.Samples) != 0 {
		t.Errorf("with an API key: %+v", m.Samples)
	}
	spend := []byte(`{"spend_limit":{"used_percentage":61.5,"resets_at":1796186581},"rate_limits":{"seven_day_opus":{"used_percentage":3},"moon_phase":{"used_percentage":9},"five_hour":null}}`)
	m, _ = Adapter{}.ReadMeter(reportedAt, spend)
	wantSamples(t, m.Samples, usage.SourceStatusLine, told{"7d opus", 3, 0}, told{"spend", 61.5, 1796186581})
}

func TestLimitEvents(t *testing.T) {
	for file, want := range map[string][]told{
		"rate_limit_event.allowed.json":  {{"5h", 42, 1795897650}, {"7d", 17, 1796188650}},
		"rate_limit_event.warning.json":  {{"5h", 93, 1795897651}, {"7d", 17, 1796188651}},
		"rate_limit_event.rejected.json": {{"5h", 100, 1795888713}, {"7d", 30, 1796188653}},
		"result.usage-limit.json":        nil,
	} {
		t.Run(file, func(t *testing.T) {
			wantSamples(t, Adapter{}.ReadLimits(reportedAt, recorded(t, file)), usage.SourcePrint, want...)
		})
	}
}

func TestUsageProbe(t *testing.T) {
	list, done, why := Adapter{}.ReadUsageProbe(reportedAt, recorded(t, "get_usage.response.oauth.json"))
	five, seven := time.Date(2026, 11, 28, 20, 27, 33, 0, time.UTC).Unix(), time.Date(2026, 12, 2, 5, 17, 33, 0, time.UTC).Unix()
	wantSamples(t, list, usage.SourceProbe, told{"5h", 42, five}, told{"7d", 17, seven}, told{"7d sonnet", 3, seven}, told{"extra", 24.7, 0})
	if !done || why != "" {
		t.Errorf("done %v %q", done, why)
	}
	if list, done, why = (Adapter{}).ReadUsageProbe(reportedAt, recorded(t, "get_usage.response.api-key.json")); len(list) != 0 || !done || why == "" {
		t.Errorf("with an API key: %v %v %q", list, done, why)
	}
	if _, done, _ = (Adapter{}).ReadUsageProbe(reportedAt, []byte(`{"type":"system","subtype":"init"}`)); done {
		t.Error("another line is taken for the answer")
	}
}

// FuzzLimits: whatever agents report becomes samples that can be saved.
func FuzzLimits(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "usage", "*.json"))
	for _, file := range files {
		f.Add(recorded(f, filepath.Base(file)))
	}
	f.Add([]byte(`{"rate_limits":{"five_hour":{"used_percentage":1e308,"resets_at":-1e300},"seven_day_":{"used_percentage":-0.0}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, _ := Adapter{}.ReadMeter(reportedAt, data)
		probed, _, _ := Adapter{}.ReadUsageProbe(reportedAt, data)
		for _, s := range slices.Concat(m.Samples, Adapter{}.ReadLimits(reportedAt, data), probed) {
			if s.Name == "" || s.UsedPercent == nil || *s.UsedPercent < 0 {
				t.Errorf("%+v", s)
			}
			if _, err := json.Marshal(s); err != nil {
				t.Error(err)
			}
		}
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	})
}
