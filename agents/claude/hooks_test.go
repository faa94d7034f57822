package claude

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

// genuine is what each payload of testdata/hooks says.
var genuine = map[string]struct {
	says    api.State
	fields  map[string]string
	message string
}{
	"ConfigChange":                       {says: "", message: "/home/dev/project/.claude/settings.local.json"},
	"CwdChanged":                         {says: "", message: "/home/dev/project/.claude"},
	"Elicitation":                        {says: api.StateInput, fields: map[string]string{"mcp_server": "ccdir", "mode": "form"}, message: "ccdir asks: Pick a color"},
	"ElicitationResult":                  {says: api.StateWorking, fields: map[string]string{"action": "accept"}, message: "ccdir: accept"},
	"InstructionsLoaded":                 {message: "/home/dev/project/CLAUDE.md"},
	"MessageDisplay":                     {message: "MessageDisplay"},
	"Notification.elicitation_dialog":    {says: api.StateInput, fields: map[string]string{"notification_type": "elicitation_dialog"}, message: "Claude Code needs your input"},
	"Notification.elicitation_response":  {says: api.StateWorking, fields: map[string]string{"notification_type": "elicitation_response"}, message: `Elicitation response for server "ccdir": accept`},
	"Notification.idle_prompt":           {says: api.StateIdle, fields: map[string]string{"notification_type": "idle_prompt"}, message: "Claude is waiting for your input"},
	"Notification.permission_prompt":     {says: api.StatePermission, fields: map[string]string{"notification_type": "permission_prompt"}, message: "Claude needs your permission"},
	"PermissionRequest.AskUserQuestion":  {says: api.StateInput, fields: map[string]string{"tool": "AskUserQuestion"}, message: "AskUserQuestion: Which? (A / B)"},
	"PermissionRequest":                  {says: api.StatePermission, fields: map[string]string{"tool": "Bash"}, message: "Bash: touch zz.txt"},
	"PermissionRequest.mcp":              {says: api.StatePermission, fields: map[string]string{"tool": "mcp__ccdir__extra"}, message: "mcp__ccdir__extra"},
	"PermissionDenied.REPL":              {says: api.StateWorking, fields: map[string]string{"tool": "REPL", "permission_mode": "auto", "reason": "flagged by the test"}},
	"PermissionRequest.REPL":             {says: api.StatePermission, fields: map[string]string{"tool": "REPL"}},
	"PermissionRequest.in-script.Bash":   {says: api.StatePermission, fields: map[string]string{"tool": "Bash"}, message: "Bash: touch mark"},
	"PostToolUse.REPL":                   {says: api.StateWorking, fields: map[string]string{"tool": "REPL"}},
	"PostToolUse.in-script.Bash":         {says: api.StateWorking, fields: map[string]string{"tool_use_id": "repl_1db75c9d-f274-4a02-b368-298ae50038b4"}},
	"PreToolUse.REPL":                    {says: api.StateWorking, fields: map[string]string{"tool": "REPL"}},
	"PreToolUse.in-script.Bash":          {says: api.StateWorking, fields: map[string]string{"tool_use_id": "repl_1db75c9d-f274-4a02-b368-298ae50038b4"}, message: "Bash: touch mark"},
	"PreToolUse.in-script.Write":         {says: api.StateWorking, fields: map[string]string{"tool": "Write"}},
	"PreToolUse.in-script.mcp":           {says: api.StateWorking},
	"PostCompact":                        {says: api.StateIdle, fields: map[string]string{"trigger": "manual"}, message: "compaction (manual)"},
	"PostModelSwitch":                    {fields: map[string]string{"model": "claude-sonnet-5-5"}, message: "claude-opus-5-5 → claude-sonnet-5-5"},
	"PostToolBatch":                      {message: "PostToolBatch"},
	"PostToolUse.Agent":                  {says: api.StateWorking, fields: map[string]string{"tool": "Agent"}, message: "Agent: sub"},
	"PostToolUse.AskUserQuestion":        {says: api.StateWorking, message: `AskUserQuestion: {"annotations":{},"answers":{"Which?":"A"},"questions":[{"header":"Pick","multiSelect":false,"options":[{"description":"a","label":"A"},{"description":"b","label":"B"}],"question":"Which?"}]}`},
	"PostToolUse":                        {says: api.StateWorking, fields: map[string]string{"tool_use_id": "toolu_1847edaf6a8144eb8523557e"}, message: "Bash: echo hi > out.txt"},
	"PostToolUse.mcp":                    {says: api.StateWorking, message: `mcp__ccdir__slow: {"n":4}`},
	"PostToolUseFailure":                 {says: api.StateWorking, fields: map[string]string{"error": "Exit code 3"}, message: `Bash: sh -c "exit 3" failed: Exit code 3`},
	"PreCompact":                         {says: api.StateWorking, fields: map[string]string{"trigger": "manual"}, message: "compaction (manual)"},
	"PreModelSwitch":                     {message: "claude-opus-5-5 → claude-sonnet-5-5"},
	"PreToolUse.Agent":                   {says: api.StateWorking, message: "Agent: sub"},
	"PreToolUse.AskUserQuestion":         {says: api.StateInput, fields: map[string]string{"tool": "AskUserQuestion"}, message: "AskUserQuestion: Which? (A / B)"},
	"PreToolUse":                         {says: api.StateWorking, fields: map[string]string{"tool": "Bash", "permission_mode": "manual"}, message: "Bash: echo hi > out.txt"},
	"PreToolUse.mcp":                     {says: api.StateWorking, message: `mcp__ccdir__slow: {"n":4}`},
	"SessionEnd.clear":                   {fields: map[string]string{"reason": "clear"}, message: "session ended: clear"},
	"SessionEnd.other":                   {says: api.StateExiting, fields: map[string]string{"reason": "other"}, message: "session ended: other"},
	"SessionEnd.prompt_input_exit":       {says: api.StateExiting, message: "session ended: other"},
	"SessionStart.clear":                 {says: api.StateIdle, fields: map[string]string{"source": "clear"}, message: "session clear"},
	"SessionStart.compact":               {fields: map[string]string{"source": "compact"}, message: "session compact"},
	"SessionStart.fork":                  {says: api.StateIdle, fields: map[string]string{"source": "fork"}, message: "session fork"},
	"SessionStart.resume":                {says: api.StateIdle, fields: map[string]string{"source": "resume"}, message: "session resume"},
	"SessionStart.startup":               {says: api.StateIdle, fields: map[string]string{"model": "claude-opus-5-5"}, message: "session startup"},
	"Stop":                               {says: api.StateIdle, message: "Hello from the mock. You said: hello world"},
	"StopFailure":                        {says: api.StateIdle, fields: map[string]string{"error": "unknown"}, message: "API Error: 400 mock error 400"},
	"SubagentStart":                      {fields: map[string]string{"agent_id": "a762fe09814074cd2", "agent_type": "general-purpose"}, message: "general-purpose"},
	"SubagentStop.compaction":            {fields: map[string]string{"agent_id": "a4b9aaceeba023d5d"}},
	"SubagentStop":                       {fields: map[string]string{"agent_id": "a762fe09814074cd2"}, message: "general-purpose: Hello from the mock. You said: hello from sub"},
	"UserPromptExpansion":                {says: api.StateWorking, fields: map[string]string{"command": "foo"}, message: "/foo bar"},
	"UserPromptSubmit":                   {says: api.StateWorking, message: "hello world"},
	"UserPromptSubmit.task-notification": {says: api.StateWorking, fields: map[string]string{"kind": "task-notification"}, message: `Agent "sub" finished`},
	"UserPromptSubmit.agent-message":     {says: api.StateWorking, fields: map[string]string{"kind": "agent-message"}, message: "report of a subagent: the subagent's answer"},
	"WorktreeCreate":                     {message: "WorktreeCreate"},
}

