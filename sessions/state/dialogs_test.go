package state

import (
	"fmt"
	"testing"
	"time"

	"ccdir/api"
)

// opens is evidence that a call's request is held, ends that it ended.
func opens(request, fields string, want api.State) step {
	return step{source: api.SourceDelivery, name: EvidenceRequestOpened, says: permission, fields: "request=" + request + " " + fields, want: want}
}

func ends(request, outcome, fields string, says, want api.State) step {
	return step{source: api.SourceDelivery, name: EvidenceRequestEnded, says: says, fields: "request=" + request + " outcome=" + outcome + " " + fields, want: want}
}

// TestFoldDialogs: which dialogs are open, and which of them is in force.
func TestFoldDialogs(t *testing.T) {
	at := func(s step, ms int) step {
		s.at = time.Duration(ms) * time.Millisecond
		return s
	}
	two := []step{
		at(hook(api.KindToolBegins, working, "tool=F tool_use_id=1 call=a", working), 1000),
		at(hook(api.KindDialog, permission, "tool=F call=a", permission), 1100),
		at(hook(api.KindToolBegins, working, "tool=F tool_use_id=2 call=b", permission), 1110),
		at(hook(api.KindDialog, permission, "tool=F call=b", permission), 1200),
	}
	asked := []step{at(hook(api.KindDialog, permission, "tool=F agent_id=x call=a", permission), 1000), opens("r", "tool=F agent_id=x call=a", permission)}
	asked[1].at = asked[0].at
	for name, c := range map[string]struct {
		steps []step
		calls string // calls of the dialogs that are open at the end
	}{
		"another call begins":  {two, "a b"},
		"the second call ends": {append(two[:4:4], hook(api.KindToolEnds, working, "tool=F tool_use_id=2 call=b", permission)), "a"},
		"the first call ends":  {append(two[:4:4], hook(api.KindToolFails, working, "tool=F tool_use_id=1 call=a", permission)), "b"},
		"an answer changes the input": {append(two[:4:4], hook(api.KindToolEnds, working, "tool=F tool_use_id=2 call=z", permission),
			hook(api.KindToolEnds, working, "tool=F tool_use_id=1 call=a", working)), ""},
		"a call that was not asked for ends": {append([]step{at(hook(api.KindToolBegins, working, "tool=F tool_use_id=0 call=o", working), 900)},
			append(two[:2:2], hook(api.KindToolEnds, working, "tool=F tool_use_id=0 call=o", permission))...), "a"},
		"calls without names end": {[]step{hook(api.KindDialog, permission, "tool=F", permission), hook(api.KindToolEnds, working, "tool=F", working)}, ""},
		"a call with its own hook overtaken": {[]step{at(hook(api.KindDialog, permission, "tool=F call=a", permission), 1100),
			at(hook(api.KindToolBegins, working, "tool=F tool_use_id=1 call=a", permission), 1000),
			at(hook(api.KindToolEnds, working, "tool=F tool_use_id=1 call=z", working), 2000)}, ""},
		"an earlier call of the same input ends late": {append(two[:2:2], at(hook(api.KindToolEnds, working, "tool=F tool_use_id=0 call=a", permission), 1050)), "a"},
		"the next call behind a denial in the pane": {[]step{at(hook(api.KindDialog, permission, "tool=F call=a agent_id=x", permission), 1000),
			at(hook(api.KindToolBegins, working, "tool=F call=b agent_id=x", working), 3000)}, ""},
		"a request of which nothing was heard": {[]step{hook(api.KindPrompt, working, "", working), opens("r", "tool=F call=a question=may_I?", permission)}, "a"},
		"a request whose turn is over": {[]step{at(hook(api.KindPrompt, working, "", working), 1000), at(hook(api.KindTurnEnds, idle, "", idle), 3000),
			at(opens("r", "tool=F call=a", idle), 2000)}, ""},
		"a request that was closed in the pane": {append(asked[:2:2], ends("r", "elsewhere", "tool=F agent_id=x call=a", "", working)), ""},
		"a request that was given back": {append(asked[:2:2], ends("r", "deadline", "tool=F agent_id=x call=a", "", permission),
			psp("state=blocked kind=permission", permission, permission), psp("state=working", working, working)), ""},
		"rest while a subagent's request is held": {append(asked[:2:2], hook(api.KindReminder, idle, "notification_type=idle_prompt", permission),
			psp("state=done", idle, permission), file("idle", idle, permission)), "a"},
		"a server asks while a subagent's request is held": {append(asked[:2:2], hook(api.KindQuestion, input, "", input), hook(api.KindQuestionEnds, working, "", permission)), "a"},
		"the answer to a subagent's request":               {append(asked[:2:2], ends("r", "answered", "tool=F agent_id=x call=a", working, working)), ""},
		"a status before the dialog is shown": {append(two[:2:2], psp("state=working msg=F", working, permission),
			psp("state=blocked kind=permission", permission, permission), psp("state=working", working, working)), ""},
		"a dialog that was shown and closed before its hook": {[]step{at(psp("state=working", working, working), 1000), at(psp("state=blocked kind=permission", permission, permission), 2000),
			at(psp("state=working", working, working), 3000), at(hook(api.KindDialog, permission, "tool=F call=a", working), 2100)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(true, foldStart)
			f.State = working
			last := time.Duration(0)
			for i, s := range c.steps {
				last += time.Second
				if s.at != 0 {
					last = s.at
				}
				before := toText(t, f)
				next := f.Apply(s.evidence(last))
				if toText(t, f) != before {
					t.Fatalf("step %d changed the fold it was applied to", i)
				}
				if f = next; f.State != s.want {
					t.Fatalf("step %d, %s %s: %s by rule %s, want %s", i, s.name, s.fields, f.State, f.Rule, s.want)
				}
			}
			calls := ""
			for _, d := range f.Dialogs {
				calls += " " + d.Fields[FieldInputDigest]
			}
			if len(calls) > 0 {
				calls = calls[1:]
			}
			if calls != c.calls {
				t.Errorf("open are the dialogs of %q, want %q", calls, c.calls)
			}
		})
	}
}

