package daemon

import (
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// TestTaskResumeOff: where lost tasks are not to go on by themselves, each says with
// which command it does; and a new queue has the configured mode and limit.
func TestTaskResumeOff(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("queue_mode = \"auto\"\nqueue_limit = 2\ntask_resume = false\n" + demoConfig)
	p.spawn()
	p.addTasks(api.NewTask{Prompt: "spin"})
	p.addTasks(api.NewTask{Prompt: "say more", After: []api.TaskAfter{{Task: "t1"}}})
	s := p.get(p.waitTask("t1", api.TaskRunning).Session)
	p.kill9()
	for _, pid := range []int{s.HostPID, s.PID} {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	p.spawn()
	task := p.waitTask("t1", api.TaskFailed)
	if want := "`ccdir new -a demo -C " + p.paths.Home + " --resume " + s.Conversation + "` goes on"; !strings.Contains(task.Reason, want) || !strings.HasPrefix(task.Reason, "lost: ") {
		t.Errorf("%q, wanted %q", task.Reason, want)
	}
	if task := p.waitTask("t2", api.TaskBlocked); task.Attempt != 0 {
		t.Errorf("%+v", task)
	}
	var q api.Queue
	if p.call("GET", "/v1/queue", nil, &q); q.Mode != api.QueueAuto || q.Limit != 2 {
		t.Errorf("%+v", q)
	}
}