var fired = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestDecodeGenuinePayloads(t *testing.T) {
	files, err := filepath.Glob("testdata/hooks/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			want, ok := genuine[name]
			if !ok {
				t.Fatal("this payload is not classified")
			}
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			hook, _, _ := strings.Cut(name, ".")
			h, err := Adapter{}.DecodeHook(hook, fired, payload)
			if err != nil {
				t.Fatal(err)
			}
			e := h.Evidence
			if e.Says != want.says || e.Name != hook || e.Source != api.SourceHook || !e.At.Equal(fired) {
				t.Errorf("evidence %+v", e)
			}
			for k, v := range want.fields {
				if e.Fields[k] != v {
					t.Errorf("field %s is %q, want %q", k, e.Fields[k], v)
				}
			}
			if want.message != "" && h.Message != want.message {
				t.Errorf("message %q, want %q", h.Message, want.message)
			}
			if len(h.Conversation) != 36 || !strings.HasPrefix(h.CWD, "/home/dev/project") || !json.Valid(h.Data) {
				t.Errorf("conversation %q, cwd %q, data %s", h.Conversation, h.CWD, h.Data)
			}
		})
	}
}

// TestDecodersAreReached: each decoder has a genuine payload.
func TestDecodersAreReached(t *testing.T) {
	for hook := range hookKinds {
		found := false
		for name := range genuine {
			base, _, _ := strings.Cut(name, ".")
			found = found || base == hook
		}
		if !found {
			t.Errorf("no payload of %s", hook)
		}
	}
}

