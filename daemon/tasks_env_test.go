package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions/launch"
)

// TestTaskEnv: a task's own variables and role are those of its session, and no other task's;
// answers do not show them.
func TestTaskEnv(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	list := p.addTasks(api.NewTask{Prompt: "say a", Keep: true, Role: "lead", ExtraEnv: []string{"CHOSEN=yes"}, Env: os.Environ()}, api.NewTask{Prompt: "say b", Keep: true})
	for i, one := range list {
		if len(one.Env) > 0 || len(one.ExtraEnv) > 0 {
			t.Errorf("the answer shows %q", one.ExtraEnv)
		}
		p.call("POST", "/v1/tasks/"+one.ID+"/start", nil, nil)
		s := p.waitTask(one.ID, api.TaskDone).Session
		spec, err := os.ReadFile(filepath.Join(p.paths.SessionDir(s), launch.SpecFile))
		if err != nil {
			t.Fatal(err)
		}
		var session api.Session
		p.call("GET", "/v1/sessions/"+s, nil, &session)
		if has := strings.Contains(string(spec), "CHOSEN=yes"); has != (i == 0) || (session.Role == "lead") != (i == 0) {
			t.Errorf("task %d: its variable: %v, its role: %s", i, has, session.Role)
		}
	}
	if err := p.try("POST", "/v1/tasks", p.fillTasks([]api.NewTask{{Prompt: "x", ExtraEnv: []string{"=b"}}}), nil); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("a variable without a name: %v", err)
	}
}
