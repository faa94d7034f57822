package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// toolCalls shows the calls of ccdir's tools that agents made, the newest first,
// and follows them. It is a value; the live events come from the scene.
type toolCalls struct {
	query editor
	// typing: keys go to the filter.
	typing bool
	// failed: only calls that did not end well.
	failed bool
	// open shows one call whole: its event's number, 0 for the list. at is the
	// chosen row, top the first line of the open one.
	open    int64
	at, top int
	// older are calls from before what the grid was told of at its start.
	older []api.Event
	// problem is why they are not there.
	problem string
}

// EventReader is what a Client also is that can read the event log.
type EventReader interface {
	Events(ctx context.Context, f api.EventFilter) ([]api.Event, error)
}

// olderCalls is how many calls are asked for when the view is opened.
const olderCalls = 500

// openCalls shows the view and asks for what the grid doesn't know.
func (m *model) openCalls() cmd {
	m.overlay = toolCalls{}
	reader, ok := m.opts.Client.(EventReader)
	if !ok || m.offline != "" {
		return nil
	}
	put := func(m *model, list []api.Event, problem string) {
		if d, ok := m.overlay.(toolCalls); ok {
			d.older, d.problem = list, problem
			m.overlay = d
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		list, err := reader.Events(c.ctx, api.EventFilter{Type: api.EventMCPCall, Limit: olderCalls})
		return func(m *model) { put(m, list, "") }, err
	}, func(m *model, err error) { put(m, nil, problem(err)) })
}

// list is what the filter selects, newest first.
func (d toolCalls) list(live []api.Event, names map[string]string) []api.Event {
	words := strings.Fields(strings.ToLower(d.query.String()))
	first := int64(1 << 62)
	var out []api.Event
	take := func(events []api.Event) {
		for _, e := range slices.Backward(events) {
			if e.Type != api.EventMCPCall || e.Seq >= first {
				continue
			}
			first = e.Seq
			if d.fits(e, names, words) {
				out = append(out, e)
			}
		}
	}
	take(live)
	take(d.older)
	return out
}

func (d toolCalls) fits(e api.Event, names map[string]string, words []string) bool {
	if d.failed && strings.HasPrefix(afterTool(e.Message), "ok ") {
		return false
	}
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(names[e.Session] + " " + e.Session + " " + e.Message + " " + string(e.Data))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// afterTool is an event's message from its outcome on.
func afterTool(message string) string {
	_, rest, _ := strings.Cut(message, " ")
	return rest
}

// Sizes of the view.
const (
	callsWidth = 110
	callsRows  = 24
)

func (d toolCalls) room(cols, rows int) (w, h int) {
	return max(1, min(callsWidth, cols-4)), max(1, min(callsRows, rows-4))
}

func (d toolCalls) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, h := d.room(sc.cols, sc.rows)
	r := drawPopup(s, sc, w, h, "tool calls", sc.theme.accent)
	list := d.list(sc.events, sc.names)
	if i := slices.IndexFunc(list, func(e api.Event) bool { return e.Seq == d.open }); d.open != 0 && i >= 0 {
		d.drawOne(s, sc, r, list[i])
		return paint.Cursor{}
	}
	s.Text(r.X, r.Y, r.W, "/ ", fg(sc.theme.dim))
	at := d.query.draw(s, r.X+2, r.Y, r.W-2, grid.Style{Attrs: grid.Bold})
	if d.query.empty() && !d.typing {
		s.Text(r.X+2, r.Y, r.W-2, paint.Cut("filter by session, tool, outcome or argument", r.W-2), fg(sc.theme.dim))
	}
	rows := paint.Rect{X: r.X, Y: r.Y + 1, W: r.W, H: max(0, r.H-2)}
	chosen := min(d.at, len(list)-1)
	top := max(0, chosen-rows.H+1)
	for i := 0; i < rows.H && top+i < len(list); i++ {
		drawCall(s, sc, paint.Rect{X: rows.X, Y: rows.Y + i, W: rows.W, H: 1}, list[top+i], top+i == chosen)
	}
	switch {
	case len(list) > 0:
	case d.query.empty() && !d.failed:
		line(s, rows, 0, "no agent has called a tool of ccdir's yet", fg(sc.theme.dim))
	default:
		line(s, rows, 0, "no call fits", fg(sc.theme.dim))
	}
	foot := "Enter show   / filter   f failed only   Esc close"
	if d.failed {
		foot = "Enter show   / filter   f all   Esc close"
	}
	if d.problem != "" {
		foot = "older calls are missing: " + d.problem
	}
	line(s, r, r.H-1, fmt.Sprintf("%s   %d", foot, len(list)), fg(sc.theme.dim))
	return paint.Cursor{X: r.X + 2 + at, Y: r.Y, Visible: d.typing}
}

