package claude

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ccdir/api"
)

// TestHookInvalidUTF8: what is passed on of a payload is text, whatever it held.
func TestHookInvalidUTF8(t *testing.T) {
	h, err := (Adapter{}).DecodeHook("PermissionRequest", time.Now(), []byte("{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls \xff\xc0\"},\"\xfe\":1}"))
	if err != nil || !utf8.Valid(h.FullInput) || !utf8.Valid(h.Data) || !utf8.ValidString(h.Message) || h.Tool != "Bash" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestOtherSpelling: a member that is spelt otherwise than the agent does is not taken for
// the agent's: nobody is shown, or allows, what will not be done.
func TestOtherSpelling(t *testing.T) {
	input := json.RawMessage(`{"questions":[{"question":"a","Question":"b","options":[{"label":"x","Label":"y"}],"Options":[]}],"Questions":[{"question":"c"}]}`)
	r := api.Request{Input: input}
	describeQuestions(&r)
	if r.Questions != 1 || len(r.Choices) != 1 || r.Choices[0] != "x" || questionText(input) != "a (x)" {
		t.Errorf("%d questions, %q: %q", r.Questions, r.Choices, questionText(input))
	}
	if out := answerQuestions(r, "x"); !strings.Contains(string(out), `"answers":{"a":"x"}`) {
		t.Errorf("answered with %s", out)
	}
}
