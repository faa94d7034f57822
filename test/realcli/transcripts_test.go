package realcli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude/conversation"
	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/test/fakeapi"
)

// transcriptScenarios are the kinds of entries of a conversation's file that no other
// scenario has.
func transcriptScenarios() []scenario {
	accept := []string{"--permission-mode", "acceptEdits"}
	long := strings.Repeat("A line of a long prompt.\n", 12)
	return []scenario{
		{name: "thinking", script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Thinking: "They greet me.\nI greet them."}, {Text: "Hello."}}}), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.Answered("● Hello.")
		}},
		{name: "tools", args: accept, script: fakeapi.Turns(
			fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "I look first."},
				{Tool: "Bash", Input: map[string]any{"command": "ls; echo done", "description": "List"}},
				{Tool: "Bash", Input: map[string]any{"command": "cat missing; echo oops >&2; cat missing2", "description": "Fail"}}}},
			fakeapi.Tool("Grep", map[string]any{"pattern": "nothing", "path": "."}),
			fakeapi.Tool("TodoWrite", map[string]any{"todos": []any{map[string]any{"content": "one", "status": "pending", "activeForm": "doing one"}}}),
			fakeapi.Tool("Read", map[string]any{"file_path": "missing.txt"}),
			fakeapi.Text("That is all."),
		), play: func(s *Scene) {
			s.Ready()
			s.Prompt("look around")
			s.Answered("● That is all.")
		}},
		{name: "edits", args: accept, play: func(s *Scene) {
			s.Ready()
			s.Prompt("change it")
			s.Answered("● Changed.")
		}},
		{name: "refusal", script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "No."}}, Stop: "refusal"}), play: func(s *Scene) {
			s.Ready()
			s.Prompt("do harm")
			s.until("Stop", func(e Entry) bool { return Hook("Stop")(e) || Hook("StopFailure")(e) })
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "max-tokens", script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Half a sen"}}, Stop: "max_tokens"}), play: func(s *Scene) {
			s.Ready()
			s.Prompt("a long story")
			s.until("Stop", func(e Entry) bool { return Hook("Stop")(e) || Hook("StopFailure")(e) })
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "queued-in-tool", args: accept, script: fakeapi.Turns(bash("sleep 4"), fakeapi.Text("Both done.")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("please run it")
			s.until("PreToolUse", Hook("PreToolUse"))
			s.Submit(s.ctx, "and say hello")
			s.Answered("● Both done.")
		}},
		{name: "api-401", env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}, script: failing(401, "no such key in the test"), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.until("StopFailure", Hook("StopFailure"))
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "api-429", env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}, script: failing(429, "This request would exceed your account's rate limit."), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.until("StopFailure", Hook("StopFailure"))
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "pasted", play: func(s *Scene) {
			s.Ready()
			s.Type("paste", "\x1b[200~"+long+"\x1b[201~")
			s.Quiet(rest)
			s.Key("Enter", "\r", api.StateWorking)
			s.Answered("● You said:")
		}},
		{name: "slash-commands", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Submit(s.ctx, "/unknown")
			s.Quiet(2 * rest)
			s.Submit(s.ctx, "/context")
			s.Quiet(2 * rest)
			s.Prompt("after")
			s.Answered("● You said: after")
		}},
		{name: "denied-by-hook", args: accept, prepare: denyingHook, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("please run it")
			s.Answered("● Done.")
		}},
	}
}

