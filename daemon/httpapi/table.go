package httpapi

import (
	"net/http"
	"strings"

	"ccdir/api"
	"ccdir/wire"
)

// handler is one route's function. Its error is sent as the answer.
type handler func(*server, http.ResponseWriter, *http.Request) error

// kind is how a route answers.
type kind uint8

const (
	// call: one JSON document, or none.
	call kind = iota
	// stream: server-sent events.
	stream
	// socket: a WebSocket.
	socket
	// raw: another package serves it.
	raw
)

// route is one entry of the table that the mux, the methods of the control
// socket and the OpenAPI description are made from.
type route struct {
	method, path string
	// name is the method's name on the control socket and the operation's id.
	name string
	// doc is one sentence; more has details that callers need.
	doc, more string
	// query are the parameters of the query.
	query []param
	// in and out are values of the types of body and answer; nil: none.
	in, out any
	// required are the fields that a body must have.
	required []string
	// status is the HTTP status of success; 0 is 200, or 204 without an answer.
	status int
	kind   kind
	// local: served on the daemon's socket only, not over TCP.
	local  bool
	handle handler
	// target returns the version of the call's target (see precondition.go), "" if it is not
	// known. It is nil for calls that make something: a retry finds that by its id.
	target func(s *server, r *http.Request, body []byte) string
	// match: the caller may name the target's version (api.HeaderMatch).
	match bool
	// alone: calls for the same version take turns, so that the first one alone finds it.
	alone bool
	// effect reports whether the first attempt of a retry took effect (done), and returns
	// the answer; nil: to carry the call out again does no harm.
	effect func(s *server, r *http.Request, target string) (answer any, done bool, err error)
	// stands reports whether a recorded answer still holds; nil: it does.
	stands func(s *server, r *http.Request, old api.CallRecord) bool
}

// success returns the status of a successful call.
func (r route) success() int {
	switch {
	case r.status != 0:
		return r.status
	case r.kind == socket:
		return http.StatusSwitchingProtocols
	case r.out == nil && r.kind == call:
		return http.StatusNoContent
	}
	return http.StatusOK
}

// param is a parameter of a query.
type param struct {
	name, doc string
	// kind is the JSON type: "string" if it is "".
	kind string
	enum []string
}

// Parameters that several routes have.
var (
	limitParam   = param{name: "limit", kind: "integer", doc: "at most that many"}
	afterParam   = param{name: "after", doc: "go on after the element with that id (the Link header of the page before has the address)"}
	timeoutParam = param{name: "timeout", doc: "how long to wait, such as 45s or 10m; 30s if not given, at most 1h"}
	waitParam    = param{name: "wait", doc: "wait that long for something to tell (such as 30s, at most 1h), then answer with an empty list"}
	turnsParam   = param{name: "turns", kind: "integer", doc: "the last that many; not given: all"}
	sessionParam = param{name: "session", doc: "of that session alone (id, unique prefix of one, or name)"}
)

// table lists every route below /v1, in the order of the description.
func table() []route {
	var all []route
	for _, part := range [][]route{systemRoutes(), sessionRoutes(), inputRoutes(), eventRoutes(), approvalRoutes(), policyRoutes(), taskRoutes(), scheduleRoutes(), reactionRoutes(), watchRoutes(), worktreeRoutes(), reviewRoutes(), docsRoutes(), usageRoutes(), webRoutes(), pastRoutes(), socketRoutes()} {
		all = append(all, part...)
	}
	for i, r := range all {
		if strings.HasPrefix(r.path, "/v1/sessions/{ref}") && r.takesKey() && r.target == nil {
			all[i].target, all[i].match = (*server).sessionTarget, true
		}
	}
	return all
}

func systemRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/health", name: "health", doc: "Who serves, since when, and how much", out: api.Server{}, handle: (*server).health},
		{method: "GET", path: "/v1/caller", name: "caller", doc: "The caller's origin: inside a session, whose rights it then has, or not", query: []param{{name: "for", doc: "what the caller is about to change itself: refused to processes of sessions, and recorded"}},
			out: api.Origin{}, local: true, handle: (*server).caller},
		{method: "GET", path: "/v1/config", name: "config", doc: "The configuration in force, secrets left out", out: api.ConfigDocument{}, handle: (*server).config},
		{method: "GET", path: "/v1/agents", name: "agents.list", doc: "What a session can be started as", query: []param{{name: "path", doc: "look for executables in this PATH"}},
			out: []api.AgentInfo{}, handle: (*server).agents},
		{method: "GET", path: "/v1/accounts", name: "accounts.list", doc: "The accounts of the configuration, and the sign-ins that agents have by themselves", out: []api.Account{}, handle: (*server).accounts},
		{method: "GET", path: "/v1/directories", name: "directories.list", doc: "Configured repositories and directories used lately, best first", out: []api.Directory{}, handle: (*server).directories},
		{method: "GET", path: "/v1/repos", name: "repos.list", doc: "Git repositories known from the configuration, sessions and directories used lately",
			more:  "Branch and operation are read from files. Counting changes runs git, and is done only if status is asked for.",
			query: []param{{name: "status", kind: "boolean", doc: "count changed files and commits ahead and behind, too"}},
			out:   []api.Repo{}, handle: (*server).repos},
		{method: "GET", path: "/v1/grid", name: "grid.get", doc: "How the grid is arranged", out: api.Grid{}, handle: (*server).getGrid},
		{method: "PUT", path: "/v1/grid", name: "grid.set", doc: "Arrange the grid; the latest wins", in: api.Grid{}, handle: (*server).putGrid},
		{method: "GET", path: "/v1/openapi.json", name: "openapi", doc: "This description", out: map[string]any{}, handle: (*server).openapi},
		{method: "POST", path: "/v1/shutdown", name: "shutdown", doc: "Stop the daemon; sessions go on unless they are to be ended", in: api.Stop{}, handle: (*server).shutdown},
		{method: "POST", path: "/v1/hook", name: "hook", doc: "An agent's hook, as the shim calls it", kind: raw, local: true, out: api.HookReply{},
			more: "The body is the agent's payload; headers tell session, token and hook. Not for other programs.", handle: (*server).hook},
	}
}

func sessionRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/sessions", name: "sessions.list", doc: "Every session, oldest first", query: []param{
			{name: "state", doc: "in one of these states, separated by commas"}, {name: "agent", doc: "of that agent"}, limitParam, afterParam},
			out: []api.Session{}, handle: (*server).list},
		{method: "POST", path: "/v1/sessions", name: "sessions.create", doc: "Start a session; answers when its process runs", in: api.NewSession{}, required: []string{"cwd"},
			more: "With request (an id of the caller's) the call is idempotent: while the session exists, a retry starts none and returns it with status 200.",
			out:  api.Session{}, status: http.StatusCreated, handle: (*server).create},
		{method: "GET", path: "/v1/sessions/{ref}", name: "sessions.get", doc: "One session", out: api.Session{}, handle: (*server).get},
		{method: "DELETE", path: "/v1/sessions/{ref}", name: "sessions.delete", doc: "Remove a session that has ended", query: []param{{name: "purge", kind: "boolean", doc: "keep nothing of it: with its conversations and what it showed; ref may be a session of the past then"}},
			more: "Without purge its conversations and what it showed stay in the history, as long as the configuration says.", handle: (*server).remove},
		{method: "POST", path: "/v1/sessions/{ref}/kill", name: "sessions.kill", doc: "End a session's process, politely first", in: api.Kill{}, out: api.Session{}, handle: (*server).kill, effect: (*server).killed},
		{method: "POST", path: "/v1/sessions/{ref}/restart", name: "sessions.restart", doc: "Start a session again; agents go on in the same conversation", in: api.Restart{}, more: "With account, the conversation is copied to that account once its process has gone; the session's event says what went along.", out: api.Session{}, handle: (*server).restart, effect: (*server).restarted, alone: true},
		{method: "POST", path: "/v1/sessions/{ref}/park", name: "sessions.park", doc: "End the process of an idle agent to free its memory; whatever needs it starts it again in its conversation", out: api.Session{}, handle: (*server).park, effect: (*server).stopped,
			more: "409 with the reason if that would lose something: work in its background, an open dialog, a draft that cannot be read."},
		{method: "GET", path: "/v1/sessions/{ref}/parking", name: "sessions.parking", doc: "Whether a session may be parked, and why not", out: api.Parking{}, handle: (*server).parking},
		{method: "POST", path: "/v1/sessions/{ref}/wake", name: "sessions.wake", doc: "Start the process of a parked session again", out: api.Session{}, handle: (*server).wake, effect: (*server).restarted,
			more: "One that runs is left as it is. 409 if somebody else runs its conversation."},
		{method: "POST", path: "/v1/sessions/{ref}/reset", name: "sessions.reset", doc: "Start an agent's session again with a new conversation", out: api.Session{}, handle: (*server).reset, effect: (*server).restarted, alone: true,
			more: "Name, directory and settings stay. The turns of the old conversation stay in the transcript."},
		{method: "POST", path: "/v1/sessions/{ref}/fork", name: "sessions.fork", doc: "Start a second session that goes on from the same conversation", in: api.Fork{}, out: api.Session{}, status: http.StatusCreated, handle: (*server).fork,
			more: "The other session, which may have ended, is left as it is. 409 if its agent cannot do that, or was not told anything yet."},
		{method: "POST", path: "/v1/sessions/{ref}/resume", name: "sessions.resume", doc: "Say whether a session goes on after usage limits", in: api.Resume{}, out: api.Session{}, handle: (*server).resume},
		{method: "POST", path: "/v1/sessions/{ref}/model", name: "sessions.model", doc: "Give an agent another model", in: api.SetModel{}, required: []string{"model"}, out: api.Session{}, handle: (*server).setModel, effect: (*server).restarted, alone: true,
			more: "A session that is idle is started again for that, in the same conversation; one that has ended has the model from its next start on. 409 while it works."},
		{method: "POST", path: "/v1/sessions/{ref}/rename", name: "sessions.rename", doc: "Give a session another name", in: api.Rename{}, required: []string{"name"}, out: api.Session{}, handle: (*server).rename},
		{method: "POST", path: "/v1/sessions/{ref}/marks", name: "sessions.mark", doc: "Note a group, a pin, a text or a colour of it", in: api.SetMarks{}, out: api.Session{}, handle: (*server).mark},
		{method: "POST", path: "/v1/sessions/{ref}/focus", name: "sessions.focus", doc: "Give it the keyboard in every attached grid", handle: (*server).focus},
		{method: "POST", path: "/v1/sessions/{ref}/seen", name: "sessions.seen", doc: "A person has looked at it: it is not unread any more", handle: (*server).seen},
		{method: "POST", path: "/v1/sessions/{ref}/snooze", name: "sessions.snooze", doc: "Hide for a while that it waits for a person", in: api.Snooze{}, required: []string{"seconds"},
			more: "Grids do not count it or notify until the time is over, or it waits for something else. 409 if it does not wait for a person.", out: api.Session{}, handle: (*server).snooze},
		{method: "DELETE", path: "/v1/sessions/{ref}/snooze", name: "sessions.unsnooze", doc: "End its snooze", out: api.Session{}, handle: (*server).unsnooze},
		{method: "GET", path: "/v1/sessions/{ref}/wait", name: "sessions.wait", doc: "Wait for a state", query: []param{{name: "state", doc: "one or more states, separated by commas"}, timeoutParam},
			more: "Answers 504 when the time is over and 409 if the session ended otherwise.", out: api.Session{}, handle: (*server).wait},
		{method: "GET", path: "/v1/sessions/{ref}/explain", name: "sessions.explain", doc: "Which evidence gave the state", out: api.Explanation{}, handle: (*server).explain},
		{method: "GET", path: "/v1/sessions/{ref}/process", name: "sessions.process", doc: "Number and memory of its processes", out: api.ProcessUse{}, handle: (*server).process},
		{method: "GET", path: "/v1/sessions/{ref}/host", name: "sessions.host", doc: "How a local terminal reaches its host", out: api.HostAddress{}, local: true, handle: (*server).host},
		{method: "GET", path: "/v1/sessions/{ref}/events", name: "sessions.events", doc: "The session's events as a stream", kind: stream, query: []param{
			{name: "since", kind: "integer", doc: "from the event after that number; 0: from the beginning; not given: those to come"}, {name: "type", doc: "of that type alone"}},
			more: "Each event's id is its number: a client that connects again with Last-Event-ID misses none.", out: api.Event{}, handle: (*server).sessionEvents},
		{method: "GET", path: "/v1/sessions/{ref}/transcript", name: "chat.history", doc: "What its agent was told, said and did: the turns of its conversations", query: []param{turnsParam},
			more: "From the agent's own files, oldest first, with the conversations before /clear. ref may also be a session of the past, or a task: its last session.", out: []api.Turn{}, handle: (*server).chatHistory},
		{method: "GET", path: "/v1/sessions/{ref}/transcript/stream", name: "chat.stream", doc: "The same as a stream that goes on until the session has ended", kind: stream, query: []param{turnsParam},
			more: "A turn that was sent before is sent again when it has changed, with the items from the number in from on, and the tools from tools_from on. An object without a turn says that all that was there has come. The last event is null: the session has ended.", out: api.Turn{}, handle: (*server).chatStream},
		{method: "GET", path: "/v1/sessions/{ref}/buffer", name: "sessions.buffer", doc: "What its screen shows, or showed when it ended", query: []param{
			{name: "format", doc: "text; ansi: with SGR sequences; json: cells as runs of text and style (api.Screen); raw: the bytes that it printed, as far as they are kept; cells: the saved form", enum: []string{"text", "ansi", "json", "raw", "cells"}},
			{name: "scrollback", kind: "boolean", doc: "with the history before it (text and ansi)"},
			{name: "from", kind: "integer", doc: "raw: from that position in the output; json: from that line, counted from the first that it ever printed"},
			{name: "lines", kind: "integer", doc: "json: at most that many lines, up to 1000; without from: the last ones. Not given: the screen"}},
			out: anyOf{wire.OutputResult{}, api.Screen{}}, handle: (*server).buffer},
	}
}

