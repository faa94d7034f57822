package demo

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ccdir/api"
)

func TestTurn(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("hello there\r")
	if got := p.hook("UserPromptSubmit"); got["prompt"] != "hello there" {
		t.Errorf("prompt %v", got)
	}
	pre := p.hook("PreToolUse")
	post := p.hook("PostToolUse")
	if pre["tool_name"] != "Read" || post["tool_use_id"] != pre["tool_use_id"] {
		t.Errorf("tools %v and %v", pre, post)
	}
	if got := p.hook("Stop"); got["last_assistant_message"] != "You said: hello there" {
		t.Errorf("Stop %v", got)
	}
	p.shows("⏺ You said: hello there")
	p.until("is done", func(text string, _ bool) bool { return !strings.Contains(text, "esc to interrupt") })
	p.typeKeys("/exit\r")
	if got := p.hook("SessionEnd"); got["reason"] != "prompt_input_exit" {
		t.Errorf("SessionEnd %v", got)
	}
	p.exits(0)
	want := []string{"?", "state=idle:app=demo-agent", "state=working:app=demo-agent", "state=done:app=demo-agent", "state=clear:app=demo-agent"}
	if !slices.Equal(p.reports, want) {
		t.Errorf("reports %q", p.reports)
	}
}

func TestNoReportsUnlessAnswered(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("say x\r")
	p.hook("UserPromptSubmit")
	p.hook("Stop")
	p.typeKeys("/exit\r")
	p.exits(0)
	if !slices.Equal(p.reports, []string{"?"}) {
		t.Errorf("reports %q", p.reports)
	}
}

func TestPermissionByKey(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("permit Bash touch x\r")
	p.hook("UserPromptSubmit")
	p.hook("PreToolUse")
	if got := p.hook("PermissionRequest"); got["tool_name"] != "Bash" || got["tool_use_id"] != nil {
		t.Errorf("PermissionRequest %v", got)
	}
	p.shows("Do you want to proceed?")
	p.typeKeys("1")
	p.hook("PostToolUse")
	p.hook("Stop")
	p.shows("⎿  Done")
}

func TestPermissionRefused(t *testing.T) {
	for name, keys := range map[string]string{"Esc": "\x1b", "the last choice": "3", "Down, Down, Enter": "\x1b[B\x1b[B\r"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "", withPSP)
			p.ready()
			p.typeKeys("permit Bash touch x\r")
			p.hook("UserPromptSubmit")
			p.hook("PreToolUse")
			p.hook("PermissionRequest")
			p.shows("Do you want to proceed?")
			p.typeKeys(keys)
			p.shows("rejected")
			p.shows("? for shortcuts")
			// No hook tells of it: the next one is of the next prompt.
			p.typeKeys("say x\r")
			p.hook("UserPromptSubmit")
		})
	}
}

// TestHookOutOfTime: a call that is spooled, because its process was out of time, is taken
// before the later ones that came through.
func TestHookOutOfTime(t *testing.T) {
	t.Setenv(envUnanswered, "UserPromptSubmit")
	p := open(t, "", withPSP)
	p.ready()
	for _, text := range []string{"one", "two"} {
		p.typeKeys("say " + text + "\r")
		p.shows("⏺ " + text)
		p.shows("? for shortcuts")
		if got := p.hook("UserPromptSubmit"); got["prompt"] != "say "+text {
			t.Errorf("%v", got)
		}
		p.hook("Stop")
	}
}

