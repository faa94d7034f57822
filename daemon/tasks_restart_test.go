package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestTaskPromptOutlivesRestart: a restart of the daemon while prompts wait for an agent
// that asks something is no event of theirs, and they are delivered once it has its answer.
func TestTaskPromptOutlivesRestart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	script := filepath.Join(p.paths.Home, "script")
	if err := os.WriteFile(script, []byte("> Trust it?\npermit Bash make\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.config(fmt.Sprintf("queue_mode = \"auto\"\nended_task_panes = \"all\"\n[agents.demo]\nkind = \"demo\"\nargs = [\"-delay\", \"30ms\", \"-script\", %q]\n", script))
	p.run()
	tasks := p.addTasks(api.NewTask{Prompt: "say one"}, api.NewTask{Prompt: "say two"})
	for _, task := range tasks {
		p.waitTask(task.ID, api.TaskWaiting)
	}
	p.stopDaemon()
	p.run()
	for i, task := range tasks {
		session := p.waitTask(task.ID, api.TaskWaiting).Session
		p.call("POST", "/v1/sessions/"+session+"/input/raw", api.RawInput{Keys: []string{"1"}}, nil)
		if done := p.waitTask(task.ID, api.TaskDone); done.Attempt != 1 || done.Result.Message != []string{"one", "two"}[i] {
			t.Errorf("%+v", done)
		}
	}
	delivered := 0
	for _, e := range p.events() {
		if e.Type != api.EventPrompt {
			continue
		}
		if strings.HasPrefix(e.Message, "not delivered") {
			t.Errorf("%s: %s", e.Session, e.Message)
		} else { // delivered, or queued by the agent
			delivered++
		}
	}
	if delivered != len(tasks) {
		t.Errorf("%d prompts delivered", delivered)
	}
}
