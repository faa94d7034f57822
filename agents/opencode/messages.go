package opencode

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents/payload"
	"ccdir/agents/transcript"
	"ccdir/api"
)

// message is a message of a conversation as the server keeps it.
type message struct {
	id      string
	created int64 // as the database orders it, in milliseconds
	text    string
	info    messageInfo
	parts   []row
}

// row is a part of a message: its id and its JSON.
type row struct{ id, data string }

type messageInfo struct {
	Role  string `json:"role"`
	Model string `json:"modelID"`
	// Provider is whose the model is, by models.dev's names where opencode knows it itself.
	Provider string `json:"providerID"`
	// Summary: of an answer, it sums up the conversation.
	Summary json.RawMessage `json:"summary"`
	Finish  string          `json:"finish"`
	Cost    float64         `json:"cost"`
	Time    struct {
		Created   int64 `json:"created"`
		Completed int64 `json:"completed"`
	} `json:"time"`
	Tokens struct {
		Input, Output, Reasoning int64
		Cache                    struct{ Read, Write int64 }
	} `json:"tokens"`
	Error *struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  int    `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

// tokens are those of an answer.
func (i messageInfo) tokens() api.TurnTokens {
	t := i.Tokens
	return api.TurnTokens{Input: max(t.Input, 0), Output: max(t.Output, 0) + max(t.Reasoning, 0), CacheRead: max(t.Cache.Read, 0), CacheWrite: max(t.Cache.Write, 0)}
}

// partInfo is a part of a message.
type partInfo struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Ignored   bool   `json:"ignored"`
	Name      string `json:"filename"`
	Call      string `json:"callID"`
	Tool      string `json:"tool"`
	State     struct {
		Status   string          `json:"status"`
		Input    json.RawMessage `json:"input"`
		Output   string          `json:"output"`
		Error    string          `json:"error"`
		Metadata struct {
			Diff    string `json:"diff"`
			Session string `json:"sessionId"`
		} `json:"metadata"`
		Time span `json:"time"`
	} `json:"state"`
	Time  span `json:"time"`
	Error struct {
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

// span is when something began and ended, in milliseconds; 0: it has not.
type span struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// silentParts say nothing to a person.
var silentParts = map[string]bool{"step-start": true, "step-finish": true, "snapshot": true, "patch": true, "agent": true, "subtask": true, "compaction": true}

// tell tells b a turn: the message that began it, and the answers to it. later: the agent went
// on with another turn.
func tell(b *transcript.Builder, messages []message, later bool) {
	for _, m := range messages {
		switch m.info.Role {
		case "user":
			tellPrompt(b, m)
		case "assistant":
			tellAnswer(b, m)
		default:
			b.Raw(time.UnixMilli(m.created).UTC(), "message", []byte(m.text))
		}
	}
	last := messages[len(messages)-1]
	turn := b.Current()
	if turn == nil || turn.State != api.TurnRunning || last.info.Role == "user" && !later {
		return
	}
	switch ended := when(last.info.Time.Completed, time.Time{}); {
	case ended.IsZero() && !later: // it works
	case ended.IsZero(), last.info.Finish == "", dismissed(last):
		b.Interrupt(ended, "interrupted")
	case last.info.Finish != toolCalls, later:
		b.End(ended)
	}
}

// toolCalls is the end of a step whose calls the model will be told of.
const toolCalls = "tool-calls"

// dismissed reports whether a person refused one of the message's calls without a word, which
// ends the turn.
func dismissed(m message) bool {
	for _, r := range m.parts {
		var p partInfo
		if json.Unmarshal([]byte(r.data), &p) == nil && p.Type == "tool" && p.State.Status == "error" && (p.State.Error == refusedCall || p.State.Error == refusedQuestion) {
			return true
		}
	}
	return false
}

// What the calls say that a person refused: the words about it follow, if there are any.
const (
	refusedCall     = "The user rejected permission to use this specific tool call."
	refusedQuestion = "The user dismissed this question"
	refusedWords    = " with the following feedback: "
)

// tellPrompt begins a turn. Texts that nobody typed are notes: files that a prompt names.
func tellPrompt(b *transcript.Builder, m message) {
	at := when(m.info.Time.Created, time.UnixMilli(m.created))
	var prompt []string
	var notes []partInfo
	for _, r := range m.parts {
		var p partInfo
		switch err := json.Unmarshal([]byte(r.data), &p); {
		case err != nil:
			notes = append(notes, partInfo{Text: "a part that cannot be read"})
		case p.Type == "text" && !p.Synthetic && !p.Ignored:
			prompt = append(prompt, p.Text)
		case p.Type == "text":
			notes = append(notes, p)
		case p.Type == "file":
			p.Text = "file " + p.Name
			notes = append(notes, p)
		}
	}
	origin := api.TurnOrigin("")
	if len(prompt) == 0 {
		origin = api.OriginSystem
	}
	text, _ := cut(strings.Join(prompt, "\n"), transcript.MaxText)
	b.Begin(at, origin, text)
	for _, p := range notes {
		text, left := cut(p.Text, transcript.MaxResult)
		b.Note(api.ItemNote, at, text, left)
	}
}

// tellAnswer adds a message of the agent.
func tellAnswer(b *transcript.Builder, m message) {
	at := when(m.info.Time.Created, time.UnixMilli(m.created))
	for _, r := range m.parts {
		tellPart(b, m, r, at)
	}
	t := m.info.Tokens
	b.Usage(m.id, m.info.Model, m.info.tokens())
	b.Context(t.Input+t.Output+t.Reasoning+t.Cache.Read+t.Cache.Write, 0)
	e := m.info.Error
	if e == nil {
		return
	}
	ended := when(m.info.Time.Completed, at)
	if e.Name == abortedError {
		b.Interrupt(ended, "interrupted")
		return
	}
	text := e.Data.Message
	if text == "" {
		text = e.Name
	}
	text, _ = cut(text, transcript.MaxResult)
	b.Fail(api.TurnFailure{Kind: failureKind(e.Name, e.Data.Status), Message: text, At: ended})
}

// abortedError is the error of a message that a person interrupted.
const abortedError = "MessageAbortedError"

// failureKind classifies an error by its name and the status of the API.
func failureKind(name string, status int) api.FailureKind {
	switch {
	case name == "ProviderAuthError", status == 401, status == 403:
		return api.FailureAuth
	case name == "MessageOutputLengthError", name == "ContextOverflowError":
		return api.FailureMaxTokens
	case status == 429:
		return api.FailureLimit
	case name == "APIError":
		return api.FailureAPI
	}
	return api.FailureAgent
}

func tellPart(b *transcript.Builder, m message, r row, at time.Time) {
	var p partInfo
	if json.Unmarshal([]byte(r.data), &p) != nil {
		b.Raw(at, "a part that cannot be read", []byte(r.data))
		return
	}
	at = when(p.Time.Start, at)
	text, left := cut(p.Text, transcript.MaxText)
	// A text that still grows is told when it is whole.
	whole := p.Time.End != 0 || p.Time.Start == 0 || m.info.Time.Completed != 0
	switch {
	case silentParts[p.Type], p.Ignored:
	case (p.Type == "text" || p.Type == "reasoning") && (!whole || p.Text == ""):
	case p.Type == "text" && string(m.info.Summary) == "true":
		b.Note(api.ItemCompaction, at, text, left)
	case p.Type == "text":
		b.Text(at, m.id, text, left)
	case p.Type == "reasoning":
		b.Thinking(at, text, left)
	case p.Type == "tool":
		tellCall(b, p, at)
	case p.Type == "retry":
		text, left = cut(p.Error.Data.Message, transcript.MaxResult)
		b.Note(api.ItemNote, at, text, left)
	default:
		b.Raw(at, p.Type, []byte(r.data))
	}
}

func tellCall(b *transcript.Builder, p partInfo, at time.Time) {
	s := p.State
	c := callOf(p.Tool, s.Input)
	tool, input := c.tool, c.input
	if len(input) > transcript.MaxInput {
		input = nil
	}
	b.Call(when(s.Time.Start, at), p.Call, tool, input, payload.ToolLine(input))
	r := transcript.Result{Outcome: api.ToolOK, Agent: s.Metadata.Session}
	text := s.Output
	switch s.Status {
	case "completed":
		r.Diff = diff(s.Metadata.Diff)
	case "error":
		r.Outcome, text = api.ToolError, s.Error
		switch words, refused := strings.CutPrefix(text, strings.TrimSuffix(refusedCall, ".")); {
		case refused:
			r.Outcome = api.ToolRefused
			r.Reason, _ = cut(strings.TrimPrefix(words, refusedWords), transcript.MaxRaw)
			r.Reason = strings.TrimSpace(strings.TrimPrefix(r.Reason, "."))
		case strings.HasPrefix(text, refusedQuestion):
			r.Outcome = api.ToolRefused
		case strings.HasSuffix(text, "aborted"):
			r.Outcome = api.ToolInterrupted
		}
	default:
		return
	}
	if tool == words["task"].Name {
		var in struct {
			Kind string `json:"subagent_type"`
		}
		_ = json.Unmarshal(input, &in) // without it the kind is not known
		r.Kind = in.Kind
	}
	r.Text, r.Cut = cut(text, transcript.MaxResult)
	b.Result(when(s.Time.End, at), p.Call, r)
}

// diff reads an edit in the unified format.
func diff(text string) (hunks []api.DiffHunk) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@ "):
			hunks = append(hunks, api.DiffHunk{Old: firstLine(line, "-"), New: firstLine(line, "+")})
		case len(hunks) > 0 && line != "" && strings.ContainsRune(" -+", rune(line[0])):
			h := &hunks[len(hunks)-1]
			h.Lines = append(h.Lines, line)
		}
	}
	return hunks
}

// firstLine is the number behind a sign in the head of a hunk.
func firstLine(head, sign string) (n int) {
	_, rest, _ := strings.Cut(head, " "+sign)
	for _, r := range rest {
		if r < '0' || r > '9' || n > 1<<30 {
			break
		}
		n = 10*n + int(r-'0')
	}
	return n
}

// when is a time of the server; otherwise for 0, and for what is no time.
func when(ms int64, otherwise time.Time) time.Time {
	if ms <= 0 || ms > maxTime {
		return otherwise.UTC()
	}
	return time.UnixMilli(ms).UTC()
}

// maxTime is the last time that JSON can write, in milliseconds.
const maxTime = 253402300799000

// cut cuts s to at most limit bytes of valid UTF-8 and says how many are left out.
func cut(s string, limit int) (kept string, left int) {
	kept = strings.ToValidUTF8(s[:min(len(s), limit)], "")
	return kept, max(len(s)-limit, 0)
}