func inputRoutes() []route {
	return []route{
		{method: "POST", path: "/v1/sessions/{ref}/input", name: "sessions.input", doc: "Deliver a prompt; answers when the agent has acknowledged it", in: api.SendPrompt{}, required: []string{"text"},
			more: "With an id of the caller's the call is idempotent: a retry types nothing and returns the outcome of the first call. 409 (dialog_open, draft) while a person is needed.",
			out:  api.SendResult{}, handle: (*server).input},
		{method: "POST", path: "/v1/sessions/{ref}/ask", name: "chat.ask", doc: "Deliver a prompt and stream the agent's answer", kind: stream, in: api.Ask{}, required: []string{"text"},
			more: "First the place in the conversation (after: give it with the same id in a call that is made again), then the acknowledgement (status), then the prompt's turn as it grows: texts, tool calls and their results, with the items from the number in from on. The last event has end.", out: api.AskEvent{}, handle: (*server).ask},
		{method: "POST", path: "/v1/sessions/{ref}/pending", name: "pending.create", doc: "Keep a prompt until the session can take it", in: api.NewPending{}, required: []string{"text"},
			more: "Answers once the prompt is on disk. It is delivered once: when no dialog is open, or when the session was started again. Each change is an event of type pending.",
			out:  api.PendingPrompt{}, status: http.StatusCreated, handle: (*server).addPending},
		{method: "GET", path: "/v1/pending", name: "pending.list", doc: "Prompts that wait for their sessions, and the newest that were delivered or failed; oldest first", query: []param{sessionParam}, out: []api.PendingPrompt{}, handle: (*server).listPending},
		{method: "POST", path: "/v1/pending/{ref}/edit", name: "pending.edit", doc: "Give a prompt that is pending another text", in: api.NewPending{}, required: []string{"text"}, out: api.PendingPrompt{}, handle: (*server).editPending},
		{method: "DELETE", path: "/v1/pending/{ref}", name: "pending.cancel", doc: "Take a prompt that is pending back, or one that is not out of the list", handle: (*server).cancelPending, target: (*server).pendingTarget},
		{method: "POST", path: "/v1/sessions/{ref}/input/raw", name: "sessions.input_raw", doc: "Write keys, a paste or bytes to its terminal: one of the three", in: api.RawInput{}, handle: (*server).rawInput, effect: (*server).typedBefore},
		{method: "POST", path: "/v1/sessions/{ref}/reply", name: "sessions.reply", doc: "Answer the session's open request", in: api.Reply{},
			more: "Answers the session's open request, be it a permission or a question. 409 if it asks nothing that can be answered here, 400 (ambiguous) if it asks several things and request does not say which.",
			out:  api.Decision{}, handle: (*server).reply, target: (*server).replyTarget, stands: (*server).answerStands},
		{method: "POST", path: "/v1/sessions/{ref}/resize", name: "sessions.resize", doc: "Set its terminal's size until somebody attached takes it over", in: api.Resize{}, required: []string{"cols", "rows"}, handle: (*server).resize},
	}
}

