package approvals

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// fact is one step of a history: at is in milliseconds from the request.
type fact struct {
	at    int
	kind  api.EventKind // or "psp"
	tool  string        // the command of a Bash call
	id    string        // its tool_use_id
	other map[string]string
}

func (f fact) evidence(zero time.Time) (api.Evidence, json.RawMessage) {
	e := api.Evidence{Source: api.SourceHook, Kind: f.kind, At: zero.Add(time.Duration(f.at) * time.Millisecond), Fields: map[string]string{}}
	if f.kind == "psp" {
		e.Source = api.SourcePSP
	}
	for k, v := range f.other {
		e.Fields[k] = v
	}
	if f.tool == "" {
		return e, nil
	}
	e.Fields["tool"], e.Fields["tool_use_id"] = "Bash", f.id
	return e, json.RawMessage(`{ "command" : "` + f.tool + `" }`) // white space differs from the request's
}

func psp(at int, state string, more ...string) fact {
	f := fact{at: at, kind: "psp", other: map[string]string{"state": state}}
	for i := 0; i < len(more); i += 2 {
		f.other[more[i]] = more[i+1]
	}
	return f
}

// TestRetire: a request for Bash(ls) at 0, what was seen before and after it,
// and whether it is over.
func TestRetire(t *testing.T) {
	pre := fact{-80, api.KindToolBegins, "ls", "t1", nil}
	for name, c := range map[string]struct {
		subagent      string
		before, after []fact
		over          bool
		toolUse       string
	}{
		"nothing":            {before: []fact{pre}, toolUse: "t1"},
		"the tool ran":       {before: []fact{pre}, after: []fact{{900, api.KindToolEnds, "ls", "t1", nil}}, over: true, toolUse: "t1"},
		"the tool failed":    {before: []fact{pre}, after: []fact{{900, api.KindToolFails, "ls", "t1", nil}}, over: true, toolUse: "t1"},
		"another one ran":    {before: []fact{pre}, after: []fact{{900, api.KindToolEnds, "pwd", "t2", nil}}, toolUse: "t1"},
		"its twin ran":       {before: []fact{pre, {-70, api.KindToolBegins, "ls", "t2", nil}}, after: []fact{{900, api.KindToolEnds, "ls", "t2", nil}}, toolUse: "t1"},
		"no begin seen":      {after: []fact{{900, api.KindToolEnds, "ls", "t1", nil}}, over: true},
		"the begin too late": {after: []fact{{-5, api.KindToolBegins, "ls", "t1", nil}}, toolUse: "t1"},
		"a later twin":       {before: []fact{pre}, after: []fact{{50, api.KindToolBegins, "ls", "t2", nil}, {90, api.KindToolEnds, "ls", "t2", nil}}, toolUse: "t1"},
		"ran without asking": {before: []fact{{-500, api.KindToolBegins, "ls", "t0", nil}, {-400, api.KindToolEnds, "ls", "t0", nil}, pre},
			toolUse: "t1"},
		"the turn's end":   {before: []fact{pre}, after: []fact{{10, api.KindTurnEnds, "", "", nil}}, over: true, toolUse: "t1"},
		"the turn failed":  {before: []fact{pre}, after: []fact{{10, api.KindTurnFails, "", "", nil}}, over: true, toolUse: "t1"},
		"an interruption":  {before: []fact{pre}, after: []fact{{10, api.KindTurnInterrupted, "", "", nil}}, over: true, toolUse: "t1"},
		"an overtaken end": {before: []fact{pre}, after: []fact{{-10, api.KindTurnEnds, "", "", nil}}, toolUse: "t1"},
		"a prompt":         {before: []fact{pre}, after: []fact{{10, api.KindPrompt, "", "", nil}}, over: true, toolUse: "t1"},
		"a task notification": {before: []fact{pre}, after: []fact{{10, api.KindReport, "", "", map[string]string{"kind": "task-notification"}}},
			toolUse: "t1"},
		"/clear":       {before: []fact{pre}, after: []fact{{10, api.KindConversationEnds, "", "", map[string]string{"reason": "clear"}}}, over: true, toolUse: "t1"},
		"a compaction": {before: []fact{pre}, after: []fact{{10, api.KindConversationBegins, "", "", map[string]string{"source": "compact"}}}, toolUse: "t1"},
		"Esc":          {before: []fact{pre}, after: []fact{psp(-3, "blocked", "kind", "permission"), psp(700, "idle")}, over: true, toolUse: "t1"},
		"1 in the pane": {before: []fact{pre, psp(-3, "blocked", "kind", "permission")}, after: []fact{psp(700, "working")},
			over: true, toolUse: "t1"},
		"status without a dialog":   {before: []fact{pre}, after: []fact{psp(5, "working"), psp(9, "blocked")}, toolUse: "t1"},
		"working before blocked":    {before: []fact{psp(-1500, "blocked"), psp(-900, "working"), pre}, after: []fact{psp(4, "working"), psp(9, "blocked")}, toolUse: "t1"},
		"an old dialog":             {before: []fact{psp(-60000, "blocked")}, after: []fact{psp(4, "working")}},
		"a background status":       {before: []fact{pre, psp(-3, "blocked")}, after: []fact{psp(700, "working", "id", "7")}, toolUse: "t1"},
		"came late, the tool ran":   {before: []fact{pre, {300, api.KindToolEnds, "ls", "t1", nil}}, over: true, toolUse: "t1"},
		"came late, the turn's end": {before: []fact{pre, {300, api.KindTurnEnds, "", "", nil}}, over: true},
		"came late, Esc":            {before: []fact{pre, psp(-3, "blocked"), psp(300, "idle")}, over: true, toolUse: "t1"},
		"subagent, main's end":      {subagent: "a1", after: []fact{{10, api.KindTurnEnds, "", "", nil}}},
		"subagent, late, end":       {subagent: "a1", before: []fact{{10, api.KindTurnEnds, "", "", nil}}},
		"subagent ended":            {subagent: "a1", after: []fact{{10, api.KindSubagentEnds, "", "", map[string]string{"agent_id": "a1"}}}, over: true},
		"subagent, main's dialog":   {subagent: "a1", before: []fact{psp(-3, "blocked")}, after: []fact{psp(700, "working")}},
		"subagent, late, dialog":    {subagent: "a1", before: []fact{psp(-3, "blocked"), psp(300, "working")}},
		"another subagent ended":    {subagent: "a1", after: []fact{{10, api.KindSubagentEnds, "", "", map[string]string{"agent_id": "a2"}}}},
		"main's twin call":          {subagent: "a1", before: []fact{pre}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := New(Options{})
				defer b.Close()
				zero := time.Now()
				for _, f := range c.before {
					e, input := f.evidence(zero)
					b.Observe("s", e, input)
				}
				r := bash("s", "ls")
				r.Since, r.Subagent = zero, c.subagent
				ch := hold(t.Context(), b, "c", r)
				synctest.Wait()
				for _, f := range c.after {
					e, input := f.evidence(zero)
					b.Observe("s", e, input)
				}
				synctest.Wait()
				list := b.List()
				if len(list) == 1 == c.over {
					t.Fatalf("open: %v; want over = %v", list, c.over)
				}
				got := ""
				if c.over {
					got = want(t, ch, api.OutcomeElsewhere).Request.ToolUseID
				} else {
					got = list[0].ToolUseID
				}
				if got != c.toolUse {
					t.Errorf("it is about %q, want %q", got, c.toolUse)
				}
			})
		})
	}
}

