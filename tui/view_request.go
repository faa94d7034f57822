package tui

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/theme"
)

// requestLine is a line of what an agent asks permission for.
type requestLine struct {
	text string
	kind lineKind
}

type lineKind uint8

const (
	linePlain lineKind = iota
	lineStrong
	lineFaint
	lineAdded
	lineRemoved
)

func (l requestLine) style(t *theme.Theme) grid.Style {
	switch l.kind {
	case lineStrong:
		return grid.Style{Attrs: grid.Bold}
	case lineFaint:
		return fg(t.Dim)
	case lineAdded:
		return fg(t.Idle)
	case lineRemoved:
		return fg(t.Permission)
	}
	return grid.Style{}
}

// maxRequestLines bounds what is laid out of an input; the end says so.
const maxRequestLines = 2000

// writeLines lays a request's input out in lines of at most w columns: nothing of it
// is hidden, since a person decides by it. The command, the file and the site come
// first; of a file that would be replaced what changes is shown.
func writeLines(r api.Request, file present, w int) []requestLine {
	b := requestText{w: max(w, 1)}
	fields, ok := orderedFields(r.Input)
	switch {
	case !ok && (len(r.Input) == 0 || string(r.Input) == "null"):
		b.add(lineFaint, textsafe.Line(r.Question))
		b.add(lineFaint, "its input is too large to be shown here: look at the pane")
	case !ok:
		b.add(linePlain, string(r.Input))
	}
	main := func(key string) bool {
		switch key {
		case "command", "file_path", "notebook_path", "url", "query", "pattern":
			return true
		}
		return false
	}
	edits, edited := editsOf(fields)
	if r.Kind == api.RequestQuestion && r.Question != "" && len(r.Choices) > 0 {
		// The choices stand below, where they are chosen.
		b.add(lineStrong, wholeQuestion(r, fields))
		edited = map[string]bool{"question": true, "questions": true, "choices": true}
	}
	note := ""
	if file.known && len(edits) == 0 {
		note, edits, edited = replaces(fields, file)
	}
	for _, first := range []bool{true, false} {
		for _, f := range fields {
			if main(f.key) == first && !edited[f.key] {
				b.field(f, first)
			}
		}
		if first && note != "" {
			b.add(lineFaint, note)
		}
		if first {
			b.edits(edits)
		}
	}
	if len(b.lines) == 0 {
		b.add(lineFaint, "without input")
	}
	return b.lines
}

// requestText collects lines.
type requestText struct {
	w     int
	lines []requestLine
}

func (b *requestText) field(f inputField, main bool) {
	key := textsafe.Line(f.key)
	text, isText := f.text()
	switch {
	case main && isText:
		b.add(lineStrong, text)
	case f.key == "old_string":
		b.marked(lineRemoved, "- ", text)
	case f.key == "new_string" || f.key == "content" || f.key == "new_source":
		b.marked(lineAdded, "+ ", text)
	case isText && !strings.Contains(text, "\n"):
		b.add(lineFaint, key+": "+text)
	case isText:
		b.add(lineFaint, key+":")
		b.add(linePlain, text)
	default:
		b.add(lineFaint, key+": "+string(f.value))
	}
}

func (b *requestText) marked(kind lineKind, mark, text string) {
	for _, l := range strings.Split(strings.TrimSuffix(textsafe.Block(text), "\n"), "\n") {
		b.chop(kind, mark+l)
	}
}

func (b *requestText) add(kind lineKind, text string) {
	for _, l := range strings.Split(textsafe.Block(text), "\n") {
		b.chop(kind, l)
	}
}

// chop breaks a line where the width ends: blanks matter in commands, so no
// word is moved.
func (b *requestText) chop(kind lineKind, text string) {
	text = strings.ReplaceAll(text, "\t", "    ")
	for {
		if len(b.lines) == maxRequestLines {
			b.lines = append(b.lines, requestLine{"… and more: look at the pane", lineFaint})
		}
		if len(b.lines) > maxRequestLines {
			return
		}
		if paint.Width(text) <= b.w {
			b.lines = append(b.lines, requestLine{text, kind})
			return
		}
		head := headOf(text, b.w)
		b.lines = append(b.lines, requestLine{head, kind})
		text = text[len(head):]
	}
}

// wholeQuestion is the question as it was asked: the request has its beginning, in one
// line, and nobody should choose by that.
func wholeQuestion(r api.Request, fields []inputField) string {
	for _, f := range fields {
		if text, ok := f.text(); ok && f.key == "question" {
			return text
		}
	}
	return r.Question
}

// inputField is one field of a tool's input.
type inputField struct {
	key   string
	value json.RawMessage
}

func (f inputField) text() (string, bool) {
	var s string
	err := json.Unmarshal(f.value, &s)
	return s, err == nil && len(f.value) > 0 && f.value[0] == '"'
}

// orderedFields takes a JSON object apart in its own order.
func orderedFields(data json.RawMessage) ([]inputField, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []inputField
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return nil, false
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, false
		}
		out = append(out, inputField{key, v})
	}
	_, err := dec.Token()
	return out, err == nil
}

// drawAsk draws the prompt bar in the colour of the state of the focused
// session, which waits: what it asks, and which key answers.
func (sc *scene) drawAsk(s *paint.Surface, v api.Session) {
	r := sc.layout.prompt
	req := requestOf(sc.requests, v.ID)
	state := v.State
	if !state.NeedsPerson() {
		state = api.StatePermission // the request is here before the state
	}
	st := sc.theme.Chip(sc.theme.State(state))
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
	if sc.readOnly {
		return "attached read-only: answer elsewhere"
	}
	if req == nil {
		if sc.cols < 110 {
			return "answer in the pane: ↑↓ Enter Esc"
		}
		return "answer in the pane: " + paneKeys(v.State)
	}
	key := sc.keys.Hint(keymap.Attention)
	if sc.cols < 70 {
		return key + " answer"
	}
	items := []string{key + " to answer:"}
	add := func(a keymap.Action, text string) {
		if keys := sc.keys.Of(a).Keys; len(keys) > 0 {
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
	if reply := sc.keys.Hint(keymap.Prompt); reply != "" && sc.cols >= replyFrom {
		items = append(items, " "+reply+" to reply")
	}
	return strings.Join(items, " ")
}

// asking is the focused session if it waits for a person.
func (sc *scene) asking() (api.Session, bool) {
	for _, v := range sc.sessions {
		if v.ID == sc.focus {
			return v, v.State.NeedsPerson() || !v.State.Ended() && requestOf(sc.requests, v.ID) != nil
		}
	}
	return api.Session{}, false
}

// waitingBeside is how many other requests there are, and how many other
// sessions in the grid wait without one.
func (sc *scene) waitingBeside(r api.Request) int {
	n := 0
	for _, o := range sc.requests {
		if o.ID != r.ID {
			n++
		}
	}
	for _, v := range sc.sessions {
		if v.ID != r.Session && v.State.NeedsPerson() && requestOf(sc.requests, v.ID) == nil {
			n++
		}
	}
	return n
}
