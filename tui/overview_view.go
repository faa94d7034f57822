package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// ConfigReader is what a Client also is that can tell the configuration.
type ConfigReader interface {
	// Config is the configuration as JSON, secrets left out.
	Config(ctx context.Context) (json.RawMessage, error)
}

// overview shows the daemon, counts, places and the configuration. All but the
// configuration comes with the scene; that is asked for when it is opened, and
// again after events of a new daemon or of a faulty configuration.
type overview struct {
	config  []setting
	problem string
	asking  bool
	asked   bool
	of      int64 // number of the event it was asked after
	pager   modal.Pager
}

// setting is one value of the configuration.
type setting struct{ key, value string }

func (m *model) openOverview() { m.overlay = overview{} }

// configMark is the number of the newest event about the configuration.
func (m *model) configMark() int64 {
	for _, e := range slices.Backward(m.Events) {
		if strings.HasPrefix(e.Type, "config.") || strings.HasPrefix(e.Type, "daemon.") {
			return e.Seq
		}
	}
	return 0
}

// followOverview asks for the configuration when it may have changed; one call
// at a time.
func (m *model) followOverview() cmd {
	d, ok := m.overlay.(overview)
	reader, reads := m.opts.Client.(ConfigReader)
	mark := m.configMark()
	if !ok || !reads || d.asking || m.Offline != "" || d.asked && d.of == mark {
		return nil
	}
	d.asking, d.asked, d.of = true, true, mark
	m.overlay = d
	put := func(m *model, list []setting, problem string) {
		if d, ok := m.overlay.(overview); ok {
			d.asking, d.config, d.problem = false, list, problem
			m.overlay = d
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		raw, err := reader.Config(c.ctx)
		if err != nil {
			return nil, err
		}
		list, err := settings(raw)
		return func(m *model) { put(m, list, "") }, err
	}, func(m *model, err error) { put(m, nil, ui.Problem(err)) })
}

// settings are the values of a JSON object by their dotted names, in order.
func settings(raw json.RawMessage) ([]setting, error) {
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("the configuration is no JSON object: %w", err)
	}
	var out []setting
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		if table, ok := v.(map[string]any); ok && len(table) > 0 {
			for _, key := range slices.Sorted(maps.Keys(table)) {
				walk(strings.TrimPrefix(prefix+"."+key, "."), table[key])
			}
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte(err.Error())
		}
		out = append(out, setting{prefix, string(text)})
	}
	if values, ok := all["config"].(map[string]any); ok {
		walk("", values)
		delete(all, "config")
		delete(all, "file") // it is among the places
		if list, ok := all["problems"].([]any); ok && len(list) == 0 {
			delete(all, "problems")
		}
	}
	if len(all) > 0 {
		walk("", all)
	}
	return out, nil
}

// addDaemon adds what is said of the daemon, and where it can be reached.
func addDaemon(f *modal.Facts, sc *scene) {
	plain, dim := cells.Style{}, theme.FG(sc.Theme.Dim)
	v := sc.Server
	f.Heading("daemon")
	switch {
	case sc.banner != "":
		f.Add("health", "does not answer; what follows is as it was", theme.Bold(sc.Theme.Alert))
		if _, why := sc.OfflineBanner(); why != "" {
			f.Add("because", why, plain)
		}
	case v.PID == 0:
		f.Add("health", "waiting for it", dim)
	default:
		f.Add("health", "answers", theme.Bold(sc.Theme.Idle))
	}
	if v.PID == 0 {
		return
	}
	f.Add("process", fmt.Sprint(v.PID), plain)
	f.Add("up for", format.Age(sc.Now, v.Started), plain)
	version := v.Version
	if version != api.Version {
		version += " (this is " + api.Version + ": `ccdir daemon restart`)"
	}
	f.Add("version", version, plain)
	here := 0
	for _, s := range sc.Sessions {
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

// lines are the overview's in w columns.
func (d overview) lines(sc *scene, w int) []string {
	f := modal.Facts{Theme: sc.Theme, Width: w}
	addDaemon(&f, sc)
	plain, dim := cells.Style{}, theme.FG(sc.Theme.Dim)
	v := sc.Server
	f.Heading("sessions")
	addCounts(&f, sc.Sessions)
	if q := sc.Work.Queue; q != nil {
		f.Heading("queue")
		f.Add("mode", fmt.Sprintf("%s, at most %d at once", q.Mode, q.Limit), plain)
		f.Add("tasks", ui.TaskCounts(*q), plain)
		for _, agent := range slices.Sorted(maps.Keys(q.Parked)) {
			f.Add("parked", agent+" until "+q.Parked[agent].Local().Format("15:04"), theme.Bold(sc.Theme.Input))
		}
	}
	f.Heading("places")
	f.Add("state", format.Home(v.StateDir, sc.Home), plain)
	f.Add("configuration", format.Home(v.ConfigFile, sc.Home), plain)
	f.Add("policy", format.Home(v.PolicyFile, sc.Home), plain)
	f.Heading("configuration")
	switch {
	case d.problem != "":
		f.Add("", d.problem, theme.Bold(sc.Theme.Alert))
	case d.config == nil:
		f.Add("", "asking the daemon…", dim)
	}
	for _, c := range d.config {
		for i, p := range modal.Wrap(textsafe.Line(c.key+" = "+c.value), w) {
			if i > 0 {
				p = "  " + p
			}
			f.Out = append(f.Out, p)
		}
	}
	return f.Out
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
			f.Add(fmt.Sprint(n[st]), st.Indicator()+" "+strings.ReplaceAll(string(st), "_", " "), theme.Bold(f.Theme.State(st)))
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

func (d overview) text(sc *scene, w int) (string, []string) { return "overview", d.lines(sc, w) }
func (d overview) pages() modal.Pager                       { return d.pager }
func (d overview) paged(p modal.Pager) overlay              { d.pager = p; return d }
func (d overview) own() keymap.Action                       { return keymap.Overview }
func (d overview) key(m *model, k input.Key) cmd            { return textKey(m, d, k) }
func (d overview) paste(*model, string)                     {}
func (d overview) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawText(d, s, sc)
}