func TestPermissionByHook(t *testing.T) {
	for behavior, want := range map[string]string{"allow": "⎿  Done", "deny": "⎿  not today"} {
		t.Run(behavior, func(t *testing.T) {
			p := open(t, "", withReply(func(_ context.Context, hook string) api.HookReply {
				if hook != "PermissionRequest" {
					return api.HookReply{}
				}
				return api.HookReply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"` + behavior + `","message":"not today"}}}`}
			}))
			p.ready()
			p.typeKeys("permit Bash touch x\r")
			p.shows(want)
			p.shows("? for shortcuts")
		})
	}
}

// TestAnswerOfHook: what an answer says beside yes is carried out: another input, the choice
// that was made.
func TestAnswerOfHook(t *testing.T) {
	var asked atomic.Int32
	p := open(t, "", withReply(func(_ context.Context, hook string) api.HookReply {
		if hook != "PermissionRequest" {
			return api.HookReply{}
		}
		more := [...]string{"", `"updatedInput":{"command":"touch y"}`, `"updatedInput":{"answers":{"Which?":"green"}}`}
		return api.HookReply{Stdout: `{"hookSpecificOutput":{"decision":{` + more[asked.Add(1)] + `,"behavior":"allow"}}}`}
	}))
	p.ready()
	for _, c := range []struct {
		typed, shown string
		asks         bool
	}{
		{"permit Bash touch z", "Bash(touch y)", true},
		{"ask Which? | red | green", "⎿  green", true},
	} {
		p.typeKeys(c.typed + "\r")
		p.hook("UserPromptSubmit")
		p.hook("PreToolUse")
		if c.asks {
			p.hook("PermissionRequest")
		}
		p.hook("PostToolUse")
		p.hook("Stop")
		p.shows(c.shown)
		// What is typed before it rests is queued, and its hook comes in another order.
		p.until("rests", func(text string, _ bool) bool { return !strings.Contains(text, "esc to interrupt") })
	}
}

func TestPolicyInPreToolUse(t *testing.T) {
	for decision, want := range map[string]string{"allow": "⎿  Done", "deny": "⎿  denied: policy", "ask": "Do you want to proceed?"} {
		t.Run(decision, func(t *testing.T) {
			p := open(t, "", withReply(func(_ context.Context, hook string) api.HookReply {
				if hook != "PreToolUse" {
					return api.HookReply{}
				}
				return api.HookReply{Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + decision + `","permissionDecisionReason":"policy"}}`}
			}))
			p.ready()
			p.typeKeys("permit Bash touch x\r")
			p.shows(want)
		})
	}
}

func TestQuestion(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("ask Which? | red | green\r")
	p.hook("UserPromptSubmit")
	p.hook("PreToolUse")
	if got := p.hook("PermissionRequest"); got["tool_name"] != "AskUserQuestion" {
		t.Errorf("PermissionRequest %v", got)
	}
	p.shows("❯ 1. red")
	p.typeKeys("2")
	post := p.hook("PostToolUse")
	if input, _ := post["tool_input"].(map[string]any); input["answers"].(map[string]any)["Which?"] != "green" {
		t.Errorf("PostToolUse %v", post)
	}
	p.hook("Stop")
	p.shows("⎿  green")
}

func TestInterruptIsSilent(t *testing.T) {
	for name, key := range map[string]string{"Esc": "\x1b", "Ctrl-C": "\x03"} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "", withPSP)
			p.ready()
			p.typeKeys("spin\r")
			p.hook("UserPromptSubmit")
			p.shows("esc to interrupt")
			p.typeKeys(key)
			p.shows("Interrupted")
			p.typeKeys("say x\r")
			p.hook("UserPromptSubmit")
			p.hook("Stop")
		})
	}
}

func TestQueuedPrompt(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("spin 5s\r") // longer than a slow machine needs for what follows
	p.hook("UserPromptSubmit")
	p.shows("esc to interrupt")
	p.typeKeys("say second\r")
	if got := p.hook("UserPromptSubmit"); got["prompt"] != "say second" {
		t.Errorf("queued %v", got)
	}
	p.shows("queued: say second")
	p.hook("Stop")
	p.hook("Stop") // the second turn began without a hook
	p.shows("⏺ second")
}

func TestPaste(t *testing.T) {
	p := open(t, "")
	p.ready()
	const text = "one 日本\n\ttwo\nthree 👍"
	p.typeKeys("\x1b[200~" + strings.ReplaceAll(text, "\n", "\r") + "\x1b[201~")
	p.shows("three")
	p.typeKeys("\r")
	if got := p.hook("UserPromptSubmit"); got["prompt"] != strings.ReplaceAll(text, "\t", "    ") {
		t.Errorf("prompt %q", got["prompt"])
	}
}

