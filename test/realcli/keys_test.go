package realcli

import (
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// leave presses a key that exits when pressed twice within a second or two.
func (s *Scene) leave(name, keys string) {
	s.t.Helper()
	s.Type(name, keys)
	s.See("again to exit")
	s.Truth(api.StateExited)
	for range 2 { // on a busy machine the second may come too late
		s.Type(name, keys)
		s.Pass(100 * time.Millisecond)
	}
	s.gone()
}

// gone waits for the end of the CLI.
func (s *Scene) gone() {
	s.t.Helper()
	select {
	case <-s.Exited():
	case <-s.ctx.Done():
		s.t.Fatalf("it does not end:\n%s\n%s", s.Text(), s.Log())
	}
}

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
			s.leave("C-c", "\x03")
		}},
		{name: "ctrl-d-twice", play: func(s *Scene) {
			s.Ready()
			s.leave("C-d", "\x04")
		}},
		{name: "ctrl-c-leaves-a-turn", script: words(leave), play: func(s *Scene) {
			defer leave.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			s.Key("C-c", "\x03", api.StateIdle)
			s.leave("C-c", "\x03")
		}},
		{name: "hang-up-in-a-turn", script: words(hang), play: func(s *Scene) {
			defer hang.release()
			s.Ready()
			s.Prompt("tell me a story")
			s.See("Some words first")
			s.Quiet(rest)
			_ = syscall.Kill(s.Process().Pid, syscall.SIGHUP)
			s.Truth(api.StateExited)
			s.gone()
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
