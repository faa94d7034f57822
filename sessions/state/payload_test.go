package state

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

var update = flag.Bool("update", false, "write the golden files anew; then read the difference")

// TestFoldOfPayloads applies every genuine hook payload in every state of a
// running session, without and with a program status, and compares the states
// that follow with testdata/payloads.txt.
func TestFoldOfPayloads(t *testing.T) {
	files, err := filepath.Glob("../../agents/claude/testdata/hooks/*.json")
	if err != nil || len(files) < 35 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	states := []api.State{starting, idle, working, input, permission, exiting, exitedSt, lostSt}
	var b strings.Builder
	b.WriteString("# payload, program status: the states that follow, by rule where one decides\n")
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		event, _, _ := strings.Cut(name, ".")
		for _, status := range []string{"", "working"} {
			b.WriteString(name + ", " + map[string]string{"": "none"}[status] + status + ":")
			for _, from := range states {
				h, err := claude.Adapter{}.DecodeHook(event, foldStart, payload)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				f := Fold{State: from, Managed: true, Memory: Memory{Status: status, Begun: true}}
				next := f.Apply(h.Evidence)
				b.WriteString(" " + string(from) + "→" + string(next.State))
				if p := next.Pending; p != nil {
					b.WriteString("(" + string(p.State) + " after " + p.Due.Sub(foldStart).String() + ")")
				}
			}
			b.WriteString("\n")
		}
	}
	golden := filepath.Join("testdata", "payloads.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(b.String(), "\n") {
		if i >= len(lines) || lines[i] != line {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, line, strings.Join(lines[min(i, len(lines)):min(i+1, len(lines))], ""))
		}
	}
}

