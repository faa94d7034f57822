package mailbox

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// TestLeadText: a lead gets a plan as a plan, and all of it; other inputs are cut.
func TestLeadText(t *testing.T) {
	long := strings.Repeat("step ", 3000) + "last zebra"
	input, err := json.Marshal(map[string]string{"plan": long})
	if err != nil {
		t.Fatal(err)
	}
	r := api.Request{ID: "k3vfa", SessionName: "worker", Tool: "ExitPlanMode", Kind: api.RequestPlan, CWD: "/p", Input: input}
	if text := leadText(r); !strings.Contains(text, "last zebra") || !strings.Contains(text, "has made a plan") {
		t.Errorf("%.200s…", text)
	}
	r.Kind, r.Tool = api.RequestPermission, "Bash"
	if text := leadText(r); strings.Contains(text, "last zebra") || !strings.Contains(text, "wants to use Bash") {
		t.Errorf("%.200s…", text)
	}
}

// TestLeadOf: the lead of a session is the one that started it, while it runs and has the role.
func TestLeadOf(t *testing.T) {
	list := []api.Session{
		{ID: "boss", Role: api.RoleLead, State: api.StateIdle}, {ID: "led", Parent: "boss"},
		{ID: "dev", Role: "dev"}, {ID: "of-dev", Parent: "dev"},
		{ID: "gone", Role: api.RoleLead, State: api.StateExited}, {ID: "of-gone", Parent: "gone"},
		{ID: "of-removed", Parent: "removed"},
	}
	l := NewLeads(LeadOptions{Sessions: func() []api.Session { return list }})
	for session, want := range map[string]string{"led": "boss", "boss": "", "of-dev": "", "of-gone": "", "of-removed": "", "unknown": ""} {
		if got := l.Lead(session); got != want {
			t.Errorf("%s is led by %q, want %q", session, got, want)
		}
	}
}

// TestLeadReplies: only the lead's own reply to the question answers it, the first one, and only
// with a word that says so; otherwise the request is the person's.
func TestLeadReplies(t *testing.T) {
	for name, c := range map[string]struct {
		from, text string
		// reply is the number of the message to which it is one, from that of the question.
		reply    int64
		ok       bool
		behavior api.AnswerBehavior
		message  string
	}{
		"allows":                 {from: "boss", text: " Allow.\n", ok: true, behavior: api.AnswerAllow},
		"denies":                 {from: "boss", text: "deny: not on main", ok: true, behavior: api.AnswerDeny, message: "not on main"},
		"leaves it":              {from: "boss", text: "allowed? ask the person"},
		"of another session":     {from: "led", text: "allow"},
		"of the person":          {from: api.Person, text: "allow"},
		"to another message":     {from: "boss", text: "allow", reply: 1},
		"allows in the sentence": {from: "boss", text: "I would allow it"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l *Leads
				const question = 7
				var asked api.Message
				l = NewLeads(LeadOptions{Logger: slog.New(slog.DiscardHandler), Send: func(_ context.Context, to, text string) (api.Message, error) {
					asked = api.Message{ID: question, From: api.Person, To: to, Text: text}
					l.Told(asked) // as Box does
					return asked, nil
				}})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				begin := time.Now()
				go func() {
					time.Sleep(time.Second)
					l.Told(api.Message{ID: 8, From: c.from, Text: c.text, Reply: question + c.reply})
					l.Told(api.Message{ID: 9, From: c.from, Text: "deny: too late", Reply: question + c.reply})
				}()
				a, ok := l.Ask(ctx, "boss", api.Request{ID: "k3vfa", Tool: "Bash"})
				if ok != c.ok || a.Behavior != c.behavior || a.Message != c.message {
					t.Errorf("%+v, %v", a, ok)
				}
				if asked.To != "boss" || !strings.Contains(asked.Text, "k3vfa") {
					t.Errorf("asked %+v", asked)
				}
				if took := time.Since(begin); ok && took != time.Second {
					t.Errorf("the answer came after %s", took)
				}
				if len(l.waiting) != 0 {
					t.Errorf("questions are left: %v", l.waiting)
				}
				synctest.Wait()
			})
		})
	}
}

// TestLeadNotAsked: a question that cannot be sent leaves the request to the person at once.
func TestLeadNotAsked(t *testing.T) {
	l := NewLeads(LeadOptions{Logger: slog.New(slog.DiscardHandler), Send: func(context.Context, string, string) (api.Message, error) {
		return api.Message{}, errors.New("the mailbox is full")
	}})
	if a, ok := l.Ask(t.Context(), "boss", api.Request{}); ok || a.Behavior != "" || len(l.waiting) != 0 {
		t.Errorf("%+v, %v, waiting %v", a, ok, l.waiting)
	}
}
