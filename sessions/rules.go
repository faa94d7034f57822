package sessions

import "ccdir/internal/api"

// ended are the states without a process, waiting those that need a person.
var (
	ended   = []api.State{api.StateExited, api.StateLost}
	waiting = []api.State{api.StateInput, api.StatePermission}
)

// rules is the table of the fold, in order of precedence: process facts before
// what the agent says, the explicit before the general. Each has its reason,
// which `ccdir explain` prints.
var rules = []rule{
	// The process.
	{name: "exit", source: api.SourceProcess, names: []string{evExit}, from: []api.State{api.StateStarting, api.StateIdle,
		api.StateWorking, api.StateInput, api.StatePermission, api.StateExiting}, to: api.StateExited,
		reason: "the process has ended; only a restart begins again"},
	{name: "exit-after-lost", source: api.SourceProcess, names: []string{evExit}, from: []api.State{api.StateLost}, to: api.StateExited,
		reason: "how it ended was found out after its host had been lost"},
	{name: "started-command", source: api.SourceProcess, names: []string{evStarted},
		cond: func(f *Fold, _ *api.Evidence) bool { return !f.Managed }, to: api.StateIdle,
		reason: "a command without hooks takes input as soon as it runs"},
	{name: "started", source: api.SourceProcess, names: []string{evStarted}, to: api.StateStarting,
		reason: "an agent is starting until it says that it takes input"},
	{name: "ended", from: ended, to: keep,
		reason: "the process has ended; what is still heard of it is left over"},
	{name: "lost", source: api.SourceProcess, names: []string{evLost}, to: api.StateLost,
		reason: "its host died, and with it the terminal"},

	// Ending.
	{name: "kill", source: api.SourceDelivery, names: []string{evKill}, to: api.StateExiting,
		reason: "it was asked to end"},
	{name: "exiting-stays", cond: func(f *Fold, _ *api.Evidence) bool { return f.Killed }, to: keep,
		reason: "it was asked to end; what it says on the way out does not matter"},

	// Answers from outside the pane.
	{name: "permission-answered", source: api.SourceDelivery, names: []string{evAnswered}, from: waiting, to: says,
		reason: "the request was answered; the dialog is closing and the turn goes on"},
	{name: "permission-ended", source: api.SourceDelivery, names: []string{evAnswered}, to: keep,
		reason: "the request ended, and the session waits for nothing any more"},

	// Order.
	{name: "late", cond: late, to: keep,
		reason: "it happened before what gave the state, and came later"},

	// Hooks that tell of a conversation, not of a turn.
	{name: "hook-session-start", source: api.SourceHook, names: []string{"SessionStart"}, to: says,
		reason: "a conversation begins at the prompt (after a compaction the turn goes on)"},
	{name: "hook-session-end", source: api.SourceHook, names: []string{"SessionEnd"}, to: says,
		reason: "the process ends with its conversation, unless another one follows (clear, resume)"},

	// Hooks that need a person.
	{name: "hook-permission", source: api.SourceHook, names: []string{"PermissionRequest"}, to: says,
		reason: "a dialog is open in the pane: for permission, or a question if the tool is AskUserQuestion"},
	{name: "hook-elicitation", source: api.SourceHook, names: []string{"Elicitation"}, to: says,
		reason: "a server asks the person something"},
	{name: "hook-reminder", source: api.SourceHook, names: []string{"Notification"},
		fields: map[string]string{"notification_type": "permission_prompt"}, from: waiting, to: keep,
		reason: "it reminds of a dialog that is known already"},
	{name: "hook-notification", source: api.SourceHook, names: []string{"Notification"}, to: says,
		reason: "the agent notified the person of what it waits for"},

	// Hooks of turns.
	{name: "hook-question", source: api.SourceHook, names: []string{"PreToolUse"},
		fields: map[string]string{"tool": "AskUserQuestion"}, to: says,
		reason: "the tool is a question to the person"},
	{name: "hook-working", source: api.SourceHook, names: []string{"UserPromptSubmit", "UserPromptExpansion",
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied", "ElicitationResult", "PreCompact"}, to: says,
		reason: "it happens only inside a turn"},
	{name: "hook-stop", source: api.SourceHook, names: []string{"Stop"}, to: says,
		reason: "the turn is over; the agent is at its prompt"},
	{name: "hook-stop-failure", source: api.SourceHook, names: []string{"StopFailure"}, to: says,
		reason: "the turn failed; the agent is at its prompt"},
	{name: "hook-compacted", source: api.SourceHook, names: []string{"PostCompact"}, to: says,
		reason: "/compact ends without a Stop; an automatic compaction is inside a turn"},
	{name: "hook-other", source: api.SourceHook, to: keep, tell: true,
		reason: "this hook says nothing about the state"},

	// The program status, OSC 7501.
	{name: "psp-background", source: api.SourcePSP, fields: map[string]string{"id": "*"}, to: keep,
		reason: "a named background activity is not the agent's turn"},
	{name: "psp-idle", source: api.SourcePSP, fields: map[string]string{"state": "idle"}, to: api.StateIdle,
		reason: "the agent reports that it is at its prompt"},
	{name: "psp-done", source: api.SourcePSP, fields: map[string]string{"state": "done"}, to: api.StateIdle,
		reason: "the agent reports that its turn is done"},
	{name: "psp-working", source: api.SourcePSP, fields: map[string]string{"state": "working"}, to: api.StateWorking,
		reason: "the agent reports that it works"},
	{name: "psp-permission", source: api.SourcePSP, fields: map[string]string{"state": "blocked", "kind": "permission"}, to: api.StatePermission,
		reason: "the agent reports a dialog for permission"},
	{name: "psp-question", source: api.SourcePSP, fields: map[string]string{"state": "blocked", "kind": "question"}, to: api.StateInput,
		reason: "the agent reports a question"},
	{name: "psp-dialog-known", source: api.SourcePSP, fields: map[string]string{"state": "blocked"}, from: waiting, to: keep,
		reason: "it reports a dialog, of which more is known already"},
	{name: "psp-dialog", source: api.SourcePSP, fields: map[string]string{"state": "blocked"}, to: api.StateInput,
		reason: "the agent reports a dialog without saying for what"},
	{name: "psp-error", source: api.SourcePSP, fields: map[string]string{"state": "error"}, to: api.StateIdle,
		reason: "the agent reports that its turn failed"},
	{name: "psp-other", source: api.SourcePSP, to: keep, tell: true,
		reason: "this status says nothing about the turn (clear also comes after the trust dialog)"},

	// Everything else.
	{name: "says-nothing", to: keep, reason: "it says nothing about the state"},
}

// changes says what would change the state, for people.
func (f Fold) changes() []string {
	switch f.State {
	case api.StateStarting:
		return []string{"SessionStart or status idle: idle", "a dialog before the first prompt: waiting", "the end of the process: exited"}
	case api.StateIdle:
		if !f.Managed {
			return []string{"the end of the process: exited", "a program status (OSC 7501): what it says"}
		}
		return []string{"a prompt (UserPromptSubmit) or status working: working", "a question or dialog: waiting", "the end of the process: exited"}
	case api.StateWorking:
		return []string{"Stop, or status idle or done: idle", "PermissionRequest or Elicitation: waiting", "the end of the process: exited"}
	case api.StateInput, api.StatePermission:
		return []string{"an answer in the pane (PostToolUse, or status working): working", "Stop, or status idle: idle", "the end of the process: exited"}
	case api.StateExiting:
		return []string{"the end of the process: exited", "the end of its grace: it is killed"}
	default:
		return []string{"a restart: starting"}
	}
}
