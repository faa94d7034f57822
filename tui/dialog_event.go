package tui

import (
	"bytes"
	"encoding/json"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// eventDetail shows one event as JSON.
type eventDetail struct {
	title string
	lines []string
	top   int
}

const eventDetailWidth = 96

func newEventDetail(e api.Event, name string) eventDetail {
	if name == "" {
		name = e.Session
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		out.WriteString("the event is no JSON: " + err.Error())
	}
	title := e.Type
	if name != "" {
		title += " · " + name
	}
	return eventDetail{title: textsafe.Line(title), lines: strings.Split(strings.TrimSpace(out.String()), "\n")}
}

// wrapped are the lines cut to w columns, with their indentation kept.
func (d eventDetail) wrapped(w int) []string {
	var out []string
	for _, l := range d.lines {
		indent := strings.Repeat(" ", min(len(l)-len(strings.TrimLeft(l, " "))+2, w/2))
		for paint.Width(l) > w {
			head := headOf(l, w)
			out, l = append(out, head), indent+l[len(head):]
		}
		out = append(out, l)
	}
	return out
}

func (d eventDetail) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w := max(8, min(eventDetailWidth, sc.cols-4))
	lines := d.wrapped(w)
	r := drawPopup(s, sc, eventDetailWidth, min(len(lines)+1, max(1, sc.rows-2)), d.title, sc.theme.accent)
	room := max(0, r.H-1)
	top := max(0, min(d.top, len(lines)-room))
	for i := 0; i < room && top+i < len(lines); i++ {
		drawJSON(s, sc.theme, r.X, r.Y+i, r.W, lines[top+i])
	}
	foot := "Esc close"
	if len(lines) > room {
		foot += "   ↑ ↓ PgUp PgDn scroll"
	}
	line(s, r, r.H-1, foot, fg(sc.theme.dim))
	return paint.Cursor{}
}

// drawJSON colours one line of indented JSON: its key, and the value by kind.
func drawJSON(s *paint.Surface, t *theme, x, y, w int, l string) {
	end := x + w
	put := func(text string, st grid.Style) {
		if x < end {
			x += s.Text(x, y, end-x, text, st)
		}
	}
	body := strings.TrimLeft(l, " ")
	put(l[:len(l)-len(body)], grid.Style{})
	if strings.HasPrefix(body, `"`) {
		if i := strings.Index(body, `": `); i > 0 {
			put(body[:i+1], fg(t.accent))
			put(": ", fg(t.dim))
			body = body[i+3:]
		}
	}
	st := grid.Style{}
	switch {
	case strings.HasPrefix(body, `"`):
		st = fg(t.idle)
	case strings.Trim(body, "{}[],") == "":
		st = fg(t.dim)
	case strings.HasPrefix(body, "true"), strings.HasPrefix(body, "false"), strings.HasPrefix(body, "null"):
		st = fg(t.input)
	}
	put(body, st)
}

func (d eventDetail) key(m *model, k keyMsg) cmd {
	n := len(d.wrapped(max(8, min(eventDetailWidth, m.cols-4))))
	room := max(1, min(n+1, max(1, m.rows-2))-1)
	switch k.name {
	case "Escape", "q", "C-c", "Enter", "i":
		m.overlay = nil
		return nil
	case "Up", "k":
		d.top--
	case "Down", "j":
		d.top++
	case "PPage":
		d.top -= room
	case "NPage", "Space":
		d.top += room
	case "Home", "g":
		d.top = 0
	case "End", "G":
		d.top = n
	}
	d.top = max(0, min(d.top, n-room))
	m.overlay = d
	return nil
}

func (d eventDetail) paste(*model, string) {}
