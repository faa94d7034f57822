package realcli

import (
	"context"
	"strings"
	"syscall"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// manual makes the CLI ask for permission.
var manual = []string{"--permission-mode", "manual"}

var question = fakeapi.Tool("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
	"question": "Which colour?", "header": "Colour", "multiSelect": false,
	"options": []any{map[string]any{"label": "Red", "description": "red"}, map[string]any{"label": "Green", "description": "green"}},
}}})

func permission(s *Scene) {
	s.Ready()
	s.Prompt("please run it")
	s.Dialog("1. Yes", api.StatePermission)
}

// asked waits until the CLI has sent a turn to the API: what is typed before
// that finds a prompt that can still be taken back.
func (s *Scene) asked() {
	s.t.Helper()
	if _, err := s.Fake.Await(s.ctx, fakeapi.Request.Main); err != nil {
		s.t.Fatal(err)
	}
}

// queueSecond gives a first prompt and, once that is being answered, a second.
func (s *Scene) queueSecond() {
	s.t.Helper()
	s.Ready()
	s.Prompt("first")
	s.asked()
	s.Quiet(rest)
	s.Submit(s.ctx, "second")
	s.Quiet(rest)
}

// plainScenarios are those that hold nothing back and prepare nothing.
func plainScenarios() []scenario {
	return []scenario{
		{name: "answer", play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.Answered("● You said: hello there")
		}},
		{name: "permission-yes", args: manual, script: fakeapi.Turns(bash("touch made; sleep 0.3")), play: func(s *Scene) {
			permission(s)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "permission-escape", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "permission-no", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			s.Key("4", "4", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "permission-ctrl-c", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			s.Type("C-c", "\x03") // ignored
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "two-permissions", args: manual, script: fakeapi.Turns(bash("touch one"), bash("mkdir two")), play: func(s *Scene) {
			permission(s)
			s.Key("1", "1", api.StateWorking)
			s.See("mkdir two") // above the dialog, before that is open
			s.Dialog("Do you want to proceed?", api.StatePermission)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "question", script: fakeapi.Turns(question), play: func(s *Scene) {
			s.Ready()
			s.Prompt("ask me")
			s.Dialog("1. Red", api.StateInput)
			s.Key("2", "2", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "question-escape", script: fakeapi.Turns(question), play: func(s *Scene) {
			s.Ready()
			s.Prompt("ask me")
			s.Dialog("1. Red", api.StateInput)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "clear", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Submit(s.ctx, "/clear")
			n := len(s.Entries())
			s.Until(s.ctx, n, "SessionStart(clear)", func(e Entry) bool { return e.Name == "SessionStart" && e.Fields["source"] == "clear" })
			s.Truth(api.StateIdle)
			s.Quiet(rest)
			s.Prompt("after")
			s.Answered("● You said: after")
		}},
		{name: "compact", script: compactScript, play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Prompt("/compact")
			s.until("PostCompact", Hook("PostCompact"))
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "exit", play: func(s *Scene) {
			s.Ready()
			s.Submit(s.ctx, "/exit")
			s.Truth(api.StateExited)
			s.gone()
		}},
		{name: "kill-9", play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.Answered("● You said: hello there")
			_ = syscall.Kill(s.Process().Pid, syscall.SIGKILL)
			s.Truth(api.StateExited)
			s.gone()
		}},
		{name: "api-400", script: failing(400, "bad request of the test"), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.Answered("bad request of the test")
		}},
		{name: "shell-command", play: func(s *Scene) {
			s.Ready()
			s.Type("!", "!")
			s.Quiet(rest)
			s.Type("text", "echo shell-output-$((40+2))")
			s.See("echo shell-output")
			s.Key("Enter", "\r", api.StateWorking)
			s.See("shell-output-42")
			s.until("Stop", Hook("Stop"))
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "background-task", script: fakeapi.Turns(
			fakeapi.Tool("Bash", map[string]any{"command": "sleep 1.5; echo over", "description": "a test", "run_in_background": true}),
			fakeapi.Text("It runs in the background."), fakeapi.Text("The task is over."),
		), play: func(s *Scene) {
			s.Ready()
			s.Prompt("start it")
			s.See("● It runs in the background.")
			s.Truth(api.StateIdle)
			n := len(s.Entries())
			s.Until(s.ctx, n, "the task's notification", Hook("UserPromptSubmit"))
			s.Truth(api.StateWorking)
			s.Answered("● The task is over.")
		}},
		{name: "prompt-in-dialog", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			s.Type("text", "not a prompt")
			s.Quiet(rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "panel", play: func(s *Scene) {
			s.Ready()
			s.Submit(s.ctx, "/cost")
			s.See("Esc to")
			s.Truth(api.StateInput)
			s.Quiet(rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "trust", seed: Seed{Untrusted: true}, play: func(s *Scene) {
			s.Truth(api.StateStarting)
			s.See("Enter to confirm")
			s.Truth(s.dialogAtStart())
			s.Quiet(2 * rest)
			s.Type("Down", "\x1b[B") // the default is to exit
			s.See("❯ Yes")
			s.Key("Enter", "\r", api.StateStarting)
			s.until("SessionStart", Hook("SessionStart"))
			s.Truth(api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "notice", seed: Seed{Notices: true}, play: func(s *Scene) {
			s.Truth(api.StateStarting)
			s.until("SessionStart", Hook("SessionStart"))
			s.Truth(api.StateIdle)
			s.Quiet(3 * rest)
		}},
		// Whether a prompt given too early is lost is chance.
		{name: "prompt-at-once", chance: true, play: func(s *Scene) {
			s.Truth(api.StateStarting)
			s.until("SessionStart", Hook("SessionStart"))
			s.Truth(api.StateIdle)
			s.Type("paste", "\x1b[200~too early\x1b[201~\r")
			s.Quiet(3 * rest)
		}},
	}
}

// compactScript answers a compaction with a summary.
func compactScript(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if strings.Contains(r.Prompt, "TEXT ONLY") || strings.Contains(r.Prompt, "summary") {
		return fakeapi.Text("<summary>a short talk</summary>")
	}
	return fakeapi.Echo(ctx, r)
}

// bash is a use of Bash that needs permission.
func bash(command string) fakeapi.Reply {
	return fakeapi.Tool("Bash", map[string]any{"command": command, "description": "a test"})
}
