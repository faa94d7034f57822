package happenings

import (
	"slices"
	"testing"
	"time"

	"ccdir/api"
)

var epoch = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// event is the event after the one before, a tenth of a second later.
func events(list ...api.Event) []api.Event {
	for i := range list {
		list[i].Seq, list[i].At = int64(i+1), epoch.Add(time.Duration(i)*100*time.Millisecond)
	}
	return list
}

func texts(rows []Row) (out []string) {
	for _, r := range rows {
		out = append(out, r.Text)
	}
	return out
}

// TestOf: what a person reads of the events of a day.
func TestOf(t *testing.T) {
	hook := func(kind api.EventKind, message string) api.Event {
		return api.Event{Session: "a", Type: "Fancy", Kind: kind, Source: "hook", Message: message}
	}
	for _, tt := range []struct {
		name   string
		events []api.Event
		want   []string
	}{
		{"a limit, and an agent that rests", events(api.Event{Session: "a", Type: api.EventSessionParked, Message: "parked: its process has ended"},
			api.Event{Type: api.EventLimitMet, Message: "claude has met its usage limit, until Mon 15:00:00"}, api.Event{Type: api.EventLimitOver, Message: "claude: all have gone on"}),
			[]string{"parked", "claude has met its usage limit, until Mon 15:00:00", "claude: all have gone on"}},
		{"a turn with a command", events(
			hook(api.KindConversationBegins, "session startup"), hook(api.KindPrompt, "fix it"), api.Event{Session: "a", Type: api.EventPrompt, Message: "delivered: fix it"},
			hook(api.KindToolBegins, "Bash: go test ./..."), hook(api.KindToolEnds, "Bash: go test ./..."), hook(api.KindToolEnds, "Read: x.go"), hook(api.KindToolEnds, "Edit: x.go"),
			hook(api.KindTurnEnds, "All pass."), api.Event{Session: "a", Type: api.EventSessionState, StateFrom: api.StateWorking, StateTo: api.StateIdle, Message: "status done"}),
			[]string{"prompt: fix it", "ran go test ./...", "edited x.go", "done: All pass."}},
		{"a question", events(
			hook(api.KindToolBegins, "Bash: rm -rf x"),
			api.Event{Session: "a", Type: api.EventSessionState, StateFrom: api.StateWorking, StateTo: api.StatePermission, Message: "status blocked"},
			api.Event{Session: "a", Kind: api.KindDialog, Message: "Bash: rm -rf x"},
			api.Event{Session: "a", Type: api.EventPermissionOpen, Message: "Bash waits for permission"}, hook(api.KindReminder, "Claude needs your permission"),
			api.Event{Session: "a", Type: api.EventPermissionEnded, Message: "Bash approved by person"}),
			[]string{"asks: rm -rf x", "allowed by you"}},
		{"answers of others, and to questions and plans", events(
			hook(api.KindDialog, "Bash: make"), api.Event{Session: "a", Type: api.EventPermissionEnded, Message: "Bash approved by lead"},
			hook(api.KindDialog, "AskUserQuestion: Which?"), api.Event{Session: "a", Type: api.EventPermissionEnded, Message: "AskUserQuestion approved by person"},
			hook(api.KindDialog, `ExitPlanMode: {"plan":"# Plan`), api.Event{Session: "a", Type: api.EventPermissionEnded, Message: "ExitPlanMode denied by person: no"}),
			[]string{"asks: make", "allowed by lead: make", "asks: Which?", "answered by you", "asks: its plan", "refused by you: no"}},
		{"a turn without an answer", events(hook(api.KindTurnEnds, "Fancy"), hook(api.KindTurnEnds, ""), hook(api.KindTurnFails, "failed: rate_limit")), []string{"done", "done", "failed: rate_limit"}},
		{"files are told from the session's directory", events(
			hook(api.KindDialog, "Write: /home/me/api/notes.md"), hook(api.KindToolEnds, "Write: /home/me/api/notes.md"), hook(api.KindDialog, "Edit: /home/me/api2/x")),
			[]string{"asks: write notes.md", "wrote notes.md", "asks: edit /home/me/api2/x"}},
		{"a question without hooks", events(api.Event{Session: "a", Type: api.EventSessionState, StateFrom: api.StateWorking, StateTo: api.StateInput, Message: "status blocked"}),
			[]string{"asks, in its pane"}},
		{"a turn ended by a key", events(api.Event{Session: "a", Type: api.EventSessionState, Kind: api.KindTurnInterrupted, StateFrom: api.StateWorking, StateTo: api.StateIdle}),
			[]string{"interrupted"}},
		{"failures", events(hook(api.KindTurnFails, "API Error: 529"), hook(api.KindTurnInterrupted, ""), hook(api.KindToolFails, "Bash: make"),
			api.Event{Session: "a", Type: api.EventSessionExited, Message: "exited with code 1"}, api.Event{Session: "a", Type: api.EventSessionExited, Message: "exited with code 0"},
			api.Event{Session: "a", Type: api.EventSessionExited, Message: "ended by signal 9"}),
			[]string{"failed: API Error: 529", "interrupted", "ran make ✗", "exit 1", "ended", "ended by signal 9"}},
		{"a restart of the daemon", events(api.Event{Type: api.EventDaemonStopped}, api.Event{Type: api.EventDaemonStarted, Message: "daemon 0.1.0 started"},
			api.Event{Session: "a", Type: api.EventSessionAdopted}, api.Event{Session: "b", Type: api.EventSessionAdopted}),
			[]string{"daemon restarted, 2 sessions taken over"}},
		{"daemons of two machines", events(api.Event{Type: api.EventDaemonStarted}, api.Event{Type: api.EventDaemonStarted, Node: "gpu1"},
			api.Event{Session: "a", Type: api.EventSessionAdopted}, api.Event{Session: "gpu1/b", Type: api.EventSessionAdopted, Node: "gpu1"}, api.Event{Session: "c", Type: api.EventSessionAdopted}),
			[]string{"daemon restarted, 2 sessions taken over", "daemon restarted, 1 session taken over"}},
		{"a task", events(api.Event{Type: api.EventTaskAdded, Message: "task t1 is queued"}, api.Event{Type: api.EventTaskState, Message: "task t1: queued → starting"},
			api.Event{Type: api.EventTaskState, Message: "task t1: starting → running"}, api.Event{Type: api.EventTaskState, Message: "task t1: running → done"}),
			[]string{"task t1 is queued", "task t1: starting → running", "task t1 done"}},
		{"one end is told once", events(
			api.Event{Session: "a", Type: api.EventSessionExited, Message: "exited with code 1"}, api.Event{Session: "a", Type: api.EventPrompt, Message: "not delivered (session a is exited)"},
			api.Event{Session: "a", Type: api.EventTaskState, Message: "task t1: starting → failed (the session ended (code 1))"},
			api.Event{Session: "b", Type: "Fancy", Kind: api.KindTurnEnds, Source: "hook", Message: "All pass."}, api.Event{Session: "b", Type: api.EventTaskState, Message: "task t2: running → done"}, api.Event{Session: "b", Type: api.EventSessionExited, Message: "exited with code 0"},
			api.Event{Session: "c", Type: api.EventSessionExited, Message: "exited with code 1"}, api.Event{Session: "d", Type: api.EventTaskState, Message: "task t3: running → timed_out (30m0s)"}),
			[]string{"failed: the session ended (code 1)", "done: All pass.", "ended", "exit 1", "timed out: 30m0s"}},
		{"what is not known", events(hook("", "new"), api.Event{Session: "a", Type: api.EventPermissionEnded, Message: "Bash denied by lead: no"}),
			[]string{"Fancy new", "refused by lead: no"}},
		{"a session taken over by a daemon that started before", events(api.Event{Session: "a", Type: api.EventSessionAdopted}), nil},
	} {
		if got := texts(Of(tt.events, map[string]string{"a": "/home/me/api"})); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestEventsAreClassified: each type of event of ccdir's own is told or left out on
// purpose, and none as an unknown hook.
func TestEventsAreClassified(t *testing.T) {
	for _, kind := range []string{api.EventSessionCreated, api.EventSessionStarted, api.EventSessionState, api.EventSessionExited, api.EventSessionLost, api.EventSessionRenamed,
		api.EventSessionRemoved, api.EventSessionFocus, api.EventSessionAdopted, api.EventSessionSnoozed, api.EventSessionStale, api.EventPrompt, api.EventDaemonStarted,
		api.EventDaemonStopped, api.EventConfigError, api.EventRestoreOffered, api.EventStoreMoved, api.EventStoreHeld, api.EventHookRejected, api.EventCallRefused,
		api.EventSpoolDrained, api.EventPolicyError, api.EventPolicyLoaded, api.EventSessionPolicy, api.EventPermissionOpen, api.EventPermissionEnded, api.EventMCPCall,
		api.EventMessage, api.EventTaskAdded, api.EventTaskState, api.EventTaskStalled, api.EventTaskParked, api.EventQueue,
		api.EventSessionModel, api.EventWorktree, api.EventPending} {
		for _, r := range Of(events(api.Event{Session: "a", Type: kind, Message: "m"}), nil) {
			if r.Text == kind+" m" {
				t.Errorf("%s is told as %q", kind, r.Text)
			}
		}
	}
}

// TestNews: beside the list of sessions the events tell what a person does not know.
func TestNews(t *testing.T) {
	hook := func(session string, kind api.EventKind, message string) api.Event {
		return api.Event{Session: session, Type: "Fancy", Kind: kind, Source: "hook", Message: message}
	}
	day := events(
		api.Event{Type: api.EventDaemonStarted}, api.Event{Session: "a", Type: api.EventSessionCreated, Message: "created: claude"}, hook("a", api.KindPrompt, "fix it"),
		hook("a", api.KindDialog, "Bash: make"), api.Event{Session: "a", Type: api.EventPermissionEnded, Message: "Bash approved by person"},
		hook("b", api.KindDialog, "Bash: rm x"), api.Event{Session: "b", Type: api.EventPermissionEnded, Message: "Bash denied by policy"},
		api.Event{Type: api.EventTaskAdded, Message: "task t1 is queued"}, api.Event{Type: api.EventTaskState, Message: "task t1: starting → running"},
		hook("a", api.KindToolEnds, "Bash: make"), hook("a", api.KindTurnEnds, "All pass."), api.Event{Session: "a", Type: api.EventSessionExited, Message: "exited with code 143"},
		api.Event{Session: "a", Type: api.EventSessionRemoved, Message: "removed a"}, api.Event{Session: "o", Type: api.EventSessionCreated, Message: "seen outside ccdir: claude, pid 1"})
	rest := []string{"refused by policy: rm x", "ran make", "done: All pass.", "seen outside ccdir: claude, pid 1"}
	if got := texts(News(Of(day, nil), true)); !slices.Equal(got, rest) {
		t.Errorf("%q", got)
	}
	if got := texts(News(Of(day, nil), false)); !slices.Equal(got, append([]string{"asks: make", "asks: rm x"}, rest...)) {
		t.Errorf("without a list of sessions: %q", got)
	}
	lost := func(id string) api.Event {
		return api.Event{Session: id, Type: api.EventSessionLost, Message: "its host died"}
	}
	again := func(id string) api.Event { return api.Event{Session: id, Type: api.EventSessionStarted} }
	all := events(lost("a"), lost("b"), lost("a"), lost("c"), again("a"), again("b"), again("c"))
	for n, want := range map[int]string{1: "lost: its host died", 3: "2 sessions lost", 4: "3 sessions lost", 5: "3 sessions lost, 1 started again", 7: "3 sessions lost, started again"} {
		if got := texts(News(Of(all[:n], nil), true)); !slices.Equal(got, []string{want}) {
			t.Errorf("%d events: %q, want %q", n, got, want)
		}
	}
	refused := api.Event{Type: api.EventCallRefused, Message: "refused"}
	again3 := events(refused, hook("a", api.KindPrompt, "x"), refused, refused, hook("a", api.KindToolEnds, "Bash: make"), refused)
	if got := texts(News(Of(again3, nil), true)); !slices.Equal(got, []string{"refused (3×)", "ran make", "refused"}) {
		t.Errorf("told again: %q", got)
	}
}
