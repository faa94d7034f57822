package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

var foldStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// step is one fact and the state after it. Steps are a second apart unless
// they say otherwise.
type step struct {
	source api.EvidenceSource
	name   string
	kind   api.EventKind
	says   api.State
	fields string // k=v pairs, separated by blanks
	want   api.State
	at     time.Duration // since the start; 0: a second after the step before
}

func hook(kind api.EventKind, says api.State, fields string, want api.State) step {
	return step{source: api.SourceHook, kind: kind, says: says, fields: fields, want: want}
}

func psp(fields string, says, want api.State) step {
	return step{source: api.SourcePSP, name: "psp", says: says, fields: fields, want: want}
}

func process(name string, want api.State) step {
	return step{source: api.SourceProcess, name: name, says: want, want: want}
}

const (
	starting   = api.StateStarting
	idle       = api.StateIdle
	working    = api.StateWorking
	input      = api.StateInput
	permission = api.StatePermission
	exiting    = api.StateExiting
	exitedSt   = api.StateExited
	lostSt     = api.StateLost
)

func TestFold(t *testing.T) {
	kill := step{source: api.SourceDelivery, name: EvidenceKill, says: exiting, want: exiting}
	for name, c := range map[string]struct {
		unmanaged bool
		steps     []step
	}{
		"work that an agent reports for a moment at its start": {false, []step{process(EvidenceStarted, starting), psp("state=idle", idle, idle),
			{source: api.SourcePSP, name: "psp", says: working, fields: "state=working", want: idle, at: 2100 * time.Millisecond},
			{source: api.SourcePSP, name: "psp", says: idle, fields: "state=idle", want: idle, at: 2110 * time.Millisecond}}},
		"a prompt right after an agent's first hook": {false, []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "", idle),
			{source: api.SourcePSP, name: "psp", says: working, fields: "state=working", want: working, at: 2050 * time.Millisecond}}},
		"a command": {true, []step{process(EvidenceStarted, idle), process(EvidenceExit, exitedSt)}},
		"an agent in a shell": {true, []step{process(EvidenceStarted, idle), psp("state=working", working, working), psp("state=clear", "", idle),
			screenStep(working, "", working), psp("state=blocked kind=permission", permission, permission), psp("state=clear", "", idle)}},
		"a hidden dialog": {false, []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle),
			psp("state=working", working, working),
			hook(api.KindDialog, permission, "tool=Bash agent_id=a", permission),
			psp("state=working", working, permission), // no status reported the dialog
			hook(api.KindToolEnds, working, "tool=Bash agent_id=a", working)}},
		"a dialog that the status knows": {false, []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle),
			psp("state=working", working, working),
			hook(api.KindDialog, permission, "tool=Bash agent_id=a", permission),
			psp("state=blocked kind=permission", permission, permission),
			psp("state=working", working, working)}},
		"a turn": {false, []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle),
			hook(api.KindPrompt, working, "", working), hook(api.KindToolBegins, working, "tool=Bash", working),
			hook(api.KindToolEnds, working, "tool=Bash", working), hook(api.KindTurnEnds, idle, "", idle)}},
		"permission": {false, []step{hook(api.KindToolBegins, working, "tool=Bash", working),
			hook(api.KindDialog, permission, "tool=Bash", permission),
			hook(api.KindReminder, permission, "notification_type=permission_prompt", permission),
			hook(api.KindToolEnds, working, "tool=Bash", working)}},
		"a question is not turned red by its reminder": {false, []step{
			hook(api.KindToolBegins, input, "tool=AskUserQuestion", input), hook(api.KindDialog, input, "tool=AskUserQuestion", input),
			hook(api.KindReminder, permission, "notification_type=permission_prompt", input), hook(api.KindToolEnds, working, "tool=AskUserQuestion", working)}},
		"a question of an agent with a status waits when its dialog opens": {false, []step{psp("state=working", working, working),
			hook(api.KindToolBegins, input, "tool=AskUserQuestion", working), psp("state=working", working, working),
			hook(api.KindDialog, input, "tool=AskUserQuestion", input), psp("state=blocked kind=question", input, input),
			hook(api.KindToolBegins, input, "tool=AskUserQuestion", input)}},
		"elicitation": {false, []step{hook(api.KindQuestion, input, "", input), hook(api.KindQuestionEnds, working, "", working)}},
		"an interruption that the agent reports": {false, []step{hook(api.KindPrompt, working, "", working), hook(api.KindDialog, permission, "tool=Bash", permission),
			hook(api.KindTurnInterrupted, idle, "", idle), hook(api.KindPrompt, working, "", working)}},
		"esc, cured by the idle prompt": {false, []step{hook(api.KindPrompt, working, "", working),
			hook(api.KindReminder, idle, "notification_type=idle_prompt", idle)}},
		"esc, cured by the status": {false, []step{hook(api.KindDialog, permission, "tool=Bash", permission), psp("state=idle", idle, idle)}},
		"clear":                    {false, []step{hook(api.KindTurnEnds, idle, "", idle), hook(api.KindConversationEnds, "", "reason=clear", idle), hook(api.KindConversationBegins, idle, "source=clear", idle)}},
		"compaction inside a turn": {false, []step{hook(api.KindPrompt, working, "", working), hook(api.KindCompactionBegins, working, "trigger=auto", working),
			hook(api.KindConversationBegins, "", "source=compact", working), hook(api.KindCompactionEnds, working, "trigger=auto", working), hook(api.KindTurnEnds, idle, "", idle)}},
		"compaction by hand": {false, []step{hook(api.KindConversationBegins, idle, "source=startup", idle), hook(api.KindCompactionBegins, working, "trigger=manual", working),
			hook(api.KindCompactionEnds, idle, "trigger=manual", idle)}},
		"exit": {false, []step{hook(api.KindConversationEnds, exiting, "reason=prompt_input_exit", exiting), process(EvidenceExit, exitedSt)}},
		"an ended conversation that goes on after all": {false, []step{hook(api.KindConversationEnds, exiting, "reason=other", exiting), hook(api.KindPrompt, working, "", working)}},
		"killed": {false, []step{hook(api.KindPrompt, working, "", working), kill, hook(api.KindTurnEnds, idle, "", exiting),
			psp("state=working", working, exiting), process(EvidenceExit, exitedSt)}},
		"nothing after the end": {false, []step{process(EvidenceExit, exitedSt), hook(api.KindTurnEnds, idle, "", exitedSt), psp("state=working", working, exitedSt),
			process(EvidenceLost, exitedSt), process(EvidenceExit, exitedSt)}},
		"restart":    {false, []step{process(EvidenceExit, exitedSt), process(EvidenceStarted, starting)}},
		"lost":       {false, []step{hook(api.KindTurnEnds, idle, "", idle), process(EvidenceLost, lostSt), hook(api.KindTurnEnds, idle, "", lostSt)}},
		"found out":  {false, []step{process(EvidenceLost, lostSt), process(EvidenceExit, exitedSt)}},
		"subagent":   {false, []step{hook(api.KindTurnEnds, idle, "", idle), hook(api.KindSubagentEnds, "", "agent_id=x", idle)}},
		"background": {false, []step{psp("state=done", idle, idle), psp("state=working id=bg", working, idle), psp("state=clear id=bg", "", idle)}},
		"trust": {false, []step{process(EvidenceStarted, starting), psp("state=blocked kind=permission", permission, permission),
			psp("state=clear", "", starting), psp("state=idle", idle, idle)}},
		"a dialog of which more is known": {false, []step{hook(api.KindDialog, permission, "tool=Bash", permission), psp("state=blocked", input, permission)}},
		"a dialog":                        {false, []step{psp("state=blocked", input, input)}},
		"a failed turn":                   {false, []step{psp("state=working", working, working), psp("state=error", idle, idle)}},
		"overtaken": {false, []step{hook(api.KindDialog, permission, "tool=Bash", permission),
			{source: api.SourceHook, kind: api.KindToolBegins, says: working, want: permission, at: 500 * time.Millisecond}}},
		// 2.1.329 shows no dialog of a background agent while its hook waits.
		"a subagent's request that the status overtook": {false, []step{psp("state=working", working, working), psp("state=working", working, working),
			{source: api.SourceHook, kind: api.KindDialog, says: permission, fields: "tool=Bash agent_id=a", want: permission, at: 1500 * time.Millisecond}}},
		"a subagent's request that another one's tool overtook": {false, []step{hook(api.KindToolBegins, working, "tool=Bash agent_id=b", working),
			{source: api.SourceHook, kind: api.KindDialog, says: permission, fields: "tool=Bash agent_id=a", want: permission, at: 500 * time.Millisecond}}},
		"a subagent's request that its tool overtook": {false, []step{hook(api.KindToolEnds, working, "tool=Bash agent_id=a", working),
			{source: api.SourceHook, kind: api.KindDialog, says: permission, fields: "tool=Bash agent_id=a", want: working, at: 500 * time.Millisecond}}},
		"a subagent's request that its end overtook": {false, []step{psp("state=working", working, working), hook(api.KindSubagentEnds, "", "agent_id=a", working),
			{source: api.SourceHook, kind: api.KindDialog, says: permission, fields: "tool=Bash agent_id=a", want: working, at: 500 * time.Millisecond}}},
		"a request that is over is no next dialog": {false, []step{hook(api.KindToolEnds, working, "tool=Bash agent_id=a", working),
			{source: api.SourceHook, kind: api.KindDialog, says: permission, fields: "tool=Bash agent_id=b", want: permission, at: 600 * time.Millisecond},
			{source: api.SourceHook, kind: api.KindDialog, says: permission, fields: "tool=Bash agent_id=a", want: permission, at: 500 * time.Millisecond},
			{source: api.SourceHook, kind: api.KindToolEnds, says: working, fields: "tool=Bash agent_id=b", want: working, at: 1500 * time.Millisecond}}},
		"a clock set back": {false, []step{{source: api.SourceHook, kind: api.KindTurnEnds, says: idle, want: idle, at: time.Hour},
			{source: api.SourceHook, kind: api.KindPrompt, says: working, want: working, at: time.Second}}},
		"unknown things": {false, []step{hook(api.KindTurnEnds, idle, "", idle), hook("SomethingNew", "", "", idle), psp("state=dancing", "", idle),
			{source: api.SourceTitle, name: "title", want: idle}, {source: "new", name: "x", says: working, want: idle}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(!c.unmanaged, foldStart)
			last := time.Duration(0)
			for i, s := range c.steps {
				last += time.Second
				if s.at != 0 {
					last = s.at
				}
				before := toText(t, f)
				next := f.Apply(s.evidence(last))
				if after := toText(t, f); after != before {
					t.Fatalf("step %d changed the fold it was applied to", i)
				}
				f = next
				if f.State != s.want {
					t.Fatalf("step %d, %s %s: %s by rule %s, want %s", i, s.name, s.fields, f.State, f.Rule, s.want)
				}
			}
		})
	}
}