// denyingHook is a PreToolUse hook of the user's that denies all.
func denyingHook(t *testing.T, p *Place) {
	settings := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo not here >&2; exit 2"}]}]}}`
	if err := os.WriteFile(filepath.Join(p.Config, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
}

// editScript writes a file in the project, reads it and edits it.
func editScript(cwd string) fakeapi.Script {
	file := filepath.Join(cwd, "poem.txt")
	return fakeapi.Turns(
		fakeapi.Tool("Write", map[string]any{"file_path": file, "content": "roses\nviolets\n"}),
		fakeapi.Tool("Read", map[string]any{"file_path": file}),
		fakeapi.Tool("Edit", map[string]any{"file_path": file, "old_string": "violets\n", "new_string": "tulips\nlilies\n"}),
		fakeapi.Tool("Edit", map[string]any{"file_path": file, "old_string": "nowhere", "new_string": "x"}),
		fakeapi.Tool("Write", map[string]any{"file_path": file, "content": "roses\n"}),
		fakeapi.Text("Changed."))
}

// transcripts names the scenarios whose files are recorded, besides transcriptScenarios, and
// those that every run plays.
var transcripts = struct{ recorded, played []string }{
	recorded: []string{"answer", "permission-yes", "permission-escape", "permission-told-otherwise", "question", "clear", "compact",
		"api-400", "shell-command", "background-task", "stop-hook-goes-on", "branch", "resume", "subagent", "escape-while-streaming",
		"escape-before-output", "escape-in-tool", "prompt-while-busy", "escape-with-queue", "two-tools-at-once", "plan-yes"},
	played: []string{"thinking", "tools", "edits", "api-401", "denied-by-hook", "pasted", "queued-in-tool", "subagent", "compact", "clear",
		"escape-in-tool", "shell-command"},
}

// recordedTranscripts are the files that were recorded, by scenario.
const recordedTranscripts = "../../agents/claude/conversation/testdata"

// TestTranscripts plays scenarios and decodes the files of their conversations: they must
// tell what the recorded ones do. With CCDIR_RECORD_TRANSCRIPTS=DIR it plays all and writes
// the files there, without what the CLI adds for the model.
func TestTranscripts(t *testing.T) {
	record := os.Getenv("CCDIR_RECORD_TRANSCRIPTS")
	cli := Claude(t)
	list := transcriptScenarios()
	for _, name := range transcripts.recorded {
		list = append(list, sameScenario(name))
	}
	only := strings.Fields(os.Getenv("CCDIR_RECORD_NAMES"))
	for _, sc := range list {
		if record == "" && !slices.Contains(transcripts.played, sc.name) || len(only) > 0 && !slices.Contains(only, sc.name) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			place := playForTranscript(t, cli, sc)
			projects := filepath.Join(place.Config, "projects", dirName(place.CWD))
			if record != "" {
				recordTranscript(t, place, projects, filepath.Join(record, sc.name))
				return
			}
			want := told(t, filepath.Join(recordedTranscripts, sc.name))
			got := told(t, projects)
			for begun := time.Now(); got != want && time.Since(begun) < 10*time.Second; got = told(t, projects) {
				time.Sleep(50 * time.Millisecond) // the CLI writes its files a moment later
			}
			if got != want {
				t.Errorf("the conversation tells\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// playForTranscript plays a scenario and returns its home.
func playForTranscript(t *testing.T, cli string, sc scenario) Place {
	var script fakeapi.Script
	fake := fakeapi.New(func(ctx context.Context, r fakeapi.Request) fakeapi.Reply { return script(ctx, r) })
	t.Cleanup(fake.Close)
	ctx, cancel := context.WithTimeout(t.Context(), sceneLimit)
	defer cancel()
	place := HomeWith(t, fake.URL(), sc.seed)
	switch script = sc.script; {
	case sc.name == "edits":
		script = editScript(place.CWD)
	case script == nil:
		script = fakeapi.Echo
	}
	if sc.prepare != nil {
		sc.prepare(t, &place)
	}
	opt := Options{Place: place, Args: sc.args, CLI: cli, ExtraEnv: sc.env}
	pane := Open(t, shipped(), opt)
	sc.play(&Scene{Stage: pane, Fake: fake, Conversation: func() string { return pane.Conversation }, opt: opt, ctx: ctx, t: t})
	return place
}

// dirName is the CLI's name of a project's folder.
func dirName(cwd string) string { return strings.NewReplacer("/", "-", ".", "-").Replace(cwd) }

// told decodes the conversations of a folder and sums up what they tell, without times, ids
// and paths, one line each.
func told(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, path := range files {
		var b strings.Builder
		f := transcript.NewFile(path, conversation.Decoder{}, transcript.Options{Nested: conversation.Nested{}})
		if err := f.Read(t.Context(), func(turn api.Turn) error { tellTurn(&b, turn); return nil }); err != nil {
			t.Error(err)
		}
		all = append(all, b.String())
	}
	slices.Sort(all)
	return pasteID.ReplaceAllString(strings.Join(all, "--\n"), "pasted_content")
}

// pasteID matches the ids of pastes, which the fake API repeats.
var pasteID = regexp.MustCompile(`pasted_content id=\\?"[^"\\]*\\?"`)

func tellTurn(b *strings.Builder, turn api.Turn) {
	fmt.Fprintf(b, "turn %d %s %q %q → %q", turn.Turn, turn.State, turn.Origin, turn.Prompt, turn.Answer)
	if turn.Failure != nil {
		fmt.Fprintf(b, " failed: %s", turn.Failure.Kind)
	}
	b.WriteByte('\n')
	for _, item := range turn.Items {
		switch item.Kind {
		case api.ItemTool:
			tool := turn.Tools[item.Tool]
			fmt.Fprintf(b, "  %s %s +%d -%d\n", tool.Name, tool.Outcome, tool.Added, tool.Removed)
			if tool.Agent != nil {
				for _, sub := range tool.Agent.Turns {
					tellTurn(b, sub)
				}
			}
		case api.ItemRaw:
			fmt.Fprintf(b, "  not known: %s\n", item.Text)
		default:
			fmt.Fprintf(b, "  %s\n", item.Kind)
		}
	}
}

// recordTranscript copies the files of the conversations, in the order in which they began,
// with neutral paths and without what the CLI adds for the model.
func recordTranscript(t *testing.T, place Place, from, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversation in %s: %v", from, err)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(firstTime(t, a), firstTime(t, b)) })
	neutral := strings.NewReplacer(place.CWD, "/home/user/project", dirName(place.CWD), "-home-user-project", place.Home, "/home/user",
		filepath.Dir(place.CWD), "/tmp", programsDir, "/usr/bin")
	for i, path := range files {
		name := string(rune('a' + i))
		copyLines(t, path, filepath.Join(to, name+".jsonl"), neutral)
		subs := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
		list, _ := os.ReadDir(subs)
		for _, sub := range list {
			copyLines(t, filepath.Join(subs, sub.Name()), filepath.Join(to, name, "subagents", sub.Name()), neutral)
		}
	}
}

func firstTime(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), `"timestamp":"`)
	at, _, _ := strings.Cut(rest, `"`)
	return at
}

// copyLines copies a file of lines. Entries for the model keep their type alone.
func copyLines(t *testing.T, from, to string, neutral *strings.Replacer) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(neutral.Replace(string(data))) {
		line = strings.TrimSpace(line)
		var e struct {
			Type       string
			Timestamp  string
			Attachment struct{ Type string }
		}
		if len(line) > 1000 && json.Unmarshal([]byte(line), &e) == nil {
			if a := e.Attachment.Type; a != "" && a != "queued_command" && !strings.HasPrefix(a, "hook_") {
				line = fmt.Sprintf(`{"attachment":{"type":%q},"type":"attachment","timestamp":%q}`, a, e.Timestamp)
			} else if strings.HasPrefix(e.Type, "api-request") {
				line = fmt.Sprintf(`{"type":%q}`, e.Type)
			}
		}
		out.WriteString(line + "\n")
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTranscriptVerb: of a real session everything is read back, with the conversation
// before /clear, also after the session was removed.
func TestTranscriptVerb(t *testing.T) {
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "Line %d of the answer.\n\n", i+1)
	}
	ctx, p := product(t, fakeapi.Turns(fakeapi.Text(long.String()), bash("touch made"), fakeapi.Text("It is done.")))
	id := p.New(ctx, "-n", "talker", "--prompt", "a long story")
	p.State(ctx, id, api.StateIdle)
	turns := p.turns(ctx, id, func(list []api.Turn) bool { return len(list) == 1 && list[0].State == api.TurnDone })
	if got := strings.TrimSpace(turns[0].Answer); got != strings.TrimSpace(long.String()) {
		t.Errorf("the answer has %d bytes, want %d", len(got), long.Len())
	}
	p.Run(ctx, "send", id, "/clear")
	p.Until(ctx, id, "another conversation", func(s api.Session) bool { return s.Conversation != turns[0].Conversation })
	p.Run(ctx, "send", "--wait", id, "run it")
	p.State(ctx, id, api.StatePermission)
	request, _ := p.Request(ctx, id, 0)
	p.Run(ctx, "approve", request.ID)
	p.State(ctx, id, api.StateIdle)
	over := func(list []api.Turn) bool { return len(list) == 2 && list[1].State == api.TurnDone }
	turns = p.turns(ctx, id, over)
	if turns[0].Conversation == turns[1].Conversation || turns[1].Answer != "It is done." || len(turns[1].Tools) != 1 || turns[1].Tools[0].Outcome != api.ToolOK {
		t.Errorf("%+v", turns[1])
	}
	p.Run(ctx, "kill", id)
	p.State(ctx, id, api.StateExited)
	for !strings.Contains(p.Run(ctx, "history"), id) && ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond) // until it is archived
	}
	p.Run(ctx, "rm", id)
	p.turns(ctx, id, over)
}

// turns returns the session's turns, when they are as expected.
func (p *Product) turns(ctx context.Context, id string, fits func([]api.Turn) bool) (list []api.Turn) {
	p.t.Helper()
	for {
		list = nil
		if err := p.Client.Turns(ctx, id, 0, func(t api.Turn) error { list = append(list, t); return nil }); err != nil {
			p.t.Fatal(err)
		}
		if fits(list) {
			return list
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("the turns never fit: %+v\n%s", list, p.Dump())
		case <-time.After(50 * time.Millisecond): // the CLI writes its file a moment later
		}
	}
}

// TestAsk: the answer is that of the prompt that was asked, after a permission in between,
// too, and a session that was started for a question ends.
func TestAsk(t *testing.T) {
	ctx, p := product(t, fakeapi.Turns(fakeapi.Text("Forty-two."), bash("touch made"), fakeapi.Text("It is done."), fakeapi.Text("Nothing else."), fakeapi.Text("From a new one.")))
	id := p.New(ctx, "-n", "helper")
	p.State(ctx, id, api.StateIdle)
	if got := p.Run(ctx, "ask", id, "what is it?\nTell me."); got != "Forty-two." {
		t.Errorf("the answer is %q", got)
	}
	out, err := p.command(ctx, "ask", id, "run it").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "session helper asks: touch made") {
		t.Errorf("with a permission: %v, %s", err, out)
	}
	request, _ := p.Request(ctx, id, 0)
	p.Run(ctx, "approve", request.ID)
	p.turns(ctx, id, func(list []api.Turn) bool {
		return len(list) == 2 && list[1].Answer == "It is done." && list[1].State == api.TurnDone
	})
	if got := p.Run(ctx, "ask", id, "what else?"); got != "Nothing else." {
		t.Errorf("the answer is %q", got)
	}
	if got := p.Run(ctx, "ask", "-C", ".", "-a", "claude", "who are you?"); got != "From a new one." {
		t.Errorf("the answer is %q", got)
	}
	list, err := p.Client.Sessions(ctx)
	if err != nil || len(list) != 2 || !list[1].State.Ended() {
		t.Errorf("the sessions are %+v, %v", list, err)
	}
}
