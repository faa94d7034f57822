package realcli

import (
	"context"
	"slices"
	"strings"
	"sync"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// gate is a channel that a scenario closes once.
type gate struct {
	ch   chan struct{}
	once sync.Once
}

func newGate() *gate { return &gate{ch: make(chan struct{})} }

func (g *gate) release() { g.once.Do(func() { close(g.ch) }) }

// gatedScenarios are those in which the test holds an answer back.
func gatedScenarios() []scenario {
	stream, queue, busy, late, sub := newGate(), newGate(), newGate(), newGate(), newGate()
	return []scenario{
		{name: "subagent", script: subagentScript(sub.ch), play: func(s *Scene) {
			defer sub.release()
			s.Ready()
			s.Prompt("delegate it")
			s.See("● It is delegated.")
			s.until("Stop", Hook("Stop"))
			// The conversation is at its prompt, but work goes on in its name.
			s.Quiet(rest)
			sub.release()
			s.Answered("● The subagent is done.")
		}},
		{name: "escape-while-streaming", script: fakeapi.Turns(fakeapi.Reply{
			Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "never said", Wait: stream.ch}}, End: stream.ch,
		}), play: func(s *Scene) {
			defer stream.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "escape-before-output", script: fakeapi.Turns(fakeapi.Reply{Wait: late.ch}), play: func(s *Scene) {
			defer late.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.asked()
			s.Quiet(rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "escape-in-tool", args: manual, script: fakeapi.Turns(bash("touch made; sleep 30")), play: func(s *Scene) {
			permission(s)
			s.Key("1", "1", api.StateWorking)
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "prompt-while-busy", script: fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "First answer."}}, Wait: busy.ch}, fakeapi.Text("Second answer.")), play: func(s *Scene) {
			defer busy.release()
			s.queueSecond()
			busy.release()
			s.See("● First answer.")
			s.Answered("● Second answer.")
		}},
		{name: "escape-with-queue", script: fakeapi.Turns(fakeapi.Reply{Wait: queue.ch}, fakeapi.Text("Second answer.")), play: func(s *Scene) {
			defer queue.release()
			s.queueSecond()
			s.Type("Escape", "\x1b") // runs the queued prompt at once
			s.Answered("● Second answer.")
		}},
		{name: "api-529", script: failing(529, "overloaded in the test"), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.until("StopFailure", Hook("StopFailure")) // after some retries
			s.Truth(api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "api-529-escape", script: failing(529, "overloaded in the test"), play: func(s *Scene) {
			s.Ready()
			s.Prompt("hello there")
			s.asked()
			s.until("UserPromptSubmit", Hook("UserPromptSubmit"))
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(rest)
		}},
	}
}

// failing answers every turn with an error.
func failing(status int, message string) fakeapi.Script {
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		if r.Main() {
			return fakeapi.Error(status, message)
		}
		return fakeapi.Echo(ctx, r)
	}
}

// subagentScript starts a subagent in the first turn, whose answer is held back.
func subagentScript(hold <-chan struct{}) fakeapi.Script {
	main := fakeapi.Turns(
		fakeapi.Tool("Agent", map[string]any{"description": "sub", "prompt": "you are the subagent", "subagent_type": "general-purpose"}),
		fakeapi.Text("It is delegated."), fakeapi.Text("The subagent is done."))
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		// Since some version before 2.1.329 a subagent reports by a tool, and is
		// reminded of it three times.
		handback := slices.Contains(r.Tools, "SubagentHandback")
		switch {
		case strings.Contains(r.Prompt, "you are the subagent"):
			reply := fakeapi.Text("the subagent's answer")
			if handback {
				reply = fakeapi.Tool("SubagentHandback", map[string]any{"message": "the subagent's answer"})
			}
			reply.Wait = hold
			return reply
		case handback:
			return fakeapi.Text("reported")
		}
		return main(ctx, r)
	}
}
