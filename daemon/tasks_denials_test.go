package daemon

import (
	"strings"
	"testing"

	"ccdir/api"
)

// TestTaskDenials: what the policy refused to a task in a pane is in its result,
// for each attempt its own.
func TestTaskDenials(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	p.run()
	p.policy(testPolicy)
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	list := p.addTasks(api.NewTask{Prompt: "tool Bash rm x\nsay tried"}, api.NewTask{Prompt: "tool Bash git status\nsay looked"})
	task := p.waitTask(list[0].ID, api.TaskDone)
	if d := task.Result.Denials; len(d) != 1 || d[0].Tool != "Bash" || d[0].ID == "" || !strings.Contains(string(d[0].Input), "rm x") || d[0].By != "policy" {
		t.Errorf("%+v", d)
	}
	if task := p.waitTask(list[1].ID, api.TaskDone); task.Result.Denials != nil {
		t.Errorf("%+v", task.Result.Denials)
	}
}