func TestBackgroundTask(t *testing.T) {
	p := open(t, "", withPSP)
	p.ready()
	p.typeKeys("\x1b[200~background 10ms\nsay finished\x1b[201~\r")
	p.hook("UserPromptSubmit")
	if got := p.hook("Stop"); len(got["background_tasks"].([]any)) != 1 {
		t.Errorf("Stop %v", got)
	}
	if got := p.hook("UserPromptSubmit"); !strings.HasPrefix(got["prompt"].(string), "<task-notification>") {
		t.Errorf("prompt %v", got)
	}
	p.hook("Stop")
	p.shows("⏺ finished")
}

func TestFailedTurn(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("fail overloaded\r")
	p.hook("UserPromptSubmit")
	p.hook("StopFailure")
	p.shows("API Error: overloaded")
	p.shows("? for shortcuts")
}

func TestFlood(t *testing.T) {
	p := open(t, "")
	p.ready()
	p.typeKeys("flood 500\r")
	p.hook("UserPromptSubmit")
	p.hook("Stop")
	p.shows("00000500 abcdefghij")
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.engine.HistoryLen(); n < 480 {
		t.Errorf("%d lines in the history", n)
	}
}

func TestEnds(t *testing.T) {
	tests := []struct {
		name, args string
		end        func(p *pane)
		code       int
		hook       bool
	}{
		{"crash", "", func(p *pane) { p.typeKeys("crash 7\r") }, 7, false},
		// The third counts if the second came too late for the first.
		{"twice Ctrl-C", "", func(p *pane) { p.typeKeys("\x03"); p.shows("again to exit"); p.typeKeys("\x03\x03") }, 0, true},
		{"Ctrl-D", "", func(p *pane) { p.typeKeys("\x04\x04") }, 0, true},
		{"exit", "", func(p *pane) { p.typeKeys("exit\r") }, 0, true},
		{"HUP", "", func(p *pane) { _ = p.cmd.Process.Signal(syscall.SIGHUP) }, 129, true},
		{"TERM", "", func(p *pane) { _ = p.cmd.Process.Signal(syscall.SIGTERM) }, 143, true},
		{"HUP in a dialog", "", func(p *pane) {
			p.typeKeys("permit Bash x\r")
			p.shows("Do you want")
			_ = p.cmd.Process.Signal(syscall.SIGHUP)
		}, 129, true},
		{"three Ctrl-C in a dialog", "", func(p *pane) {
			p.typeKeys("permit Bash x\r")
			p.shows("Do you want")
			p.typeKeys("\x1b")
			p.shows("rejected")
			p.typeKeys("\x03\x03\x03") // the first may still interrupt the turn
		}, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, tt.args)
			p.ready()
			tt.end(p)
			p.exits(tt.code)
			ended := false
			for len(p.hooks) > 0 { // the call of a dialog may come after it
				ended = (<-p.hooks).name == "SessionEnd" || ended
			}
			ended = ended || p.spooled("SessionEnd") != nil
			if ended != tt.hook {
				t.Errorf("SessionEnd was called: %v", ended)
			}
		})
	}
}

func TestIgnoreHUP(t *testing.T) {
	p := open(t, "--ignore-hup")
	p.ready()
	_ = p.cmd.Process.Signal(syscall.SIGHUP)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.typeKeys("say still here\r") // handled after the signals
	p.shows("⏺ still here")
}

func TestAlternateScreenAndResize(t *testing.T) {
	p := open(t, "--alt")
	p.ready()
	p.until("alternate screen", func(_ string, alt bool) bool { return alt })
	p.typeKeys("say hello\r")
	p.shows("⏺ hello")
	p.resize(40, 10)
	p.until("a box of 40 columns", func(text string, _ bool) bool {
		return strings.Contains(text, "╭"+strings.Repeat("─", 38)+"╮")
	})
	p.typeKeys("/exit\r")
	p.exits(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine.State().Alt {
		t.Error("the alternate screen was not left")
	}
}
