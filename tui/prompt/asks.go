package prompt

import (
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// drawAsk draws the closed bar in the colour of the state of the focused
// session, which waits: what it asks, and which key answers.
func drawAsk(env ui.Env, s *paint.Surface, r paint.Rect, v api.Session) {
	req := env.RequestOf(v.ID)
	state := v.State
	if !state.NeedsPerson() {
		state = api.StatePermission // the request is here before the state
	}
	st := env.Theme.Chip(env.Theme.State(state))
	s.Fill(r, st)
	how := askHow(env, v, req)
	room := r.W - 2
	if w := paint.Width(how); w > 0 && w <= room-8 {
		s.Text(r.X+r.W-w-1, r.Y, w, how, st)
		room -= w + 2
	}
	text := textsafe.Line(v.Name) + ": " + env.AskText(v)
	s.Text(r.X+1, r.Y, room, paint.Cut(text, room), st)
}

// replyFrom is the width of the terminal from which the bar says that a reply can
// be written.
const replyFrom = 110

// askHow is which keys answer.
func askHow(env ui.Env, v api.Session, req *api.Request) string {
	if env.ReadOnly {
		return "attached read-only: answer elsewhere"
	}
	if req == nil {
		if env.Cols < 110 {
			return "answer in the pane: ↑↓ Enter Esc"
		}
		return "answer in the pane: " + request.PaneKeys(v.State)
	}
	key := env.Keys.Hint(keymap.Attention)
	if env.Cols < 70 {
		return key + " answer"
	}
	items := []string{key + " to answer:"}
	add := func(a keymap.Action, text string) {
		if keys := env.Keys.Of(a).Keys; len(keys) > 0 {
			items = append(items, modal.KeyIn(keys[0], text))
		}
	}
	switch n := len(req.Choices); {
	case req.Kind != api.RequestQuestion:
		add(keymap.AnswerYes, "yes")
	case n > 1 && request.Answerable(*req):
		items = append(items, "[1]…["+strconv.Itoa(n)+"] choose")
	case request.Answerable(*req):
		add(keymap.AnswerEdit, "edit an answer")
	}
	add(keymap.AnswerNo, "no")
	if req.AlwaysRule != "" && req.Kind != api.RequestQuestion {
		add(keymap.AnswerAlways, "always")
	}
	if reply := env.Keys.Hint(keymap.Prompt); reply != "" && env.Cols >= replyFrom {
		items = append(items, " "+reply+" to reply")
	}
	return strings.Join(items, " ")
}

// Asking is the focused session if it waits for a person.
func Asking(env ui.Env) (v api.Session, asks bool) {
	if found := env.Session(env.Focus); found != nil {
		v = *found
	}
	return v, v.ID != "" && env.Waits(v)
}