// drawCall draws a row: time, session, tool, outcome, and what came of it.
func drawCall(s *paint.Surface, sc *scene, r paint.Rect, e api.Event, chosen bool) {
	tool, rest, _ := strings.Cut(e.Message, " ")
	outcome, rest, _ := strings.Cut(rest, " ")
	text, dim, st := grid.Style{}, fg(sc.theme.dim), fg(sc.theme.idle)
	if outcome != "ok" {
		st = fg(sc.theme.alert)
	}
	if chosen {
		text, dim, st = grid.Style{Attrs: grid.Inverse}, grid.Style{Attrs: grid.Inverse}, grid.Style{Attrs: grid.Inverse | grid.Bold}
		s.Fill(r, text)
	}
	name := sc.names[e.Session]
	switch {
	case e.Session == "":
		name = "(guest)"
	case name == "":
		name = e.Session
	}
	x, end := r.X, r.X+r.W
	for _, column := range []struct {
		text  string
		width int
		st    grid.Style
	}{{e.At.Local().Format("15:04:05"), 8, dim}, {textsafe.Line(name), 10, text}, {textsafe.Line(tool), 15, text}, {textsafe.Line(outcome), 9, st}} {
		if x >= end {
			return
		}
		s.Text(x, r.Y, min(column.width, end-x), paint.Cut(column.text, min(column.width, end-x)), column.st)
		x += column.width + 1
	}
	if x < end {
		s.Text(x, r.Y, end-x, paint.Cut(textsafe.Line(strings.TrimPrefix(rest, "in ")), end-x), dim)
	}
}

// oneCall are the lines of a call shown whole.
func oneCall(e api.Event, name string, w int) []string {
	var call api.ToolCall
	var out []string
	add := func(label, text string) {
		for i, part := range wrap(text, max(1, w-12)) {
			if i > 0 {
				label = ""
			}
			out = append(out, fmt.Sprintf("%-11s %s", label, part))
		}
	}
	add("tool", textsafe.Line(e.Message))
	if json.Unmarshal(e.Data, &call) != nil {
		add("", "its arguments are too long for the grid: ccdir events --json has them")
		return out
	}
	add("session", textsafe.Line(strings.TrimSpace(name+" "+call.Role+" "+call.CWD)))
	add("started", call.Started.Local().Format("2006-01-02 15:04:05.000"))
	add("id", textsafe.Line(call.ToolUseID))
	label := "arguments"
	var b bytes.Buffer
	if json.Indent(&b, call.Input, "", "  ") == nil {
		for text := range strings.Lines(b.String()) {
			for _, part := range wrapIndent(textsafe.Line(strings.TrimRight(text, "\n")), max(1, w-12)) {
				out = append(out, fmt.Sprintf("%-11s %s", label, part))
				label = ""
			}
		}
	}
	return out
}

// wrapIndent cuts a line into pieces of w columns and keeps its spaces.
func wrapIndent(s string, w int) (parts []string) {
	for s != "" {
		head := headOf(s, w)
		parts, s = append(parts, head), s[len(head):]
	}
	return parts
}

func (d toolCalls) drawOne(s *paint.Surface, sc *scene, r paint.Rect, e api.Event) {
	lines := oneCall(e, sc.names[e.Session], r.W)
	top := max(0, min(d.top, len(lines)-(r.H-1)))
	for i := 0; i < r.H-1 && top+i < len(lines); i++ {
		line(s, r, i, lines[top+i], grid.Style{})
	}
	line(s, r, r.H-1, "Esc back   ↑ ↓ scroll", fg(sc.theme.dim))
}

func (d toolCalls) key(m *model, k keyMsg) cmd {
	_, h := d.room(m.cols, m.rows)
	names := map[string]string{}
	for _, v := range m.sessions {
		names[v.ID] = v.Name
	}
	list := d.list(m.events, names)
	d.at = max(0, min(d.at, len(list)-1))
	move := map[string]int{"Up": -1, "Down": 1, "PPage": -h, "NPage": h, "Home": -len(list) - h, "End": len(list) + h}[k.name]
	if !d.typing && move == 0 {
		move = map[string]int{"k": -1, "j": 1, "g": -len(list), "G": len(list)}[k.name]
	}
	switch {
	case k.name == "C-c" || d.open == 0 && !d.typing && (k.name == "Escape" || k.name == "q"):
		m.overlay = nil
		return nil
	case d.open != 0 && (k.name == "Escape" || k.name == "q" || k.name == "Enter"):
		d.open = 0
	case d.open != 0:
		d.top = max(0, d.top+move)
	case move != 0:
		d.at = max(0, min(d.at+move, len(list)-1))
	case d.typing && (k.name == "Escape" || k.name == "Enter"):
		if d.typing = false; k.name == "Escape" {
			d.query = editor{}
		}
	case d.typing:
		d.query, _ = d.query.key(k.name, k.key)
		d.at = 0
	case k.name == "/":
		d.typing = true
	case k.name == "f":
		d.failed, d.at = !d.failed, 0
	case k.name == "Enter" && len(list) > 0:
		d.open, d.top = list[d.at].Seq, 0
	}
	m.overlay = d
	return nil
}

func (d toolCalls) paste(m *model, text string) {
	d.typing, d.at = true, 0
	d.query = d.query.insert(textsafe.Line(text))
	m.overlay = d
}
