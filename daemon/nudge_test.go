package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestNudgedAtStop: an agent that works when a message comes goes on with it at
// the end of its turn, and is not disturbed by a prompt; a one-shot run is not over
// before.
func TestNudgedAtStop(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.config(demoConfig + "[mcp]\nnudge = \"stop\"\n")
	p.run()
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	// send sends a message while the turn runs, which ends after it.
	send := func(task string, text string) (session string) {
		t.Helper()
		session = p.waitTask(task, api.TaskRunning).Session
		until(t, "the turn", func() bool {
			return slices.ContainsFunc(p.events(), func(e api.Event) bool { return e.Session == session && e.Type == claude.HookUserPromptSubmit })
		})
		p.call("POST", "/v1/messages", api.NewMessage{To: session, Text: text}, nil)
		if err := os.WriteFile(filepath.Join(p.paths.Home, text), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return session
	}
	await := func(text, then string) string { return "await " + filepath.Join(p.paths.Home, text) + "\n" + then }
	for _, n := range []api.NewTask{{Prompt: await("in-a-pane", "say in a pane")}, {Prompt: await("printed", "say printed"), Kind: api.TaskPrint}} {
		task := p.addTasks(n)[0]
		text := "in-a-pane"
		if n.Kind == api.TaskPrint {
			text = "printed"
		}
		s := send(task.ID, text)
		got := p.waitTask(task.ID, api.TaskDone)
		if !strings.HasPrefix(got.Result.Message, "I go on: You have a new message.") || got.Result.Missing != "" {
			t.Errorf("%+v", got)
		}
		stops := 0
		for _, e := range p.events() {
			if e.Session == s && e.Type == claude.HookStop {
				stops++
			}
			if e.Session == s && e.Type == claude.HookUserPromptSubmit && strings.Contains(e.Message, "message_inbox") {
				t.Errorf("it was told by a prompt: %+v", e)
			}
		}
		if stops != 2 {
			t.Errorf("%d ends of turns in %s, wanted 2", stops, s)
		}
	}
	// Without messages every turn ends; "off" tells nobody.
	p.config(demoConfig + "[mcp]\nnudge = \"off\"\n")
	p.stopDaemon()
	p.run()
	quiet := p.addTasks(api.NewTask{Prompt: await("nobody-tells", "say quiet")})[0]
	send(quiet.ID, "nobody-tells")
	if got := p.waitTask(quiet.ID, api.TaskDone); got.Result.Message != "quiet" {
		t.Errorf("%+v", got)
	}
}
