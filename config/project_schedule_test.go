package config

import (
	"strings"
	"testing"
)

// TestProjectSchedules: a project's schedules run in the project, and one mistake is an error.
func TestProjectSchedules(t *testing.T) {
	t.Parallel()
	const good = "isolate = 'always'\n[[schedule]]\nname = 'nightly'\nwhen = '30 2 * * *'\nprompt = 'update'\n"
	list, err := ProjectSchedules([]byte(good), ".ccdir.toml", "/p")
	if err != nil || len(list) != 1 || list[0].Name != "nightly" || list[0].Task.CWD != "/p" {
		t.Errorf("%v %+v", err, list)
	}
	if list, err := ProjectSchedules([]byte("isolate = 'always'\n"), ".ccdir.toml", "/p"); err != nil || list != nil {
		t.Errorf("none: %v %+v", err, list)
	}
	for text, says := range map[string]string{
		good + "dir = '/etc'\n":                   ".ccdir.toml:6: schedule.0.dir: a project's schedule runs in the project",
		good + "to = 'lead'\n":                    "leave to out",
		good + "env = ['PATH=/p']\n":              "leave env out",
		good + "x = 1\n":                          "unknown key",
		good + good[len("isolate = 'always'\n"):]: "two schedules of that name",
		"schedule = 'x'\n":                        "write each schedule as",
		"schedule = ['x']\n":                      "write each schedule as",
		"schedule = [":                            ".ccdir.toml: ",
	} {
		if list, err := ProjectSchedules([]byte(text), ".ccdir.toml", "/p"); err == nil || list != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// FuzzProjectSchedules: whatever a repository's file holds, its schedules run in the project.
func FuzzProjectSchedules(f *testing.F) {
	f.Add([]byte("[[schedule]]\nname = 'a'\nwhen = '@daily'\nprompt = 'x'\n"))
	f.Add([]byte("schedule = [1]"))
	f.Add([]byte("[schedule]\nto = 'x'"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ProjectSchedules(data, "f", "/p")
		for _, s := range list {
			if err != nil || s.Task.CWD != "/p" || s.To != "" || len(s.Task.ExtraEnv) > 0 {
				t.Errorf("%v %+v", err, s)
			}
		}
	})
}
