package state

import (
	"encoding/json"
	"testing"
	"time"

	"ccdir/api"
)

// seen is one step of a history: at is in milliseconds from the request.
type seen struct {
	at    int
	kind  api.EventKind // or "psp"
	tool  string        // the command of a Bash call
	id    string        // its tool_use_id
	other map[string]string
}

func (f seen) time(zero time.Time) time.Time {
	return zero.Add(time.Duration(f.at) * time.Millisecond)
}

func (f seen) evidence(zero time.Time) api.Evidence {
	e := api.Evidence{Source: api.SourceHook, Kind: f.kind, At: f.time(zero), Fields: map[string]string{}}
	if f.kind == "psp" {
		e.Source = api.SourcePSP
	}
	for k, v := range f.other {
		e.Fields[k] = v
	}
	if f.kind == api.KindConversationBegins && f.other["source"] != "compact" {
		e.Says = api.StateIdle
	}
	if f.tool != "" {
		e.Fields["tool"], e.Fields["tool_use_id"] = "Bash", f.id
		e.Fields[FieldInputDigest] = InputDigest(json.RawMessage(`{ "command" : "` + f.tool + `" }`)) // white space differs from the request's
	}
	return e
}

func status(at int, state string, more ...string) seen {
	f := seen{at: at, kind: "psp", other: map[string]string{"state": state}}
	for i := 0; i < len(more); i += 2 {
		f.other[more[i]] = more[i+1]
	}
	return f
}

// bash is a request of a hook for a command.
func bash(command string, since time.Time) api.Request {
	input, _ := json.Marshal(map[string]string{"command": command})
	return api.Request{ID: command, Tool: "Bash", Input: input, AlwaysRule: "Bash(" + command + ")", Since: since}
}

// book plays facts and keeps what ended.
type book struct {
	*Requests
	zero time.Time
	over map[string]api.Decision
}

func newBook() *book {
	return &book{NewRequests(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), map[string]api.Decision{}}
}

// end does what the actor does with ends.
func (b *book) end(ends ...End) {
	for _, e := range ends {
		if q, ok := b.Claim(e.Call); ok {
			e.Decision.Request = q
			b.Close(e.Call, e.Decision)
			b.over[e.Call] = e.Decision
		}
	}
}

// see plays facts; time passes up to each.
func (b *book) see(facts ...seen) {
	for _, f := range facts {
		b.pass(f.at)
		b.end(b.Observe(f.evidence(b.zero), f.time(b.zero))...)
	}
}

// pass lets time pass up to a moment, in milliseconds.
func (b *book) pass(at int) {
	now := b.zero.Add(time.Duration(at) * time.Millisecond)
	for wake := b.Wake(); !wake.IsZero() && !wake.After(now); wake = b.Wake() {
		b.end(b.Due(wake)...)
	}
}

// ask opens a request of a call at zero, and shows it.
func (b *book) ask(call string, q api.Request) {
	if _, refusal := b.Open(call, q, b.zero, false); refusal != nil {
		b.end(*refusal)
		return
	}
	b.Show(call, api.StagePerson)
}

