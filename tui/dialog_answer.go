package tui

import (
	"strconv"
	"strings"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// answerBar grows out of the prompt bar, shows a permission request whole and
// takes the answer. Nothing is typed into the pane: the answer goes to the
// request that is held. Keys from before it was on the screen are ignored, and
// closing it answers nothing.
type answerBar struct {
	req     api.Request
	name    string // of the session
	popup   uint64
	step    answerStep
	message editor // for the agent, with a refusal
	top     int    // first line of the input in view
	problem string // why the last answer was not taken
	// over says how the request ended, and until when that is shown.
	over  string
	until time.Time
}

// answerStep is what the bar is at.
type answerStep int

const (
	answerChoose  answerStep = iota // a key decides
	answerMessage                   // the message of a refusal is written
	answerSending                   // the answer is on its way
	answerOver                      // the request has ended
)

// How long the bar stays after the request has ended: a moment after an answer
// given here, longer when it was given elsewhere and a key for it may be on its
// way.
const (
	answeredFor  = 600 * time.Millisecond
	elsewhereFor = 2 * time.Second
)

// question: its answer is a choice, which only the pane offers.
func (d answerBar) question() bool { return d.req.Kind == api.RequestQuestion }

// ended puts how the request ended into the bar; dec is nil if that is not
// known.
func (d answerBar) ended(m *model, dec *api.Decision) {
	if d.step == answerSending && (dec == nil || dec.Outcome == api.OutcomeAnswered) {
		return // the answer of the call says it
	}
	if d.step == answerOver {
		return
	}
	d.over = "no longer open"
	if dec != nil {
		d.over = endedText(*dec)
	}
	d.step, d.until = answerOver, m.now().Add(elsewhereFor)
	m.overlay = d
}

// endedText is how a request ended, for people.
func endedText(d api.Decision) string {
	if d.Answer != nil {
		word := "approved"
		if d.Answer.Behavior == api.AnswerDeny {
			word = "refused"
		}
		switch d.By {
		case api.ByPerson:
			return word + " elsewhere"
		case "":
			return word
		}
		return word + " by " + textsafe.Line(d.By)
	}
	switch d.Outcome {
	case api.OutcomeElsewhere:
		return "answered in the pane"
	case api.OutcomeSession:
		return "the session has ended"
	case api.OutcomeDeadline:
		return "nobody answered in time: answer in the pane"
	}
	if d.Reason != "" {
		return textsafe.Line(d.Reason)
	}
	return "no longer open: answer in the pane"
}

func (d answerBar) key(m *model, k keyMsg) cmd {
	switch d.step {
	case answerOver:
		return d.keyOver(m, k)
	case answerSending:
		return nil
	case answerMessage:
		return d.keyMessage(m, k)
	}
	if !m.seen(d.popup, k.at) {
		return nil // in flight when the question appeared
	}
	switch k.name {
	case m.keys.Prefix():
		m.overlay, m.mode = nil, modePrefix
		return nil
	case "C-c", "Escape":
		m.overlay = nil
		return nil
	case "Up", "Down", "PPage", "NPage", "Home", "End":
		d.scroll(m, k.name)
		return nil
	}
	b, ok := m.keys.LookupAnswer(k.name)
	if !ok {
		return nil
	}
	if reason := b.Disabled(m.facts()); reason != "" {
		d.problem = reason
		m.overlay = d
		return nil
	}
	return d.do(m, b.Action)
}

// do carries out a choice.
func (d answerBar) do(m *model, a keymap.Action) cmd {
	switch a {
	case keymap.AnswerYes:
		if d.question() {
			d.problem = "its answer is a choice: " + m.keys.Hint(keymap.AnswerPane) + " opens the pane"
			m.overlay = d
			return nil
		}
		return d.send(m, api.Answer{Behavior: api.AnswerAllow})
	case keymap.AnswerAlways:
		if d.req.AlwaysRule == "" {
			d.problem = "there is no narrow rule for this: answer it once"
			m.overlay = d
			return nil
		}
		return d.send(m, api.Answer{Behavior: api.AnswerAllow, Always: true})
	case keymap.AnswerNo:
		d.step, d.problem = answerMessage, ""
		m.overlay = d
	case keymap.AnswerPane:
		m.overlay = nil
		m.setFocus(d.req.Session)
		m.say("answer in the pane: " + paneKeys(api.StatePermission))
	case keymap.AnswerNext:
		m.attendNext()
	case keymap.AnswerLater:
		m.overlay = nil
	}
	return nil
}

// keyMessage edits the message of a refusal.
func (d answerBar) keyMessage(m *model, k keyMsg) cmd {
	switch k.name {
	case "Escape", "C-c":
		d.step, d.message = answerChoose, editor{}
	case "Enter", "KPEnter":
		return d.send(m, api.Answer{Behavior: api.AnswerDeny, Message: strings.TrimSpace(d.message.String())})
	case "M-Enter", "C-j", "S-Enter":
		d.message = d.message.insert("\n")
	default:
		d.message, _ = d.message.key(k.name, k.key)
	}
	m.overlay = d
	return nil
}

// keyOver closes the bar after the request has ended. Keys that may have been
// meant for it go nowhere; others go where they would have gone.
func (d answerBar) keyOver(m *model, k keyMsg) cmd {
	m.overlay = nil
	if _, meant := m.keys.LookupAnswer(k.name); meant || k.name == "Enter" || k.name == "Escape" || k.name == "C-c" || !m.seen(d.popup, k.at) {
		return nil
	}
	return m.key(k)
}

func (d answerBar) paste(m *model, text string) {
	if d.step == answerMessage {
		d.message = d.message.insert(text)
		m.overlay = d
	}
}

// send answers the request.
func (d answerBar) send(m *model, a api.Answer) cmd {
	id := d.req.ID
	if m.request(id) == nil { // it ended in this very moment
		d.ended(m, nil)
		return nil
	}
	d.step, d.problem = answerSending, ""
	m.overlay = d
	word := "approved"
	switch {
	case a.Behavior == api.AnswerDeny:
		word = "refused"
	case a.Always:
		word = "approved until the session ends"
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		_, err := c.Answer(c.ctx, id, a)
		return func(m *model) {
			m.say(textsafe.Line(d.name) + ": " + textsafe.Line(d.req.Tool) + " " + word + m.left(d.req.Session))
			m.answerEnded(id, word, answeredFor)
		}, err
	}, func(m *model, err error) {
		if api.CodeOf(err) == api.CodeNotFound || api.CodeOf(err) == api.CodeConflict {
			m.answerEnded(id, "it was answered elsewhere before", elsewhereFor)
			return
		}
		now, open := m.overlay.(answerBar)
		if !open || now.req.ID != id {
			m.warn("answering " + textsafe.Line(d.name) + " failed: " + problem(err))
			return
		}
		now.step, now.problem = answerChoose, problem(err)
		if a.Behavior == api.AnswerDeny {
			now.step = answerMessage // what was written is still there
		}
		m.overlay = now
	})
}

