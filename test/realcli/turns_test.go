package realcli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// turnScenarios are those about the course of turns.
func turnScenarios() []scenario {
	slow, crash := newGate(), newGate()
	return []scenario{
		{name: "slow-answer", script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "At last."}}, Wait: slow.ch}), play: func(s *Scene) {
			defer slow.release()
			s.Ready()
			s.Prompt("think about it")
			s.asked()
			s.Pass(8 * rest) // its spinner turns, no evidence comes
			slow.release()
			s.Answered("● At last.")
		}},
		{name: "api-529-then-answer", script: failingFirst(2, 529, "overloaded in the test"), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.Answered("● You said: hello there")
		}},
		{name: "stop-hook-goes-on", prepare: blockingStop, script: fakeapi.Turns(fakeapi.Text("First answer."), fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Second answer."}}}), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.See("● First answer.")
			s.Answered("● Second answer.")
		}},
		{name: "auto-compaction", script: largeScript(), env: []string{"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=1"}, play: func(s *Scene) {
			s.Ready()
			s.Prompt("make it large")
			s.Answered("● It is large.")
			s.Prompt("go on")
			s.until("PreCompact", Hook("PreCompact"))
			s.Answered("● You said: go on")
		}},
		{name: "clear-in-background", script: fakeapi.Turns(
			fakeapi.Tool("Bash", map[string]any{"command": "sleep 20", "description": "a test", "run_in_background": true}), fakeapi.Text("It runs."),
		), play: func(s *Scene) {
			s.Ready()
			s.Prompt("start it")
			s.Over("● It runs.")
			n := len(s.Entries())
			s.Truth(Unsaid) // it says for a moment that it works
			s.Submit(s.ctx, "/clear")
			s.Until(s.ctx, n, "SessionStart(clear)", func(e Entry) bool { return e.Name == "SessionStart" && e.Fields["source"] == "clear" })
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
			s.Prompt("after")
			s.Answered("● You said: after")
		}},
		{name: "branch", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			n := len(s.Entries())
			s.Truth(Unsaid) // it copies the conversation, and says meanwhile that it works
			s.Submit(s.ctx, "/branch")
			s.Until(s.ctx, n, "SessionStart(fork)", Hook("SessionStart"))
			s.See("Branched")
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
			s.Prompt("after")
			s.Answered("● You said: after")
		}},
		{name: "resume-picker", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Submit(s.ctx, "/resume")
			s.See("Resume session")
			s.Truth(api.StateInput)
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "resume", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			old := s.Conversation()
			n := len(s.Entries())
			s.Submit(s.ctx, "/clear")
			s.Until(s.ctx, n, "SessionStart(clear)", Hook("SessionStart"))
			s.Quiet(2 * rest)
			n = len(s.Entries())
			s.Truth(Unsaid) // it loads the conversation, and says for a moment that it works
			s.Submit(s.ctx, "/resume "+old)
			s.Until(s.ctx, n, "SessionStart(resume)", Hook("SessionStart"))
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
			s.Prompt("after")
			s.Answered("● You said: after")
		}},
		{name: "crash", script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "never said", Wait: crash.ch}}}), play: func(s *Scene) {
			defer crash.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			_ = syscall.Kill(s.Process().Pid, syscall.SIGSEGV)
			s.Truth(api.StateExited)
			s.gone()
		}},
	}
}

// failingFirst answers the first turns with an error.
func failingFirst(n, status int, message string) fakeapi.Script {
	var mu sync.Mutex
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		defer mu.Unlock()
		if r.Main() && n > 0 {
			n--
			return fakeapi.Error(status, message)
		}
		return fakeapi.Echo(ctx, r)
	}
}

// largeScript makes the conversation too large with its first answer.
func largeScript() fakeapi.Script {
	var mu sync.Mutex
	first := true
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		defer mu.Unlock()
		if r.Main() && first {
			first = false
			large := fakeapi.Text("It is large.")
			large.InputTokens = 190_000
			return large
		}
		return compactScript(ctx, r)
	}
}

// blockingStop is a Stop hook of the user's that goes on with the turn once.
func blockingStop(t *testing.T, p *Place) {
	script := filepath.Join(p.Home, "stop.sh")
	mark := filepath.Join(p.Home, "stopped")
	text := "#!/bin/sh\nsleep 0.3\n[ -e " + mark + " ] && exit 0\ntouch " + mark + `
echo '{"decision":"block","reason":"one more thing"}'
`
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	settings, _ := json.Marshal(map[string]any{"hooks": map[string]any{"Stop": []any{map[string]any{
		"hooks": []any{map[string]any{"type": "command", "command": script}}}}}})
	if err := os.WriteFile(filepath.Join(p.Config, "settings.json"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
}
