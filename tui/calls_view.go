package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// toolCalls shows the calls of ccdir's tools that agents made, the newest first,
// and follows them. It is a value; the live events come from the scene.
type toolCalls struct {
	view listbox.View
	// failed: only calls that did not end well.
	failed bool
	// older are calls from before what the grid was told of at its start.
	older []api.Event
	// problem is why they are not there.
	problem string
	loading bool
}

// EventReader is what a Client also is that can read the event log.
type EventReader interface {
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
}

// olderCalls is how many calls are asked for when the view is opened.
const olderCalls = 500

// openCalls shows the view and asks for what the grid doesn't know.
func (m *model) openCalls() cmd {
	reader, ok := m.opts.Client.(EventReader)
	m.overlay = toolCalls{loading: ok && m.Offline == ""}
	if !ok || m.Offline != "" {
		return nil
	}
	put := func(m *model, list []api.Event, problem string) {
		if d, ok := m.overlay.(toolCalls); ok {
			d.older, d.loading, d.problem = list, false, problem
			if problem != "" {
				d.problem = "older calls are missing: " + problem
			}
			m.overlay = d
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		list, err := reader.Events(c.ctx, api.EventFilter{Type: api.EventMCPCall, Limit: olderCalls})
		return func(m *model) { put(m, list, "") }, err
	}, func(m *model, err error) { put(m, nil, ui.Problem(err)) })
}

// calls are those to be listed, newest first.
func (d toolCalls) calls(live []api.Event) (out []*api.Event) {
	first := int64(1 << 62)
	for _, events := range [][]api.Event{live, d.older} {
		for i := range slices.Backward(events) {
			e := &events[i]
			if e.Type != api.EventMCPCall || e.Seq >= first {
				continue
			}
			first = e.Seq
			if !d.failed || !strings.HasPrefix(afterTool(e.Message), "ok ") {
				out = append(out, e)
			}
		}
	}
	return out
}

func (d toolCalls) list() listbox.View             { return d.view }
func (d toolCalls) with(v listbox.View) listDialog { d.view = v; return d }
func (d toolCalls) mode() keymap.Mode              { return keymap.ModeCalls }
func (d toolCalls) key(m *model, k input.Key) cmd  { return listKey(m, d, k) }
func (d toolCalls) paste(m *model, text string)    { listPaste(m, d, text) }
func (d toolCalls) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawListDialog(d, s, sc)
}

func (d toolCalls) content(sc *scene) listbox.Content {
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
	calls := d.calls(sc.Events)
	c.Items = make([]listbox.Item, 0, len(calls))
	for _, e := range calls {
		c.Items = append(c.Items, listbox.Item{
			ID:    strconv.FormatInt(e.Seq, 10),
			Match: func() string { return sc.Names[e.Session] + " " + e.Session + " " + e.Message + " " + string(e.Data) },
			Line:  func(w int) string { return callRow(sc, *e, w) },
		})
	}
	c.Detail = func(id string, w int) []string {
		for _, e := range calls {
			if strconv.FormatInt(e.Seq, 10) == id {
				return oneCall(sc.Theme, *e, sc.Names[e.Session], w)
			}
		}
		return nil
	}
	return c
}

func (d toolCalls) act(m *model, a keymap.Action, id string) (cmd, bool) {
	switch a {
	case keymap.CallsFailed:
		d.failed, d.view.Open = !d.failed, false
		m.overlay = d
	case keymap.CallsPane:
		for _, e := range d.calls(m.Events) {
			if strconv.FormatInt(e.Seq, 10) == id {
				m.openSession(e.Session)
			}
		}
	default:
		return nil, false
	}
	return nil, true
}

// afterTool is an event's message from its outcome on.
func afterTool(message string) string {
	_, rest, _ := strings.Cut(message, " ")
	return rest
}

// callRow is a row: time, session, tool, outcome, and what came of it.
func callRow(sc *scene, e api.Event, w int) string {
	tool, rest, _ := strings.Cut(e.Message, " ")
	outcome, rest, _ := strings.Cut(rest, " ")
	dim, st := theme.FG(sc.Theme.Dim), theme.FG(sc.Theme.Idle)
	if outcome != "ok" {
		st = theme.FG(sc.Theme.Alert)
	}
	return modal.Columns(w, modal.Column(format.Clock(sc.Now, e.At), format.ClockWidth, dim), modal.Column(sc.SessionName(e.Session), nameWidth, cells.Style{}),
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
	return append(out, modal.LabelledJSON(th, "arguments", call.Input, w)...)
}
