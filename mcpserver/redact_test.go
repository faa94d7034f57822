package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	const hidden = "hunter2hunter2hunter2"
	for _, input := range []string{
		`{"password":"` + hidden + `"}`,
		`{"env":{"API_KEY":"` + hidden + `","GITHUB_TOKEN":"` + hidden + `"}}`,
		`{"command":"curl -H 'Authorization: Bearer ` + hidden + `' x"}`,
		`{"command":"PASSWORD=` + hidden + ` make"}`,
		`{"command":"login --password ` + hidden + ` -u me"}`,
		`{"args":["login","--token","` + hidden + `"]}`,
		`{"command":"git clone https://me:` + hidden + `@example.org/x"}`,
		`{"content":"key: sk-` + hidden + `"}`,
		`{"content":"-----BEGIN RSA PRIVATE KEY-----\n` + hidden + `"}`,
		`{"content":"{\"client_secret\": \"` + hidden + `\"}"}`,
		`{"a":[[{"secret":"` + hidden + `"}]]}`,
		`{"db_password":["` + hidden + `"]}`,
		`password=` + hidden,
	} {
		out := Redact(json.RawMessage(input))
		if strings.Contains(string(out), hidden) || !strings.Contains(string(out), Redacted) {
			t.Errorf("%s became %s", input, out)
		}
	}
	for _, input := range []string{`{"command":"go test ./...","path":"token_test.go","n":3,"b":true,"x":null}`, `{"old_string":"a := token()"}`, `{"args":["-v","./..."]}`} {
		var want, got any
		_ = json.Unmarshal([]byte(input), &want)
		_ = json.Unmarshal(Redact(json.RawMessage(input)), &got)
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		if string(w) != string(g) {
			t.Errorf("%s became %s", w, g)
		}
	}
	if out := Redact(json.RawMessage(`{"content":"` + strings.Repeat("é", 100_000) + `"}`)); len(out) > 2*maxText || !strings.Contains(string(out), "200000 bytes") {
		t.Errorf("%d bytes: %.100s", len(out), out)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"password":["x",{"a":1}],"c":"--token y"}`))
	f.Add([]byte(`[[[[[[[[[[[[1]]]]]]]]]]]]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := Redact(in)
		if len(out) > maxRecord || !json.Valid(out) {
			t.Errorf("%q became %.200q", in, out)
		}
	})
}
