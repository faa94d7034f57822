package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// trees are the work trees of all repositories that are known.
func (s *server) trees(w http.ResponseWriter, c call) error {
	list, err := s.Trees.List(c.Context(), "", false)
	if err != nil {
		return err
	}
	s.render(w, c, http.StatusOK, page{Title: "Work trees", Nav: "trees", Body: "trees", Data: map[string]any{"Part": portionOf(c.URL, list), "Names": s.names()}})
	return nil
}

// machine is a machine that can be chosen on a page: its name, and the address of the page of it.
type machine struct {
	Name, Link string
	Chosen     bool
}

// machines are this one and those that answer, for a page that is of one of them; none where there is no other.
func (s *server) machines(c call) (list []machine) {
	chosen := c.URL.Query().Get("node")
	for _, n := range s.Nodes.List() {
		if n.State == nodeOnline || n.Name == chosen {
			list = append(list, machine{n.Name, c.URL.Path + "?node=" + url.QueryEscape(n.Name), n.Name == chosen})
		}
	}
	if list == nil {
		return nil
	}
	return append([]machine{{thisMachine, c.URL.Path, chosen == ""}}, list...)
}

// nodes says how other machines are reached.
func (s *server) nodes(w http.ResponseWriter, c call) error {
	counts := map[string]int{}
	for _, v := range s.Log.Sessions() {
		if !v.State.Ended() {
			counts[v.Node]++
		}
	}
	windows := map[string][]windowRow{}
	for _, row := range windowsOf(s.Usage.Windows(), s.Now()) {
		windows[row.Node] = append(windows[row.Node], row)
	}
	s.render(w, c, http.StatusOK, page{Title: "Nodes", Nav: "nodes", Body: "nodes", Data: map[string]any{"Nodes": s.Nodes.List(), "Counts": counts, "Windows": windows, "Server": s.Log.Server()}})
	return nil
}

// windowRow is a window of a limit as the page shows it.
type windowRow struct {
	api.UsageWindow
	// Used is how much of it is used, in percent, "" if that is not known; Left how long it lasts.
	Used, Left string
	// Percent is Used between 0 and 100.
	Percent int
}

func windowsOf(list []api.UsageWindow, now time.Time) (rows []windowRow) {
	for _, v := range list {
		row := windowRow{UsageWindow: v, Left: v.Left(now)}
		if v.UsedPercent != nil && !v.Rolled(now) {
			row.Used, row.Percent = fmt.Sprintf("%.0f%%", *v.UsedPercent), int(min(100, max(0, *v.UsedPercent)))
		}
		rows = append(rows, row)
	}
	return rows
}

// usageRow is a sum of usage in words.
type usageRow struct {
	api.UsageRow
	In, Out, Cached, Cost string
}

func usageOf(r api.UsageRow) usageRow {
	count := func(n *int64) string {
		switch {
		case n == nil:
			return "?"
		case *n >= 1_000_000:
			return fmt.Sprintf("%.1f M", float64(*n)/1e6)
		case *n >= 1000:
			return fmt.Sprintf("%.0f k", float64(*n)/1e3)
		}
		return strconv.FormatInt(*n, 10)
	}
	u := usageRow{UsageRow: r, In: count(r.InputTokens), Out: count(r.OutputTokens), Cached: count(r.CacheReadTokens), Cost: "?"}
	if r.CostUSD != nil {
		u.Cost = fmt.Sprintf("$%.2f", *r.CostUSD)
		if r.Estimate {
			u.Cost = "~" + u.Cost
		}
	}
	return u
}

// usage is what is left of limits on all machines, and what was used on one.
func (s *server) usage(w http.ResponseWriter, c call) error {
	by := api.UsageBy(c.URL.Query().Get("by"))
	if by == "" {
		by = api.UsageByDay
	}
	if !slices.Contains(api.UsageBys, by) {
		return api.Errorf(api.CodeInvalid, "by must be one of %v, not %.40q", api.UsageBys, by)
	}
	now := s.Now()
	since, err := sinceOf(c.URL, now)
	if err != nil {
		return err
	}
	node, q, windows := c.URL.Query().Get("node"), api.Usage{Prices: s.Usage.Prices()}, s.Usage.Windows()
	if node == "" {
		q.Rows, err = s.Usage.Rows(c.Context(), by, since)
	} else {
		windows = slices.DeleteFunc(windows, func(v api.UsageWindow) bool { return v.Node != node })
		q, err = s.Nodes.Usage(c.Context(), node, by, since)
	}
	if err != nil {
		return err
	}
	var shown []usageRow
	for _, r := range q.Rows {
		shown = append(shown, usageOf(r))
	}
	s.render(w, c, http.StatusOK, page{Title: "Usage", Nav: "usage", Body: "usage", Data: map[string]any{
		"By": by, "Bys": api.UsageBys, "Node": node, "Machines": s.machines(c), "Windows": windowsOf(windows, now), "Part": portionOf(c.URL, shown), "Prices": q.Prices}})
	return nil
}

// setting is a value of the configuration.
type setting struct{ Key, Value string }

// config is the configuration in force, secrets left out.
func (s *server) config(w http.ResponseWriter, c call) error {
	data, err := json.Marshal(s.Config())
	if err != nil {
		return err
	}
	var doc struct {
		File     string         `json:"file"`
		Problems []any          `json:"problems"`
		Config   map[string]any `json:"config"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return err
	}
	var problems []string
	for _, p := range doc.Problems {
		text, _ := json.Marshal(p) // was JSON before
		problems = append(problems, string(text))
	}
	list := settingsOf(nil, "", doc.Config)
	s.render(w, c, http.StatusOK, page{Title: "Configuration", Nav: "config", Body: "config", Data: map[string]any{"File": doc.File, "Problems": problems, "Settings": list}})
	return nil
}

// settingsOf appends what a value has, by key.
func settingsOf(list []setting, key string, v any) []setting {
	m, isMap := v.(map[string]any)
	if !isMap || len(m) == 0 && key != "" {
		text, ok := v.(string)
		if !ok {
			data, _ := json.Marshal(v) // was JSON before
			text = string(data)
		}
		return append(list, setting{key, text})
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list = settingsOf(list, strings.TrimPrefix(key+"."+name, "."), m[name])
	}
	return list
}
