package state

import (
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// TestFoldTurnSigns: without a program status, signs of the turn on the screen end a
// dialog or a turn at once, and nothing else.
func TestFoldTurnSigns(t *testing.T) {
	sign := func(s agents.TurnSign, want api.State) step {
		e := s.Evidence(foldStart)
		return step{source: e.Source, name: e.Name, says: e.Says, fields: "sign=" + string(s), want: want}
	}
	key := func(name string, want api.State) step {
		return step{source: api.SourceKeys, name: "key", fields: "keys=" + name, want: want}
	}
	begin := []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle), hook(api.KindPrompt, working, "", working)}
	asks := append(begin[:3:3], hook(api.KindToolBegins, working, "tool=Bash", working), hook(api.KindDialog, permission, "tool=Bash", permission))
	shown := append(asks[:5:5], sign(agents.TurnCovered, permission))
	for name, steps := range map[string][]step{
		"No":            append(shown[:6:6], key("4", permission), sign(agents.TurnInterrupted, idle)),
		"Esc":           append(shown[:6:6], key("Escape", permission), sign(agents.TurnInterrupted, idle), hook(api.KindPrompt, working, "", working)),
		"No, by arrows": append(shown[:6:6], key("Down", permission), key("Enter", permission), sign(agents.TurnInterrupted, idle)),
		"Yes":           append(shown[:6:6], key("1", permission), sign(agents.TurnWork, working), hook(api.KindToolEnds, working, "tool=Bash", working)),
		"Yes, and the next dialog": append(shown[:6:6], key("1", permission), sign(agents.TurnWork, working),
			hook(api.KindToolBegins, working, "tool=Bash", working), hook(api.KindDialog, permission, "tool=Bash", permission),
			sign(agents.TurnWork, permission), // not drawn yet
			sign(agents.TurnCovered, permission), key("4", permission), sign(agents.TurnInterrupted, idle)),
		"a dialog that is not drawn yet": append(asks[:5:5], key("Enter", permission), sign(agents.TurnWork, permission),
			sign(agents.TurnInterrupted, permission)),
		"no key was pressed":    append(shown[:6:6], sign(agents.TurnInterrupted, permission)),
		"a key of long ago":     append(shown[:6:6], key("4", permission), key("x", permission), key("x", permission), sign(agents.TurnInterrupted, permission)),
		"Esc while it works":    append(begin[:3:3], key("Escape", working), sign(agents.TurnInterrupted, idle)),
		"what was shown before": append(begin[:3:3], sign(agents.TurnInterrupted, working), key("Escape", working)),
		"a prompt is queued":    append(begin[:3:3], hook(api.KindPrompt, working, "", working), key("Escape", working), sign(agents.TurnInterrupted, working)),
		"No with a prompt queued": append(begin[:3:3], hook(api.KindPrompt, working, "", working), hook(api.KindDialog, permission, "tool=Bash", permission),
			sign(agents.TurnCovered, permission), key("4", permission), sign(agents.TurnInterrupted, permission)),
		"the dialog of a subagent": append(begin[:3:3], hook(api.KindDialog, permission, "tool=Bash agent_id=a", permission),
			sign(agents.TurnCovered, permission), key("1", permission), sign(agents.TurnWork, permission), sign(agents.TurnInterrupted, permission)),
		"with a program status": append(shown[:6:6], psp("state=blocked kind=permission", permission, permission), key("4", permission),
			sign(agents.TurnInterrupted, permission), psp("state=idle", idle, idle)),
		"at the prompt": {process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle), key("Enter", idle), sign(agents.TurnWork, idle)},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(true, foldStart)
			for i, s := range steps {
				f = f.Apply(s.evidence(time.Duration(i+1) * 900 * time.Millisecond))
				if f.State != s.want {
					t.Fatalf("step %d, %s %s: %s by rule %s, want %s", i, s.name, s.fields, f.State, f.Rule, s.want)
				}
			}
		})
	}
}

