package daemon

import (
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
	for _, n := range []api.NewTask{{Prompt: "think 3s\nsay in a pane"}, {Prompt: "think 3s\nsay printed", Kind: api.TaskPrint}} {
		task := p.addTasks(n)[0]
		s := p.waitTask(task.ID, api.TaskRunning).Session
		p.call("POST", "/v1/messages", api.NewMessage{To: s, Text: "look at the logs"}, nil)
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
	quiet := p.addTasks(api.NewTask{Prompt: "think 3s\nsay quiet"})[0]
	s := p.waitTask(quiet.ID, api.TaskRunning).Session
	p.call("POST", "/v1/messages", api.NewMessage{To: s, Text: "nobody tells"}, nil)
	if got := p.waitTask(quiet.ID, api.TaskDone); got.Result.Message != "quiet" {
		t.Errorf("%+v", got)
	}
}
