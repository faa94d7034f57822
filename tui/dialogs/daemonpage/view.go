package daemonpage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// addDaemon adds what is said of the daemon, and where it can be reached.
func addDaemon(f *modal.Facts, env ui.Env) {
	plain, dim := cells.Style{}, theme.FG(env.Theme.Dim)
	v := env.Server
	f.Heading("daemon")
	switch {
	case env.Offline != "":
		f.Add("health", "does not answer; what follows is as it was", theme.Bold(env.Theme.Alert))
		if _, why := env.OfflineBanner(); why != "" {
			f.Add("because", why, plain)
		}
	case v.PID == 0:
		f.Add("health", "waiting for it", dim)
	default:
		f.Add("health", "answers", theme.Bold(env.Theme.Idle))
	}
	if v.PID == 0 {
		return
	}
	f.Add("process", fmt.Sprint(v.PID), plain)
	f.Add("up for", format.Age(env.Now, v.Started), plain)
	version := v.Version
	if version != api.Version {
		version += " (this is " + api.Version + ": `ccdir daemon restart`)"
	}
	f.Add("version", version, plain)
	here := 0
	for _, s := range env.Sessions {
		if !s.External && !s.State.Ended() {
			here++
		}
	}
	f.Heading("nodes and sockets")
	f.Add("node", "this machine, with "+format.Plural(here, "running session", "running sessions"), plain)
	f.Add("socket", v.Socket, plain)
	if v.TCP != "" {
		f.Add("TCP", v.TCP+" (with a token)", plain)
	} else {
		f.Add("TCP", "off (api.listen)", dim)
	}
}

// Lines are the page's in w columns.
func (t text) Lines(env ui.Env, w int) (string, []string) {
	f := modal.Facts{Theme: env.Theme, Width: w}
	addDaemon(&f, env)
	plain, dim := cells.Style{}, theme.FG(env.Theme.Dim)
	v := env.Server
	f.Heading("sessions")
	addCounts(&f, env.Sessions)
	if q := env.Work.Queue; q != nil {
		f.Heading("queue")
		f.Add("mode", fmt.Sprintf("%s, at most %d at once", q.Mode, q.Limit), plain)
		f.Add("tasks", ui.TaskCounts(*q), plain)
		for _, agent := range slices.Sorted(maps.Keys(q.Parked)) {
			f.Add("parked", agent+" until "+q.Parked[agent].Local().Format("15:04"), theme.Bold(env.Theme.Input))
		}
	}
	f.Heading("places")
	f.Add("state", format.Home(v.StateDir, env.Home), plain)
	for _, aside := range v.Aside {
		f.Add("aside", textsafe.Line(aside), theme.Bold(env.Theme.Input))
	}
	f.Add("configuration", format.Home(v.ConfigFile, env.Home), plain)
	f.Add("policy", format.Home(v.PolicyFile, env.Home), plain)
	f.Heading("configuration")
	switch {
	case t.problem != "":
		f.Add("", t.problem, theme.Bold(env.Theme.Alert))
	case t.config == nil:
		f.Add("", "asking the daemon…", dim)
	}
	for _, c := range t.config {
		for i, p := range modal.Wrap(textsafe.Line(c.key+" = "+c.value), w) {
			if i > 0 {
				p = "  " + p
			}
			f.Out = append(f.Out, p)
		}
	}
	return "daemon", f.Out
}

// addCounts adds how many sessions there are of each state, and hosts of other versions.
func addCounts(f *modal.Facts, all []api.Session) {
	n, outside, old := map[api.State]int{}, 0, []string{}
	for _, v := range all {
		n[v.State]++
		if v.External {
			outside++
		}
		if ui.OlderHost(v) {
			old = append(old, v.Name+" ("+v.HostVersion+")")
		}
	}
	for _, st := range api.States() {
		if n[st] > 0 {
			f.Add(fmt.Sprint(n[st]), strings.ReplaceAll(string(st), "_", " "), theme.Bold(f.Theme.State(st)))
		}
	}
	if len(all) == 0 {
		f.Add("", "none", theme.FG(f.Theme.Dim))
	}
	if outside > 0 {
		f.Add(fmt.Sprint(outside), "of them outside ccdir", theme.FG(f.Theme.Dim))
	}
	if len(old) > 0 {
		f.Add("other hosts", strings.Join(old, ", ")+": a restart of the session takes this version, "+api.Version, theme.Bold(f.Theme.Input))
	}
}
