package daemon

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/daemon/queue"
)

// TestKeysOnTasks: the same for the queue, which makes each task once and starts it
// once.
func TestKeysOnTasks(t *testing.T) {
	t.Parallel()
	each(t, around(queue.PauseSaved), func(p *place, n int, point string) {
		count := func(prompt string) (all int) {
			var list []api.Task
			p.call("GET", "/v1/tasks", nil, &list)
			for _, task := range list {
				if task.Prompt == prompt {
					all++
				}
			}
			return all
		}
		one, two := fmt.Sprintf("say one %d.", n), fmt.Sprintf("say two %d.", n)
		a := p.once(point, fmt.Sprint("add", n), keyed{"POST", "/v1/tasks", []api.NewTask{
			{Prompt: one, Agent: "demo", CWD: p.paths.Home, Env: os.Environ()}, {Prompt: two, Agent: "demo", CWD: p.paths.Home}}})
		list := decode[[]api.Task](t, a)
		if len(list) != 2 || count(one) != 1 || count(two) != 1 {
			t.Errorf("%s: %d and %d tasks", point, count(one), count(two))
		}
		p.kill9()
		p.once(point, fmt.Sprint("move", n), keyed{"POST", "/v1/tasks/" + list[1].ID + "/move", api.MoveTask{Before: list[0].ID}})
		p.kill9()
		changed := fmt.Sprintf("say changed %d.", n)
		p.once(point, fmt.Sprint("edit", n), keyed{"POST", "/v1/tasks/" + list[1].ID + "/edit", api.EditTask{Prompt: &changed}})
		if count(changed) != 1 || count(two) != 0 {
			t.Errorf("%s: not edited", point)
		}
		p.kill9()
		p.once(point, fmt.Sprint("start", n), keyed{"POST", "/v1/tasks/" + list[0].ID + "/start", nil})
		if task := p.waitTask(list[0].ID, api.TaskDone); task.Attempt != 1 {
			t.Errorf("%s: %d attempts", point, task.Attempt)
		}
		p.checkOnce(map[string][]string{list[0].ID: {one}})
		p.kill9()
		if n%2 == 0 {
			p.once(point, fmt.Sprint("cancel", n), keyed{"POST", "/v1/tasks/" + list[1].ID + "/cancel", nil})
		} else {
			a := p.once(point, fmt.Sprint("clear", n), keyed{"DELETE", "/v1/tasks", nil})
			if cleared := decode[[]api.Task](t, a); len(cleared) != 1 || cleared[0].ID != list[1].ID {
				t.Errorf("%s: cleared %+v", point, cleared)
			}
		}
		p.waitTask(list[1].ID, api.TaskCancelled)
		p.toldOnce(list[1].ID)
	})
}

// toldOnce checks that no step of a task that never ran is an event twice.
func (p *place) toldOnce(task string) {
	p.t.Helper()
	seen := map[string]int{}
	for _, e := range p.events() {
		if strings.Contains(string(e.Data), fmt.Sprintf(`"task":%q`, task)) {
			seen[e.Type+" "+e.Message]++
		}
	}
	if len(seen) == 0 {
		p.t.Errorf("nothing was told of %s", task)
	}
	for what, n := range seen {
		if n != 1 {
			p.t.Errorf("%d times: %s", n, what)
		}
	}
}

// TestKeysOnMessages: the same for messages of the person's.
func TestKeysOnMessages(t *testing.T) {
	t.Parallel()
	each(t, around(), func(p *place, n int, point string) {
		p.spawn()
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
		p.kill9()
		a := p.once(point, fmt.Sprint("key", n), keyed{"POST", "/v1/messages", api.NewMessage{To: s.ID, Text: "hello"}})
		var list []api.Message
		p.call("GET", "/v1/messages?session="+s.ID, nil, &list)
		if len(list) != 1 || list[0].ID != decode[api.Message](t, a).ID {
			t.Errorf("%s: %+v", point, list)
		}
		told := 0
		for _, e := range p.events() {
			if e.Type == api.EventMessage && strings.Contains(string(e.Data), s.ID) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: %d events", point, told)
		}
	})
}
