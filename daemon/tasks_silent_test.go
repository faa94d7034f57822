package daemon

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/sessions/delivery"
)

// TestTaskWaitsForSilentHost: a host that does not answer for longer than a request may
// take fails no task: its prompt is given when the host goes on, once.
func TestTaskWaitsForSilentHost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("queue_mode = \"auto\"\n" + demoConfig)
	var once sync.Once
	p.pause = func(point string) {
		if point != delivery.PauseExpecting {
			return
		}
		once.Do(func() {
			var all []api.Session
			p.call("GET", "/v1/sessions", nil, &all)
			pid := all[0].HostPID
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
			// Longer than sessions' requestTimeout, which no event tells of.
			time.AfterFunc(12*time.Second, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
		})
	}
	p.run()
	p.addTasks(api.NewTask{Prompt: "say hello"})
	v := p.waitTask("t1", api.TaskDone)
	if v.Attempt != 1 || v.Result.Message != "hello" {
		t.Errorf("%+v", v)
	}
	if got := p.prompts(v.Session); len(got) != 1 {
		t.Errorf("it was given %q", got)
	}
}