func eventRoutes() []route {
	since := param{name: "since", kind: "integer", doc: "after the event of that number; 0: from the beginning"}
	of := param{name: "type", doc: "of that type alone"}
	return []route{
		{method: "GET", path: "/v1/events", name: "events.list", doc: "Events of the log, oldest first; without since the newest", query: []param{since,
			{name: "before", kind: "integer", doc: "before the event of that number: the newest of them"}, sessionParam, of, limitParam, waitParam},
			out: []api.Event{}, handle: (*server).events},
		{method: "GET", path: "/v1/events/stream", name: "events.stream", doc: "Events as they happen", kind: stream, query: []param{since, sessionParam, of},
			more: "Without since: those to come. Each event's id is its number, so Last-Event-ID goes on where a connection broke.", out: api.Event{}, handle: (*server).eventStream},
		{method: "GET", path: "/v1/watch", name: "watch", doc: "A snapshot of everything, then every change", kind: stream, out: api.WatchMessage{},
			query: []param{{name: "hosts", doc: "1: with the addresses of the hosts (on the daemon's socket)"}},
			more:  "State is latest-wins; a gap in the events' numbers means: ask again.", handle: (*server).watch},
		{method: "GET", path: "/v1/history", name: "history.list", doc: "Ended sessions and tasks, newest first", query: []param{limitParam, {name: "before", doc: "that ended before this time (RFC 3339); or what the Link header of the page before says"}}, out: []api.HistoryEntry{}, handle: (*server).history},
		{method: "GET", path: "/v1/history/{ref}", name: "history.get", doc: "What an ended session showed", out: api.Transcript{}, handle: (*server).transcript},
		{method: "GET", path: "/v1/search", name: "search", doc: "Find words in prompts, results, transcripts, events and running sessions", query: []param{{name: "q", doc: "words, all of which must be there"}, limitParam}, out: []api.SearchHit{}, handle: (*server).search},
		{method: "GET", path: "/v1/messages", name: "messages.list", doc: "A mailbox: the person's, or a session's", query: []param{sessionParam, {name: "all", kind: "boolean", doc: "with those that were dealt with"}, limitParam}, out: []api.Message{}, handle: (*server).messages},
		{method: "POST", path: "/v1/messages", name: "messages.send", doc: "Send a message of the person's", in: api.NewMessage{}, required: []string{"to", "text"}, out: api.Message{}, handle: (*server).sendMessage},
		{method: "POST", path: "/v1/messages/ack", name: "messages.ack", doc: "The person has dealt with messages", in: api.AckMessages{}, required: []string{"ids"}, out: api.Acked{}, handle: (*server).ackMessages},
	}
}

func approvalRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/approvals", name: "approvals.list", doc: "Open requests that a person can answer, oldest first", query: []param{sessionParam, waitParam}, out: []api.Request{}, handle: (*server).approvals},
		{method: "POST", path: "/v1/approvals/{ref}/approve", name: "approvals.approve", doc: "Allow, or answer a question with text", in: api.Answer{}, out: api.Decision{}, handle: (*server).approve, target: (*server).requestTarget, stands: (*server).answerStands},
		{method: "POST", path: "/v1/approvals/{ref}/deny", name: "approvals.deny", doc: "Deny, with a message to the agent", in: api.Answer{}, out: api.Decision{}, handle: (*server).deny, target: (*server).requestTarget, stands: (*server).answerStands},
		{method: "GET", path: "/v1/decisions", name: "decisions.list", doc: "Rows of the ledger of decisions: the newest, oldest first", query: []param{sessionParam, {name: "tool", doc: "about that tool"},
			{name: "by", doc: "by policy, lead, person, daemon, hook, agent (its own classifier refused) or unasked (nobody was asked: calls of the event log)"}, {name: "decision", doc: "with that decision"}, {name: "request", doc: "of that request"},
			{name: "since", doc: "from that time on (RFC 3339)"}, {name: "before", kind: "integer", doc: "before the row of that number"}, limitParam}, out: []api.LedgerRow{}, handle: (*server).decisions},
		{method: "GET", path: "/v1/decisions/sum", name: "decisions.sum", doc: "Count decisions, and calls that nobody was asked about", query: []param{sessionParam, {name: "since", doc: "from that time on (RFC 3339)"}}, out: api.LedgerSum{}, handle: (*server).sumDecisions},
		{method: "GET", path: "/v1/decisions/verify", name: "decisions.verify", doc: "Recompute the ledger's chain of hashes", query: []param{{name: "head", doc: "NUMBER:HASH of a row that was noted elsewhere"}}, out: api.LedgerCheck{}, handle: (*server).verifyDecisions},
	}
}

func policyRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/sessions/{ref}/policy", name: "sessions.policy", doc: "Which rules hold for it", out: api.SessionPolicy{}, handle: (*server).sessionPolicy},
		{method: "POST", path: "/v1/sessions/{ref}/role", name: "sessions.role", doc: "Give it another role", in: api.SetRole{}, required: []string{"role"}, out: api.Session{}, handle: (*server).setRole},
		{method: "POST", path: "/v1/sessions/{ref}/sandbox", name: "sessions.allow", doc: "Let a path or a host through its walls", in: api.AllowInSandbox{}, required: []string{"allow"}, out: api.Session{}, handle: (*server).allowInSandbox},
		{method: "POST", path: "/v1/sessions/{ref}/override", name: "sessions.override", doc: "Override its policy for a while, or end that", in: api.SetOverride{}, out: api.Session{}, handle: (*server).setOverride},
		{method: "DELETE", path: "/v1/sessions/{ref}/rules", name: "sessions.revoke", doc: "Take a rule of the session's back", query: []param{{name: "rule", doc: "the rule, as written"}}, handle: (*server).revokeRule},
		{method: "POST", path: "/v1/rules", name: "rules.create", doc: "Write a rule to the session's, project's or user's policy", in: api.NewRule{}, required: []string{"scope"}, out: api.LedgerRow{}, handle: (*server).newRule},
	}
}

func taskRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/tasks", name: "tasks.list", doc: "Tasks in the order of the queue", query: []param{{name: "state", doc: "in one of these states, separated by commas"},
			{name: "label", doc: "with that label"}, {name: "unseen", doc: "1: only those that have ended and that nobody has looked at since"}, limitParam, afterParam}, out: []api.Task{}, handle: (*server).taskList},
		{method: "POST", path: "/v1/tasks", name: "tasks.create", doc: "Add tasks, all or none; they are on disk when it answers", in: []api.NewTask{}, out: []api.Task{}, status: http.StatusCreated,
			more: "With the same request in all tasks the call is idempotent: while they exist, a retry adds none and returns them.", handle: (*server).taskAdd},
		{method: "DELETE", path: "/v1/tasks", name: "tasks.clear", doc: "Cancel what is queued", out: []api.Task{}, handle: (*server).taskClear},
		{method: "POST", path: "/v1/queue/seen", name: "queue.seen", doc: "A person has looked at tasks that have ended, without ids at all: they are no news any more", in: api.SeenTasks{}, out: []api.Task{}, handle: (*server).taskSeen},
		{method: "GET", path: "/v1/tasks/{ref}", name: "tasks.get", doc: "One task", out: api.Task{}, handle: (*server).taskGet},
		{method: "POST", path: "/v1/tasks/{ref}/start", name: "tasks.start", doc: "Start a task, or have a waiting one go on", out: api.Task{}, handle: (*server).taskStart, target: (*server).taskTarget, match: true, effect: (*server).taskStarted, alone: true},
		{method: "POST", path: "/v1/tasks/{ref}/cancel", name: "tasks.cancel", doc: "End a task", out: api.Task{}, handle: (*server).taskCancel, target: (*server).taskTarget, match: true},
		{method: "POST", path: "/v1/tasks/{ref}/edit", name: "tasks.edit", doc: "Change a queued task", in: api.EditTask{}, out: api.Task{}, handle: (*server).taskEdit, target: (*server).taskTarget, match: true},
		{method: "POST", path: "/v1/tasks/{ref}/move", name: "tasks.move", doc: "Move it in the queue", in: api.MoveTask{}, out: api.Task{}, handle: (*server).taskMove, target: (*server).taskTarget, match: true},
		{method: "GET", path: "/v1/tasks/{ref}/wait", name: "tasks.wait", doc: "Wait for its end, or for a state", query: []param{{name: "state", doc: "one or more states, separated by commas; not given: any end"}, timeoutParam}, out: api.Task{}, handle: (*server).taskWait},
		{method: "GET", path: "/v1/tasks/{ref}/logs", name: "tasks.logs", doc: "What its last attempt wrote", out: api.TaskLogs{}, handle: (*server).taskLogs},
		{method: "GET", path: "/v1/queue", name: "queue.get", doc: "The queue's mode, limit and counts", out: api.Queue{}, handle: (*server).queue},
		{method: "POST", path: "/v1/queue", name: "queue.set", doc: "Change mode or limit", in: api.QueueChange{}, out: api.Queue{}, handle: (*server).queueChange},
	}
}

func socketRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/sessions/{ref}/attach", name: "sessions.attach", doc: "Attach a terminal: its screen as escape sequences or frames, and input", kind: socket, query: []param{
			{name: "format", doc: "what binary messages hold: escape sequences for a terminal such as xterm.js (ansi, the default), or the hosts' own frames", enum: []string{"ansi", "frames"}},
			{name: "cols", kind: "integer", doc: "the terminal's columns"}, {name: "rows", kind: "integer", doc: "and rows; not given: the session keeps its size"},
			{name: "read_only", kind: "boolean", doc: "take no input"}, {name: "history", kind: "integer", doc: "lines of the history before the screen, up to 1000 (ansi)"},
			{name: "window", kind: "integer", doc: "at most that many bytes that were not acknowledged (ack) under way, from 4096 on"}},
			in: api.AttachInput{}, out: api.AttachEvent{}, handle: (*server).attach},
		{method: "GET", path: "/v1/control", name: "control", doc: "Every call of this description as {method, params, id}", kind: socket,
			in: api.ControlCall{}, out: api.ControlReply{}, handle: (*server).control},
	}
}

// anyOf is the answer of a route with several forms.
type anyOf []any
