package tui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// eventDetail shows one event as JSON.
type eventDetail struct {
	title string
	event api.Event
	pager modal.Pager
}

func newEventDetail(e api.Event, name string) eventDetail {
	title := e.Type
	if name = cmp.Or(name, e.Session); name != "" {
		title += " · " + name
	}
	return eventDetail{title: textsafe.Line(title), event: e}
}

func (d eventDetail) text(sc *scene, w int) (string, []string) {
	return d.title, eventLines(sc.Theme, d.event, w)
}
func (d eventDetail) pages() modal.Pager            { return d.pager }
func (d eventDetail) paged(p modal.Pager) overlay   { d.pager = p; return d }
func (d eventDetail) own() keymap.Action            { return keymap.Explain }
func (d eventDetail) key(m *model, k input.Key) cmd { return textKey(m, d, k) }
func (d eventDetail) paste(*model, string)          {}
func (d eventDetail) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawText(d, s, sc)
}

// eventLines are an event as JSON in w columns.
func eventLines(th *theme.Theme, e api.Event, w int) []string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return []string{textsafe.Line("the event is no JSON: " + err.Error())}
	}
	return jsonLines(th, out.Bytes(), w)
}

// jsonLines are JSON with line breaks and colours, cut to w columns with their
// indentation kept, and harmless; none if it is no JSON.
func jsonLines(th *theme.Theme, raw json.RawMessage, w int) (out []string) {
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return nil
	}
	for l := range strings.Lines(strings.TrimSpace(b.String())) {
		l = textsafe.Line(strings.TrimSuffix(l, "\n"))
		indent := strings.Repeat(" ", min(len(l)-len(strings.TrimLeft(l, " "))+2, w/2))
		for paint.Width(l) > w {
			head := paint.Head(l, w)
			out, l = append(out, colouredJSON(th, head)), indent+l[len(head):]
		}
		out = append(out, colouredJSON(th, l))
	}
	return out
}

// colouredJSON colours one line of indented JSON: its key, and the value by kind.
func colouredJSON(t *theme.Theme, l string) string {
	body := strings.TrimLeft(l, " ")
	out := l[:len(l)-len(body)]
	if strings.HasPrefix(body, `"`) {
		if i := strings.Index(body, `": `); i > 0 {
			out += modal.Styled(body[:i+1], theme.FG(t.Accent)) + modal.Styled(": ", theme.FG(t.Dim))
			body = body[i+3:]
		}
	}
	st := cells.Style{}
	switch {
	case strings.HasPrefix(body, `"`):
		st = theme.FG(t.Idle)
	case strings.Trim(body, "{}[],") == "":
		st = theme.FG(t.Dim)
	case strings.HasPrefix(body, "true"), strings.HasPrefix(body, "false"), strings.HasPrefix(body, "null"):
		st = theme.FG(t.Input)
	}
	return out + modal.Styled(body, st)
}
