package queue

import (
	"bufio"
	"bytes"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// FuzzTranscriptLines: an agent's transcript is read to its end, whatever is in it.
func FuzzTranscriptLines(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","timestamp":"2026-01-02T03:04:05Z","message":{"id":"m","usage":{"input_tokens":1}}}` + "\n"))
	f.Add(append(bytes.Repeat([]byte("x"), 70_000), '\n'))
	f.Add([]byte("{}\nhalf"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		for read := 0; ; {
			line, err := readLine(r)
			if read += line.n; len(line.data) > maxTranscriptLine || read > len(data) {
				t.Fatalf("%d bytes of a line, %d of %d read", len(line.data), read, len(data))
			}
			if err != nil {
				if read != len(data) {
					t.Errorf("%d of %d bytes", read, len(data))
				}
				return
			}
		}
	})
}

// FuzzTranscriptUsage: lines of an agent's transcript add up to tokens and refusals that
// there can be.
func FuzzTranscriptUsage(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","timestamp":"2026-01-02T03:04:05Z","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":2},"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"x"}}]}}` + "\n" +
		`{"type":"user","timestamp":"2026-01-02T03:04:06Z","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]},"toolUseResult":"User rejected tool use"}`))
	f.Add([]byte(`{"type":"assistant","isApiErrorMessage":true,"message":{"id":"m","usage":null}}`))
	f.Add([]byte(`{"type":"user","message":{"content":"\"tool_result\""},"toolUseResult":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		u := &usage{calls: map[string]api.Denial{}}
		into := map[string]int64{}
		lines := bytes.Split(data, []byte("\n"))
		for _, line := range lines {
			u.take(line, time.Time{}, into)
		}
		if len(into) > len(lines) || len(u.refused) > agents.MaxDenials || len(u.calls) > maxCalls {
			t.Errorf("%d messages, %d refused, %d calls of %d lines", len(into), len(u.refused), len(u.calls), len(lines))
		}
		for _, d := range u.refused {
			if len(d.Input) > agents.MaxDenialInput || d.By != "person" {
				t.Errorf("refused %+v", d)
			}
		}
	})
}
