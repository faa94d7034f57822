package tui

import (
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/client"
	"ccdir/tui/known"
	"ccdir/tui/ui"
)

// TestVersionsNoted: what an upgrade left behind is told, and taken back when it is
// untrue again.
func TestVersionsNoted(t *testing.T) {
	m := testModel(80, 24)
	told := func(pid int, version string, sessions ...api.Session) string {
		s := &api.Snapshot{Server: api.Server{PID: pid, Version: version}, Sessions: sessions}
		m.carryOut(ui.Daemon, m.daemon.Snapshot(m.Server, s, m.keys))
		m.Server = s.Server
		return m.notice.text
	}
	m.Server = api.Server{PID: 1, Version: api.Version}
	m.notice = notice{}
	for _, step := range []struct {
		pid           int
		version, want string
		sessions      []api.Session
	}{
		{2, api.Version, "", nil},
		{3, "99.0.0", "the daemon is ccdir 99.0.0 now, this grid " + api.Version, nil},
		{4, api.Version, "the daemon is ccdir " + api.Version + " again", nil},
		{5, api.Version, "1 session runs on hosts of another version", []api.Session{{HostPID: 7, HostVersion: "0.0.1"}, {HostPID: 8, HostVersion: api.Version}}},
	} {
		if got := told(step.pid, step.version, step.sessions...); !strings.HasPrefix(got, step.want) || step.want == "" && got != "" {
			t.Errorf("daemon %d of %s: %q", step.pid, step.version, got)
		}
	}
}

// TestAsideNoted: a database that lies aside is told of each daemon once.
func TestAsideNoted(t *testing.T) {
	m := testModel(120, 24)
	for _, step := range []struct {
		pid  int
		want string
	}{{1, "/s/ccdir.db.kept-1 has all"}, {1, ""}, {2, "/s/ccdir.db.kept-1 has all"}} {
		m.notice = notice{}
		s := &api.Snapshot{Server: api.Server{PID: step.pid, Version: api.Version, Aside: []string{"/s/ccdir.db.kept-1 has all"}}}
		m.take(news{News: known.News{Snapshot: s}})
		if m.notice.text != step.want {
			t.Errorf("of daemon %d: %q", step.pid, m.notice.text)
		}
	}
}

func TestOfflineBanner(t *testing.T) {
	for why, want := range map[string]string{
		"i/o timeout":                "the daemon does not answer; the panes keep working. Reconnecting… (i/o timeout)",
		client.ErrNotRunning.Error(): "no daemon is running: start it with `ccdir daemon start`; the panes keep working, and it is waited for",
		"the daemon did not start: ccdir: the disk is full (log: /x)": "no daemon can be started: the disk is full (log: /x) · the panes keep working; it is tried again",
	} {
		got, reason := (&ui.World{Offline: why}).OfflineBanner()
		if reason != "" {
			got += " (" + reason + ")"
		}
		if got != want {
			t.Errorf("%s: %s", why, got)
		}
	}
}

// TestBannerFits: half a reason says nothing; the overview has all of it.
func TestBannerFits(t *testing.T) {
	m := testModel(80, 24, fourSessions...)
	m.Offline = "it has said nothing for a while: it hangs, or the machine is overloaded"
	shows(t, m, "the panes keep working. Reconnecting…")
	if dump := m.picture().Dump(); strings.Contains(dump, "(it has") {
		t.Errorf("half a reason:\n%s", dump)
	}
	m.cols = 160
	shows(t, m, "Reconnecting… (it has said nothing for a while: it hangs, or the machine is overloaded)")
}
