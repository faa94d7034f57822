package realcli

import (
	"syscall"

	"ccdir/internal/api"
	"ccdir/internal/fakeapi"
)

// keyScenarios are those about keys that interrupt, suspend and leave.
func keyScenarios() []scenario {
	stream, leave, hang := newGate(), newGate(), newGate()
	words := func(g *gate) fakeapi.Script {
		return fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "never said", Wait: g.ch}}, End: g.ch})
	}
	return []scenario{
		{name: "ctrl-c-while-streaming", script: words(stream), play: func(s *Scene) {
			defer stream.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			s.Key("C-c", "\x03", api.StateIdle)
			s.Quiet(rest)
		}},
		{name: "ctrl-c-twice", play: func(s *Scene) {
			s.Ready()
			s.Type("C-c", "\x03")
			s.See("again to exit")
			s.Type("C-c", "\x03")
			s.Truth(api.StateExited)
			<-s.Exited()
		}},
		{name: "ctrl-d-twice", play: func(s *Scene) {
			s.Ready()
			s.Type("C-d", "\x04")
			s.See("again to exit")
			s.Type("C-d", "\x04")
			s.Truth(api.StateExited)
			<-s.Exited()
		}},
		{name: "ctrl-c-leaves-a-turn", script: words(leave), play: func(s *Scene) {
			defer leave.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			s.Key("C-c", "\x03", api.StateIdle)
			s.Type("C-c", "\x03")
			s.See("again to exit")
			s.Type("C-c", "\x03")
			s.Truth(api.StateExited)
			<-s.Exited()
		}},
		{name: "hang-up-in-a-turn", script: words(hang), play: func(s *Scene) {
			defer hang.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			_ = syscall.Kill(s.Process().Pid, syscall.SIGHUP)
			s.Truth(api.StateExited)
			<-s.Exited()
		}},
		{name: "transcript", play: func(s *Scene) {
			s.Ready()
			s.Prompt("before")
			s.Answered("● You said: before")
			s.Type("C-o", "\x0f")
			s.Quiet(2 * rest)
			s.Type("C-o", "\x0f")
			s.Quiet(2 * rest)
			s.Prompt("after")
			s.Answered("● You said: after")
		}},
		{name: "shell-command-escape", play: func(s *Scene) {
			s.Ready()
			s.Type("!", "!")
			s.Quiet(rest)
			s.Type("text", "sleep 25")
			s.See("sleep 25")
			s.Key("Enter", "\r", api.StateWorking)
			s.Quiet(2 * rest)
			s.Key("Escape", "\x1b", api.StateIdle)
			s.Quiet(2 * rest)
		}},
	}
}