func (s step) evidence(at time.Duration) api.Evidence {
	fields := map[string]string{}
	for _, pair := range strings.Fields(s.fields) {
		k, v, _ := strings.Cut(pair, "=")
		fields[k] = v
	}
	return api.Evidence{Source: s.source, At: foldStart.Add(at), Name: cmp.Or(s.name, string(s.kind)), Kind: s.kind, Says: s.says, Fields: fields}
}

func toText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRules: every rule has a name of its own, a reason and a known result, and the last fits all.
func TestRules(t *testing.T) {
	names := map[string]bool{}
	for _, r := range rules {
		if r.name == "" || r.reason == "" || r.to == "" {
			t.Errorf("rule %q has no name, reason or result", r.name)
		}
		if names[r.name] {
			t.Errorf("two rules are called %s", r.name)
		}
		names[r.name] = true
		if r.to != keep && r.to != says && r.to != next && !slices.Contains(api.States(), r.to) {
			t.Errorf("rule %s leads to the unknown state %s", r.name, r.to)
		}
	}
	last := rules[len(rules)-1]
	if !reflect.DeepEqual(last, rule{name: last.name, to: keep, reason: last.reason}) {
		t.Error("the last rule does not fit everything")
	}
	for _, s := range api.States() {
		if len((Fold{State: s}).changes()) == 0 {
			t.Errorf("nothing is said about what would change %s", s)
		}
	}
}

