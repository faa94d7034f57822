package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/agents/payload"
	"ccdir/api"
)

func TestPermissionRequest(t *testing.T) {
	for _, c := range []struct {
		file, tool, input string
		kind              api.RequestKind
	}{
		{"PermissionRequest.json", "Bash", `"touch zz.txt"`, api.RequestPermission},
		{"PermissionRequest.mcp.json", "mcp__ccdir__extra", ``, api.RequestPermission},
		{"PermissionRequest.AskUserQuestion.json", "AskUserQuestion", ``, api.RequestQuestion},
	} {
		payload, err := os.ReadFile(filepath.Join("testdata", "hooks", c.file))
		if err != nil {
			t.Fatal(err)
		}
		h, err := Adapter{}.DecodeHook("PermissionRequest", time.Now(), payload)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := Adapter{}.DialogRequest(h)
		if !ok || r.Tool != c.tool || r.Kind != c.kind || r.Mode != "manual" || r.CWD != "/home/dev/project" {
			t.Errorf("%s: %v %+v", c.file, ok, r)
		}
		var in map[string]json.RawMessage
		if json.Unmarshal(r.Input, &in) != nil || string(in["command"]) != c.input {
			t.Errorf("%s: the input is %s", c.file, r.Input)
		}
	}
	h, err := Adapter{}.DecodeHook("PreToolUse", time.Now(), []byte(`{"tool_name":"Bash"}`))
	if _, ok := (Adapter{}).DialogRequest(h); ok || err != nil {
		t.Errorf("PreToolUse is a request: %v", err)
	}
}

// TestPermissionInputIsWhole: what a person approves must not be shortened.
func TestPermissionInputIsWhole(t *testing.T) {
	long := make([]byte, 3*payload.MaxData)
	for i := range long {
		long[i] = 'x'
	}
	data, _ := json.Marshal(map[string]any{"tool_name": "Bash", "tool_input": map[string]string{"command": string(long)}})
	h, err := Adapter{}.DecodeHook("PermissionRequest", time.Now(), data)
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := (Adapter{}).DialogRequest(h); len(r.Input) < len(long) || len(h.ToolInput) > 2*payload.MaxData {
		t.Errorf("the input has %d bytes, the event's %d", len(r.Input), len(h.ToolInput))
	}
}

func TestPermissionReply(t *testing.T) {
	r := api.Request{Tool: "Bash", Input: json.RawMessage(`{"command":"touch a"}`)}
	const head, tail = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":`, `}}}`
	for _, c := range []struct {
		outcome api.RequestOutcome
		answer  *api.Answer
		want    string
	}{
		{api.OutcomeAnswered, &api.Answer{Behavior: "allow"}, head + `"allow"` + tail},
		{api.OutcomeAnswered, &api.Answer{Behavior: "allow", Always: true, Rule: "Bash(touch a)"}, head + `"allow"` + tail}, // ccdir keeps the rule
		{api.OutcomeAnswered, &api.Answer{Behavior: "deny", Message: "use \"mktemp\""}, head + `"deny","message":"use \"mktemp\""` + tail},
		{api.OutcomeAnswered, &api.Answer{Behavior: "deny"}, head + `"deny","message":"The user denied this."` + tail},
		{api.OutcomeAnswered, &api.Answer{Behavior: "later"}, ""},
		{api.OutcomeAnswered, nil, ""},
		{api.OutcomeElsewhere, &api.Answer{Behavior: "allow"}, ""},
		{api.OutcomeDeadline, nil, ""},
	} {
		if got := (Adapter{}).PermissionReply(api.Decision{Request: r, Outcome: c.outcome, Answer: c.answer}); got != c.want {
			t.Errorf("%s %+v:\n got %s\nwant %s", c.outcome, c.answer, got, c.want)
		}
	}
}

// TestPlanReply: an approved plan is answered with its input, without which the CLI's dialog
// stays open.
func TestPlanReply(t *testing.T) {
	const head = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":`
	for _, c := range []struct {
		behavior    api.AnswerBehavior
		input, want string
	}{
		{"allow", `{"plan":"# Do it"}`, `"allow","updatedInput":{"plan":"# Do it"}}}}`},
		{"allow", `{}`, `"allow","updatedInput":{}}}}`},
		{"allow", ``, `"allow","updatedInput":{}}}}`},
		{"deny", `{"plan":"# Do it"}`, `"deny","message":"The user denied this."}}}`},
	} {
		r := api.Request{Tool: "ExitPlanMode", Kind: api.RequestPlan, Input: json.RawMessage(c.input)}
		d := api.Decision{Request: r, Outcome: api.OutcomeAnswered, Answer: &api.Answer{Behavior: c.behavior}}
		if got := (Adapter{}).PermissionReply(d); got != head+c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.behavior, c.input, got, head+c.want)
		}
	}
	d := api.Decision{Request: api.Request{Tool: "ExitPlanMode", Kind: api.RequestPlan}, Outcome: api.OutcomeAnswered}
	for mode, want := range map[string]string{
		api.ModeManual: `"allow","updatedInput":{}}}}`,
		"acceptEdits":  `"allow","updatedInput":{},"updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]}}}`,
	} {
		d.Answer = &api.Answer{Behavior: api.AnswerAllow, Mode: mode}
		if got := (Adapter{}).PermissionReply(d); got != head+want {
			t.Errorf("mode %s:\n got %s\nwant %s", mode, got, head+want)
		}
	}
}
