package approvals

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// leave ends one wait. A request without waiters stays open for Options.HangUp, since the
// hook process may be redialling.
func (b *Broker) leave(h *held) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.waiters--; h.waiters > 0 || h.over || b.closed {
		return
	}
	h.hangUp = time.AfterFunc(b.o.HangUp, func() {
		b.mu.Lock()
		back := h.waiters > 0
		b.mu.Unlock()
		if !back {
			b.finish(h, api.Decision{Outcome: api.OutcomeHungUp, Reason: "the agent waits no longer"})
		}
	})
}

// stop cancels timers and pending questions. mu is held.
func (h *held) stop() {
	if h.hangUp != nil {
		h.hangUp.Stop()
	}
	if h.deadline != nil {
		h.deadline.Stop()
	}
	h.cancel()
}

// finish ends the request with d; it fills in request and time. It returns false if the
// request had ended already. Otherwise it returns after the end is recorded and reported.
func (b *Broker) finish(h *held, d api.Decision) bool {
	b.mu.Lock()
	if h.over || b.closed {
		b.mu.Unlock()
		return false
	}
	h.over = true
	b.work.Add(1) // under mu, so before Close waits
	defer b.work.Done()
	d.Request, d.At = h.req, b.o.Now().UTC()
	delete(b.open, h.req.ID)
	if b.ended = append(b.ended, h.key); len(b.ended) > endedKept {
		delete(b.calls, b.ended[0])
		b.ended = b.ended[1:]
	}
	h.stop()
	b.mu.Unlock()

	h.telling.Lock()
	defer h.telling.Unlock()
	if b.o.Ledger != nil && !b.record(d) && d.Answer != nil && d.Answer.Behavior != api.AnswerDeny {
		d.Outcome, d.Answer = api.OutcomeUnrecorded, nil
		d.Reason = "the approval could not be recorded: answer in the pane"
	}
	if b.o.Observer != nil {
		b.contain("observer", func() { b.o.Observer.RequestEnded(d) })
	}
	h.decision = d
	close(h.done)
	return true
}

// record writes the decision to the ledger.
func (b *Broker) record(d api.Decision) (ok bool) {
	b.contain("ledger", func() {
		err := b.o.Ledger.Record(d)
		if err != nil {
			b.log.Error("a decision could not be recorded", "request", d.Request.ID, "outcome", d.Outcome, "error", err)
		}
		ok = err == nil
	})
	return ok
}

// ask calls a Decider or LeadAsker. A panic counts as no answer.
func (b *Broker) ask(who string, fn func() (api.Answer, bool)) (a api.Answer, ok bool) {
	b.contain(who, func() { a, ok = fn() })
	return a, ok
}