// TestFoldExplains: the winner, and what was overruled, with reasons.
func TestFoldExplains(t *testing.T) {
	f := NewFold(true, foldStart)
	f = f.Apply(hook(api.KindTurnEnds, idle, "", idle).evidence(time.Second))
	f = f.Apply(hook(api.KindDialog, permission, "tool=Bash question=may_I?", permission).evidence(2 * time.Second))
	f = f.Apply(hook(api.KindToolBegins, working, "", permission).evidence(1500 * time.Millisecond))
	x := f.Explain("s")
	if x.Rule != "hook-permission" || x.Winner.Kind != api.KindDialog || !x.Since.Equal(foldStart.Add(2*time.Second)) || f.Question != "may_I?" {
		t.Errorf("explanation: %+v", x)
	}
	if len(x.Overruled) != 1 || x.Overruled[0].Evidence.Kind != api.KindToolBegins || x.Overruled[0].Reason == "" {
		t.Errorf("overruled: %+v", x.Overruled)
	}
	for range 100 {
		f = f.Apply(hook(api.KindSubagentEnds, "", "", permission).evidence(3 * time.Second))
	}
	if len(f.Overruled) != maxOverruled {
		t.Errorf("%d facts overruled are kept", len(f.Overruled))
	}
	f = f.Apply(hook(api.KindToolEnds, working, "tool=Bash", working).evidence(4 * time.Second))
	if f.Question != "" {
		t.Errorf("the question stays: %q", f.Question)
	}
}

