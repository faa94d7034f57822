package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

var fired = time.Date(2026, 11, 23, 9, 34, 0, 0, time.UTC)

// genuine are recorded payloads (0.169.0) and what each must become.
var genuine = map[string]struct {
	kind    api.EventKind
	says    api.State
	message string
	fields  map[string]string
}{
	"SessionStart.startup":          {api.KindConversationBegins, api.StateWorking, "session startup", map[string]string{"model": "gpt-5.2-codex"}},
	"SessionStart.clear":            {api.KindConversationBegins, api.StateWorking, "session clear", map[string]string{agents.FieldCleared: "true"}},
	"SessionEnd":                    {api.KindConversationEnds, api.StateExiting, "session ended: other", nil},
	"UserPromptSubmit":              {api.KindPrompt, api.StateWorking, "hello there", map[string]string{"prompt_id": "01a207c1-4cdc-7d02-8b1f-7b1273cb3b68"}},
	"Stop":                          {api.KindTurnEnds, api.StateIdle, "Reply: hello there", nil},
	"Stop.continued":                {api.KindTurnEnds, api.StateIdle, "", map[string]string{"stop_hook_active": "true"}},
	"Interrupt":                     {api.KindTurnInterrupted, api.StateIdle, "interrupted", nil},
	"PreToolUse.Bash":               {api.KindToolBegins, api.StateWorking, "Bash: touch a.txt", map[string]string{"tool": "Bash", "tool_use_id": "call_3"}},
	"PreToolUse.request_user_input": {api.KindToolBegins, api.StateInput, "AskUserQuestion: Which colour? (Red / Blue)", nil},
	"PostToolUse.Bash":              {api.KindToolEnds, api.StateWorking, "Bash: touch a.txt", map[string]string{"tool_use_id": "call_3"}},
	"PermissionRequest.Bash": {api.KindDialog, api.StatePermission, "Bash: touch a.txt (scripted reason)",
		map[string]string{"tool": "Bash", agents.FieldHeldBack: "true"}},
	"PreCompact":  {api.KindCompactionBegins, api.StateWorking, "compaction (manual)", nil},
	"PostCompact": {api.KindCompactionEnds, api.StateIdle, "compaction (manual)", nil},
}

func TestDecodeGenuine(t *testing.T) {
	for name, want := range genuine {
		t.Run(name, func(t *testing.T) {
			hook, _, _ := strings.Cut(name, ".")
			h := decodeFile(t, hook, name)
			if h.Evidence.Kind != want.kind || h.Evidence.Says != want.says || !h.Evidence.At.Equal(fired) || h.Evidence.Name != hook {
				t.Errorf("%+v", h.Evidence)
			}
			if want.message != "" && h.Message != want.message {
				t.Errorf("message %q, want %q", h.Message, want.message)
			}
			for k, v := range want.fields {
				if h.Evidence.Fields[k] != v {
					t.Errorf("field %s is %q, want %q", k, h.Evidence.Fields[k], v)
				}
			}
			if len(h.Conversation) != 36 || !strings.HasPrefix(h.CWD, "/home/dev/projects/acme-web") || !json.Valid(h.Data) || !strings.Contains(h.Transcript, h.Conversation) {
				t.Errorf("conversation %q, cwd %q, transcript %q, data %s", h.Conversation, h.CWD, h.Transcript, h.Data)
			}
		})
	}
	for hook := range hookKinds {
		seen := hook == HookSubagentStart || hook == HookSubagentStop // never seen
		for name := range genuine {
			base, _, _ := strings.Cut(name, ".")
			seen = seen || base == hook
		}
		if !seen {
			t.Errorf("no payload of %s", hook)
		}
	}
}