// TestFoldPending: a pending state does not take force while a subagent's request is held.
func TestFoldPending(t *testing.T) {
	f := NewFold(true, foldStart)
	for i, s := range []step{hook(api.KindPrompt, working, "", working), file("busy", working, working), hook(api.KindDialog, permission, "tool=F agent_id=x", permission)} {
		f = f.Apply(s.evidence(time.Duration(i) * time.Second))
	}
	f = f.Apply(file("idle", idle, permission).evidence(3 * time.Second))
	if f.Pending == nil {
		t.Fatal("the session file's word is not waited for")
	}
	e := opens("r", "tool=F agent_id=x", permission).evidence(2 * time.Second)
	f = f.Apply(e)
	if due := f.Wake(); !due.IsZero() {
		f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
	}
	if f.State != permission {
		t.Errorf("%s while the request is held", f.State)
	}
}

// TestCalls: Memory.Calls stays bounded, and empties when calls end.
func TestCalls(t *testing.T) {
	f := NewFold(true, foldStart)
	for i := range 1000 {
		f = f.Apply(hook(api.KindToolBegins, working, fmt.Sprintf("tool=F tool_use_id=%d", i), "").evidence(time.Second))
	}
	if len(f.Calls) != maxCalls {
		t.Errorf("%d calls are remembered", len(f.Calls))
	}
	f = f.Apply(hook(api.KindToolEnds, working, "tool=F tool_use_id=999", "").evidence(2 * time.Second))
	if len(f.Calls) != maxCalls-1 {
		t.Errorf("%d calls are left", len(f.Calls))
	}
	if f = f.Apply(hook(api.KindTurnEnds, idle, "", "").evidence(3 * time.Second)); len(f.Calls) != 0 {
		t.Errorf("%d calls go on behind the turn", len(f.Calls))
	}
	if InputDigest([]byte(`{"a": 1}`)) != InputDigest([]byte(`{"a":1}`)) || InputDigest([]byte(`{"a":1}`)) == InputDigest([]byte(`{"a":2}`)) || InputDigest(nil) != "" || InputDigest([]byte("{")) == "" {
		t.Error("inputs are told apart wrongly")
	}
}
