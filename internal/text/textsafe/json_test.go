package textsafe

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONWriter: the same value comes out, in whatever pieces it went in, and nothing
// that a terminal would take for more than text.
func TestJSONWriter(t *testing.T) {
	for _, text := range []string{"plain", "日本 é 👩‍💻", "\u009b6n\u009d0;x\u009c\x7f", "\u202eabc\u2066", "\ufeff\ufff9", "\U000f0000 \U000e0001", "tab\tline\nesc\x1b"} {
		var in bytes.Buffer
		enc := json.NewEncoder(&in)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(map[string]string{text: text}); err != nil {
			t.Fatal(err)
		}
		for size := 1; size < 5; size++ {
			var out bytes.Buffer
			w := NewJSONWriter(&out)
			for rest := in.Bytes(); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				if n, err := w.Write(rest[:min(size, len(rest))]); err != nil || n != min(size, len(rest)) {
					t.Fatal(n, err)
				}
			}
			var back map[string]string
			if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[text] != text {
				t.Errorf("%q in pieces of %d became %q, %v", text, size, out.String(), err)
			}
			if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && unsafe(r) }); i >= 0 {
				t.Errorf("%q in pieces of %d: %q", text, size, out.String())
			}
		}
	}
}