// TestRetire: a request for Bash(ls) at 0, what was seen before and after it,
// and whether it is over.
func TestRetire(t *testing.T) {
	pre := seen{-80, api.KindToolBegins, "ls", "t1", nil}
	for name, c := range map[string]struct {
		subagent      string
		before, after []seen
		over          bool
		toolUse       string
	}{
		"nothing":            {before: []seen{pre}, toolUse: "t1"},
		"the tool ran":       {before: []seen{pre}, after: []seen{{900, api.KindToolEnds, "ls", "t1", nil}}, over: true, toolUse: "t1"},
		"the tool failed":    {before: []seen{pre}, after: []seen{{900, api.KindToolFails, "ls", "t1", nil}}, over: true, toolUse: "t1"},
		"another one ran":    {before: []seen{pre}, after: []seen{{900, api.KindToolEnds, "pwd", "t2", nil}}, toolUse: "t1"},
		"its twin ran":       {before: []seen{pre, {-70, api.KindToolBegins, "ls", "t2", nil}}, after: []seen{{900, api.KindToolEnds, "ls", "t2", nil}}, toolUse: "t1"},
		"no begin seen":      {after: []seen{{900, api.KindToolEnds, "ls", "t1", nil}}, over: true},
		"the begin too late": {after: []seen{{-5, api.KindToolBegins, "ls", "t1", nil}}, toolUse: "t1"},
		"a later twin":       {before: []seen{pre}, after: []seen{{50, api.KindToolBegins, "ls", "t2", nil}, {90, api.KindToolEnds, "ls", "t2", nil}}, toolUse: "t1"},
		"ran without asking": {before: []seen{{-500, api.KindToolBegins, "ls", "t0", nil}, {-400, api.KindToolEnds, "ls", "t0", nil}, pre},
			toolUse: "t1"},
		"the turn's end":   {before: []seen{pre}, after: []seen{{10, api.KindTurnEnds, "", "", nil}}, over: true, toolUse: "t1"},
		"the turn failed":  {before: []seen{pre}, after: []seen{{10, api.KindTurnFails, "", "", nil}}, over: true, toolUse: "t1"},
		"an interruption":  {before: []seen{pre}, after: []seen{{10, api.KindTurnInterrupted, "", "", nil}}, over: true, toolUse: "t1"},
		"an overtaken end": {before: []seen{pre}, after: []seen{{-10, api.KindTurnEnds, "", "", nil}}, toolUse: "t1"},
		"a prompt":         {before: []seen{pre}, after: []seen{{900, api.KindPrompt, "", "", nil}}, over: true, toolUse: "t1"},
		// Hooks started within one tick of the kernel's clock are ordered by their arrival.
		"queued as it opened":        {before: []seen{pre}, after: []seen{{1, api.KindPrompt, "", "", nil}}, toolUse: "t1"},
		"queued as it opened, first": {before: []seen{pre, {1, api.KindPrompt, "", "", nil}}},
		"a task notification": {before: []seen{pre}, after: []seen{{10, api.KindReport, "", "", map[string]string{"kind": "task-notification"}}},
			toolUse: "t1"},
		"/clear":       {before: []seen{pre}, after: []seen{{10, api.KindConversationEnds, "", "", map[string]string{"reason": "clear"}}}, over: true, toolUse: "t1"},
		"a compaction": {before: []seen{pre}, after: []seen{{10, api.KindConversationBegins, "", "", map[string]string{"source": "compact"}}}, toolUse: "t1"},
		"Esc":          {before: []seen{pre}, after: []seen{status(-3, "blocked", "kind", "permission"), status(700, "idle")}, over: true, toolUse: "t1"},
		"1 in the pane": {before: []seen{pre, status(-3, "blocked", "kind", "permission")}, after: []seen{status(700, "working")},
			over: true, toolUse: "t1"},
		"status without a dialog":   {before: []seen{pre}, after: []seen{status(5, "working"), status(9, "blocked")}, toolUse: "t1"},
		"working before blocked":    {before: []seen{status(-1500, "blocked"), status(-900, "working"), pre}, after: []seen{status(4, "working"), status(9, "blocked")}, toolUse: "t1"},
		"an old dialog":             {before: []seen{status(-60000, "blocked")}, after: []seen{status(4, "working")}},
		"a background status":       {before: []seen{pre, status(-3, "blocked")}, after: []seen{status(700, "working", "id", "7")}, toolUse: "t1"},
		"came late, the tool ran":   {before: []seen{pre, {300, api.KindToolEnds, "ls", "t1", nil}}, over: true, toolUse: "t1"},
		"came late, the turn's end": {before: []seen{pre, {300, api.KindTurnEnds, "", "", nil}}, over: true},
		"came late, Esc":            {before: []seen{pre, status(-3, "blocked"), status(300, "idle")}, over: true, toolUse: "t1"},
		"subagent, main's end":      {subagent: "a1", after: []seen{{10, api.KindTurnEnds, "", "", nil}}},
		"subagent, late, end":       {subagent: "a1", before: []seen{{10, api.KindTurnEnds, "", "", nil}}},
		"subagent ended":            {subagent: "a1", after: []seen{{10, api.KindSubagentEnds, "", "", map[string]string{"agent_id": "a1"}}}, over: true},
		"subagent, main's dialog":   {subagent: "a1", before: []seen{status(-3, "blocked")}, after: []seen{status(700, "working")}},
		"subagent, late, dialog":    {subagent: "a1", before: []seen{status(-3, "blocked"), status(300, "working")}},
		"another subagent ended":    {subagent: "a1", after: []seen{{10, api.KindSubagentEnds, "", "", map[string]string{"agent_id": "a2"}}}},
		"main's twin call":          {subagent: "a1", before: []seen{pre}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			b.see(c.before...)
			q := bash("ls", b.zero)
			q.Subagent = c.subagent
			b.ask("c", q)
			b.see(c.after...)
			d, over := b.Ended("c")
			if list := b.Visible(); over != c.over || len(list) == 1 == c.over {
				t.Fatalf("open: %v, ended: %+v; want over = %v", list, d, c.over)
			}
			if over && d.Outcome != api.OutcomeElsewhere {
				t.Errorf("it ended with %s", d.Outcome)
			}
			if !over {
				d.Request = b.Visible()[0].Request
			}
			if got := d.Request.ToolUseID; got != c.toolUse {
				t.Errorf("it is about %q, want %q", got, c.toolUse)
			}
		})
	}
}

