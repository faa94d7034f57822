package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/intake"
)

// labelled are the tasks with a label.
func (p *place) labelled(label string) (n int) {
	p.t.Helper()
	var list []api.Task
	p.call("GET", "/v1/tasks", nil, &list)
	for _, task := range list {
		if strings.Contains(strings.Join(task.Labels, " "), label) {
			n++
		}
	}
	return n
}

// TestScheduleKilled: a daemon that is killed at any point of a schedule's run leaves one task of it.
func TestScheduleKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{intake.PauseClaimed, intake.PauseAdded} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.config(demoConfig)
			p.spawnDying(point)
			n := api.NewSchedule{At: time.Now().Add(time.Second).Format(time.RFC3339Nano), Task: api.NewTask{Prompt: "say done", Agent: "demo", CWD: p.paths.Home}}
			_ = p.try("POST", "/v1/schedules", n, nil)
			p.died()
			p.spawn()
			until(t, "the schedule's task", func() bool { return p.labelled("schedule:s1") == 1 })
			p.kill9()
			p.spawn()
			var v api.Schedule
			until(t, "the run to be recorded", func() bool { p.call("GET", "/v1/schedules/s1", nil, &v); return v.State == api.ScheduleDone })
			if got := p.labelled("schedule:s1"); got != 1 || v.Last == nil || v.Last.Outcome != api.RunStarted {
				t.Errorf("%d tasks, %+v", got, v)
			}
		})
	}
}

// TestWatchKilled: a daemon that is killed at any point of a watch's run leaves one task of the match,
// also if nothing matches any more.
func TestWatchKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{intake.PauseTakes, intake.PauseTook} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			found := filepath.Join(p.paths.Home, "found.json")
			write := func(text string) {
				if err := os.WriteFile(found, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("[]")
			p.config(demoConfig + fmt.Sprintf("\n[[watch]]\nname = 'bugs'\ndir = %q\ncommand = 'cat %s'\ntrust = true\nagent = 'demo'\nworktree = ''\n", p.paths.Home, found))
			p.spawnDying(point)
			write(`[{"id":"K-1","title":"It fails","text":"Always.","url":"https://example.org/K-1"}]`)
			_ = p.try("POST", "/v1/watches/bugs/run", nil, nil)
			p.died()
			write("[]")
			for range 2 {
				p.spawn()
				until(t, "the match's task", func() bool { return p.labelled("watch:bugs") == 1 })
				p.kill9()
			}
		})
	}
}

// TestReactionKilled: an event whose command a daemon was going to start when it died starts it no more than once, and later events start it.
func TestReactionKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ran := filepath.Join(p.paths.Home, "ran")
	p.config(demoConfig + fmt.Sprintf("\n[[on]]\nevent = 'task.done'\nrun = 'echo $CCDIR_NAME >> %s'\n", ran))
	p.spawnDying(intake.PauseReacts)
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	p.addTasks(api.NewTask{Prompt: "say one", Name: "one"})
	p.died()
	p.spawn()
	p.waitTask("t1", api.TaskDone)
	p.kill9()
	p.spawn()
	p.addTasks(api.NewTask{Prompt: "say two", Name: "two"})
	lines := func() string { data, _ := os.ReadFile(ran); return string(data) }
	until(t, "the second task's command", func() bool { return strings.Contains(lines(), "two\n") })
	if got := lines(); got != "two\n" && got != "one\ntwo\n" {
		t.Errorf("it ran for %q", got)
	}
}
