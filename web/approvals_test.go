package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"ccdir/api"
)

// TestApprove: an answer is the request's own, by the person, and names the device; words go with a
// refusal; "always" needs the second step's rule.
func TestApprove(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StatePermission, Prompt: "tidy up", PermissionMode: "acceptEdits"})
	b := p.paired(api.WebApprove, true)
	p.ask("r1", "Bash", `{"command": "ls -l", "timeout": 5}`)
	_, body := b.get("/approvals/r1")
	for _, want := range []string{"ls -l", "<h3>timeout</h3>", "tidy up", "acceptEdits", `href="/approvals/r1/always"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the request lacks %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "Bash(ls)") {
		t.Error("the rule is in the first step")
	}
	if status, body := b.send("/approvals/r1", "/approvals/r1", "behavior", "allow", "message", "careful"); status != http.StatusBadRequest || !strings.Contains(body, "with a refusal only") {
		t.Errorf("words with an approval: %d %s", status, body)
	}
	if status, body := b.send("/approvals/r1", "/approvals/r1"); status != http.StatusBadRequest {
		t.Errorf("no answer: %d %s", status, body)
	}
	if status, body := b.send("/approvals/r1", "/approvals/r1", "behavior", "deny", "message", "not\r\nnow"); status != 200 || !strings.Contains(body, "Denied: Bash of one") {
		t.Errorf("%d %s", status, body)
	}
	if a := p.last(); a.Behavior != api.AnswerDeny || a.Message != "not\nnow" || !strings.HasPrefix(a.Client, "page on tester (") || a.Always {
		t.Errorf("%+v", a)
	}
	if status, body := b.send("/", "/approvals/r1", "behavior", "allow"); status != http.StatusConflict || !strings.Contains(body, "it was denied by person page on tester") {
		t.Errorf("again: %d %s", status, body)
	}
	if _, body := b.get("/approvals/r1"); !strings.Contains(body, "deny by person, page on tester") {
		t.Errorf("afterwards:\n%s", body)
	}
	p.ask("r2", "Bash", `{"command": "ls"}`)
	if _, body := b.get("/approvals/r2/always"); !strings.Contains(body, "Bash(ls *)") || !strings.Contains(body, "this session") {
		t.Errorf("the second step:\n%s", body)
	}
	if status, body := b.send("/approvals/r2/always", "/approvals/r2", "behavior", "allow", "always", "1", "rule", "q1", "scope", "q0"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if a := p.last(); !a.Always || a.Rule != "Bash(ls *)" || a.Scope != api.ScopeSession || a.Behavior != api.AnswerAllow {
		t.Errorf("%+v", a)
	}
	p.ask("r3", "Bash", `{}`)
	seer := p.paired(api.WebSee, false)
	if status, body := seer.send("/", "/approvals/r3", "behavior", "allow"); status != http.StatusForbidden || len(p.Requests()) != 1 {
		t.Errorf("a device that may look: %d %s", status, body)
	}
	if _, body := seer.get("/approvals"); strings.Contains(body, `value="allow"`) {
		t.Error("it has a button")
	}
}

// TestQuestions: choices and free text become the answer as the session takes it.
func TestQuestions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	b := p.paired(api.WebApprove, false)
	own := `{"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}, {"question": "What else?", "multiSelect": true, "options": [{"label": "C"}, {"label": "D"}]}]}`
	for name, c := range map[string]struct {
		r    api.Request
		form []string
		want string // "": refused
	}{
		"a choice":             {api.Request{Origin: api.OriginMCP, Choices: []string{"yes", "no"}}, []string{"q0", "q1"}, "no"},
		"several choices":      {api.Request{Origin: api.OriginMCP, Choices: []string{"a", "b", "c"}, Multiple: true}, []string{"q0", "q0", "q0", "q2"}, "a\nc"},
		"a choice that is not": {api.Request{Origin: api.OriginMCP, Choices: []string{"yes"}}, []string{"q0", "q7"}, ""},
		"no choice":            {api.Request{Origin: api.OriginMCP, Choices: []string{"yes"}}, nil, ""},
		"several lines":        {api.Request{Origin: api.OriginMCP}, []string{"q0t", "one\r\ntwo"}, "one\ntwo"},
		"several questions":    {api.Request{Questions: 2, Input: json.RawMessage(own)}, []string{"q0", "q1", "q1", "q0", "q1", "q1"}, "B\nC, D"},
		"own words for one":    {api.Request{Questions: 2, Input: json.RawMessage(own)}, []string{"q0t", "a\nthird", "q1", "q0"}, "a third\nC"},
		"one left out":         {api.Request{Questions: 2, Input: json.RawMessage(own)}, []string{"q0", "q0"}, ""},
	} {
		c.r.ID, c.r.Session, c.r.Kind, c.r.Tool = "q", "s1", api.RequestQuestion, "AskUserQuestion"
		p.locked(func() { p.requests, p.answers = []api.Request{c.r}, nil })
		status, body := b.send("/approvals/q", "/approvals/q", append(c.form, "behavior", "allow")...)
		if c.want == "" {
			if status != http.StatusBadRequest || len(p.Requests()) != 1 {
				t.Errorf("%s: %d %s", name, status, body)
			}
			continue
		}
		if a := p.last(); status != http.StatusSeeOther || a.Text != c.want {
			t.Errorf("%s: %d %q", name, status, a.Text)
		}
	}
}

// TestHostile: what an agent wrote is text on every page, and nothing of it reaches a tag or turns
// the text around.
func TestHostile(t *testing.T) {
	t.Parallel()
	const evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\x1b[31m\u202ejavascript:alert(1)"
	data, err := json.Marshal(map[string]string{"command": evil, evil: evil, "url": "javascript:alert(1)"})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: evil, Agent: evil, State: api.StatePermission, Asks: evil, Prompt: evil, Branch: evil, CWD: "/" + evil, PermissionMode: evil, Task: evil})
	p.locked(func() {
		p.requests = []api.Request{
			{ID: "r1", Session: "s1", Tool: evil, Input: data, Kind: api.RequestPermission, CWD: evil, Rule: evil, Role: evil, AlwaysRule: evil, AlwaysRules: []string{evil}, Scopes: []api.AlwaysScope{{Scope: "session", Rule: evil, File: evil}}},
			{ID: "r2", Session: "s1", Kind: api.RequestQuestion, Origin: api.OriginMCP, Question: evil, Choices: []string{evil}},
			{ID: "r3", Session: "s1", Kind: api.RequestPlan, Input: json.RawMessage(`{"plan": "# <b>x</b>"}`), Modes: []string{evil}},
			{ID: "r4", Session: "s1", Kind: api.RequestPermission, Tool: "Edit", Input: json.RawMessage(`{"file_path": "a", "old_string": "<script>", "new_string": "</pre><script>"}`)},
		}
		p.rows = []api.LedgerRow{{Request: "r9", Tool: evil, Name: evil, Reason: evil, Outcome: api.OutcomeAnswered, Decision: "allow", By: evil, Client: evil}}
	})
	b := p.paired(api.WebType, false)
	for _, path := range []string{"/", "/?q=" + "%3Cscript%3E", "/approvals", "/approvals/r1", "/approvals/r1/always", "/approvals/r9", "/approvals/%3Cscript%3E", "/%3Cscript%3E"} {
		_, body := b.get(path)
		for _, bad := range []string{"<script>", "<img", "\x1b", "\u202e", `href="javascript`, "</pre><script", "<b>"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q:\n%s", path, bad, body)
			}
		}
	}
}

