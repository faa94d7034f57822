package realcli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/test/fakeapi"
)

// use makes another program the product's claude.
func (p *Product) use(command string) {
	p.t.Helper()
	config := "kill_grace = \"5s\"\n[agents.claude]\ncommand = " + strconv.Quote(command) + "\nargs = [\"--permission-mode\", \"manual\"]\n"
	if err := os.WriteFile(p.Paths.ConfigFile(), []byte(config), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// prompt types a prompt into a bare terminal.
func (tm *Terminal) prompt(text string) {
	tm.Write("\x1b[200~" + text + "\x1b[201~")
	time.Sleep(100 * time.Millisecond) // an Enter in the same read is part of the paste
	tm.Write("\r")
}

// answer presses a key in a dialog. One that was just drawn ignores keys that may
// have been meant for something else, so it is pressed again while it is open.
func (tm *Terminal) answer(ctx context.Context, key string) {
	tm.t.Helper()
	const dialog = "1. Yes"
	if !tm.Shows(ctx, dialog) {
		tm.t.Fatal("no dialog")
	}
	for strings.Contains(tm.Text(), dialog) {
		tm.Write(key)
		for tries := 0; tries < 20 && strings.Contains(tm.Text(), dialog); tries++ {
			time.Sleep(50 * time.Millisecond)
		}
		if ctx.Err() != nil {
			tm.t.Fatal("the dialog stays open")
		}
	}
}

// soon bounds the wait for a state that only the agent's own file reports.
const soon = 20 * time.Second

// stateSoon waits for a state.
func (p *Product) stateSoon(ctx context.Context, id string, want api.State) {
	p.t.Helper()
	start := time.Now()
	p.State(ctx, id, want)
	if d := time.Since(start); d > soon {
		p.t.Errorf("%s after %s\n%s", want, d, p.Dump())
	}
}

// TestOutsideInATerminal: the real CLI in a terminal whose keys and output ccdir cannot
// see. Interrupts, which no hook reports, are read from its session file.
func TestOutsideInATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cli  func(testing.TB) string
	}{{Version, Claude}, {Older, ClaudeOlder}} {
		t.Run(c.name, func(t *testing.T) {
			cli := c.cli(t)
			stream := newGate()
			defer stream.release()
			fake := fakeapi.New(outsideScript(stream))
			defer fake.Close()
			place := Home(t, fake.URL())
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			p := Install(t, place)
			p.use(cli)
			p.Run(ctx, "hooks", "install", "--yes")
			p.Run(ctx, "daemon", "start")
			cmd := exec.Command(cli, manual...)
			cmd.Env, cmd.Dir = p.Env, place.CWD
			tm := Start(t, cmd, nil)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the terminal:\n%s", tm.Text())
				}
			})
			id := p.outsideRow(ctx, cmd.Process.Pid)
			p.stateSoon(ctx, id, api.StateIdle)
			if !tm.Shows(ctx, "❯") {
				t.Fatalf("no input line:\n%s", tm.Text())
			}

			tm.prompt("tell me a story")
			p.stateSoon(ctx, id, api.StateWorking)
			if !tm.Shows(ctx, "Some words first") {
				t.Fatalf("no answer:\n%s\n%s", tm.Text(), p.Dump())
			}
			tm.Write("\x1b")
			p.stateSoon(ctx, id, api.StateIdle)

			tm.prompt("run it")
			p.stateSoon(ctx, id, api.StatePermission)
			tm.answer(ctx, "\x1b") // No
			p.stateSoon(ctx, id, api.StateIdle)

			tm.prompt("run the other")
			p.stateSoon(ctx, id, api.StatePermission)
			tm.answer(ctx, "1")
			if !tm.Shows(ctx, "Done.") {
				t.Fatalf("no end:\n%s", tm.Text())
			}
			p.stateSoon(ctx, id, api.StateIdle)

			tm.prompt("run it for long")
			p.stateSoon(ctx, id, api.StatePermission)
			tm.answer(ctx, "1")
			p.stateSoon(ctx, id, api.StateWorking)
			tm.Write("\x1b") // while a tool runs
			p.stateSoon(ctx, id, api.StateIdle)

			p.Run(ctx, "kill", "--yes", id)
			select {
			case <-tm.Exited():
			case <-ctx.Done():
				t.Fatal("it was not ended")
			}
			if code, signal := tm.exitCode(); code != 128+int(syscall.SIGTERM) {
				t.Errorf("it ended with %d %s", code, signal)
			}
			p.State(ctx, id, api.StateExited)
		})
	}
}

// outsideScript answers by what was asked: the CLI asks of its own accord, too.
func outsideScript(stream *gate) fakeapi.Script {
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		switch {
		case !r.Main():
			return fakeapi.Echo(ctx, r)
		case strings.Contains(r.Prompt, "tell me a story"):
			return fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "never said", Wait: stream.ch}}, End: stream.ch}
		case strings.Contains(r.Prompt, "run it for long"):
			return bash("touch long && sleep 1000")
		case strings.Contains(r.Prompt, "run"):
			return bash("touch made")
		}
		return fakeapi.Echo(ctx, r)
	}
}

