package tui

import (
	"bytes"
	"cmp"
	"encoding/json"

	"ccdir/api"
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
	return modal.JSONLines(th, out.Bytes(), w)
}
