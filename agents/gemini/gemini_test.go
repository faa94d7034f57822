package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/screentext"
	"ccdir/api"
)

func prepare(t *testing.T, settings string) (agents.Start, map[string]any) {
	t.Helper()
	home := t.TempDir()
	config := filepath.Join(home, configDir)
	if err := os.Mkdir(config, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{settingsFile: settings, "oauth_creds.json": "{}", "projects.json": `{"projects":{}}`, "own.txt": "x"} {
		if err := os.WriteFile(filepath.Join(config, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := agents.Start{Command: "/bin/gemini", Shim: "/opt/it's/ccdir-shim", Dir: t.TempDir(), Args: []string{"-m", "x"}, MCP: true, Preapproved: []string{"read"},
		Env: []string{"HOME=" + home, api.EnvToken + "=secret"}}
	launch, err := Adapter{}.Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	over := agents.Getenv(launch.Env, "GEMINI_CLI_HOME")
	if len(launch.Conversation) != 36 || !slices.Equal(launch.Argv, []string{"/bin/gemini", "-m", "x", "--session-id", launch.Conversation}) || filepath.Dir(over) != s.Dir {
		t.Errorf("%+v", launch)
	}
	data, err := os.ReadFile(filepath.Join(over, configDir, settingsFile))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]bool{"oauth_creds.json": true, "own.txt": true, "tmp": true, "installation_id": true, "projects.json": false, settingsFile: false} {
		info, err := os.Lstat(filepath.Join(over, configDir, name))
		if err != nil || (info.Mode()&os.ModeSymlink != 0) != link {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if after, err := os.ReadFile(filepath.Join(config, settingsFile)); err != nil || string(after) != settings {
		t.Errorf("the user's settings changed: %s", after)
	}
	return s, out
}

// TestPrepare: the overlay home has the user's settings with ours, also at a second start, and
// what is written through its links is the user's.
func TestPrepare(t *testing.T) {
	s, out := prepare(t, `{
		// mine
		"ui": {"theme": "a // b", "hideWindowTitle": true}, /* two
		lines */ "hooks": {"BeforeTool": [{"hooks": []}]}, "mcpServers": {"other": {}}
	}`)
	ui, hooks, servers := out["ui"].(map[string]any), out["hooks"].(map[string]any), out["mcpServers"].(map[string]any)
	if ui["theme"] != "a // b" || ui["hideWindowTitle"] != false || len(hooks["BeforeTool"].([]any)) != 2 || len(hooks["AfterAgent"].([]any)) != 1 || len(servers) != 2 {
		t.Errorf("%v", out)
	}
	text, _ := json.Marshal(hooks["AfterTool"])
	if !strings.Contains(string(text), `'/opt/it'\\''s/ccdir-shim' hook AfterTool`) {
		t.Errorf("%s", text)
	}
	gate := agents.Gate{Shim: s.Shim, Hook: HookBeforeTool, Form: api.GateDecision, Limit: agents.GateLimit}
	entry := hooks["BeforeTool"].([]any)[1].(map[string]any)["hooks"].([]any)[0].(map[string]any)
	if entry["command"] != gate.Command() || entry["timeout"] != float64(gate.Timeout().Milliseconds()) {
		t.Errorf("%v", entry)
	}
	if _, err := (Adapter{}).Prepare(s); err != nil {
		t.Errorf("the second start: %v", err)
	}
	l, err := (Adapter{}).Prepare(s)
	if err != nil || agents.Getenv(l.Env, envTrust) != filepath.Join(agents.Getenv(s.Env, "HOME"), configDir, trustFile) {
		t.Errorf("trust is not the user's: %v, %v", l.Env, err)
	}
	s.Resume = "c"
	if l, err = (Adapter{}).Prepare(s); err != nil || l.Argv[len(l.Argv)-1] != "c" || l.Conversation != "c" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestBrokenSettings(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, configDir, settingsFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Adapter{}.Prepare(agents.Start{Command: "/g", Shim: "/s", Dir: t.TempDir(), Env: []string{"HOME=" + home}})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func decode(t *testing.T, file string) agents.Hook {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "payloads", file))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(file, ".")
	h, err := Adapter{}.DecodeHook(name, time.Unix(1, 0), data)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestPayloads: what the CLI's own payloads mean.
func TestPayloads(t *testing.T) {
	for file, want := range map[string]struct {
		kind    api.EventKind
		says    api.State
		message string
	}{
		"SessionStart.startup.json":         {api.KindConversationBegins, api.StateIdle, "session startup"},
		"SessionEnd.json":                   {api.KindConversationEnds, api.StateExiting, "session ended: exit"},
		"BeforeAgent.json":                  {api.KindPrompt, api.StateWorking, "hello"},
		"AfterAgent.json":                   {api.KindTurnEnds, api.StateIdle, "Reply: hello"},
		"BeforeTool.run_shell_command.json": {api.KindToolBegins, api.StateWorking, "Bash: touch a.txt"},
		"BeforeTool.write_file.json":        {api.KindToolBegins, api.StateWorking, "Write: /home/dev/projects/acme-webx/w.txt"},
		"AfterTool.run_shell_command.json":  {api.KindToolEnds, api.StateWorking, "Bash: touch a.txt"},
		"Notification.exec.json":            {api.KindDialog, api.StatePermission, "Bash: touch a.txt"},
		"Notification.edit.json":            {api.KindDialog, api.StatePermission, "Write: /home/dev/projects/acme-webx/w.txt"},
		"PreCompress.json":                  {"", "", "PreCompress"},
	} {
		h := decode(t, file)
		if h.Evidence.Kind != want.kind || h.Evidence.Says != want.says || h.Message != want.message || h.Conversation != "98b324d4-d8b4-478c-b47a-a0b5d99ac684" {
			t.Errorf("%s: %s, %s, %q", file, h.Evidence.Kind, h.Evidence.Says, h.Message)
		}
	}
	q, ok := Adapter{}.DialogRequest(decode(t, "Notification.exec.json"))
	if !ok || q.Tool != "Bash" || string(q.Input) != `{"command":"touch a.txt"}` {
		t.Errorf("%v %+v", ok, q)
	}
	u, ok := Adapter{}.ToolUse(decode(t, "BeforeTool.write_file.json"))
	if !ok || u.Tool != "Write" || !strings.Contains(string(u.Input), `"file_path"`) {
		t.Errorf("%v %+v", ok, u)
	}
	if got := (Adapter{}).AsksLine(q.Tool, q.Input, "/home/dev"); got != "touch a.txt" {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]string{"mcp_ccdir_run_command": "mcp__ccdir__run_command", "replace": "Edit", "mcp_x": "mcp_x", "other": "other"} {
		if got, _, _ := Call(name, nil); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func screen(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "screens", name+".ansi"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func plainText(ansi string) string {
	var b strings.Builder
	for _, l := range screentext.Lines(ansi) {
		b.WriteString(strings.TrimRight(string(l.Text), " ") + "\n")
	}
	return b.String()
}

// TestScreens: input line, dialogs and start as the CLI painted them.
func TestScreens(t *testing.T) {
	for name, want := range map[string]struct {
		input  string
		ok     bool
		dialog bool
		start  bool
	}{
		"prompt": {"", true, false, false}, "typed": {"RUN touch a.txt", true, false, false}, "paste": {"[Pasted Text: 40 lines]", true, false, false},
		"dialog": {"", false, true, false}, "edit": {"", false, true, false}, "trust": {"", false, false, true},
		"resuming": {"", false, false, false},
	} {
		ansi := screen(t, name)
		plain := plainText(ansi)
		s, ok := Adapter{}.ReadScreen(ansi)
		if s.Input != want.input || ok != want.ok || s.Loading != (name == "resuming") {
			t.Errorf("%s: %+v, %v", name, s, ok)
		}
		keys, follow, dialog := Adapter{}.AnswerKeys(api.Decision{Outcome: api.OutcomeAnswered, Answer: &api.Answer{Behavior: api.AnswerDeny, Message: "not so"}}, plain)
		if dialog != want.dialog || dialog && (!slices.Equal(keys, []string{"Escape"}) || follow != "not so") {
			t.Errorf("%s: %v %q %v", name, keys, follow, dialog)
		}
		e := agents.LookAt(Adapter{}.ScreenRules(), true, plain, false, time.Now())
		if (e.Says == api.StateInput) != want.start {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if s, _ := (Adapter{}).ReadScreen(screen(t, "queued") + "\n" + screen(t, "prompt")); s.Input != "" {
		t.Errorf("%+v", s)
	}
	if got := queued(strings.Split(plainText(screen(t, "queued")), "\n")); !slices.Equal(got, []string{"second prompt"}) {
		t.Errorf("%q", got)
	}
}

func TestTitleStatus(t *testing.T) {
	for title, want := range map[string]string{"◇  Ready (w-2)   ": "idle", "✦  Working… (w-2)": "working", "⏲  Working… (w)": "working", "✋  Action Required (w)": "blocked", "": "", "vim": ""} {
		if got := (Adapter{}).TitleStatus(title); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
}

func TestPrintResult(t *testing.T) {
	r, ok := Adapter{}.PrintResult([]byte(`Ripgrep is not available.
{"type":"init","session_id":"c","model":"m"}
{"type":"message","role":"user","content":"RUN"}
{"type":"message","role":"assistant","content":"First ","delta":true}
{"type":"tool_use","tool_name":"run_shell_command"}
{"type":"tool_result","status":"success","output":"hi"}
{"type":"message","role":"assistant","content":"Tool ","delta":true}
{"type":"message","role":"assistant","content":"finished.","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":2040}}
`))
	if !ok || r.Text != "Tool finished." || r.Tokens != 2040 || r.Turns != 2 || r.Conversation != "c" || r.Failed {
		t.Errorf("%v %+v", ok, r)
	}
	r, ok = Adapter{}.PrintResult([]byte(`{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error]"},"stats":{"total_tokens":0}}`))
	if !ok || !r.Failed || r.Text != "[API Error]" {
		t.Errorf("%v %+v", ok, r)
	}
	if _, ok := (Adapter{}).PrintResult([]byte("{\"type\":\"init\"}\n")); ok {
		t.Error("half a run has a result")
	}
}

// TestConversation: turns as the CLI wrote them; what it writes anew after a cancelled turn
// is no turn.
func TestConversation(t *testing.T) {
	read := func(file string) (list []api.Turn) {
		path := filepath.Join(t.TempDir(), "session-x-11111111.jsonl")
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		source := Adapter{}.OpenConversation(agents.Conversation{ID: "11111111-2222", Path: path})
		if source == nil {
			t.Fatal("no source")
		}
		err = source.Read(t.Context(), func(turn api.Turn) error {
			turn.Items, turn.Tools = slices.Clone(turn.Items), slices.Clone(turn.Tools)
			list = append(list, turn)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	list := read("tool.jsonl")
	if len(list) != 1 || list[0].Prompt != "RUN echo hi\n" || list[0].Answer != "Tool finished." || list[0].State != api.TurnDone || len(list[0].Tools) != 1 ||
		list[0].Tools[0].Name != "Bash" || list[0].Tools[0].Result != "hi" || list[0].Tools[0].Outcome != api.ToolOK || list[0].Tokens.Output != 40 || list[0].Model != "gemini-2.5-flash" {
		t.Errorf("%+v", list)
	}
	list = read("cancelled.jsonl")
	if len(list) != 2 || list[0].Answer != "Reply: hello world" || list[1].State != api.TurnInterrupted || list[1].Answer != "" || list[1].Tools[0].Outcome != api.ToolRefused {
		t.Errorf("%+v", list)
	}
}

// TestFailure: the words about an error become its message and kind.
func TestFailure(t *testing.T) {
	for text, want := range map[string]api.TurnFailure{
		`[API Error: {"error":{"code":400,"message":"bad","status":"INTERNAL"}}]`: {Kind: api.FailureAPI, Message: "bad"},
		`[API Error: {"error":{"code":429,"message":"slow down"}}]`:               {Kind: api.FailureLimit, Message: "slow down"},
		`[API Error: {"error":{"code":403,"message":"no key"}}]`:                  {Kind: api.FailureAuth, Message: "no key"},
		`[API Error: fetch failed]`:                                               {Kind: api.FailureAPI, Message: "fetch failed"},
		`something else`:                                                          {Kind: api.FailureAPI, Message: "something else"},
	} {
		if got := failure(text, time.Time{}); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestChosenMode: the mode that the arguments choose is the session's, because no hook reports it.
func TestChosenMode(t *testing.T) {
	for args, want := range map[string]string{"": "", "-m x": "", "--yolo": "yolo", "-y": "yolo", "--yolo=false": "", "--approval-mode auto_edit": "auto_edit",
		"--approval-mode=yolo": "yolo", "--approval-mode default": api.ModeManual, "--approval-mode": ""} {
		if got := chosenMode(strings.Fields(args)); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}
