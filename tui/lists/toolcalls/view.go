package toolcalls

import (
	"encoding/json"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Content lists them, newest first.
func (d rows) Content(env ui.Env, _ listbox.View) listbox.Content {
	word := "failed only"
	if d.failed {
		word = "all"
	}
	c := listbox.Content{
		Title: "tool calls", Hint: "filter by session, tool, outcome or argument", Problem: d.problem, Loading: d.loading,
		Empty:      "No agent has called a tool of ccdir's yet. Agents that ccdir starts have them by themselves; `ccdir mcp --print-config` is for others.",
		Keys:       []keymap.Named{keymap.ViewOpen.As("show"), keymap.ViewFilter.As("filter"), keymap.CallsFailed.As(word), keymap.CallsPane.As("pane"), keymap.ViewClose.As("close")},
		DetailKeys: []keymap.Named{keymap.ViewClose.As("back"), keymap.CallsPane.As("pane")},
	}
	if d.failed {
		c.Empty = "No call has failed."
	}
	all := d.listed(env.Events)
	c.Items = make([]listbox.Item, 0, len(all))
	for _, e := range all {
		c.Items = append(c.Items, listbox.Item{
			ID:    strconv.FormatInt(e.Seq, 10),
			Match: func() string { return env.Names[e.Session] + " " + e.Session + " " + e.Message + " " + string(e.Data) },
			Line:  func(w int) string { return callRow(env, *e, w) },
		})
	}
	c.Detail = func(id string, w int) []string {
		for _, e := range all {
			if strconv.FormatInt(e.Seq, 10) == id {
				return oneCall(env.Theme, *e, env.Names[e.Session], w)
			}
		}
		return nil
	}
	return c
}

// afterTool is an event's message from its outcome on.
func afterTool(message string) string {
	_, rest, _ := strings.Cut(message, " ")
	return rest
}

// callRow is a row: time, session, tool, outcome, and what came of it.
func callRow(env ui.Env, e api.Event, w int) string {
	tool, rest, _ := strings.Cut(e.Message, " ")
	outcome, rest, _ := strings.Cut(rest, " ")
	dim, st := theme.FG(env.Theme.Dim), theme.FG(env.Theme.Idle)
	if outcome != "ok" {
		st = theme.FG(env.Theme.Alert)
	}
	return modal.Columns(w, modal.Column(format.Clock(env.Now, e.At), format.ClockWidth, dim), modal.Column(env.SessionName(e.Session), lists.NameWidth, cells.Style{}),
		modal.Column(textsafe.Line(tool), 15, cells.Style{}), modal.Column(textsafe.Line(outcome), 9, st),
		modal.Column(textsafe.Line(strings.TrimPrefix(rest, "in ")), 0, dim))
}

// oneCall are the lines of a call shown whole.
func oneCall(th *theme.Theme, e api.Event, name string, w int) []string {
	var call api.ToolCall
	out := modal.Labelled(th, w, "tool", textsafe.Line(e.Message), cells.Style{Attrs: cells.Bold})
	if json.Unmarshal(e.Data, &call) != nil {
		return append(out, modal.Labelled(th, w, "", "its arguments are too long for the grid: ccdir events --json has them", theme.FG(th.Dim))...)
	}
	for _, f := range []struct{ label, text string }{
		{"session", strings.TrimSpace(name + " " + call.Role + " " + call.CWD)},
		{"started", call.Started.Local().Format("2006-01-02 15:04:05.000")},
		{"id", call.ToolUseID},
	} {
		out = append(out, modal.Labelled(th, w, f.label, textsafe.Line(f.text), cells.Style{})...)
	}
	out = append(out, modal.LabelledJSON(th, "arguments", call.Input, w)...)
	label := "result"
	for text := range strings.Lines(call.Result) {
		out = append(out, modal.Labelled(th, w, label, textsafe.Line(strings.TrimRight(text, "\n")), cells.Style{})...)
		label = ""
	}
	return out
}
