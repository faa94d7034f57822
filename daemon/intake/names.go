package intake

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// anyEvent is the name that every event has but the failures of reactions.
const anyEvent = "*"

// eventType is a type of events of the log, as docs/events.md describes it.
type eventType struct {
	name string
	says string
	// of is whose it is: a task, a session, or neither.
	of string
	// data is a sample of Event.Data; nil: it has none, or what a person cannot rely on.
	data any
}

// What an event is of.
const (
	ofTask    = "task"
	ofSession = "session"
)

// aTime is the time of samples.
var aTime = time.Date(2026, 12, 24, 7, 30, 0, 0, time.UTC)

// eventTypes are all types of events of the log. TestEventsPage compares them with package api.
func eventTypes() []eventType {
	step := api.TaskStep{Task: "t1", From: api.TaskRunning, To: api.TaskDone}
	began := api.SessionBegan{Name: "api", Agent: "claude", CWD: "/home/me/src/api", Argv: []string{"claude"}}
	request := api.RequestStep{Request: "r1", Kind: api.RequestPermission, Tool: api.ToolBash}
	return []eventType{
		{api.EventTaskAdded, "a task was added to the queue", ofTask, api.TaskStep{Task: "t1", To: api.TaskQueued}},
		{api.EventTaskState, "a task's state changed", ofTask, step},
		{api.EventTaskStalled, "a task makes no progress", ofTask, api.TaskStep{Task: "t1", From: api.TaskRunning, To: api.TaskRunning, Reason: "no progress for 15m"}},
		{api.EventTaskParked, "a task waits for the end of a usage limit", ofTask, api.TaskStep{Task: "t1", From: api.TaskRunning, To: api.TaskQueued, Reason: "usage limit"}},
		{api.EventTaskStage, "a task with a pull request has come to its next stage, or something came back to it", ofTask, api.TaskStep{Task: "t1", From: api.TaskRunning, To: api.TaskRunning, Reason: "its branch is pushed"}},
		{api.EventQueue, "mode, limit or a task of the queue was changed", "", api.TaskStep{Reason: "mode auto"}},
		{api.EventSchedule, "a schedule was made, changed or removed, or its time came", "", api.Schedule{ID: "s1", When: "0 7 * * 1-5", Prompt: "triage", State: api.ScheduleOn, Missed: api.MissedOnce, Created: aTime}},
		{api.EventWatch, "an issue became a task, or a watch cannot look (data is its value)", "", api.WatchItem{Watch: "bugs", ID: "17", Title: "It fails", URL: "https://example.org/issues/17", Task: "t1", At: aTime}},
		{api.EventReactionFailed, "the command of a reaction failed; told once until it has worked again", "", api.Reaction{Number: 1, Events: []string{"task.done"}, Run: "make lamp", Timeout: api.Duration(30 * time.Second)}},

		{api.EventPermissionOpen, "an agent asks for permission, an answer, or consent to a plan", ofSession, request},
		{api.EventPermissionEnded, "that was answered, or is not asked any more", ofSession, func() any {
			request.Outcome, request.By, request.Behavior = api.OutcomeAnswered, api.ByPerson, api.AnswerAllow
			return request
		}()},
		{api.EventSessionCreated, "a session began", ofSession, began},
		{api.EventSessionStarted, "its process was started again", ofSession, began},
		{api.EventSessionState, "its state changed, and nothing else tells it", ofSession, nil},
		{api.EventSessionExited, "its process ended", ofSession, api.SessionEnded{}},
		{api.EventSessionLost, "its host is gone", ofSession, nil},
		{api.EventSessionRenamed, "it has another name", ofSession, nil},
		{api.EventSessionRemoved, "it was removed", ofSession, nil},
		{api.EventSessionFocus, "it was given the keyboard", ofSession, nil},
		{api.EventSessionAdopted, "a new daemon took it over", ofSession, nil},
		{api.EventSessionSnoozed, "it was snoozed, or is not any longer", ofSession, nil},
		{api.EventSessionParked, "its process was ended to free memory", ofSession, nil},
		{api.EventSessionStale, "nobody uses it", ofSession, nil},
		{api.EventSessionModel, "it has another model", ofSession, nil},
		{api.EventSessionPolicy, "another role or override, or no policy holds, or one does again", ofSession, nil},
		{api.EventPrompt, "a prompt was delivered, or could not be", ofSession, nil},
		{api.EventPending, "a prompt kept for later was made, changed, delivered, or failed", ofSession, api.PendingPrompt{ID: "p1", Session: "s-1", Name: "api", Text: "go on", State: api.PendingDelivered, At: aTime}},
		{api.EventMCPCall, "an agent called a tool of ccdir", ofSession, api.ToolCall{Tool: "test", Outcome: "ok", Started: aTime}},
		{api.EventMessage, "a message was sent to a mailbox", ofSession, api.Message{ID: 1, At: aTime, From: "s-1", FromName: "api", To: api.Person, ToName: api.Person, Text: "the tests pass"}},
		{api.EventReview, "comments on a session's work were sent, replied to, or their fates are known", ofSession, nil},
		{api.EventSandboxRefused, "walls refused something", ofSession, api.SandboxRefusal{Sandbox: "worktree", Host: "example.org:443", Count: 1}},
		{api.EventCallRefused, "a session's process called what is for the person", ofSession, nil},
		{api.EventHookRejected, "a hook's call was not believed", ofSession, nil},
		{api.EventHookFailed, "calls of tools did not run, because their hook failed", ofSession, nil},
		{api.EventSpoolDrained, "hooks that no daemon had answered were read", ofSession, nil},
		{api.EventWorktree, "a work tree was made, removed, restored, merged, or has a pull request", "", nil},

		{api.EventLimitMet, "a session or task met a usage limit", ofSession, api.TaskStep{Reason: "claude has met its usage limit"}},
		{api.EventLimitOpen, "the first one after it goes on", "", api.TaskStep{Reason: "claude goes on: 3 wait for their turn"}},
		{api.EventLimitOver, "all that waited have gone on", "", api.TaskStep{Reason: "claude: all have gone on"}},
		{api.EventLimitNear, "little is left of a window of limits", "", api.TaskStep{Reason: "90% used of claude 5h"}},
		{api.EventLimitRolled, "a window of which little was left has ended", "", api.TaskStep{}},
		{api.EventBudgetSpent, "a budget of the queue is spent", "", api.TaskStep{}},
		{api.EventDaemonStarted, "the daemon started", "", nil},
		{api.EventDaemonStopped, "it stops", "", nil},
		{api.EventConfigError, "config.toml has a mistake, or something cannot be served", "", nil},
		{api.EventPolicyError, "a policy file is faulty: the last good policy stays", "", nil},
		{api.EventPolicyLoaded, "all policy files are well again", "", nil},
		{api.EventRestoreOffered, "sessions of before a reboot can be begun again", "", nil},
		{api.EventStoreMoved, "the database was damaged, and moved aside", "", nil},
		{api.EventStoreHeld, "the database takes no changes, or does again", "", nil},
		{api.EventWeb, "the page was turned on or off, or a browser was paired or revoked", "", nil},
	}
}