// TestFoldQuestion: the headline of a dialog in the program's status does not replace what the hook
// has told of it, whichever comes first.
func TestFoldQuestion(t *testing.T) {
	asked := hook(api.KindDialog, permission, "tool=Bash question=Bash:_ls", permission)
	headline := psp("state=blocked kind=permission question=approve_Bash", permission, permission)
	for _, order := range [][]step{{asked, headline}, {headline, asked}, {headline, asked, headline}} {
		f := NewFold(true, foldStart)
		for i, s := range order {
			f = f.Apply(s.evidence(time.Duration(i+1) * time.Second))
		}
		if f.State != permission || f.Question != "Bash:_ls" {
			t.Errorf("%d steps: %s, it asks %q", len(order), f.State, f.Question)
		}
	}
}

// TestFoldAnything: no evidence leads anywhere but to one of the states, and the memory
// stays bounded.
func TestFoldAnything(t *testing.T) {
	sources := []api.EvidenceSource{api.SourceHook, api.SourcePSP, api.SourceProcess, api.SourceDelivery, api.SourceKeys, ""}
	names := []string{"", EvidenceStarted, EvidenceExit, EvidenceLost, EvidenceKill, string(api.KindConversationBegins), string(api.KindTurnEnds), string(api.KindReminder), "psp"}
	for _, from := range api.States() {
		f := Fold{State: from, Managed: true}
		for _, source := range sources {
			for _, name := range names {
				for _, says := range append(api.States(), "", "nonsense") {
					for i, state := range []string{"", "idle", "blocked", "clear", "x"} {
						e := api.Evidence{Source: source, Name: name, Kind: api.EventKind(name), Says: says, At: foldStart,
							Fields: map[string]string{"state": state, "id": fmt.Sprint(i)}}
						if got := f.Apply(e); !slices.Contains(api.States(), got.State) {
							t.Fatalf("%+v in %s: %s", e, from, got.State)
						}
					}
				}
			}
		}
	}
	f := NewFold(true, foldStart)
	for i := range 1000 {
		f = f.Apply(psp(fmt.Sprintf("state=working id=%d", i), working, "").evidence(time.Second))
	}
	for i := range 1000 {
		f = f.Apply(hook(api.KindSubagentEnds, "", fmt.Sprintf("agent_id=%d", i), "").evidence(time.Second))
	}
	if len(f.Closings) > maxClosings {
		t.Errorf("%d closed dialogs", len(f.Closings))
	}
	if len(f.Background) > maxBackground {
		t.Errorf("%d background activities", len(f.Background))
	}
}

