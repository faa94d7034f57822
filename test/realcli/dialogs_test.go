package realcli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// subagents is a script whose first turn starts that many subagents, each of which
// uses Bash once.
func subagents(n int) fakeapi.Script {
	var start []fakeapi.Block
	for i := range n {
		name := string(rune('a' + i))
		start = append(start, fakeapi.Block{Tool: "Agent", Input: map[string]any{
			"description": "sub " + name, "prompt": "you are subagent " + name, "subagent_type": "general-purpose"}})
	}
	main := fakeapi.Turns(fakeapi.Reply{Blocks: start}, fakeapi.Text("All delegated."))
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if _, name, sub := strings.Cut(r.Prompt, "you are subagent "); sub {
			return bash("touch sub-" + name[:1])
		}
		if slices.Contains(r.Tools, "SubagentHandback") {
			if len(r.Results) > 0 && !strings.Contains(string(r.Body), "SubagentHandback\",\"input") {
				return fakeapi.Tool("SubagentHandback", map[string]any{"message": "the subagent's answer"})
			}
			return fakeapi.Text("reported")
		}
		return main(ctx, r)
	}
}

// dialogScenarios are those about dialogs.
func dialogScenarios() []scenario {
	plan := fakeapi.Tool("ExitPlanMode", map[string]any{"plan": "# The plan\n\nDo it."})
	planMode := []string{"--permission-mode", "plan"}
	return []scenario{
		{name: "permission-yes-then-escape", args: manual, script: fakeapi.Turns(bash("touch one"), bash("mkdir two")), play: func(s *Scene) {
			permission(s)
			n := len(s.Entries())
			s.Key("1", "1", api.StateWorking)
			s.Until(s.ctx, n, "the first tool's end", Hook("PostToolUse")) // its dialog has gone
			s.See("mkdir two")
			s.Dialog("Do you want to proceed?", api.StatePermission)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "permission-escape-then-yes", args: manual, script: fakeapi.Turns(bash("touch one"), bash("mkdir two")), play: func(s *Scene) {
			permission(s)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
			s.Prompt("once more")
			s.See("mkdir two")
			s.Dialog("Do you want to proceed?", api.StatePermission)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "permission-told-otherwise", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			for range 3 {
				s.Type("Down", "\x1b[B")
			}
			s.See("❯ 4. No")
			s.Type("Tab", "\t")
			s.See("tell Claude what")
			s.Type("text", "not like this")
			s.See("not like this")
			s.Quiet(rest)
			s.Key("Enter", "\r", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "two-tools-at-once", args: manual, script: fakeapi.Turns(fakeapi.Reply{Blocks: slices.Concat(bash("touch one").Blocks, bash("mkdir two").Blocks)}), play: func(s *Scene) {
			permission(s)
			n := len(s.Entries())
			s.Key("1", "1", api.StateWorking)
			s.Until(s.ctx, n, "the first tool's end", Hook("PostToolUse")) // its dialog has gone
			s.See("mkdir two")
			s.Dialog("Do you want to proceed?", api.StatePermission)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "subagent-permission", unheld: true, args: manual, script: subagents(1), play: func(s *Scene) {
			s.Ready()
			s.Prompt("delegate it")
			s.Dialog("touch sub-a", api.StatePermission)
			s.See("Do you want to proceed?")
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "two-subagents-ask", unheld: true, args: manual, script: subagents(2), play: func(s *Scene) {
			s.Ready()
			s.Prompt("delegate it")
			s.Dialog("Do you want to proceed?", api.StatePermission)
			n := len(s.Entries())
			s.Key("1", "1", api.StatePermission) // the other one's dialog follows at once
			s.Until(s.ctx, n, "the first tool's end", Hook("PostToolUse"))
			s.See("Do you want to proceed?")
			s.Quiet(guard)
			n = len(s.Entries())
			s.Key("1", "1", api.StateWorking)
			n = s.Until(s.ctx, n, "the end of the other one", Hook("SubagentStop"))
			s.Until(s.ctx, n, "the end of the turn that it reports to", Hook("Stop"))
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "plan-yes", args: planMode, script: fakeapi.Turns(plan), play: func(s *Scene) {
			s.Ready()
			s.Prompt("plan it")
			s.Dialog("1. Yes", api.StatePermission)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "plan-escape", args: planMode, script: fakeapi.Turns(plan), play: func(s *Scene) {
			s.Ready()
			s.Prompt("plan it")
			s.Dialog("1. Yes", api.StatePermission)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "question-typed-answer", script: fakeapi.Turns(question), play: func(s *Scene) {
			s.Ready()
			s.Prompt("ask me")
			s.Dialog("1. Red", api.StateInput)
			s.Type("3", "3") // "Type something"
			s.Quiet(rest)
			s.Type("text", "a kind of blue")
			s.See("a kind of blue")
			s.Quiet(rest)
			s.Key("Enter", "\r", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "question-in-background", script: fakeapi.Turns(
			fakeapi.Tool("Bash", map[string]any{"command": "sleep 20", "description": "a test", "run_in_background": true}), question,
		), play: func(s *Scene) {
			s.Ready()
			s.Prompt("ask me meanwhile")
			s.Dialog("1. Red", api.StateInput)
			s.Quiet(2 * rest)
			s.Key("2", "2", api.StateWorking)
			s.Over("● Done.")
			s.Quiet(2 * rest)
		}},
		{name: "resize-in-dialog", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			s.Resize(90, 30)
			s.Quiet(rest)
			s.Resize(termCols, termRows)
			s.Quiet(rest)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "rewind-panel", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Type("Escape", "\x1b")
			s.Type("Escape", "\x1b")
			s.See("Rewind")
			s.Truth(api.StateInput)
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "server-dialog", prepare: foundServer, play: func(s *Scene) {
			s.Truth(api.StateStarting)
			s.See("New MCP server found")
			s.Truth(api.StateInput)
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateStarting)
			s.until("SessionStart", Hook("SessionStart"))
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "elicitation", script: fakeapi.Turns(fakeapi.Tool("mcp__asker__ask", map[string]any{})), args: []string{"--allowedTools", "mcp__asker__ask"},
			prepare: askingServer, play: func(s *Scene) {
				s.Ready()
				s.Prompt("use the server")
				s.Dialog("What is your name?", api.StateInput)
				s.Key("Escape", "\x1b", api.StateWorking)
				s.Answered("● Done.")
			}},
	}
}

// foundServer puts an MCP server into the project that nobody has approved yet.
func foundServer(t *testing.T, p *Place) {
	text := `{"mcpServers":{"found":{"command":"/bin/false"}}}`
	if err := os.WriteFile(filepath.Join(p.CWD, ".mcp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