// Names that an event has besides its type: of the state that a task or session enters, and of what
// an agent reported.
const (
	taskPrefix    = "task."
	sessionPrefix = "session."
	agentPrefix   = "agent."
)

// taskStates, sessionStates and kinds are what these names end in.
var (
	taskStates = []api.TaskState{api.TaskQueued, api.TaskStarting, api.TaskRunning, api.TaskWaiting, api.TaskDone, api.TaskFailed, api.TaskCancelled, api.TaskTimedOut, api.TaskBlocked}

	sessionStates = []api.State{api.StateStarting, api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission, api.StateParked, api.StateExiting, api.StateExited, api.StateLost}

	kinds = []api.EventKind{api.KindPrompt, api.KindReport, api.KindCommand, api.KindToolBegins, api.KindToolEnds, api.KindToolFails, api.KindToolRefused, api.KindDialog,
		api.KindQuestion, api.KindQuestionEnds, api.KindReminder, api.KindTurnEnds, api.KindTurnFails, api.KindTurnInterrupted, api.KindSubagentBegins, api.KindSubagentEnds,
		api.KindCompactionBegins, api.KindCompactionEnds, api.KindConversationBegins, api.KindConversationEnds, api.KindModel, api.KindNote}
)

// namesOf are the names of an event, the most telling first.
func namesOf(e api.Event) (names []string) {
	if e.Type == api.EventTaskState {
		var step api.TaskStep
		if json.Unmarshal(e.Data, &step) == nil && step.To != "" {
			names = append(names, taskPrefix+string(step.To))
		}
	}
	if e.StateTo != "" && e.StateFrom != e.StateTo {
		names = append(names, sessionPrefix+string(e.StateTo))
	}
	if e.Source == "hook" && e.Kind != "" {
		names = append(names, agentPrefix+string(e.Kind))
	} else if e.Source != "hook" && !slices.Contains(names, e.Type) {
		names = append(names, e.Type)
	}
	if e.Type != api.EventReactionFailed {
		names = append(names, anyEvent)
	}
	return names
}