// screenStep is the result of the screen rules; "" if none matches.
func screenStep(says api.State, fields string, want api.State) step {
	return step{source: api.SourceScreen, name: "screen", says: says, fields: fields, want: want}
}

// TestFoldScreen: the screen counts only without better evidence.
func TestFoldScreen(t *testing.T) {
	run := func(managed bool, steps ...step) Fold {
		t.Helper()
		f := NewFold(managed, foldStart)
		for i, s := range steps {
			at := time.Duration(i+1) * time.Second
			f = f.Apply(s.evidence(at))
			if due := f.Wake(); !due.IsZero() && due.Before(foldStart.Add(at+time.Second)) {
				f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
			}
			if f.State != s.want {
				t.Fatalf("step %d, %s %s %s: %s by rule %s, want %s", i, s.source, s.says, s.fields, f.State, f.Rule, s.want)
			}
		}
		return f
	}
	f := run(false, process(EvidenceStarted, idle), screenStep(working, "", working), screenStep(permission, "question=may_I?", permission))
	if f.Question != "may_I?" || f.Rule != "screen" {
		t.Errorf("asks %q by rule %s", f.Question, f.Rule)
	}
	run(false, process(EvidenceStarted, idle), psp("state=working", working, working), screenStep(idle, "", working)) // the program reports its status itself
	run(false, process(EvidenceStarted, idle), screenStep(working, "", working), process(EvidenceExit, exitedSt), screenStep(idle, "", exitedSt))
	// The dialog before the first hook opens and closes; afterwards the screen does not
	// count.
	f = run(true, process(EvidenceStarted, starting), screenStep(input, "question=trust", input), screenStep("", "", starting),
		hook(api.KindConversationBegins, idle, "source=startup", idle), screenStep(input, "", idle))
	run(true, process(EvidenceStarted, starting), screenStep(input, "question=trust", input), hook(api.KindConversationBegins, idle, "source=startup", idle))
	// Better evidence of the same dialog wins before the screen is believed.
	f = NewFold(true, foldStart).Apply(process(EvidenceStarted, starting).evidence(time.Second))
	f = f.Apply(screenStep(input, "", starting).evidence(2 * time.Second))
	if f.State != starting || f.Pending == nil {
		t.Errorf("%s at once, pending %v", f.State, f.Pending)
	}
	f = f.Apply(psp("state=blocked kind=permission", permission, permission).evidence(2*time.Second + 50*time.Millisecond))
	if f.State != permission || f.Pending != nil {
		t.Errorf("%s, pending %v", f.State, f.Pending)
	}
}

// TestFoldScreenMoving: a screen that keeps changing must show the same for a while;
// repeats do not restart the wait.
func TestFoldScreenMoving(t *testing.T) {
	f := NewFold(false, foldStart).Apply(process(EvidenceStarted, idle).evidence(time.Second))
	look := func(says api.State, at time.Duration) {
		f = f.Apply(screenStep(says, "moving=1", "").evidence(at))
		if due := f.Wake(); !due.IsZero() && !due.After(foldStart.Add(at)) {
			f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
		}
	}
	look(working, 2000*time.Millisecond)
	look(idle, 2200*time.Millisecond) // a redraw in progress
	look(working, 2400*time.Millisecond)
	if f.State != idle {
		t.Fatalf("%s after a flicker", f.State)
	}
	look(working, 2700*time.Millisecond)
	look(working, 2950*time.Millisecond)
	if f.State != working {
		t.Errorf("%s, pending %v", f.State, f.Pending)
	}
}
