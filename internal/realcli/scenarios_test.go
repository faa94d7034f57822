package realcli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/fakeapi"
)

// scenario is one thing that happens to people, played with the real CLI.
type scenario struct {
	name string
	// script answers the API; nil is Echo.
	script fakeapi.Script
	seed   Seed
	args   []string
	env    []string
	// prepare changes the home before the CLI starts.
	prepare func(t *testing.T, p *Place)
	// only selects variants; nil is all.
	only func(v variant) bool
	// chance: what comes of it is chance, so the state is not checked.
	chance bool
	// unheld: it is played only where requests are not held.
	unheld bool
	play   func(s *Scene)
}

// newest selects the version with a program status.
func newest(v variant) bool { return v.version == "" && !v.noPSP }

// current selects the newest version, with and without an answer to its query; its
// auto mode asks the API for a verdict, other than that of the older one.
func current(v variant) bool { return v.version == "" }

// bash is a use of Bash that needs permission.
func bash(command string) fakeapi.Reply {
	return fakeapi.Tool("Bash", map[string]any{"command": command, "description": "a test"})
}

// gate is a channel that a scenario closes once.
type gate struct {
	ch   chan struct{}
	once sync.Once
}

func newGate() *gate     { return &gate{ch: make(chan struct{})} }
func (g *gate) release() { g.once.Do(func() { close(g.ch) }) }

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

// scenarios are those that need no state of their own; see also gated.
func scenarios() []scenario {
	list := []scenario{
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
	return slices.Concat(list, gated(), dialogScenarios(), turnScenarios(), keyScenarios(), momentScenarios(), oddScenarios())
}

// gated are the scenarios in which the test holds an answer back.
func gated() []scenario {
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
			s.Ready()
			s.Prompt("first")
			s.asked()
			s.Quiet(rest)
			s.Submit(s.ctx, "second")
			s.Quiet(rest)
			busy.release()
			s.See("● First answer.")
			s.Answered("● Second answer.")
		}},
		{name: "escape-with-queue", script: fakeapi.Turns(fakeapi.Reply{Wait: queue.ch}, fakeapi.Text("Second answer.")), play: func(s *Scene) {
			defer queue.release()
			s.Ready()
			s.Prompt("first")
			s.asked()
			s.Quiet(rest)
			s.Submit(s.ctx, "second")
			s.Quiet(rest)
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

// compactScript answers a compaction with a summary.
func compactScript(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if strings.Contains(r.Prompt, "TEXT ONLY") || strings.Contains(r.Prompt, "summary") {
		return fakeapi.Text("<summary>a short talk</summary>")
	}
	return fakeapi.Echo(ctx, r)
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

// liveSlack is how much more time than in the recordings a scenario gets that is
// played beside others.
const liveSlack = 3

// variant is a version of the CLI, with or without an answer to its OSC 7501
// query.
type variant struct {
	name    string
	cli     func(testing.TB) string
	version string // "" is Version
	noPSP   bool
}

// castings are the variants that every scenario is played with. CCDIR_TEST_CLAUDE with
// CCDIR_TEST_CLAUDE_VERSION plays another version instead, CCDIR_NO_PSP=1 leaves
// its query without an answer.
func castings() []variant {
	if version := os.Getenv("CCDIR_TEST_CLAUDE_VERSION"); version != "" {
		return []variant{{"claude-" + version, Claude, version, os.Getenv("CCDIR_NO_PSP") != ""}}
	}
	return []variant{
		{"claude-" + Version, Claude, "", false},
		{"claude-" + Version + "-nopsp", Claude, "", true},
		{"claude-" + Older, ClaudeOlder, Older, false},
	}
}

// TestScenarios plays every scenario with every variant, and folds what was seen:
// the state was right all the time. With CCDIR_RECORD=DIR the timelines are
// written there, in a directory for each variant.
func TestScenarios(t *testing.T) {
	record := os.Getenv("CCDIR_RECORD")
	for _, v := range castings() {
		t.Run(v.name, func(t *testing.T) {
			cli := v.cli(t)
			if record == "" {
				t.Parallel() // a recording wants the machine for itself
			}
			for _, sc := range scenarios() {
				if sc.only != nil && !sc.only(v) {
					continue
				}
				t.Run(sc.name, func(t *testing.T) {
					if record == "" {
						t.Parallel()
					}
					late := watchStalls()
					wrong := playScenario(t, sc, v, cli, record)
					if stall := late(); len(wrong) > 0 && record == "" && stall > stood {
						// The CLI tells late what it does on a machine that stands still: only
						// what is wrong again is wrong.
						t.Logf("played once more, the machine stood still for %v and the state was wrong:\n%s", stall, strings.Join(wrong, "\n"))
						wrong = playScenario(t, sameScenario(sc.name), v, cli, record)
					}
					if len(wrong) > 0 {
						t.Errorf("the state is wrong:\n%s", strings.Join(wrong, "\n"))
					}
				})
			}
		})
	}
}

// sceneLimit is what no scenario takes unless something is wrong.
const sceneLimit = 2 * time.Minute

// sameScenario is the scenario of that name, with its gates closed.
func sameScenario(name string) scenario {
	list := scenarios()
	return list[slices.IndexFunc(list, func(sc scenario) bool { return sc.name == name })]
}

// playScenario plays one and returns where the fold was wrong, with what was seen.
func playScenario(t *testing.T, sc scenario, v variant, cli, record string) (wrong []string) {
	fake := fakeapi.New(sc.script)
	defer fake.Close()
	ctx, cancel := context.WithTimeout(t.Context(), sceneLimit)
	defer cancel()
	place := HomeWith(t, fake.URL(), sc.seed)
	if sc.prepare != nil {
		sc.prepare(t, &place)
	}
	opt := Options{Place: place, Args: sc.args, NoPSP: v.noPSP, Version: v.version, CLI: cli, ExtraEnv: sc.env}
	pane := Open(t, self(t), opt)
	s := &Scene{Stage: pane, Fake: fake, Conversation: func() string { return pane.Conversation }, opt: opt, ctx: ctx, t: t}
	sc.play(s)
	wrong = replay(Recording{Entries: s.Entries()}, liveSlack)
	// The last evidence may be on its way.
	for begun := time.Now(); len(wrong) > 0 && !sc.chance && time.Since(begun) < graceMS*liveSlack*time.Millisecond; {
		s.Pass(50 * time.Millisecond)
		wrong = replay(Recording{Entries: s.Entries()}, liveSlack)
	}
	if record != "" {
		version := v.version
		if version == "" {
			version = Version
		}
		s.Record(sc.name, version, filepath.Join(record, v.name))
	}
	if testing.Verbose() {
		t.Logf("\n%s\n%s", s.Text(), s.Log())
	}
	if sc.chance || len(wrong) == 0 {
		return nil
	}
	return append(wrong, s.Log())
}