// TestFoldInTime: states that must stay uncontradicted for a while, and what cancels them.
func TestFoldInTime(t *testing.T) {
	file := func(status string, says, want api.State) step {
		return step{source: api.SourceFile, name: "file", says: says, fields: "status=" + status, want: want}
	}
	key := func(k string, want api.State) step {
		return step{source: api.SourceKeys, name: "key", fields: "keys=" + k, want: want}
	}
	tick := func(want api.State) step { return step{source: api.SourceTimer, name: "timer", want: want} }
	at := func(s step, ms int) step {
		s.at = time.Duration(ms) * time.Millisecond
		return s
	}
	prompt := hook(api.KindPrompt, working, "", working)
	stop := hook(api.KindTurnEnds, idle, "", idle)
	for name, steps := range map[string][]step{
		"a title at rest counts when it stays":    {at(prompt, 1), at(title(idle, working), 1000), at(tick(working), 1100), at(tick(idle), 1151)},
		"a title that flickers does not":          {at(prompt, 1), at(title(idle, working), 1000), at(title(working, working), 1060), at(tick(working), 2000)},
		"a file that flickers does not":           {at(prompt, 1), at(file("idle", idle, working), 1000), at(file("busy", working, working), 1100), at(tick(working), 2000)},
		"Esc and a title at rest, nothing queued": {at(prompt, 1), at(key("Escape", working), 1000), at(title(idle, idle), 1080)},
		"Esc alone, with a session file":          {at(prompt, 1), at(file("busy", working, working), 10), at(key("Escape", working), 1000), at(tick(working), 9000)},
		"Esc alone, with nothing else":            {at(prompt, 1), at(key("Escape", working), 1000), at(tick(idle), 2600)},
		"a key in a dialog, with nothing else":    {at(hook(api.KindDialog, permission, "tool=Bash", permission), 1), at(key("1", permission), 1000), at(tick(working), 2600)},
		"a queued prompt goes on after Stop": {at(prompt, 1), at(prompt, 100), at(hook(api.KindTurnEnds, idle, "", working), 1000), at(title(working, working), 1200), at(tick(working), 3000),
			at(hook(api.KindTurnEnds, idle, "", working), 4000), at(title(idle, idle), 4030)},
		"rest is shown before Stop": {at(prompt, 1), at(title(working, working), 20), at(title(idle, working), 990), at(stop, 1000)},
		"a hook of the user's goes on with the turn": {at(prompt, 1), at(title(working, working), 20), at(hook(api.KindTurnEnds, idle, "", working), 1000), at(tick(working), 2900),
			at(hook(api.KindToolBegins, working, "tool=Bash", working), 2950), at(tick(working), 9000)},
		"work is shown for ever after Stop":    {at(prompt, 1), at(file("busy", working, working), 20), at(hook(api.KindTurnEnds, idle, "", working), 1000), at(tick(idle), 3001)},
		"a queued prompt was part of the turn": {at(prompt, 1), at(prompt, 100), at(hook(api.KindTurnEnds, idle, "", working), 1000), at(tick(idle), 1600)},
		"a task reports after Stop": {at(prompt, 1), at(hook(api.KindTurnEnds, idle, "background_tasks=1", working), 1000),
			at(hook(api.KindReport, working, "kind=task-notification", working), 1200), at(tick(working), 2000)},
		"a task does not report": {at(prompt, 1), at(hook(api.KindTurnEnds, idle, "background_tasks=1", working), 1000), at(tick(idle), 1300)},
		"a status says when it is over": {at(psp("state=working", working, working), 1), at(hook(api.KindTurnEnds, idle, "", working), 1000),
			at(tick(working), 9000), at(psp("state=done", idle, idle), 9100)},
		"a shell is left running": {at(psp("state=working", working, working), 1), at(hook(api.KindTurnEnds, idle, "background_tasks=1", working), 1000),
			at(step{source: api.SourcePSP, name: "psp", says: working, fields: "state=working msg=1_shell_still_running", want: idle}, 1300)},
		"a panel, and its end": {at(psp("state=idle", idle, idle), 1),
			at(step{source: api.SourceFile, name: "file", says: input, fields: "status=waiting waiting_for=dialog_open", want: input}, 1000), at(file("idle", idle, idle), 2000)},
		"a file against the status": {at(psp("state=working", working, working), 1), at(file("idle", idle, working), 1000), at(tick(working), 2900), at(tick(idle), 3001)},
		"an old file":               {at(prompt, 2000), at(file("idle", idle, working), 1000), at(tick(working), 9000)},
		"it said that it would end": {at(hook(api.KindConversationEnds, exiting, "reason=other", exiting), 1), at(tick(exiting), 9000), at(tick(idle), 10_002)},
		"an answer that did not close the dialog": {at(psp("state=blocked kind=permission", permission, permission), 1),
			at(step{source: api.SourceDelivery, name: EvidenceRequestEnded, says: working, want: working}, 1000), at(tick(permission), 3001)},
		"a tool beside the dialog": {at(psp("state=blocked kind=permission", permission, permission), 1),
			at(hook(api.KindToolEnds, working, "tool=Read", permission), 1000), at(psp("state=working", working, working), 2000)},
		"another agent's tool": {at(hook(api.KindDialog, permission, "tool=Bash", permission), 1),
			at(hook(api.KindToolEnds, working, "tool=Bash agent_id=a", permission), 1000), at(hook(api.KindToolEnds, working, "tool=Bash", working), 2000)},
		"/clear passes through working": {at(psp("state=idle", idle, idle), 1), at(hook(api.KindConversationEnds, "", "reason=clear", idle), 1000),
			at(psp("state=working", working, idle), 1030), at(psp("state=idle", idle, idle), 1130), at(tick(idle), 9000)},
		"subagents go on": {at(prompt, 1), at(hook(api.KindTurnEnds, idle, "background_agents=1 background_tasks=1", working), 1000),
			at(hook(api.KindSubagentEnds, "", "agent_id=a", working), 2000), at(tick(idle), 3001)},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFold(true, foldStart)
			for i, s := range steps {
				e := s.evidence(s.at)
				for k, v := range e.Fields {
					e.Fields[k] = strings.ReplaceAll(v, "_", " ")
					if k != "msg" && k != "waiting_for" {
						e.Fields[k] = v
					}
				}
				if f = f.Apply(e); f.State != s.want {
					t.Fatalf("step %d, %s %s: %s by rule %s, want %s", i, s.name, s.fields, f.State, f.Rule, s.want)
				}
			}
		})
	}
}
