package tui

import (
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
)

// drawAsk draws the prompt bar in the colour of the state of the focused
// session, which waits: what it asks, and which key answers.
func (sc *scene) drawAsk(s *paint.Surface, v api.Session) {
	r := sc.layout.Prompt
	req := requestOf(sc.Requests, v.ID)
	state := v.State
	if !state.NeedsPerson() {
		state = api.StatePermission // the request is here before the state
	}
	st := sc.Theme.Chip(sc.Theme.State(state))
	s.Fill(r, st)
	how := sc.askHow(v, req)
	room := r.W - 2
	if w := paint.Width(how); w > 0 && w <= room-8 {
		s.Text(r.X+r.W-w-1, r.Y, w, how, st)
		room -= w + 2
	}
	text := textsafe.Line(v.Name) + ": " + askText(v, req)
	s.Text(r.X+1, r.Y, room, paint.Cut(text, room), st)
}

// askText is what a session asks, in one line.
func askText(v api.Session, req *api.Request) string {
	q := v.Question
	if req != nil && req.Question != "" {
		q = req.Question
	}
	switch {
	case q != "":
		return textsafe.Line(q)
	case req != nil:
		return textsafe.Line(req.Tool)
	case v.State == api.StatePermission:
		return "it asks for permission"
	}
	return "it asks something"
}

// replyFrom is the width of the terminal from which the bar says that a reply can
// be written.
const replyFrom = 110

// askHow is which keys answer.
func (sc *scene) askHow(v api.Session, req *api.Request) string {
	if sc.ReadOnly {
		return "attached read-only: answer elsewhere"
	}
	if req == nil {
		if sc.Cols < 110 {
			return "answer in the pane: ↑↓ Enter Esc"
		}
		return "answer in the pane: " + paneKeys(v.State)
	}
	key := sc.Keys.Hint(keymap.Attention)
	if sc.Cols < 70 {
		return key + " answer"
	}
	items := []string{key + " to answer:"}
	add := func(a keymap.Action, text string) {
		if keys := sc.Keys.Of(a).Keys; len(keys) > 0 {
			items = append(items, choice(keys[0], text))
		}
	}
	switch n := len(req.Choices); {
	case req.Kind != api.RequestQuestion:
		add(keymap.AnswerYes, "yes")
	case n > 1 && answerable(*req):
		items = append(items, "[1]…["+strconv.Itoa(n)+"] choose")
	case answerable(*req):
		add(keymap.AnswerEdit, "edit an answer")
	}
	add(keymap.AnswerNo, "no")
	if req.AlwaysRule != "" && req.Kind != api.RequestQuestion {
		add(keymap.AnswerAlways, "always")
	}
	if reply := sc.Keys.Hint(keymap.Prompt); reply != "" && sc.Cols >= replyFrom {
		items = append(items, " "+reply+" to reply")
	}
	return strings.Join(items, " ")
}

// asking is the focused session if it waits for a person.
func (sc *scene) asking() (api.Session, bool) {
	for _, v := range sc.panes {
		if v.ID == sc.Focus {
			return v, v.State.NeedsPerson() || !v.State.Ended() && requestOf(sc.Requests, v.ID) != nil
		}
	}
	return api.Session{}, false
}

// waitingBeside is how many other requests there are, and how many other
// sessions in the grid wait without one.
func (sc *scene) waitingBeside(r api.Request) int {
	n := 0
	for _, o := range sc.Requests {
		if o.ID != r.ID {
			n++
		}
	}
	for _, v := range sc.panes {
		if v.ID != r.Session && v.State.NeedsPerson() && requestOf(sc.Requests, v.ID) == nil {
			n++
		}
	}
	return n
}
