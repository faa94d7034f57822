package mailbox

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"ccdir/api"
	"ccdir/internal/text/redact"
	"ccdir/internal/text/textsafe"
)

// LeadOptions join Leads with the daemon. All are needed.
type LeadOptions struct {
	// Sessions are all sessions as published.
	Sessions func() []api.Session
	// Send puts a message of the person into a session's mailbox (Box.Send).
	Send   func(ctx context.Context, to, text string) (api.Message, error)
	Logger *slog.Logger
}

// Leads asks leads about permission requests, by messages to their mailboxes
// (enforce.Lead). The lead of a session is the session with that role whose agent started
// it.
type Leads struct {
	o LeadOptions

	mu sync.Mutex
	// waiting has the questions by the number of their message.
	waiting map[int64]leadQuestion
}

type leadQuestion struct {
	lead   string
	answer chan<- api.Answer // one slot
}

// NewLeads makes the leads.
func NewLeads(o LeadOptions) *Leads { return &Leads{o: o, waiting: map[int64]leadQuestion{}} }

// Lead is the running lead of a session, "" if there is none.
func (l *Leads) Lead(session string) string {
	parent := ""
	list := l.o.Sessions()
	for _, s := range list {
		if s.ID == session {
			parent = s.Parent
		}
	}
	for _, s := range list {
		if parent != "" && s.ID == parent && s.Role == api.RoleLead && !s.State.Ended() {
			return s.ID
		}
	}
	return ""
}

// Bounds of the tool input in a question, in runes. A plan is judged by all of it.
const (
	maxAsked = 4000
	maxPlan  = 30000
)

// leadText is the question about a request.
func leadText(r api.Request) string {
	what, input, limit := "wants to use "+textsafe.Line(r.Tool), redact.JSON(r.Input), maxAsked
	if r.Kind == api.RequestPlan {
		what, input, limit = "has made a plan, and waits for your approval to begin with it", wholePlan(r.Input), maxPlan
	}
	return fmt.Sprintf("Permission request %s: session %s %s, in %s.\nInput: %s\n"+
		"Reply to this message (message_send to %q with reply set to its number) with \"allow\", or with \"deny: why\". "+
		"Anything else leaves it to the person, as does no reply.",
		r.ID, textsafe.Line(r.SessionName), what, textsafe.Line(r.CWD), textsafe.Cut(textsafe.Line(string(input)), limit), api.Person)
}

// wholePlan is redact.JSON for a plan, of which nothing is left out.
func wholePlan(input json.RawMessage) json.RawMessage {
	var plan any
	if json.Unmarshal(input, &plan) == nil {
		if out, err := json.Marshal(redact.Value(plan, maxPlan)); err == nil {
			return out
		}
	}
	return redact.JSON(input)
}

// Ask writes to the lead and waits for its reply. The sender of a message is known by its
// token, so that no other session can answer.
func (l *Leads) Ask(ctx context.Context, lead string, r api.Request) (api.Answer, bool) {
	answer := make(chan api.Answer, 1)
	l.mu.Lock() // until the number is known
	m, err := l.o.Send(ctx, lead, leadText(r))
	if err != nil {
		l.mu.Unlock()
		l.o.Logger.Warn("a lead could not be asked", "lead", lead, "error", err)
		return api.Answer{}, false
	}
	l.waiting[m.ID] = leadQuestion{lead, answer}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, m.ID)
		l.mu.Unlock()
	}()
	select {
	case a := <-answer:
		return a, a.Behavior != ""
	case <-ctx.Done():
		return api.Answer{}, false
	}
}

// Told answers a question if the message is the lead's reply to it.
func (l *Leads) Told(m api.Message) {
	if m.Reply == 0 || m.From == api.Person {
		return // Ask holds mu while its own question is announced
	}
	l.mu.Lock()
	q, ok := l.waiting[m.Reply]
	l.mu.Unlock()
	if !ok || q.lead != m.From {
		return
	}
	select {
	case q.answer <- leadAnswer(m.Text):
	default: // only the first reply counts
	}
}

// leadAnswer parses a reply; the zero answer leaves the request to the person.
func leadAnswer(text string) api.Answer {
	text = strings.TrimSpace(text)
	word, rest, _ := strings.Cut(text, ":")
	switch strings.ToLower(strings.Trim(word, " .!\n")) {
	case "allow":
		return api.Answer{Behavior: api.AnswerAllow}
	case "deny":
		return api.Answer{Behavior: api.AnswerDeny, Message: strings.TrimSpace(rest)}
	}
	return api.Answer{}
}
