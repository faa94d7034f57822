package opencode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

func TestPrepare(t *testing.T) {
	s := agents.Start{Command: "/bin/opencode", Shim: "/shim", Dir: t.TempDir(), Args: []string{"--agent", "x"}, Model: "a/b", Resume: "ses_1", MCP: true, Preapproved: []string{"read"},
		Env: []string{"HOME=/h", api.EnvToken + "=secret", envConfig + `={"permission":{"bash":{"ls *":"allow"}},"plugin":["mine"],"mcp":{"other":{}},"x":1}`}}
	l, err := Adapter{}.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(strings.Join(l.Argv, " "), "/bin/opencode --agent x --model a/b --hostname 127.0.0.1 --port ") || l.Argv[len(l.Argv)-1] != "ses_1" || l.Conversation != "ses_1" {
		t.Errorf("%q", l.Argv)
	}
	password := agents.Getenv(l.Env, envPassword)
	if len(password) < 40 || l.Control.Secret != password || l.Control.Network != "tcp" || !strings.HasPrefix(l.Control.Address, "127.0.0.1:") || strings.Contains(strings.Join(l.Argv, " "), password) {
		t.Errorf("%+v", l.Control)
	}
	var config struct {
		Permission map[string]any
		MCP        map[string]any
		Plugin     []string
		X          int
	}
	if err := json.Unmarshal([]byte(agents.Getenv(l.Env, envConfig)), &config); err != nil {
		t.Fatal(err)
	}
	if config.Permission["edi?"] != "ask" || config.Permission["rea?"] != "ask" || config.Permission["bas?"] != nil || config.Permission["ccdir_read"] != "allow" || config.Permission["bash"].(map[string]any)["ls *"] != "allow" || len(config.MCP) != 2 || config.X != 1 || len(config.Plugin) != 2 || config.Permission[closed] != nil {
		t.Errorf("%+v", config)
	}
	s.Env = []string{envConfig + "=no"}
	if _, err := (Adapter{}).Prepare(s); err == nil {
		t.Error("a broken configuration was taken")
	}
	s.Env = nil
	if l, err := (Adapter{}).PreparePrint(s, agents.Bounds{}); err != nil || strings.Join(l.Argv, " ") != "/bin/opencode run --format json --agent x --session ses_1 --model a/b" || l.Control.Network != "" || !strings.Contains(agents.Getenv(l.Env, envConfig), `,"?*":"deny"}`) {
		t.Errorf("%q, %v", l.Argv, err)
	}
}