// contain runs fn and logs a panic.
func (b *Broker) contain(who string, fn func()) {
	defer func() {
		if p := recover(); p != nil {
			b.log.Error("panic in approvals", "who", who, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	fn()
}

// answered returns the decision for an answer.
func answered(a api.Answer, by string) api.Decision {
	return api.Decision{Outcome: api.OutcomeAnswered, Answer: &a, By: by, Reason: a.Message}
}

// maxMessage bounds the text of a denial, in bytes.
const maxMessage = 16 << 10

// valid returns an error if the answer does not fit the request.
func valid(a api.Answer, r api.Request) error {
	switch {
	case a.Behavior != api.AnswerAllow && a.Behavior != api.AnswerDeny:
		return api.Errorf(api.CodeInvalid, "an answer is %q or %q, found %.40q", api.AnswerAllow, api.AnswerDeny, a.Behavior)
	case len(a.Message) > maxMessage:
		return api.Errorf(api.CodeTooLarge, "the message is longer than %d KiB", maxMessage>>10)
	case a.Behavior == api.AnswerDeny && a.Always:
		return api.Errorf(api.CodeInvalid, "only an approval can be for always")
	case a.Behavior == api.AnswerAllow && r.Kind == api.RequestQuestion && r.Origin == api.OriginMCP:
		return validText(a.Text, r)
	case a.Behavior == api.AnswerAllow && r.Kind == api.RequestQuestion && r.Questions > 0:
		return validAnswer(a, r)
	case a.Behavior == api.AnswerAllow && r.Kind == api.RequestQuestion:
		return api.Errorf(api.CodeInvalid, "request %s is a question: choose the answer in the pane, or deny it", r.ID)
	case len(a.Input) > 0 && (!r.Editable || a.Behavior != api.AnswerAllow || len(a.Input) > maxInput):
		return api.Errorf(api.CodeInvalid, "the input of request %s cannot be replaced", r.ID)
	case len(a.Input) > 0 && a.Always:
		return api.Errorf(api.CodeInvalid, "an edited command is approved once: --always is for the command that was asked for")
	case a.Always && r.AlwaysRule == "":
		return api.Errorf(api.CodeInvalid, "no rule is narrow enough to always allow this %.40s call: approve it without --always", r.Tool)
	}
	return nil
}

// validText returns an error if a text does not answer a question of the ask_person tool.
func validText(text string, r api.Request) error {
	lines := strings.Split(text, "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return api.Errorf(api.CodeInvalid, "request %s is a question: the answer is missing", r.ID)
	case len(text) > maxMessage:
		return api.Errorf(api.CodeTooLarge, "the answer is longer than %d KiB", maxMessage>>10)
	case len(r.Choices) == 0:
		return nil
	case len(lines) > 1 && !r.Multiple:
		return api.Errorf(api.CodeInvalid, "request %s takes one of its choices", r.ID)
	}
	for _, line := range lines {
		if !slices.Contains(r.Choices, line) {
			return api.Errorf(api.CodeInvalid, "%.40q is none of the choices: %s", line, strings.Join(r.Choices, ", "))
		}
	}
	return nil
}

// validAnswer returns an error if an answer does not fit the questions of an agent's own
// dialog, which also takes free text.
func validAnswer(a api.Answer, r api.Request) error {
	lines := strings.Split(a.Text, "\n")
	switch {
	case a.Always || len(a.Input) > 0:
		return api.Errorf(api.CodeInvalid, "request %s is a question: answer it with a text alone", r.ID)
	case strings.TrimSpace(a.Text) == "":
		return api.Errorf(api.CodeInvalid, "request %s is a question: give the answer (`ccdir approve %s --answer TEXT`), or deny it", r.ID, r.ID)
	case len(a.Text) > maxMessage:
		return api.Errorf(api.CodeTooLarge, "the answer is longer than %d KiB", maxMessage>>10)
	case r.Questions > 1 && (len(lines) != r.Questions || slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })):
		return api.Errorf(api.CodeInvalid, "request %s asks %d questions: give %d answers, in their order", r.ID, r.Questions, r.Questions)
	}
	return nil
}

// describe says how a request ended, for callers that came late.
func describe(d api.Decision) string {
	if d.Outcome == api.OutcomeAnswered {
		word := "approved"
		if d.Answer.Behavior == api.AnswerDeny {
			word = "denied"
		}
		return "it was " + word + " (" + d.By + ")"
	}
	return d.Reason
}

// idLetters is the alphabet of ids: lower case, letters before digits.
var idLetters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// idLen is the minimum length of an id.
const idLen = 5

// newID derives the id of a call's request. It is the same on every daemon, and as short as
// other ids allow. mu is held.
func (b *Broker) newID(key callKey) string {
	sum := sha256.Sum256([]byte(key.session + "\x00" + key.call))
	text := idLetters.EncodeToString(sum[:])
	for n := idLen; n < len(text); n++ {
		if id := text[:n]; !b.taken(id) {
			return id
		}
	}
	return text
}

// taken reports whether the id, or one that begins with it, belongs to an open or remembered
// request.
func (b *Broker) taken(id string) bool {
	for _, h := range b.calls {
		if strings.HasPrefix(h.req.ID, id) {
			return true
		}
	}
	return false
}

// randomID identifies a call without an id.
func randomID() string { return rand.Text() }
