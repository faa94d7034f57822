package launch

import (
	"strings"
	"testing"
)

func TestScopeOf(t *testing.T) {
	for cgroups, want := range map[string]string{
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/ccdir.service\n":                                              "user",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.gnome.Terminal.slice/gnome-terminal-server.service\n": "user",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n":                                          "",
		"0::/user.slice/user-1000.slice/session-3.scope\n":                                                                        "",
		"0::/system.slice/ccdir.service\n":                                                                                        "system",
		"12:pids:/system.slice/x.service\n1:name=systemd:/user.slice/user-0.slice/user@0.service/init.scope\n0::/\n":              "",
		"1:name=systemd:/user.slice/user-0.slice/user@0.service/a.service\n0::/\n":                                                "user",
		"0::/\n": "", "": "", "\x00::\n:": "",
	} {
		got := scopeOf(cgroups, 0)
		switch {
		case want == "" && got != nil, want == "user" && (len(got) == 0 || got[len(got)-1] != "--user"), want == "system" && strings.Join(got, " ") != "systemd-run --scope --collect --quiet":
			t.Errorf("%q: %q, want %s", cgroups, got, want)
		}
	}
	if got := scopeOf("0::/system.slice/ccdir.service\n", 1000); len(got) == 0 || got[len(got)-1] != "--user" {
		t.Errorf("a service of the machine that runs as a user: %q", got)
	}
}
