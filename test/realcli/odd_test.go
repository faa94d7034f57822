package realcli

import (
	"context"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// oddScenarios are unexpected actions of users: several in one session each.
func oddScenarios() []scenario {
	summary, queued := newGate(), newGate()
	return []scenario{
		{name: "tool-to-background", only: newest, args: []string{"--allowedTools", "Bash"}, script: fakeapi.Turns(bash("sleep 6; echo over"), fakeapi.Text("It goes on in the background."), fakeapi.Text("It is over.")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("do it")
			s.See("to run in background")
			s.Type("C-b", "\x02")
			s.Over("● It goes on in the background.")
			s.Until(s.ctx, len(s.Entries()), "the report", Hook("UserPromptSubmit"))
			s.Truth(api.StateWorking)
			s.Answered("● It is over.")
		}},
		{name: "queue-behind-dialog", only: current, args: manual, script: fakeapi.Turns(fakeapi.Reply{Blocks: bash("touch one").Blocks, Wait: queued.ch}, fakeapi.Text("Second answer.")), play: func(s *Scene) {
			defer queued.release()
			s.queueSecond()
			queued.release()
			s.Dialog("Do you want to proceed?", api.StatePermission)
			s.Truth(Unsaid) // the queued prompt's turn begins when it begins
			s.Type("4", "4")
			s.Answered("● Second answer.")
		}},
		{name: "prompt-in-compaction", only: current, script: func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
			reply := compactScript(ctx, r)
			if len(reply.Blocks) > 0 && strings.HasPrefix(reply.Blocks[0].Text, "<summary>") {
				reply.Wait = summary.ch
			}
			return reply
		}, play: func(s *Scene) {
			defer summary.release()
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Prompt("/compact")
			s.until("PreCompact", Hook("PreCompact"))
			s.Quiet(rest)
			s.Submit(s.ctx, "meanwhile")
			s.Quiet(rest)
			summary.release()
			s.Answered("● You said: meanwhile")
		}},
		{name: "no-connection", only: newest, play: func(s *Scene) {
			s.Ready()
			s.Fake.Close()
			s.Prompt("hello there")
			s.See("etrying")
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
		{name: "one-subagent-of-two-asks", only: current, unheld: true, args: manual, script: oneAsks(), play: func(s *Scene) {
			s.Ready()
			s.Prompt("delegate it")
			s.Dialog("Do you want to proceed?", api.StatePermission)
			n := len(s.Entries())
			s.Key("1", "1", api.StateWorking)
			n = s.Until(s.ctx, n, "the end of the one that asked", func(e Entry) bool { return e.Name == "SubagentStop" && e.Fields["agent_id"] != "" })
			s.Until(s.ctx, n, "the end of the turn that it reports to", Hook("Stop"))
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "panels-beside-a-shell", only: current, args: []string{"--allowedTools", "Bash"}, script: fakeapi.Turns(
			fakeapi.Tool("Bash", map[string]any{"command": "sleep 60", "description": "a test", "run_in_background": true}), fakeapi.Text("It runs.")), play: func(s *Scene) {
			s.Ready()
			s.Prompt("start it")
			s.Over("● It runs.")
			for _, panel := range []struct{ command, shows string }{{"/cost", "Esc to"}, {"/exit", "Background work is running"}} {
				s.Submit(s.ctx, panel.command)
				s.See(panel.shows)
				s.Truth(api.StateInput)
				s.Quiet(2 * rest)
				s.Key("Escape", "\x1b", api.StateIdle)
				s.Quiet(2 * rest)
			}
		}},
	}
}

// oneAsks starts two subagents, of which the second needs no tool.
func oneAsks() fakeapi.Script {
	script := subagents(2)
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if strings.Contains(r.Prompt, "you are subagent b") {
			if slices.Contains(r.Tools, "SubagentHandback") {
				return fakeapi.Tool("SubagentHandback", map[string]any{"message": "the answer of b"})
			}
			return fakeapi.Text("the answer of b")
		}
		return script(ctx, r)
	}
}