// sampleOf is an input for trying a reaction to a name; known is false if no event has that name.
func sampleOf(name string) (in api.ReactionInput, known bool) {
	in = api.ReactionInput{Name: name, Event: api.Event{Seq: 1, At: aTime, Type: name, Source: "daemon", Message: "a sample of " + name}}
	session := &api.Session{ID: "s-1", Name: "api", Agent: "claude", CWD: "/home/me/src/api", State: api.StateIdle}
	task := &api.Task{ID: "t1", NewTask: api.NewTask{Name: "tests", Prompt: "make the tests pass", Agent: "claude", CWD: "/home/me/src/api", Worktree: "tests"}, State: api.TaskRunning, Session: session.ID}
	of := ""
	switch after, found := strings.CutPrefix(name, taskPrefix); {
	case name == anyEvent:
		in.Event.Type, known = api.EventDaemonStarted, true
	case found && slices.Contains(taskStates, api.TaskState(after)):
		step := api.TaskStep{Task: task.ID, From: api.TaskRunning, To: api.TaskState(after)}
		task.State = step.To
		in.Event.Type, of, known = api.EventTaskState, ofTask, true
		in.Event.Data, _ = json.Marshal(step) // cannot fail
		in.Event.Message = "task t1: running → " + after
	}
	if after, found := strings.CutPrefix(name, sessionPrefix); found && slices.Contains(sessionStates, api.State(after)) {
		in.Event.Type, of, known = api.EventSessionState, ofSession, true
		in.Event.StateFrom, in.Event.StateTo, session.State = api.StateStarting, api.State(after), api.State(after)
		if after == string(api.StateStarting) {
			in.Event.StateFrom = api.StateExited
		}
	}
	if after, found := strings.CutPrefix(name, agentPrefix); found && slices.Contains(kinds, api.EventKind(after)) {
		in.Event.Type, in.Event.Kind, in.Event.Source, of, known = "Sample", api.EventKind(after), "hook", ofSession, true
	}
	for _, t := range eventTypes() {
		if t.name == name && !known {
			of, known = t.of, true
			if t.data != nil {
				in.Event.Data, _ = json.Marshal(t.data) // cannot fail
			}
			if name == api.EventTaskState {
				task.State = api.TaskDone
			}
		}
	}
	if of != "" {
		in.Session, in.Event.Session = session, session.ID
	}
	if of == ofTask {
		in.Task = task
	}
	return in, known
}

// eventNames are all names of events.
func eventNames() []string {
	names := []string{anyEvent}
	for _, t := range eventTypes() {
		names = append(names, t.name)
	}
	for _, s := range taskStates {
		names = append(names, taskPrefix+string(s))
	}
	for _, s := range sessionStates {
		names = append(names, sessionPrefix+string(s))
	}
	for _, k := range kinds {
		names = append(names, agentPrefix+string(k))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
