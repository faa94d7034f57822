package doctor

import "testing"

func TestLogind(t *testing.T) {
	text := "[Login]\n# KillUserProcesses=yes\n;KillUserProcesses=yes\nKillUserProcesses = no\nKillUserProcesses=yes \n"
	if got := iniValue(text, "KillUserProcesses"); got != "yes" {
		t.Errorf("got %q", got)
	}
	if got := iniValue("#KillUserProcesses=yes\n", "KillUserProcesses"); got != "" {
		t.Errorf("a comment counts: %q", got)
	}
	for v, want := range map[string]bool{"yes": true, "1": true, "on": true, "True": true, "no": false, "": false, "0": false} {
		if isYes(v) != want {
			t.Errorf("%q: %t", v, !want)
		}
	}
}
