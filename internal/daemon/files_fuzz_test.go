package daemon

import (
	"bufio"
	"bytes"
	"testing"
)

// FuzzRepoStatus: counts of what git says, never more than there are entries.
func FuzzRepoStatus(f *testing.F) {
	f.Add("# branch.upstream origin/main\x00# branch.ab +1 -2\x001 M. N... a\x002 R. N... b\x00old\x00u UU c\x00? d\x00")
	f.Add("2 \x00")
	f.Fuzz(func(t *testing.T, out string) {
		s := parseStatus(out)
		if n := bytes.Count([]byte(out), []byte{0}) + 1; s.Changed+s.Conflicts+s.Untracked > n {
			t.Errorf("%+v of %d entries", s, n)
		}
	})
}

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