// TestFoldTurnSignOrder: a late session file does not restore what the screen has shown to
// be over, and a wrong sign does not last.
func TestFoldTurnSignOrder(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	f := NewFold(true, foldStart)
	for _, s := range []struct {
		step
		at int
	}{
		{hook(api.KindConversationBegins, idle, "source=startup", idle), 10},
		{hook(api.KindPrompt, working, "", working), 1000},
		{file("busy", working, working), 1050},
		{hook(api.KindDialog, permission, "tool=Bash", permission), 2000},
		{step{source: api.SourceScreen, name: agents.EvidenceTurn, fields: "sign=covered", want: permission}, 2100},
		{step{source: api.SourceKeys, name: "key", fields: "keys=1", want: permission}, 2300},
		{step{source: api.SourceScreen, name: agents.EvidenceTurn, says: working, fields: "sign=work", want: working}, 2330},
		{step{source: api.SourceFile, name: "file", says: permission, fields: "status=waiting waiting_for=permission_prompt", want: working}, 2010},
	} {
		f = f.Apply(s.evidence(ms(s.at)))
		if f.State != s.want {
			t.Fatalf("after %s at %d: %s by rule %s, want %s", s.name, s.at, f.State, f.Rule, s.want)
		}
	}
	// The file keeps reporting the dialog: then the dialog is open.
	due := f.Wake()
	if due.IsZero() || due.Before(foldStart.Add(standsDialog)) {
		t.Fatalf("nothing cures a wrong sign: %v", f.Pending)
	}
	if f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due}); !f.State.NeedsPerson() {
		t.Errorf("%s by rule %s", f.State, f.Rule)
	}
}

// TestFoldOddMoments: recordings of people who do two things at once.
func TestFoldOddMoments(t *testing.T) {
	panel := func(want api.State) step {
		return step{source: api.SourceFile, name: "file", says: input, fields: "status=waiting waiting_for=dialog_open", want: want}
	}
	leftover := step{source: api.SourcePSP, name: "psp", says: working, fields: "state=working msg=1_shell_still_running", want: idle}
	begin := []step{process(EvidenceStarted, starting), hook(api.KindConversationBegins, idle, "source=startup", idle)}
	turn := append(begin[:2:2], hook(api.KindPrompt, working, "", working))
	status := append(begin[:2:2], psp("state=idle", idle, idle), hook(api.KindPrompt, working, "", working), psp("state=working", working, working))
	for name, steps := range map[string][]step{
		"a panel while a shell is left": append(status[:5:5], file("busy", working, working), leftover, file("shell", idle, idle), panel(input),
			file("shell", idle, idle)),
		"a panel while it works": append(status[:5:5], panel(working)),
		"a prompt queued in a compaction": append(status[:3:3], hook(api.KindCompactionBegins, working, "trigger=manual", working), psp("state=working", working, working),
			hook(api.KindCompactionEnds, idle, "trigger=manual", working), hook(api.KindPrompt, working, "", working), psp("state=done", idle, idle)),
		"a compaction": append(status[:3:3], hook(api.KindCompactionBegins, working, "trigger=manual", working), psp("state=working", working, working),
			hook(api.KindCompactionEnds, idle, "trigger=manual", working), psp("state=done", idle, idle)),
		"the sign of work turns on behind a subagent's dialog": append(turn[:3:3], title(working, working),
			hook(api.KindDialog, permission, "tool=Bash agent_id=a", permission), title(working, permission), title(working, permission),
			hook(api.KindReport, working, "kind=task-notification", permission), title(idle, permission), hook(api.KindTurnEnds, idle, "background_agents=1", permission)),
		"the session file alone tells of a subagent's dialog": append(turn[:3:3], file("busy", working, working),
			step{source: api.SourceFile, name: "file", says: permission, fields: "status=waiting waiting_for=x", want: permission},
			hook(api.KindTurnEnds, idle, "background_agents=1", permission)),
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(true, foldStart)
			for i, s := range steps {
				e := s.evidence(time.Duration(i+1) * time.Second)
				for k, v := range e.Fields {
					e.Fields[k] = strings.ReplaceAll(v, "_", " ")
				}
				if due := f.Wake(); !due.IsZero() && !due.After(e.At) {
					f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
				}
				if e.Fields["kind"] != "" {
					e.Fields["kind"] = "task-notification"
				}
				f = f.Apply(e)
				if due := f.Wake(); !due.IsZero() && due.Before(e.At.Add(900*time.Millisecond)) {
					f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
				}
				if f.State != s.want {
					t.Fatalf("step %d, %s %s: %s by rule %s, want %s", i, s.name, s.fields, f.State, f.Rule, s.want)
				}
			}
		})
	}
}
