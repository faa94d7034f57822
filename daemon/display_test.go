package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sessions/login"
)

// TestDisplayOfTheNewestLogin: what starts again, and a task that starts later than it was asked for, has
// the display of the newest login; a display that the person chose for the session stays.
func TestDisplayOfTheNewestLogin(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("queue_mode = \"auto\"\n")
	p.run()
	screen := func(name string) string {
		path := filepath.Join(p.paths.Home, name)
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return path
	}
	path, show := "PATH="+os.Getenv("PATH"), sh(`echo "[$DISPLAY $WAYLAND_DISPLAY $XAUTHORITY]"; exec sleep 1000`)
	old := []string{path, "DISPLAY=localhost:1", "WAYLAND_DISPLAY=" + screen("old"), "XAUTHORITY=" + p.paths.Home}
	shows := func(name, want string) {
		t.Helper()
		until(t, name+" shows "+want, func() bool { return strings.Contains(p.screen(name), want) })
	}
	login.Renew(p.paths, os.Getuid(), old)
	p.create(api.NewSession{Name: "caller", Argv: show, Env: old, Cols: 300, Rows: 24})
	p.create(api.NewSession{Name: "chosen", Argv: show, Env: old, ExtraEnv: []string{"WAYLAND_DISPLAY=mine"}, Cols: 300, Rows: 24})
	p.create(api.NewSession{Name: "none", Argv: show, Env: []string{path}, Cols: 300, Rows: 24})
	shows("caller", "[localhost:1 "+filepath.Join(p.paths.Home, "old")+" "+p.paths.Home+"]")
	newest := screen("new")
	login.Renew(p.paths, os.Getuid(), []string{path, "WAYLAND_DISPLAY=" + newest})
	for name, want := range map[string]string{
		"caller": "[ " + newest + " ]", "chosen": "[localhost:1 mine " + p.paths.Home + "]", "none": "[  ]",
	} {
		p.call("POST", "/v1/sessions/"+name+"/restart", nil, nil)
		shows(name, want)
	}
	asked := p.fillTasks([]api.NewTask{{Prompt: "think 3s"}})
	asked[0].Env = append(asked[0].Env, old[1:]...)
	var tasks []api.Task
	p.call("POST", "/v1/tasks", asked, &tasks)
	session := p.waitTask(tasks[0].ID, api.TaskRunning).Session
	spec, err := os.ReadFile(filepath.Join(p.paths.SessionDir(session), "session.json"))
	if err != nil || !strings.Contains(string(spec), "WAYLAND_DISPLAY="+newest) || strings.Contains(string(spec), "localhost:1") {
		t.Errorf("the task's session: %v\n%s", err, spec)
	}
}
