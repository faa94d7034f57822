package policy

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// FuzzRequestText: what an agent asks is shown in a line, with its control characters
// made visible.
func FuzzRequestText(f *testing.F) {
	f.Add("Bash", []byte("{\"command\":\"a\\u001b]0;x\\u0007\\nb\"}"), 20)
	f.Add("Edit", []byte(`{"file_path":"/a","old_string":"b"}`), 0)
	f.Add("AskUserQuestion", []byte(`[`), 3)
	f.Fuzz(func(t *testing.T, tool string, input []byte, n int) {
		text := textsafe.Cut(textsafe.Line(requestText(api.Request{Tool: tool, Input: input})), n%100)
		if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q", text)
		}
	})
}