// answerEnded shows in the bar, if it is still that request's, how it ended.
func (m *model) answerEnded(id, how string, stay time.Duration) {
	if d, ok := m.overlay.(answerBar); ok && d.req.ID == id {
		d.step, d.over, d.until = answerOver, how, m.now().Add(stay)
		m.overlay = d
	}
}

// scroll moves the input.
func (d answerBar) scroll(m *model, key string) {
	in, room := d.size(m.cols, m.rows)
	n := len(requestLines(d.req, in))
	switch key {
	case "Up":
		d.top--
	case "Down":
		d.top++
	case "PPage":
		d.top -= room
	case "NPage":
		d.top += room
	case "Home":
		d.top = 0
	case "End":
		d.top = n
	}
	d.top = max(0, min(d.top, n-room))
	m.overlay = d
}

// answerFoot is the most lines that the choices take.
const answerFoot = 3

// size is the width of the text and the most lines of the input in view.
func (d answerBar) size(cols, rows int) (w, room int) {
	return max(1, cols-4), max(1, min((rows-2)/2, rows-3-answerFoot))
}

// draw lays the bar over the lowest rows, above the status line.
func (d answerBar) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, room := d.size(sc.cols, sc.rows)
	lines := requestLines(d.req, w)
	foot := d.foot(sc, w)
	bottom := sc.layout.status.Y
	if sc.layout.status.Empty() {
		bottom = sc.rows
	}
	top := max(0, min(d.top, len(lines)-room))
	shown := lines[top:min(len(lines), top+room)]
	h := min(len(shown)+len(foot)+2, bottom)
	box := paint.Rect{Y: bottom - h, W: sc.cols, H: h}
	c := sc.theme.permission
	if d.question() {
		c = sc.theme.input
	}
	if d.step == answerOver {
		c = sc.theme.dim
	}
	s.Fill(box, grid.Style{})
	s.Box(box, paint.Heavy, bold(c))
	d.drawTitle(s, sc, box, c)
	if more := len(lines) - len(shown); more > 0 && box.W > 30 {
		text := " ↑ ↓ " + strconv.Itoa(more) + " more lines "
		s.Text(box.X+box.W-2-paint.Width(text), box.Y+box.H-1, box.W, text, bold(c))
	}
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	for i, l := range shown {
		line(s, r, i, l.text, l.style(sc.theme))
	}
	cur := paint.Cursor{}
	for i, l := range foot {
		y := r.H - len(foot) + i
		if d.step == answerMessage && i == 0 {
			x := r.X + s.Text(r.X, r.Y+y, r.W, paint.Cut(l, r.W), bold(c))
			at := d.message.draw(s, x, r.Y+y, max(0, r.X+r.W-x), grid.Style{})
			cur = paint.Cursor{X: x + at, Y: r.Y + y, Visible: y >= 0}
			continue
		}
		line(s, r, y, l, bold(c))
	}
	return cur
}