// TestLive: a page has first all of its blocks, and then those that changed; what was answered
// elsewhere is said; a device that is revoked is cut off.
func TestLive(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session(api.Session{ID: "s1", Name: "one", State: api.StateWorking})
	p.session(api.Session{ID: "s2", Name: "two", State: api.StateIdle})
	b := p.paired(api.WebSee, true)
	next := b.stream(t.Context(), "/live?view=overview")
	if m := next(); m == nil || strings.Join(m.Order, " ") != "counts s-s1 s-s2" || len(m.Blocks) != 3 {
		t.Fatalf("%+v", m)
	}
	p.change(func() {
		p.sessions[1] = api.Session{ID: "s2", Name: "two", State: api.StatePermission, Asks: "rm"}
	})
	m := next()
	if m == nil || strings.Join(m.Order, " ") != "counts s-s2 s-s1" || len(m.Blocks) != 2 || !strings.Contains(m.Blocks["s-s2"].HTML, "rm") {
		t.Fatalf("%+v", m)
	}
	p.ask("r1", "Bash", `{"command": "ls"}`)
	asks := p.paired(api.WebSee, true).stream(t.Context(), "/live?view=approvals")
	if m := asks(); m == nil || strings.Join(m.Order, " ") != "r-r1" || m.Asks != 1 {
		t.Fatalf("%+v", m)
	}
	if _, err := p.Answer("r1", api.ByPerson, api.Answer{Behavior: api.AnswerAllow, Client: "tui"}); err != nil {
		t.Fatal(err)
	}
	// One of the two streams gets the news from the fake.
	ended := make(chan *liveMessage, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, n := range []func() *liveMessage{next, asks} {
		go func() {
			select {
			case ended <- n():
			case <-ctx.Done():
			}
		}()
	}
	if m := <-ended; m == nil || m.Asks != 0 || len(m.Notes) != 1 || m.Notes[0] != "one: Bash was allowed by person, tui" {
		t.Errorf("%+v", m)
	}
	for _, d := range p.devices.List() {
		if _, err := p.devices.Revoke(d.ID); err != nil {
			t.Fatal(err)
		}
	}
	if m := <-ended; m != nil {
		t.Errorf("after it was revoked: %+v", m)
	}
}
