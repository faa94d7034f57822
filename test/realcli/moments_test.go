package realcli

import (
	"context"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// several is a question with several answers.
var several = fakeapi.Tool("AskUserQuestion", map[string]any{"questions": []any{map[string]any{
	"question": "Which days?", "header": "Days", "multiSelect": true,
	"options": []any{map[string]any{"label": "Monday", "description": "m"}, map[string]any{"label": "Tuesday", "description": "t"}},
}}})

// flagged is a use of Bash that auto mode's verdict stops; unjudged is one without
// a verdict.
func flagged(command string) fakeapi.Reply {
	r := bash(command)
	r.Flag = true
	return r
}

func unjudged(command string) fakeapi.Reply {
	r := bash(command)
	r.NoVerdict = true
	return r
}

// momentScenarios are those in which something happens at an unlucky moment.
func momentScenarios() []scenario {
	panel, hang, cut := newGate(), newGate(), newGate()
	words := func(g *gate) fakeapi.Script {
		return fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "The end.", Wait: g.ch}}})
	}
	return []scenario{
		{name: "escape-at-once", only: newest, script: fakeapi.Turns(fakeapi.Reply{Wait: hang.ch}), play: func(s *Scene) {
			defer hang.release()
			s.Ready()
			s.Submit(s.ctx, "tell me a story")
			s.Truth(Unsaid) // it may have begun, or not
			s.Type("Escape", "\x1b")
			s.Quiet(2 * rest)
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "permission-escape-at-once", args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("please run it")
			s.See("1. Yes")
			s.Truth(api.StatePermission)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "edit-permission", only: newest, args: manual, script: fakeapi.Turns(fakeapi.Tool("Write", map[string]any{"file_path": "notes.txt", "content": "x"})), play: func(s *Scene) {
			s.Ready()
			s.Prompt("write it")
			s.Dialog("1. Yes", api.StatePermission)
			s.Key("2", "2", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "accept-edits", only: newest, args: []string{"--permission-mode", "acceptEdits"}, script: fakeapi.Turns(fakeapi.Tool("Write", map[string]any{"file_path": "notes.txt", "content": "x"}), bash("touch made; mkdir -p a; ls")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("write it")
			s.Answered("● Done.")
		}},
		{name: "permission-for-good", only: newest, args: manual, script: fakeapi.Turns(bash("mkdir made"), bash("mkdir made2")), play: func(s *Scene) {
			permission(s)
			s.Key("2", "2", api.StateWorking)
			s.See("mkdir made2")
			s.Dialog("Do you want to proceed?", api.StatePermission)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "auto-flagged", only: newest, script: fakeapi.Turns(flagged("touch one"), flagged("touch two"), flagged("touch three")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("do it")
			s.Dialog("needs your confirmation", api.StatePermission)
			s.See("Do you want to proceed?")
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "auto-unjudged", only: current, script: fakeapi.Turns(unjudged("curl -s http://127.0.0.1:9/")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("do it")
			s.Dialog("Enter to stay in auto mode", api.StateInput)
			s.Key("Enter", "\r", api.StatePermission) // it goes on with another dialog
			s.See("Do you want to proceed?")
			s.Quiet(guard)
			s.Type("Down", "\x1b[B") // the default is No
			s.See("❯ Yes")
			s.Key("Enter", "\r", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "question-several", script: fakeapi.Turns(several), play: func(s *Scene) {
			s.Ready()
			s.Prompt("ask me")
			s.Dialog("1. [ ] Monday", api.StateInput)
			s.Type("1", "1")
			s.See("1. [✔] Monday")
			s.Type("C-c", "\x03") // ignored
			s.Quiet(rest)
			s.Type("Right", "\x1b[C")
			s.See("1. Submit answers")
			s.Quiet(guard)
			s.Key("1", "1", api.StateWorking)
			s.Answered("● Done.")
		}},
		{name: "api-401-escape", only: newest, script: failing(401, "who are you"), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.See("etrying in")
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "api-cut", only: newest, script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "never said", Wait: cut.ch}}, End: cut.ch}), play: func(s *Scene) {
			defer cut.release()
			s.Ready()
			s.Prompt("hello there")
			s.See("Some words first")
			s.Quiet(rest)
			s.Fake.Close()
			s.Answered("Connection lost")
		}},
		{name: "plan-refused", only: newest, args: []string{"--permission-mode", "plan"}, script: fakeapi.Turns(fakeapi.Tool("ExitPlanMode", map[string]any{"plan": "# The plan\n\nDo it."})), play: func(s *Scene) {
			s.Ready()
			s.Prompt("plan it")
			s.Dialog("1. Yes", api.StatePermission)
			s.Type("Up", "\x1b[A") // the last choice
			s.Quiet(rest)
			s.Type("text", "think again")
			s.Quiet(rest)
			s.Key("Enter", "\r", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "trust-refused", only: newest, seed: Seed{Untrusted: true}, play: func(s *Scene) {
			s.Truth(api.StateStarting)
			s.See("Enter to confirm")
			s.Truth(s.dialogAtStart())
			s.Quiet(2 * rest)
			s.Truth(Unsaid) // the dialog is closed, and what comes then is not known
			s.Type("Escape", "\x1b")
			s.gone()
			s.Truth(api.StateExited)
		}},
		{name: "config-panel", only: newest, play: func(s *Scene) {
			s.Ready()
			s.Submit(s.ctx, "/config")
			s.See("Esc to")
			s.Truth(api.StateInput)
			s.Quiet(2 * rest)
			s.Type("Escape", "\x1b") // leaves its line for searching
			s.See("to toggle")
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "model-panel", play: func(s *Scene) {
			s.Ready()
			s.Submit(s.ctx, "/model")
			s.See("Esc to")
			s.Truth(api.StateInput)
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "panel-while-busy", script: words(panel), play: func(s *Scene) {
			defer panel.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			s.Submit(s.ctx, "/cost")
			s.See("Esc to")
			s.Truth(Unsaid)
			s.Quiet(2 * rest)
			panel.release()
			s.Pass(4 * rest)
			s.Truth(api.StateInput)
			s.Quiet(6 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "ended-by-term", only: newest, play: func(s *Scene) {
			s.Ready()
			_ = syscall.Kill(s.Process().Pid, syscall.SIGTERM)
			s.Truth(api.StateExited)
			s.gone()
		}},
		{name: "killed-in-dialog", only: newest, args: manual, script: fakeapi.Turns(bash("touch made")), play: func(s *Scene) {
			permission(s)
			_ = syscall.Kill(s.Process().Pid, syscall.SIGKILL)
			s.Truth(api.StateExited)
			s.gone()
		}},
		{name: "stopped", only: newest, script: fakeapi.Turns(bash("sleep 2; echo over")), args: []string{"--allowedTools", "Bash"}, play: func(s *Scene) {
			s.Ready()
			s.Prompt("do it")
			s.until("PreToolUse", Hook("PreToolUse"))
			_ = syscall.Kill(s.Process().Pid, syscall.SIGSTOP)
			s.Pass(4 * rest)
			_ = syscall.Kill(s.Process().Pid, syscall.SIGCONT)
			s.Answered("● Done.")
		}},
		{name: "idle-notification", only: newest, seed: Seed{IdleNotifyMS: 1000}, play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello")
			s.Answered("● You said: hello")
			s.until("Notification", Hook("Notification"))
			s.Quiet(2 * rest)
		}},
		{name: "compact-escape", only: newest, script: func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
			reply := compactScript(ctx, r)
			if len(reply.Blocks) > 0 && reply.Blocks[0].Text == "<summary>a short talk</summary>" {
				select {
				case <-time.After(20 * time.Second):
				case <-ctx.Done():
				}
			}
			return reply
		}, play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Prompt("/compact")
			s.until("PreCompact", Hook("PreCompact"))
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(3 * rest)
		}},
		{name: "shell-then-prompt", only: newest, play: func(s *Scene) {
			s.Ready()
			s.Type("!", "!")
			s.Quiet(rest)
			s.Type("text", "sleep 2; echo shell-$((40+2))")
			s.See("sleep 2")
			s.Key("Enter", "\r", api.StateWorking)
			s.Quiet(rest)
			s.Submit(s.ctx, "after the shell")
			s.Answered("● You said: after the shell")
		}},
	}
}