// TestTwoAlike: of two identical calls each has its own request and end.
func TestTwoAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		defer b.Close()
		zero := time.Now()
		observe := func(f fact) {
			e, input := f.evidence(zero)
			b.Observe("s", e, input)
		}
		observe(fact{-9, api.KindToolBegins, "ls", "t1", nil})
		observe(fact{-8, api.KindToolBegins, "ls", "t2", nil})
		r := bash("s", "ls")
		r.Since = zero
		first := hold(t.Context(), b, "c1", r)
		synctest.Wait()
		second := hold(t.Context(), b, "c2", r)
		synctest.Wait()
		observe(fact{50, api.KindToolEnds, "ls", "t1", nil})
		if d := want(t, first, api.OutcomeElsewhere); d.Request.ToolUseID != "t1" {
			t.Errorf("the first was about %q", d.Request.ToolUseID)
		}
		if r := one(t, b); r.ToolUseID != "t2" {
			t.Errorf("the second is about %q", r.ToolUseID)
		}
		observe(fact{60, api.KindToolEnds, "ls", "t2", nil})
		want(t, second, api.OutcomeElsewhere)
	})
}

// TestTwoDialogs: the agent asks for two calls at once; one dialog after the other is closed
// in the pane, and each closes its own request.
func TestTwoDialogs(t *testing.T) {
	for name, between := range map[string][]fact{
		"at once":             {psp(700, "blocked")},
		"with work between":   {psp(700, "working"), psp(705, "blocked")},
		"with a longer while": {psp(700, "working"), psp(1100, "blocked")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := New(Options{})
				defer b.Close()
				zero := time.Now()
				observe := func(f fact) {
					synctest.Wait()
					time.Sleep(time.Until(zero.Add(time.Duration(f.at) * time.Millisecond)))
					e, input := f.evidence(zero)
					b.Observe("s", e, input)
				}
				of := func(command, id, call string) <-chan result {
					observe(fact{0, api.KindToolBegins, command, id, nil})
					r := bash("s", command)
					r.Since = zero
					return hold(t.Context(), b, call, r)
				}
				first, second := of("ls", "t1", "c1"), of("pwd", "t2", "c2")
				observe(psp(3, "blocked", "kind", "permission"))
				for _, f := range between {
					observe(f)
				}
				observe(fact{1300, api.KindToolEnds, "ls", "t1", nil})
				want(t, first, api.OutcomeElsewhere)
				time.Sleep(2 * nextDialogTime)
				if r := one(t, b); r.ToolUseID != "t2" {
					t.Errorf("%s is open", r.ToolUseID)
				}
				observe(psp(5000, "working"))
				want(t, second, api.OutcomeElsewhere)
			})
		})
	}
}

// TestTwoDialogsClosed: both are over when the agent reports none any more.
func TestTwoDialogsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		defer b.Close()
		zero := time.Now()
		var ends []<-chan result
		for _, command := range []string{"ls", "pwd"} {
			r := bash("s", command)
			r.Since = zero
			ends = append(ends, hold(t.Context(), b, command, r))
		}
		synctest.Wait()
		for _, f := range []fact{psp(3, "blocked"), psp(700, "idle")} {
			e, input := f.evidence(zero)
			b.Observe("s", e, input)
		}
		time.Sleep(2 * nextDialogTime)
		for _, end := range ends {
			want(t, end, api.OutcomeElsewhere)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	b := New(Options{})
	defer b.Close()
	for range 10 * toolsKept {
		e, input := fact{1, api.KindToolBegins, "ls", "t", nil}.evidence(time.Now())
		b.Observe("s", e, input)
	}
	if n := len(b.sessions["s"].tools); n != toolsKept {
		t.Errorf("%d calls are remembered", n)
	}
	b.Forget("s")
	if len(b.sessions) != 0 {
		t.Error("the session is still remembered")
	}
}
