package daemon

import (
	"strings"
	"testing"

	"ccdir/internal/api"
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
	if task := p.waitTask(list[0].ID, api.TaskDone); !strings.Contains(string(task.Result.Denials), `"tool_name":"Bash","tool_use_id"`) ||
		!strings.Contains(string(task.Result.Denials), "rm x") || !strings.Contains(string(task.Result.Denials), `"by":"policy"`) {
		t.Errorf("%s", task.Result.Denials)
	}
	if task := p.waitTask(list[1].ID, api.TaskDone); task.Result.Denials != nil {
		t.Errorf("%s", task.Result.Denials)
	}
}
