package state

import (
	"testing"
	"time"

	"ccdir/api"
)

// file is a report of the session file.
func file(status string, says, want api.State) step {
	return step{source: api.SourceFile, name: "file", says: says, fields: "status=" + status, want: want}
}

// title is the agent's sign in its title.
func title(says, want api.State) step {
	return step{source: api.SourceTitle, name: "title", says: says, want: want}
}

// TestFoldStands: a standing report wins over a late moment, and does not make the state
// flap.
func TestFoldStands(t *testing.T) {
	at := func(s step, ms int) step {
		s.at = time.Duration(ms) * time.Millisecond
		return s
	}
	begin := []step{at(process(EvidenceStarted, starting), 1), at(psp("state=idle", idle, idle), 100)}
	turn := append(begin[:2:2], at(psp("state=working", working, working), 1000), at(hook(api.KindPrompt, working, "", working), 1050))
	quiet := append([]step{at(process(EvidenceStarted, starting), 1), at(hook(api.KindConversationBegins, idle, "", idle), 100)},
		at(hook(api.KindPrompt, working, "", working), 1000), at(file("busy", working, working), 1100))
	for name, c := range map[string]struct {
		steps []step
		// after is the state that follows; late is the time after the last step.
		after api.State
		late  time.Duration
	}{
		"a tool's hook that was called after Esc": {append(turn[:4:4], at(psp("state=idle", idle, idle), 2000),
			at(hook(api.KindToolBegins, working, "tool=Bash", working), 2200)), idle, standsIdle},
		"a status that was overtaken by a hook": {append(turn[:4:4], at(hook(api.KindToolEnds, working, "tool=Bash", working), 2200),
			at(psp("state=done", idle, working), 2100)), idle, standsIdle},
		"a request that was made after Esc": {append(turn[:4:4], at(psp("state=idle", idle, idle), 2000),
			at(hook(api.KindDialog, permission, "tool=Bash", permission), 2100)), idle, standsIdle},
		"a dialog that is gone": {append(turn[:4:4], at(hook(api.KindDialog, permission, "tool=Bash", permission), 2100),
			at(psp("state=working", working, permission), 2050)), working, standsDialog},
		"the dialog of an agent in the background": {append(turn[:4:4], at(hook(api.KindDialog, permission, "tool=Bash agent_id=a", permission), 2100),
			at(psp("state=working", working, permission), 2150)), permission, time.Minute},
		"a conversation's start that came after its first prompt": {append(turn[:4:4], at(hook(api.KindConversationBegins, idle, "source=clear", idle), 1100)), working, standsWorking},
		"an end that the status never told": {append(turn[:4:4], at(file("busy", working, working), 1080), at(file("idle", idle, working), 2000),
			at(psp("state=working id=bg", working, working), 2100)), idle, fileAgainstStatus - 200*time.Millisecond},
		"a hook after Esc, without a status": {append(quiet[:4:4], at(file("idle", idle, working), 2000),
			at(hook(api.KindToolBegins, working, "tool=Bash", working), 2300)), idle, standsIdle},
		"a file that never told of work":                {append(quiet[:3:3], at(file("idle", idle, working), 900)), working, time.Minute},
		"a title of the turn before that was told late": {append(quiet[:4:4], at(title(idle, working), 990)), working, time.Minute},
		"a title of the turn that was told late": {append(quiet[:4:4], at(hook(api.KindTurnEnds, idle, "", working), 1400), at(file("idle", idle, idle), 1450),
			at(title(working, idle), 1390)), idle, time.Minute},
		"what is left in the background": {append(turn[:4:4], step{source: api.SourcePSP, name: "psp", says: working,
			fields: "state=working msg=1_shell_still_running", want: idle, at: 2 * time.Second}), idle, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(true, foldStart)
			last := foldStart
			for i, s := range c.steps {
				e := s.evidence(s.at)
				if msg := e.Fields["msg"]; msg != "" {
					e.Fields["msg"] = "1 shell still running"
				}
				f = f.Apply(e)
				if f.State != s.want {
					t.Fatalf("step %d, %s %s: %s by rule %s, want %s", i, s.name, s.fields, f.State, f.Rule, s.want)
				}
				if e.At.After(last) {
					last = e.At
				}
			}
			before := f.State
			for due := f.Wake(); !due.IsZero() && due.Before(last.Add(c.late)); due = f.Wake() {
				f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
				if f.State != before {
					t.Fatalf("%s already %s after the last step", f.State, due.Sub(last))
				}
			}
			if due := f.Wake(); !due.IsZero() {
				f = f.Apply(api.Evidence{Source: api.SourceTimer, At: due})
			}
			if f.State != c.after {
				t.Errorf("%s in the end, want %s (%s)", f.State, c.after, f.Rule)
			}
		})
	}
}