// TestTwoAlike: of two identical calls each has its own request and end.
func TestTwoAlike(t *testing.T) {
	b := newBook()
	b.see(seen{-9, api.KindToolBegins, "ls", "t1", nil}, seen{-8, api.KindToolBegins, "ls", "t2", nil})
	b.ask("c1", bash("ls", b.zero))
	b.ask("c2", bash("ls", b.zero))
	b.see(seen{50, api.KindToolEnds, "ls", "t1", nil})
	if d := b.over["c1"]; len(b.over) != 1 || d.Request.ToolUseID != "t1" {
		t.Fatalf("over: %+v", b.over)
	}
	if list := b.Visible(); len(list) != 1 || list[0].Request.ToolUseID != "t2" {
		t.Errorf("open: %+v", list)
	}
	b.see(seen{60, api.KindToolEnds, "ls", "t2", nil})
	if len(b.over) != 2 {
		t.Errorf("over: %+v", b.over)
	}
}

// TestTwoDialogs: the agent asks for two calls at once; one dialog after the other is closed
// in the pane, and each closes its own request.
func TestTwoDialogs(t *testing.T) {
	for name, between := range map[string][]seen{
		"at once":             {status(700, "blocked")},
		"with work between":   {status(700, "working"), status(705, "blocked")},
		"with a longer while": {status(700, "working"), status(1100, "blocked")},
		"twice":               {status(700, "working"), status(705, "blocked"), status(710, "working"), status(715, "blocked")},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			for call, command := range map[string]string{"c1": "ls", "c2": "pwd"} {
				b.see(seen{0, api.KindToolBegins, command, "of " + call, nil})
				b.ask(call, bash(command, b.zero))
			}
			b.see(status(3, "blocked", "kind", "permission"))
			b.see(between...)
			b.see(seen{1300, api.KindToolEnds, "ls", "of c1", nil})
			b.pass(2500)
			if _, first := b.over["c1"]; !first || len(b.over) != 1 {
				t.Fatalf("over: %+v", b.over)
			}
			b.see(status(5000, "working"))
			if _, second := b.over["c2"]; !second {
				t.Errorf("over: %+v", b.over)
			}
		})
	}
}

// TestTwoDialogsClosed: both are over when the agent reports none any more.
func TestTwoDialogsClosed(t *testing.T) {
	b := newBook()
	b.ask("c1", bash("ls", b.zero))
	b.ask("c2", bash("pwd", b.zero))
	b.see(status(3, "blocked"), status(700, "idle"))
	if len(b.over) != 0 {
		t.Fatalf("over at once: %+v", b.over)
	}
	b.pass(1300)
	if len(b.over) != 2 {
		t.Errorf("over: %+v", b.over)
	}
}

// TestStoppedWaiting: when the session waits for nobody any longer, by evidence that names no
// request, the dialogs that were open before are closed; a question of ccdir's tool is not.
func TestStoppedWaiting(t *testing.T) {
	for by, over := range map[api.EvidenceSource]int{api.SourceTimer: 1, api.SourceScreen: 1, api.SourceTitle: 1, api.SourceKeys: 1, api.SourceFile: 1,
		api.SourceHook: 0, api.SourcePSP: 0, api.SourceDelivery: 0} {
		b := newBook()
		b.ask("before", bash("ls", b.zero))
		b.ask("after", bash("pwd", b.zero.Add(2*time.Second)))
		question := bash("which", b.zero)
		question.Origin = api.OriginMCP
		b.ask("question", question)
		b.end(b.StoppedWaiting(by, b.zero.Add(time.Second))...)
		if _, ended := b.over["before"]; len(b.over) != over || ended != (over == 1) {
			t.Errorf("%s: over are %v", by, b.over)
		}
	}
}

func TestCallsAreBounded(t *testing.T) {
	b := newBook()
	for range 10 * toolsKept {
		b.see(seen{1, api.KindToolBegins, "ls", "t", nil})
	}
	if n := len(b.calls.tools); n != toolsKept {
		t.Errorf("%d calls are remembered", n)
	}
}
