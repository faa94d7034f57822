// Package event shows one event as JSON. It owns nothing that changes and asks for
// nothing.
package event

import (
	"bytes"
	"cmp"
	"encoding/json"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/textview"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// text is an event whose title names its session.
type text struct {
	title string
	event api.Event
}

// New shows an event of the session with that name, "" if it has none any more.
func New(e api.Event, name string) ui.Component {
	title := e.Type
	if name = cmp.Or(name, e.Session, e.Node); name != "" {
		title += " · " + name
	}
	return textview.New(text{title: textsafe.Line(title), event: e})
}

func (t text) Lines(env ui.Env, w int) (string, []string) {
	return t.title, Lines(env.Theme, t.event, w)
}
func (t text) Own() keymap.Action { return keymap.Explain }

// Lines are an event as JSON in w columns.
func Lines(th *theme.Theme, e api.Event, w int) []string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return []string{textsafe.Line("the event is no JSON: " + err.Error())}
	}
	return modal.JSONLines(th, out.Bytes(), w)
}