func decode(t *testing.T, hook, payload string) agents.Hook {
	t.Helper()
	h, err := Adapter{}.DecodeHook(hook, fired, []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestDecodeDetails(t *testing.T) {
	h := decode(t, "UserPromptSubmit", `{"prompt":"a\nb"}`)
	if h.Prompt != "a\nb" || h.Message != "a⏎b" {
		t.Errorf("prompt %q, message %q", h.Prompt, h.Message)
	}
	// A long paste is in marks of the CLI's.
	h = decode(t, "UserPromptSubmit", `{"prompt":"\n\n<pasted_content id=\"6705\">\na\nb\n</pasted_content id=\"6705\">\n"}`)
	if h.Prompt != "a\nb" || h.Message != "a⏎b" {
		t.Errorf("pasted: %q, %q", h.Prompt, h.Message)
	}
	if h := decode(t, "UserPromptSubmit", `{"prompt":"<task-notification>\n<summary>x</summary>"}`); h.Prompt != "" || h.Message != "x" {
		t.Errorf("prompt %q, message %q", h.Prompt, h.Message)
	}
	h = decode(t, "PermissionRequest", `{"tool_name":"Bash","tool_input":{"command":"rm x"}}`)
	if h.Question != "Bash: rm x" || h.Tool != "Bash" || string(h.ToolInput) != `{"command":"rm x"}` {
		t.Errorf("%+v", h)
	}
	h = decode(t, "Stop", `{"background_tasks":[{"type":"shell","status":"running"},{"type":"subagent","status":"completed"},{"type":"subagent","status":"running"}],"stop_hook_active":true}`)
	if h.Evidence.Fields["background_tasks"] != "2" || h.Evidence.Fields["background_agents"] != "1" || h.Evidence.Fields["stop_hook_active"] != "true" {
		t.Errorf("fields %v", h.Evidence.Fields)
	}
	h = decode(t, "PermissionDenied", `{"tool_name":"Bash","tool_input":{"command":"curl x"},"reason":"flagged"}`)
	if h.Message != "Bash: curl x denied: flagged" || h.Evidence.Says != api.StateWorking {
		t.Errorf("%+v", h)
	}
	h = decode(t, "PostCompact", `{"trigger":"auto"}`)
	if h.Evidence.Says != api.StateWorking {
		t.Errorf("after an automatic compaction %s", h.Evidence.Says)
	}
	// The name in the settings counts, not the payload's.
	if h := decode(t, "Stop", `{"hook_event_name":"SessionEnd","reason":"other"}`); h.Evidence.Says != api.StateIdle {
		t.Errorf("says %s", h.Evidence.Says)
	}
}

// TestDecodeWrongTypes: members of other types than expected are no error.
func TestDecodeWrongTypes(t *testing.T) {
	for hook := range hookKinds {
		h := decode(t, hook, `{"session_id":1,"prompt":[],"tool_name":{},"tool_input":"x","source":null,"reason":7,
			"background_tasks":{"a":1},"message":false,"trigger":[],"questions":3,"last_assistant_message":{}}`)
		if h.Evidence.Name != hook {
			t.Errorf("%s became %+v", hook, h.Evidence)
		}
	}
}

func TestDecodeMalformed(t *testing.T) {
	for _, payload := range []string{"", "null", "[]", "7", `"x"`, "{", "hello", "\x00\xff", `{"a":1} trailing`} {
		if h, err := (Adapter{}).DecodeHook("Stop", fired, []byte(payload)); err == nil {
			t.Errorf("%q became %+v", payload, h)
		} else if strings.ContainsAny(err.Error(), "\n\x00") {
			t.Errorf("error %q", err)
		}
	}
}

func TestDecodeLarge(t *testing.T) {
	for name, data := range map[string]string{
		"one long string":   `{"tool_name":"Read","tool_input":{"command":"` + strings.Repeat("é", 5<<20) + `"}}`,
		"many members":      `{"tool_name":"Read","tool_input":{` + strings.Repeat(`"a":1,`, 1) + manyMembers(200_000) + `}}`,
		"a long list":       `{"tool_name":"Read","tool_input":{"x":[` + strings.Repeat("1,", 2<<20) + `1]}}`,
		"deep":              `{"tool_name":"Read","tool_input":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000) + `}`,
		"a long number":     `{"tool_name":"Read","tool_input":{"n":` + strings.Repeat("1", 1<<20) + `}}`,
		"long member names": `{"tool_name":"Read","` + strings.Repeat("n", 1<<20) + `":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := decode(t, "PreToolUse", data)
			if h.Tool != "Read" || len(h.Data) > 2*payload.MaxData || len(h.ToolInput) > 2*payload.MaxData || !json.Valid(h.Data) {
				t.Errorf("tool %q, %d bytes of data, %d of input", h.Tool, len(h.Data), len(h.ToolInput))
			}
			if n := len([]rune(h.Message)); n > payload.MaxMessage+1 {
				t.Errorf("the message has %d runes", n)
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"m`)
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteString(string(rune('a'+i%26)) + strings.Repeat("y", i%11) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + `":"v"`)
	}
	return b.String()
}

func FuzzDecodeHook(f *testing.F) {
	files, _ := filepath.Glob("testdata/hooks/*.json")
	for _, file := range files {
		payload, _ := os.ReadFile(file)
		hook, _, _ := strings.Cut(filepath.Base(file), ".")
		f.Add(hook, payload)
	}
	f.Fuzz(func(t *testing.T, hook string, data []byte) {
		h, err := Adapter{}.DecodeHook(hook, fired, data)
		if err != nil {
			return
		}
		if !json.Valid(h.Data) || len(h.Data) > 2*payload.MaxData {
			t.Errorf("data %q", h.Data)
		}
		if c, ok := (Adapter{}).ConversationOf(h.Data); ok && (Adapter{}).OpenConversation(c) != nil && c.Path != "" && filepath.Base(c.Path) != c.ID+".jsonl" {
			t.Errorf("conversation %q is read from %q", c.ID, c.Path)
		}
		for k, v := range h.Evidence.Fields {
			checkVisible(t, k, v)
		}
		for _, s := range []string{h.Message, h.Question, h.Tool, h.Conversation, h.Evidence.Detail} {
			checkVisible(t, "text", s)
		}
		if _, err := json.Marshal(h.Evidence); err != nil {
			t.Error(err)
		}
	})
}

func checkVisible(t *testing.T, what, s string) {
	t.Helper()
	for _, r := range s {
		if unicode.IsControl(r) {
			t.Errorf("%s %q holds a control character", what, s)
		}
	}
}
