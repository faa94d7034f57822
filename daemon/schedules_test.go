package daemon

import (
	"slices"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/daemon/intake"
)

func (p *place) schedules() (list []api.Schedule) {
	p.t.Helper()
	p.call("GET", "/v1/schedules", nil, &list)
	return list
}

// TestScheduleOnceThroughDeaths kills the daemon at each point of a run: its due time is one task,
// or one prompt.
func TestScheduleOnceThroughDeaths(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"", intake.PauseClaimed, intake.PauseAdded} {
		for _, to := range []string{"", "asker"} {
			t.Run(point+to, func(t *testing.T) {
				t.Parallel()
				p := newQueuePlace(t)
				p.spawn()
				asker := p.create(api.NewSession{Name: "asker", Agent: "demo", Prompt: "permit Bash ls"})
				p.wait(asker.ID, api.StatePermission)
				if point != "" {
					p.kill9()
					p.spawnDying(point)
				}
				n := api.NewSchedule{At: time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano), To: to, Task: p.fillTasks([]api.NewTask{{Prompt: "say due"}})[0]}
				var made api.Schedule
				p.call("POST", "/v1/schedules", n, &made)
				if made.ID != "s1" || made.Next == nil {
					t.Fatalf("%+v", made)
				}
				if point == "" { // before its time
					p.kill9()
				} else {
					p.died()
				}
				p.spawn()
				until(t, "its run", func() bool { return p.schedules()[0].Last != nil })
				v := p.schedules()[0]
				if v.Last.Outcome != api.RunStarted || v.State != api.ScheduleDone {
					t.Fatalf("%+v", v.Last)
				}
				var tasks []api.Task
				p.call("GET", "/v1/tasks", nil, &tasks)
				if to != "" {
					if list := p.pendings(); len(list) != 1 || list[0].ID != v.Last.Pending || list[0].Text != "say due" || len(tasks) > 0 {
						t.Errorf("%+v %+v", list, tasks)
					}
					return
				}
				if len(tasks) != 1 || tasks[0].ID != v.Last.Task || !slices.Equal(tasks[0].Labels, []string{"schedule:s1"}) {
					t.Fatalf("%+v", tasks)
				}
				p.waitTask(tasks[0].ID, api.TaskDone)
			})
		}
	}
}
