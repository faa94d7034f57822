package claude

import (
	"encoding/json"
	"testing"
	"time"
)

// FuzzStatusFile: what stands in an agent's session file is taken for what it says of
// that process alone.
func FuzzStatusFile(f *testing.F) {
	f.Add([]byte(`{"pid":7,"procStart":"12","status":"busy","statusUpdatedAt":1760000000000}`))
	f.Add([]byte(`{"pid":7,"status":"waiting","waitingFor":"permission","statusUpdatedAt":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"pid":7,"status":"x","statusUpdatedAt":1e300}`))
	f.Add([]byte(`{"pid":7,"status":"x","statusUpdatedAt":"0000-01-01T00:00:00+10:00"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, ok := (Adapter{}).DecodeStatus(data, 7)
		if ok && s.Status == "" {
			t.Error("a status that says nothing")
		}
		if _, err := json.Marshal(s.Evidence(time.Now())); err != nil {
			t.Errorf("evidence that cannot be saved: %v", err)
		}
		if _, ok := (Adapter{}).DecodeStatus(data, -3); ok && len(data) < 10 {
			t.Error("of a process that there cannot be")
		}
	})
}

// FuzzPrinted: lines of a one-shot run and of a transcript.
func FuzzPrinted(f *testing.F) {
	f.Add([]byte(`{"type":"result","subtype":"success","result":"done","num_turns":2,"total_cost_usd":0.1,"usage":{"input_tokens":1}}`))
	f.Add([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1790000000}}`))
	f.Add([]byte(`{"api_error_params":{"rate_limit_info":{"status":"rejected","resetsAt":-5}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		_, _ = readPrintResult(line)
		if at := LimitReset(line); !at.IsZero() && !at.After(time.Unix(0, 0)) {
			t.Errorf("a limit that ends at %s", at)
		}
	})
}
