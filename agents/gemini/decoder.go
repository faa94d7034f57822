package gemini

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ccdir/agents/payload"
	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/usage"
)

// decoder decodes the lines of a conversation's file: a head, messages, and patches of what
// the file says as a whole. A message that grew is written again under its id; the last one
// alone does.
type decoder struct{}

// message is a line that is a message.
type message struct {
	ID        string          `json:"id"`
	At        time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Model     string          `json:"model"`
	Thoughts  []thought       `json:"thoughts"`
	ToolCalls []toolCall      `json:"toolCalls"`
	Tokens    *struct {
		Input  int64 `json:"input"`
		Output int64 `json:"output"`
		Cached int64 `json:"cached"`
		Though int64 `json:"thoughts"`
		Tool   int64 `json:"tool"`
	} `json:"tokens"`
}

type thought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

type toolCall struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"`
	Status  string          `json:"status"`
	At      time.Time       `json:"timestamp"`
	Display json.RawMessage `json:"resultDisplay"`
	Result  []struct {
		Response struct {
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

// Line implements transcript.Decoder.
func (d decoder) Line(line []byte, b *transcript.Builder) {
	o := payload.Of(line)
	switch {
	case o.Members["sessionId"] != nil && o.Members["type"] == nil: // the head
	case o.Members["$set"] != nil:
		d.patch(o, b)
	case o.Text("type") == "":
		b.Raw(time.Time{}, "no entry", line)
	default:
		var m message
		if json.Unmarshal(line, &m) != nil {
			b.Raw(time.Time{}, o.Text("type"), line)
			return
		}
		d.message(m, line, b)
	}
}

// patch reads what replaces the messages: after an error of the API, the prompt is missing in
// what the model is told next.
func (decoder) patch(o payload.Object, b *transcript.Builder) {
	messages := payload.Of(o.Members["$set"]).Members["messages"]
	turn := b.Current()
	if len(messages) > 0 {
		b.Pending = ""
	}
	if len(messages) == 0 || turn == nil || turn.State != api.TurnRunning || len(turn.Items) > 0 {
		return
	}
	var list []struct {
		At time.Time `json:"timestamp"`
	}
	if json.Unmarshal(messages, &list) != nil || slices.ContainsFunc(list, func(m struct {
		At time.Time `json:"timestamp"`
	}) bool {
		return m.At.Equal(turn.At)
	}) {
		return
	}
	b.Judge(api.TurnFailure{Kind: api.FailureAPI, Message: "the API refused the prompt", At: turn.At})
}

// replayed marks, in Builder.Pending, that the CLI writes its history anew, as it does after a
// cancelled turn: with the context first, and at one moment. A patch ends it.
const (
	replayed   = "\x00replayed"
	replayTime = 50 * time.Millisecond
)

func (d decoder) message(m message, line []byte, b *transcript.Builder) {
	if b.Pending == replayed && m.At.Sub(b.PendingAt) < replayTime {
		return
	}
	switch m.Type {
	case "user":
		d.user(m, b)
	case "gemini":
		d.answer(m, b)
	case "error":
		b.Fail(failure(textOf(m.Content), m.At))
	case "info", "warning":
		text := textOf(m.Content)
		if strings.HasPrefix(text, "Request cancelled") {
			b.Interrupt(m.At, text)
			return
		}
		b.Note(api.ItemNote, m.At, clip(text), max(len(text)-transcript.MaxText, 0))
	default:
		b.Raw(m.At, m.Type, line)
	}
}

// user begins a turn with a prompt. What the CLI tells the model by itself is in marks, and a
// tool's result is in the call already.
func (decoder) user(m message, b *transcript.Builder) {
	text := textOf(m.Content)
	if strings.HasPrefix(text, "<session_context>") {
		b.Pending, b.PendingAt = replayed, m.At
		return
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	b.Begin(m.At, "", clip(text))
	b.Pending = ""
}

func (d decoder) answer(m message, b *transcript.Builder) {
	text := textOf(m.Content)
	if b.Pending != m.ID { // else it was written before, and grew
		for _, t := range m.Thoughts {
			b.Thinking(m.At, clip(strings.TrimSpace(t.Subject+"\n"+t.Description)), 0)
		}
		if text != "" {
			b.Text(m.At, m.ID, clip(text), max(len(text)-transcript.MaxText, 0))
		}
	}
	b.Pending = m.ID
	for _, c := range m.ToolCalls {
		d.call(c, m.At, b)
	}
	if t := m.Tokens; t != nil {
		b.Answered(m.ID, usage.Use{At: m.At, Vendor: "google", Model: m.Model,
			Tokens: api.TurnTokens{Input: max(t.Input-t.Cached, 0) + max(t.Tool, 0), Output: max(t.Output, 0) + max(t.Though, 0), CacheRead: max(t.Cached, 0)}})
	}
	if text != "" && len(m.ToolCalls) == 0 {
		b.End(m.At)
	}
}

// call adds a call that is new, and its result if it has one.
func (decoder) call(c toolCall, at time.Time, b *transcript.Builder) {
	if c.At.IsZero() {
		c.At = at
	}
	known := false
	if turn := b.Current(); turn != nil {
		known = slices.ContainsFunc(turn.Tools, func(t api.TurnTool) bool { return t.ID == c.ID })
	}
	if !known {
		input := c.Args
		if len(input) > transcript.MaxInput || !json.Valid(input) {
			input = nil
		}
		name, input, _ := Call(c.Name, input)
		b.Call(at, c.ID, name, input, payload.ToolLine(input))
	}
	r := transcript.Result{Outcome: map[string]api.ToolOutcome{"success": api.ToolOK, "error": api.ToolError, "cancelled": api.ToolRefused}[c.Status]}
	if r.Outcome == "" {
		return
	}
	text := textOf(c.Display)
	if text == "" && len(c.Result) > 0 {
		text = payload.Of(c.Result[0].Response.Response).Text("output")
	}
	if text == "" && len(c.Result) > 0 {
		text = payload.Of(c.Result[0].Response.Response).Text("error")
	}
	r.Text, r.Cut = clipTo(text, transcript.MaxResult), max(len(text)-transcript.MaxResult, 0)
	b.Result(c.At, c.ID, r)
}

// failure reads the CLI's words about an error: "[API Error: {"error":{"code":400,"message":…}}]".
func failure(text string, at time.Time) api.TurnFailure {
	f := api.TurnFailure{Kind: api.FailureAPI, Message: clip(text), At: at}
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "[API Error: ")
	if !ok {
		return f
	}
	f.Message = clip(strings.TrimSuffix(inner, "]"))
	var said struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(f.Message), &said) != nil || said.Error.Message == "" {
		return f
	}
	f.Message = clip(said.Error.Message)
	switch said.Error.Code {
	case 401, 403:
		f.Kind = api.FailureAuth
	case 429:
		f.Kind = api.FailureLimit
	}
	return f
}

// textOf is the text of a message: a string, or parts that have texts.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func clip(s string) string { return clipTo(s, transcript.MaxText) }

// clipTo cuts s to at most limit bytes of valid UTF-8.
func clipTo(s string, limit int) string {
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}
