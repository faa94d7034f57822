package policy

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzParseInput: what is cut by hand is what the decoder reads.
func FuzzParseInput(f *testing.F) {
	for _, s := range []string{`{}`, ` {"a" : 1 , "b":[{"x":"]}"},2] ,"c":{"d":"\"}"}}`, `{"a":"b","a":1}`, `{"command":"\u0067it"}`, `[1]`, `"x"`, `{"a":tru`,
		"{\"\\u0061\":1,\"a\":2}", "{\"\xff\":1,\"\xfe\":2}", `{"a":-1.5e3,"b":null,"c":true}`, `{"a":1} {}`, `{"":""}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := parseInput(raw)
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(raw, &want)
		if err == nil && (wantErr != nil || want == nil || len(want) != len(in)) {
			t.Fatalf("%q: read %d keys, the decoder %d, %v", raw, len(in), len(want), wantErr)
		}
		if err != nil {
			if wantErr == nil && want != nil && bytes.Count(raw, []byte(":")) <= len(want) {
				t.Fatalf("%q: not read: %v", raw, err)
			}
			return
		}
		for k, v := range want {
			if !bytes.Equal(v, in[k]) {
				t.Fatalf("%q: %q is %q, the decoder has %q", raw, k, in[k], v)
			}
			var s *string
			text, ok, err := in.text(k)
			if json.Unmarshal(v, &s) == nil != (err == nil) || ok && err == nil && (s == nil || *s != text) {
				t.Fatalf("%q: the text %q is %q, %v", raw, k, text, err)
			}
		}
	})
}