func decodeFile(t *testing.T, hook, name string) agents.Hook {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "hooks", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := Adapter{}.DecodeHook(hook, fired, data)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestRequestIsItsCall: the request has the input of its call, so that the end of the call
// closes it.
func TestRequestIsItsCall(t *testing.T) {
	asks := decodeFile(t, HookPermissionRequest, "PermissionRequest.Bash")
	q, ok := Adapter{}.DialogRequest(asks)
	if !ok || q.Tool != "Bash" || string(q.Input) != `{"command":"touch a.txt"}` || q.Question != "Bash: touch a.txt (scripted reason)" {
		t.Errorf("%+v, %v", q, ok)
	}
	var call, request any
	begins := decodeFile(t, HookPreToolUse, "PreToolUse.Bash")
	if json.Unmarshal(begins.FullInput, &call) != nil || json.Unmarshal(q.Input, &request) != nil || call.(map[string]any)["command"] != request.(map[string]any)["command"] {
		t.Errorf("the call has %s, its request %s", begins.FullInput, q.Input)
	}
	if _, ok := (Adapter{}).DialogRequest(begins); ok {
		t.Error("a call is a request")
	}
	if u, ok := (Adapter{}).ToolUse(begins); !ok || u.ID != "call_3" || u.Tool != "Bash" {
		t.Errorf("%+v, %v", u, ok)
	}
}

func TestReplies(t *testing.T) {
	decided := func(a api.Answer) api.Decision {
		return api.Decision{Outcome: api.OutcomeAnswered, Answer: &a}
	}
	for want, d := range map[string]api.Decision{
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`:                                  decided(api.Answer{Behavior: api.AnswerAllow}),
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not now"}}}`:               decided(api.Answer{Behavior: api.AnswerDeny, Message: "not now"}),
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"The user denied this."}}}`: decided(api.Answer{Behavior: api.AnswerDeny}),
	} {
		if got := (Adapter{}).PermissionReply(d); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	for what, d := range map[string]api.Decision{
		"no answer": {Outcome: api.OutcomeElsewhere}, "a changed command": decided(api.Answer{Behavior: api.AnswerAllow, Input: json.RawMessage(`{}`)}),
	} {
		if got := (Adapter{}).PermissionReply(d); got != "" {
			t.Errorf("%s: %s", what, got)
		}
	}
	for effect, want := range map[string]string{
		api.EffectNone: "", api.EffectAllow: "",
		api.EffectDeny: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"policy r: why"}}`,
		api.EffectAsk:  `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"this needs a person's permission, and nobody gave it: policy r: why"}}`,
	} {
		if got := (Adapter{}).ToolReply(api.Verdict{Effect: effect, Rule: "r", Reason: "why"}, ""); got != want {
			t.Errorf("%s: %s\nwant %s", effect, got, want)
		}
	}
}

// TestAnswerKeys: keys are pressed only in the dialog of the request.
func TestAnswerKeys(t *testing.T) {
	const dialog = "  Would you like to run the following command?\n\n  Reason: scripted reason\n\n  $ touch a b\n    c.txt\n\n\n› 1. Yes, proceed (y)\n" +
		"  2. Yes, and don't ask again (p)\n  3. No (esc)\n\n  Press enter to confirm or esc to cancel\n"
	answered := func(command string, a api.Answer) api.Decision {
		input, _ := json.Marshal(map[string]string{"command": command})
		return api.Decision{Outcome: api.OutcomeAnswered, Answer: &a, Request: api.Request{Tool: "Bash", Input: input}}
	}
	allow, deny := api.Answer{Behavior: api.AnswerAllow}, api.Answer{Behavior: api.AnswerDeny, Message: "use d"}
	if keys, follow, ok := (Adapter{}).AnswerKeys(answered("touch a b c.txt", allow), dialog); !ok || len(keys) != 1 || keys[0] != "y" || follow != "" {
		t.Errorf("%v %q %v", keys, follow, ok)
	}
	if keys, follow, ok := (Adapter{}).AnswerKeys(answered("touch a b c.txt", deny), dialog); !ok || len(keys) != 1 || keys[0] != "Escape" || follow != "use d" {
		t.Errorf("%v %q %v", keys, follow, ok)
	}
	for what, c := range map[string]struct{ command, screen string }{
		"another command": {"rm -r x", dialog},
		"an answered one": {"touch a b c.txt", strings.ReplaceAll(dialog, "Press enter", "")},
		"no command":      {"", dialog},
		"one further up":  {"touch a b c.txt", dialog + "  Would you like to run the following command?\n  $ rm\n  Press enter to confirm or esc to cancel\n"},
		"an empty screen": {"touch a b c.txt", ""},
	} {
		if keys, _, ok := (Adapter{}).AnswerKeys(answered(c.command, allow), c.screen); ok {
			t.Errorf("%s: keys %v", what, keys)
		}
	}
}

func FuzzDecodeHook(f *testing.F) {
	for name := range genuine {
		data, _ := os.ReadFile(filepath.Join("testdata", "hooks", name+".json"))
		hook, _, _ := strings.Cut(name, ".")
		f.Add(hook, data)
	}
	f.Fuzz(func(t *testing.T, hook string, data []byte) {
		h, err := Adapter{}.DecodeHook(hook, fired, data)
		if err != nil {
			return
		}
		if !json.Valid(h.Data) || len(h.Data) > 2*payload.MaxData {
			t.Errorf("data %q", h.Data)
		}
		if len(h.FullInput) > 0 && !json.Valid(h.FullInput) {
			t.Errorf("input %q", h.FullInput)
		}
		for _, s := range []string{h.Message, h.Question, h.Tool, h.Conversation, h.Evidence.Detail, (Adapter{}).AsksLine(h.Tool, h.FullInput, h.CWD)} {
			if strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("%q holds a control character", s)
			}
		}
		if c, ok := (Adapter{}).ConversationOf(h.Data); ok && c.Path != "" && (Adapter{}).OpenConversation(c) != nil && !strings.HasSuffix(c.Path, c.ID+".jsonl") {
			t.Errorf("conversation %q is read from %q", c.ID, c.Path)
		}
		if q, ok := (Adapter{}).DialogRequest(h); ok && q.Tool == "" {
			t.Error("a request without a tool")
		}
	})
}