// outsideRow waits for the row of a process and returns its id.
func (p *Product) outsideRow(ctx context.Context, pid int) (id string) {
	p.t.Helper()
	for ctx.Err() == nil {
		list, err := p.Client.Sessions(ctx)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, s := range list {
			if s.External && s.PID == pid {
				return s.ID
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.t.Fatalf("no row of process %d\n%s", pid, p.Dump())
	return ""
}

// TestBelowWrapper: the agent's command is a script that runs the CLI as its child.
// States that only the session file reports are seen nevertheless.
func TestBelowWrapper(t *testing.T) {
	t.Parallel()
	cli := Claude(t)
	stream := newGate()
	defer stream.release()
	fake := fakeapi.New(fakeapi.Turns(
		fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "never said", Wait: stream.ch}}, End: stream.ch}))
	defer fake.Close()
	place := Home(t, fake.URL())
	ctx := limit(t)
	p := Install(t, place)
	wrapper := filepath.Join(place.Home, "claude-wrapper")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\n"+agents.ShellQuote(cli)+" \"$@\"\ncode=$?\nexit $code\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.use(wrapper)
	// Neither program status nor title: a panel is told by the file alone.
	id := p.New(ctx, "-e", "CCDIR_NO_STATUS=1")
	s := p.State(ctx, id, api.StateIdle)
	tree, err := proc.Tree(ctx, s.PID)
	if err != nil || len(tree) < 2 {
		t.Fatalf("it is no wrapper: %+v, %v", tree, err)
	}
	p.Run(ctx, "send", id, "tell me a story")
	p.Screen(ctx, id, "Some words first")
	p.Run(ctx, "keys", id, "Escape")
	p.stateSoon(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "/cost")
	p.stateSoon(ctx, id, api.StateInput)
	if out := p.Run(ctx, "explain", id, "--json"); !strings.Contains(out, `"file"`) {
		t.Errorf("not by its file: %s", out)
	}
	p.Run(ctx, "keys", id, "Escape")
	p.stateSoon(ctx, id, api.StateIdle)
}

// TestHostKilled: a killed host's session is lost, its agent ends, and both
// `ccdir restart` and one key in the grid go on in the same conversation.
func TestHostKilled(t *testing.T) {
	t.Parallel()
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx := limit(t)
	p := Install(t, Home(t, fake.URL()))
	id := p.New(ctx, "--name", "api")
	p.State(ctx, id, api.StateIdle)
	said := []string{"the word is heather"}
	p.Run(ctx, "send", id, said[0])
	p.Screen(ctx, id, "You said: "+said[0])
	for n, again := range []func(){
		func() { p.Run(ctx, "restart", id) },
		func() {
			cmd := p.command(ctx)
			cmd.Env = agents.SetEnv(cmd.Env, "TERM=xterm-256color")
			grid := Start(t, cmd, nil)
			if !grid.Shows(ctx, "lost") {
				t.Fatalf("the grid does not say lost:\n%s", grid.Text())
			}
			grid.Write("\x02")
			grid.Write("R")
			p.State(ctx, id, api.StateIdle)
			grid.Write("\x02")
			grid.Write("d")
			<-grid.Exited()
		},
	} {
		before := p.State(ctx, id, api.StateIdle)
		if err := syscall.Kill(before.HostPID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		lost := p.State(ctx, id, api.StateLost)
		if !strings.Contains(lost.Error, "ccdir restart") {
			t.Errorf("the error says nothing to do: %q", lost.Error)
		}
		// Its agent ends with its terminal, or is killed.
		p.Event(ctx, id, 0, "the end of the agent", func(e api.Event) bool {
			return e.Type == api.EventSessionLost && strings.Contains(e.Message, "pid "+strconv.Itoa(before.PID)) && strings.Contains(e.Message, "ended")
		})
		if proc.Alive(before.PID, "") {
			t.Errorf("the agent %d still runs", before.PID)
		}
		again()
		now := p.State(ctx, id, api.StateIdle)
		if now.Conversation != before.Conversation {
			t.Errorf("another conversation: %s, not %s", now.Conversation, before.Conversation)
		}
		next := "and now number " + strconv.Itoa(n)
		p.Run(ctx, "send", id, next)
		p.Screen(ctx, id, "You said: "+next)
		for _, text := range said {
			if r := fake.Requests(); !strings.Contains(string(lastMain(r).Body), text) {
				t.Errorf("%q is forgotten after %q", text, next)
			}
		}
		said = append(said, next)
	}
	list, err := p.Client.Sessions(ctx)
	if err != nil || len(list) != 1 {
		t.Errorf("rows: %+v, %v", list, err)
	}
}

// lastMain is the newest request of the conversation.
func lastMain(list []fakeapi.Request) (last fakeapi.Request) {
	for _, r := range list {
		if r.Main() {
			last = r
		}
	}
	return last
}
