package fakeapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestFormats: the other APIs get the same script's answers in their own form, a prompt and a
// tool's result told apart.
func TestFormats(t *testing.T) {
	s := New(Turns(Tool("shell", map[string]string{"command": "ls"})))
	defer s.Close()
	for _, c := range []struct{ path, body, want string }{
		{"/v1beta/models/m:streamGenerateContent?alt=sse", `{"tools":[{"functionDeclarations":[{"name":"shell"}]}],"contents":[{"role":"user","parts":[{"text":"<context>"},{"text":"do it"}]}]}`,
			`"functionCall":{"args":{"command":"ls"},"id":"toolu_00000001","name":"shell"}`},
		{"/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"shell","response":{"output":"x"}}}]}]}`, `"text":"Done."`},
		{"/v1beta/models/m:countTokens", `{}`, `"totalTokens":10`},
		{"/v1/responses", `{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"<environment_context>"},{"type":"input_text","text":"do it"}]}],"tools":[{"type":"function","name":"exec_command"}]}`, `"delta":"You said: do it"`},
		{"/v1/responses", `{"model":"m","input":[{"role":"user","content":"do it"},{"type":"function_call","call_id":"c1"},{"type":"function_call_output","call_id":"c1","output":"x"}]}`, `"delta":"Done."`},
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"do it"}]}`, `"content":"You said: do it"`},
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"do it"},{"role":"assistant","content":null},{"role":"tool","tool_call_id":"t1","content":"x"}]}`, `"content":"Done."`},
	} {
		resp, err := http.Post(s.URL()+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s %s: %v\n%s\nwant %s", c.path, c.body, err, got, c.want)
		}
	}
	if r := s.Requests(); r[0].Prompt != "do it" || !r[0].Main() || r[1].Results["shell"] == "" || r[2].Tools[0] != "exec_command" || r[3].Results["c1"] != "x" || r[5].Results["t1"] != "x" {
		t.Errorf("%+v", r)
	}
}
