package service

import (
	"path/filepath"
	"strings"
	"testing"

	"ccdir/test/programs"
)

// TestServiceUpgraded: a package puts other programs in place of those that run. Nothing
// ends; `daemon restart`, and a crash, bring the new daemon, by the service, to the old hosts.
func TestServiceUpgraded(t *testing.T) {
	t.Parallel()
	newer := t.TempDir()
	if err := programs.BuildVersion(newer, "9.8.7"); err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	r.ok("mkdir $HOME/pkg && cp " + filepath.Join(bin, "ccdir") + "* $HOME/pkg && export PATH=$HOME/pkg:$PATH && ccdir service install")
	unit := r.unit()
	r.ok("ccdir new -n api -a demo --prompt 'run ls'")
	r.ok("ccdir wait api --state idle --timeout 60s")
	api := r.pids("api")
	// As dpkg does: each file beside the old one, then renamed.
	r.ok("for p in ccdir-shim ccdir-daemon ccdir; do cp " + newer + "/$p $HOME/pkg/.$p.new && mv $HOME/pkg/.$p.new $HOME/pkg/$p || exit 1; done")
	if said, ok := r.run("ccdir ls"); ok || !strings.Contains(said, "ccdir daemon restart") {
		t.Errorf("ls of the new version says %s", said)
	}
	r.ok("ccdir daemon restart")
	if said := r.ok("ccdir daemon status --json"); !strings.Contains(said, `"version": "9.8.7"`) {
		t.Errorf("after the restart: %s", said)
	}
	main := func() string { return r.ok("systemctl --user show --property=MainPID --value " + unit) }
	alive := func(after string) {
		t.Helper()
		r.until("ccdir show api --json | grep -E '\"state\": \"idle\"'")
		if now := r.pids("api"); now != api {
			t.Errorf("after %s: %s, and before %s", after, now, api)
		}
	}
	alive("the upgrade")
	old := main()
	if old == "0" {
		t.Error("the new daemon is not the service's")
	}
	r.ok("kill -9 " + old)
	r.until("p=$(systemctl --user show --property=MainPID --value " + unit + "); [ $p != 0 ] && [ $p != " + old + " ] && systemctl --user is-active " + unit)
	alive("a crash of the new one")
}

// TestLogout: without lingering the last logout ends the user's manager, and with it every
// service and scope: sessions end, in order, and the next login offers them. With lingering
// the manager is not ended; whether it is set is asked and shown. (logind is played: a real
// one is the machine's.)
func TestLogout(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ok("mkdir $HOME/fake && echo no >$HOME/linger && printf '#!/bin/sh\\ncase $1 in enable-linger) echo yes >" + r.home + "/linger ;; show-user) echo Linger=$(cat " + r.home + "/linger) ;; esac\\n' >$HOME/fake/loginctl && chmod +x $HOME/fake/loginctl && export PATH=$HOME/fake:$PATH")
	if said := r.ok("ccdir service install"); !strings.Contains(said, "ccdir service install --linger") {
		t.Errorf("lingering is not offered: %s", said)
	}
	if said := r.ok("ccdir service status"); !strings.Contains(said, "after logout      no") {
		t.Errorf("status: %s", said)
	}
	r.ok("ccdir new -n api -a demo --prompt 'run ls'")
	r.ok("ccdir wait api --state idle --timeout 60s")
	before := r.pids("api")

	r.ok("systemctl --user exit; until ! systemctl --user is-system-running >/dev/null 2>&1; do sleep 0.05; done")
	r.ok("(/lib/systemd/systemd --user --log-target=console >/dev/null 2>&1 &); until systemctl --user is-system-running 2>/dev/null | grep -q running; do sleep 0.05; done")

	r.until("ccdir restore | grep api")
	r.ok("ccdir restore --all")
	r.until("ccdir show api --json | grep -E '\"state\": \"idle\"'")
	if now := r.pids("api"); now == before {
		t.Errorf("the session outlived the logout: %s", now)
	}
	r.ok("ccdir service install --linger")
	if said := r.ok("ccdir service status"); !strings.Contains(said, "after logout      yes") {
		t.Errorf("status: %s", said)
	}
}