func (d answerBar) drawTitle(s *paint.Surface, sc *scene, box paint.Rect, c grid.Color) {
	sign := api.StatePermission.Indicator()
	what := " asks for permission: "
	if d.question() {
		sign, what = api.StateInput.Indicator(), " asks: "
	}
	title := " " + sign + " " + textsafe.Line(d.name) + what + textsafe.Line(d.req.Tool)
	if d.req.Subagent != "" {
		title += " (subagent " + textsafe.Line(d.req.Subagent) + ")"
	}
	if a := age(sc.now, d.req.Since); a != "" {
		title += " · " + a
	}
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(title+" ", box.W-4), bold(c))
}

// foot is what can be done, in lines of at most w columns; the first one is
// followed by the editor while a message is written.
func (d answerBar) foot(sc *scene, w int) []string {
	var items []string
	switch d.step {
	case answerOver:
		return []string{d.over}
	case answerSending:
		return []string{"answering…"}
	case answerMessage:
		out := []string{"no, because: "}
		if d.problem != "" {
			out = append(out, d.problem)
		}
		return append(out, "Enter refuse (the message may be empty)   Esc back")
	}
	add := func(a keymap.Action, text string) {
		if keys := sc.keys.Of(a).Keys; len(keys) > 0 {
			items = append(items, choice(keys[0], text))
		}
	}
	if !d.question() {
		add(keymap.AnswerYes, "yes")
	}
	add(keymap.AnswerNo, "no")
	if d.req.AlwaysRule != "" && !d.question() {
		add(keymap.AnswerAlways, "always")
	}
	add(keymap.AnswerPane, "open the pane")
	if n := sc.waitingBeside(d.req.Session); n > 0 {
		add(keymap.AnswerNext, "next of "+strconv.Itoa(n)+" more")
	}
	items = append(items, "Esc later")
	out := flow(items, w)
	if d.req.AlwaysRule != "" && !d.question() {
		out = append(out, paint.Cut("always means: "+textsafe.Line(d.req.AlwaysRule), w))
	}
	if d.problem != "" {
		out = append(out, paint.Cut(d.problem, w))
	}
	return out
}

// choice shows the key in the word that begins with it, "[y]es", else before
// it.
func choice(key, text string) string {
	if rest, ok := strings.CutPrefix(text, key); ok && len(key) == 1 {
		return "[" + key + "]" + rest
	}
	return "[" + key + "] " + text
}

// flow puts items into lines of at most w columns.
func flow(items []string, w int) []string {
	var lines []string
	cur := ""
	for _, it := range items {
		switch {
		case cur == "":
			cur = it
		case paint.Width(cur)+3+paint.Width(it) <= w:
			cur += "   " + it
		default:
			lines, cur = append(lines, cur), it
		}
	}
	if cur != "" {
		lines = append(lines, cur)
	}
	return lines
}