// TestGateSettings: the plugin has opencode ask where it certainly does, and needs the policy's word in a
// one-shot run for what changes something.
func TestGateSettings(t *testing.T) {
	allowsBash := []string{envConfig + `={"permission":{"bash":"allow"}}`}
	for _, c := range []struct {
		name        string
		args, env   []string
		print       bool
		asks, needs []string
	}{
		{"terminal", nil, nil, false, []string{"bash", "edit", "write", "apply_patch", "webfetch", "read", "grep"}, nil},
		{"own settings", nil, allowsBash, false, []string{"edit", "read"}, nil},
		{"auto", []string{"--auto"}, nil, false, nil, nil},
		{"auto by another name", []string{"--yolo=true"}, nil, false, nil, nil},
		{"not by itself", []string{"--auto=false"}, nil, false, []string{"bash"}, nil},
		{"one shot", nil, nil, true, nil, []string{"bash", "edit", "write", "patch", "webfetch"}},
		{"one shot, own settings", nil, allowsBash, true, nil, []string{"edit"}},
		{"one shot, auto", []string{"--auto"}, nil, true, nil, nil},
	} {
		s := agents.Start{Command: "/bin/opencode", Shim: "/shim", Dir: t.TempDir(), Args: c.args, Env: c.env}
		l, err := Adapter{}.Prepare(s)
		if c.print {
			l, err = Adapter{}.PreparePrint(s, agents.Bounds{})
		}
		if (l.Mode == modeAuto) != strings.Contains(c.name, "auto") {
			t.Errorf("%s: mode %q", c.name, l.Mode)
		}
		text, readErr := os.ReadFile(filepath.Join(s.Dir, gateFile))
		if err != nil || readErr != nil {
			t.Fatal(c.name, err, readErr)
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(string(text), "const gate = "), "\n")
		var g gate
		if err := json.Unmarshal([]byte(first), &g); err != nil {
			t.Fatal(c.name, err)
		}
		for tool := range words {
			if _, asks := g.Asks[tool]; slices.Contains(c.asks, tool) && !asks || len(c.asks) == 0 && asks || slices.Contains(g.Needs, tool) && len(c.needs) == 0 || slices.Contains(c.needs, tool) && !slices.Contains(g.Needs, tool) {
				t.Errorf("%s, %s: asks %v, needs %v", c.name, tool, g.Asks, g.Needs)
			}
		}
		if _, asks := g.Asks["bash"]; (asks || slices.Contains(g.Needs, "bash")) && c.env != nil || g.Reported == c.print || (g.Closed != "") != c.print {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}

// TestHook: the plugin's hook asks about a call in ccdir's words, and is news only where no server tells
// of it.
func TestHook(t *testing.T) {
	for reported, payload := range map[bool]string{
		true:  `{"hook_event_name":"PreToolUse","cwd":"/p","reported":true,"tool_name":"write","tool_input":{"filePath":"a"},"tool_use_id":"c"}`,
		false: `{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"write","tool_input":{"filePath":"a"},"tool_use_id":"c"}`,
	} {
		h, err := Adapter{}.DecodeHook(HookPreToolUse, time.Unix(1, 0), []byte(payload))
		use, ok := Adapter{}.ToolUse(h)
		if err != nil || !ok || use.Tool != api.ToolWrite || string(use.Input) != `{"file_path":"a"}` || use.ID != "c" || h.Skip != reported || h.CWD != "/p" {
			t.Errorf("%+v, %v", use, err)
		}
	}
	if got := (Adapter{}).ToolReply(api.Verdict{Effect: api.EffectDeny, Reason: "no"}, ""); !strings.Contains(got, `"permissionDecision":"deny"`) {
		t.Error(got)
	}
	if got := (Adapter{}).ToolReply(api.Verdict{Effect: api.EffectNone}, ""); got != "" {
		t.Error(got)
	}
}

// reports are what a tracker makes of recorded events.
func reports(t *testing.T, data []byte) (list []agents.Report) {
	t.Helper()
	tracker := &tracker{}
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		list = append(list, tracker.read(sc.Bytes(), time.Unix(1, 0))...)
	}
	return list
}

// TestRecorded: a prompt, a command that a person refused with words, a queued prompt with a question, and an API
// that fails until the turn is ended, as the server told it.
func TestRecorded(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ids := map[string]bool{}
	for _, r := range reports(t, data) {
		e := r.Hook.Evidence
		what := string(e.Kind) + e.Fields["state"] + e.Fields["kind"]
		switch {
		case r.Opens != "":
			what += "+" + r.Opens[:3]
		case r.Closes != "":
			what += "-" + r.Closes[:3]
		}
		got = append(got, what)
		if ids[r.ID] {
			t.Errorf("%s is there twice", r.ID)
		}
		ids[r.ID] = true
	}
	want := strings.Fields(`conversation-begins prompt working tool-begins dialog+per blockedpermission note-per working tool-refused
		prompt dialog+que blockedquestion note-que working tool-ends idle turn-ends prompt working working working idle turn-fails`)
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// TestPayloads: every recorded payload is read, and what it says is right.
func TestPayloads(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		(&tracker{}).read(data, time.Unix(1, 0))
	}
	data, _ := os.ReadFile(filepath.Join("testdata", "payloads", "event.permission.asked.json"))
	list := (&tracker{}).read(data, time.Unix(1, 0))
	q, ok := Adapter{}.DialogRequest(list[0].Hook)
	if !ok || q.Tool != "Bash" || string(q.Input) != `{"command":"touch a.txt"}` || (Adapter{}).AsksLine(q.Tool, q.Input, "") != "touch a.txt" {
		t.Errorf("%v %+v", ok, q)
	}
	data, _ = os.ReadFile(filepath.Join("testdata", "payloads", "event.session.error.json"))
	if list := (&tracker{}).read(data, time.Unix(1, 0)); list[0].Hook.Evidence.Kind != api.KindTurnInterrupted {
		t.Errorf("%+v", list)
	}
}

// TestSubagents: what a subagent does is not the conversation's.
func TestSubagents(t *testing.T) {
	list := reports(t, []byte(`{"id":"e1","type":"session.created","properties":{"sessionID":"ses_a","info":{"id":"ses_a"}}}
{"id":"e2","type":"session.created","properties":{"sessionID":"ses_b","info":{"id":"ses_b","parentID":"ses_a"}}}
{"id":"e3","type":"session.status","properties":{"sessionID":"ses_b","status":{"type":"busy"}}}
{"id":"e4","type":"permission.asked","properties":{"id":"per_1","sessionID":"ses_b","permission":"bash","metadata":{"command":"ls"}}}
{"id":"e5","type":"session.idle","properties":{"sessionID":"ses_b"}}
{"id":"e6","type":"newer.event","properties":{}}
{"id":"e7","type":"newer.event","properties":{}}
`))
	var got []string
	for _, r := range list {
		got = append(got, string(r.Hook.Evidence.Kind)+":"+r.Hook.Evidence.Fields["agent_id"]+":"+r.Hook.Conversation)
	}
	if want := []string{"conversation-begins::ses_a", "subagent-begins:ses_b:", "dialog:ses_b:", "subagent-ends:ses_b:", "note::ses_a"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAnswers(t *testing.T) {
	one := api.Request{Input: json.RawMessage(`{"questions":[{"question":"Which?","options":[{"label":"Red"},{"label":"Blue"}]}]}`)}
	two := api.Request{Input: json.RawMessage(`{"questions":[{"question":"A"},{"question":"B"}]}`)}
	many := api.Request{Input: json.RawMessage(`{"questions":[{"question":"A","multiple":true}]}`)}
	for text, c := range map[string]struct {
		r    api.Request
		want string
	}{"Blue": {one, `[["Blue"]]`}, "x\ny": {two, `[["x"],["y"]]`}, "p\nq": {many, `[["p","q"]]`}, "x": {two, "null"}, "": {one, "null"}} {
		if got, _ := json.Marshal(answers(c.r, text)); string(got) != c.want {
			t.Errorf("%q: %s", text, got)
		}
	}
	h := agents.Hook{Tool: api.ToolAsk, FullInput: one.Input, Evidence: api.Evidence{Kind: api.KindDialog}}
	if q, ok := (Adapter{}).DialogRequest(h); !ok || q.Kind != api.RequestQuestion || q.Questions != 1 || !slices.Equal(q.Choices, []string{"Red", "Blue"}) {
		t.Errorf("%+v", q)
	}
}

func TestPrintResult(t *testing.T) {
	r, ok := Adapter{}.PrintResult([]byte(`{"type":"step_start","sessionID":"ses_1","part":{}}
{"type":"tool_use","sessionID":"ses_1","part":{}}
{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls","cost":0.5,"tokens":{"input":10,"output":2,"reasoning":1,"cache":{"read":3,"write":0}}}}
{"type":"step_start","sessionID":"ses_1","part":{}}
{"type":"text","sessionID":"ses_1","part":{"text":"Tool finished."}}
{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","cost":0.25,"tokens":{"input":1,"output":1,"cache":{}}}}
`))
	if !ok || r.Text != "Tool finished." || r.Turns != 2 || r.Cost != 0.75 || r.Tokens != 18 || r.Conversation != "ses_1" {
		t.Errorf("%v %+v", ok, r)
	}
	if r, ok := (Adapter{}).PrintResult([]byte(`{"type":"error","error":{"name":"APIError","data":{"message":"no"}}}`)); !ok || !r.Failed || r.Text != "no" {
		t.Errorf("%v %+v", ok, r)
	}
}

// TestEndsAreToldOnce: a server that says twice that it is idle ends one turn; a call that a person refused
// without a word ends it as interrupted, one refused with words does not.
func TestEndsAreToldOnce(t *testing.T) {
	const (
		prompt = `{"type":"message.updated","properties":{"sessionID":"s","info":{"id":"u","role":"user"}}}
{"type":"message.part.updated","properties":{"sessionID":"s","part":{"type":"text","text":"go","messageID":"u","id":"p"}}}`
		answer  = `{"type":"message.updated","properties":{"sessionID":"s","info":{"id":"a","role":"assistant"}}}`
		refusal = `{"type":"message.part.updated","properties":{"sessionID":"s","part":{"type":"tool","tool":"bash","callID":"c","messageID":"a","id":"t","state":{"status":"error","error":"%s"}}}}`
		failure = `{"type":"session.error","properties":{"sessionID":"s","error":{"name":"APIError","data":{"message":"no"}}}}`
		idle    = `{"type":"session.idle","properties":{"sessionID":"s"}}`
	)
	for want, events := range map[string][]string{
		"turn-ends":                      {prompt, answer, idle, answer, idle},
		"turn-fails":                     {prompt, answer, failure, idle, answer, idle},
		"tool-refused turn-interrupted":  {prompt, answer, fmt.Sprintf(refusal, refusedCall), idle, idle},
		"tool-refused turn-ends":         {prompt, answer, fmt.Sprintf(refusal, strings.TrimSuffix(refusedCall, ".")+refusedWords+"no"), idle, idle},
		"tool-refused prompt turn-ends ": {prompt, answer, fmt.Sprintf(refusal, refusedQuestion), strings.ReplaceAll(prompt, `"u"`, `"u2"`), idle},
	} {
		var got []string
		for _, r := range reports(t, []byte(strings.Join(events, "\n")))[1:] {
			got = append(got, string(r.Hook.Evidence.Kind))
		}
		if strings.Join(got, " ") != strings.TrimSpace(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCopiesAreNoNews: a fork begins with copies of messages, which are reported as if they were new.
func TestCopiesAreNoNews(t *testing.T) {
	events := `{"type":"session.created","properties":{"sessionID":"s","info":{"id":"s","time":{"created":5000}}}}
{"type":"message.updated","properties":{"sessionID":"s","info":{"id":"u","role":"user","time":{"created":1000}}}}
{"type":"message.part.updated","properties":{"sessionID":"s","part":{"type":"text","text":"old","messageID":"u","id":"p"}}}
{"type":"message.updated","properties":{"sessionID":"s","info":{"id":"a","role":"assistant","time":{"created":2000}}}}
{"type":"message.part.updated","properties":{"sessionID":"s","part":{"type":"tool","tool":"bash","callID":"c","messageID":"a","id":"t","state":{"status":"completed"}}}}
{"type":"message.updated","properties":{"sessionID":"s","info":{"id":"u2","role":"user","time":{"created":6000}}}}
{"type":"message.part.updated","properties":{"sessionID":"s","part":{"type":"text","text":"new","messageID":"u2","id":"p2"}}}`
	list := reports(t, []byte(events))
	if len(list) != 2 || list[0].Hook.Evidence.Kind != api.KindConversationBegins || list[1].Hook.Prompt != "new" {
		t.Errorf("%+v", list)
	}
}

// TestUnknownEvent: an event that a newer server may send is kept once, and tells no state.
func TestUnknownEvent(t *testing.T) {
	tracker := &tracker{}
	data := []byte(`{"id":"e","type":"session.nonesuch","properties":{"sessionID":"ses_1","level":{"of":3}}}`)
	list := tracker.read(data, time.Unix(1, 0))
	if len(list) != 1 || list[0].Hook.Evidence.Says != "" || list[0].Hook.Message != "session.nonesuch" || !strings.Contains(string(list[0].Hook.Data), `"level":{"of":3}`) {
		t.Errorf("%+v", list)
	}
	if again := tracker.read(data, time.Unix(2, 0)); len(again) != 0 {
		t.Errorf("%+v", again)
	}
}

// TestFixedPermissions: what the configuration of the environment allows, opencode asks nobody about.
func TestFixedPermissions(t *testing.T) {
	for config, want := range map[string]string{
		"": "", `{"permission":{"bash":"ask"}}`: "", `{"permission":{"bash":{"*":"ask"}}}`: "", `{"permission":"ask"}`: "", `{"permission":{"task":"allow"}}`: "", `{"permission":{"read":"allow"}}`: "read",
		`{"permission":"allow"}`: strings.Join(asked, ", "), `{"permission":{"bash":"allow"}}`: "bash", `{"permission":{"edit":{"*":"ask","*.md":"allow"},"bash":"allow"}}`: "bash, edit",
	} {
		if got := strings.Join(fixed(config), ", "); got != want {
			t.Errorf("%s: %q, want %q", config, got, want)
		}
	}
}

// TestAsksAbout: the tools about which opencode can be made to ask, in ccdir's words.
func TestAsksAbout(t *testing.T) {
	for tool, want := range map[string]bool{api.ToolBash: true, api.ToolEdit: true, api.ToolPatch: true, api.ToolRead: true, api.ToolGrep: true, api.ToolWebFetch: true,
		api.ToolAgent: false, api.ToolSkill: false, api.ToolWebSearch: false, "mcp__a__b": false, "": false} {
		if got := (Adapter{}).AsksAbout(tool); got != want {
			t.Errorf("%q: %v", tool, got)
		}
	}
}
