package state

import (
	"regexp"

	"ccdir/agents"
	"ccdir/api"
)

// ended are the states without a process, waiting the states that need a person.
var (
	ended   = []api.State{api.StateExited, api.StateLost, api.StateParked}
	waiting = []api.State{api.StateInput, api.StatePermission}
)

// asks: the tool is a question to the person.
func asks(_ *Fold, e *api.Evidence) bool { return e.Says == api.StateInput }

// parking: its process is being ended to be parked, and nobody has asked it to end.
func parking(f *Fold, _ *api.Evidence) bool { return f.Parking && !f.Killed }

// silent: the agent reports no program status.
func silent(f *Fold, _ *api.Evidence) bool { return f.Status == "" }

// speaks: the agent reports a program status.
func speaks(f *Fold, _ *api.Evidence) bool { return f.Status != "" }

// blind: the agent has neither program status nor session file.
func blind(f *Fold, _ *api.Evidence) bool { return f.Status == "" && f.File == "" }

// stillRunning matches the message of a program status that says working after the end of
// the turn, because a shell or the like goes on in the background.
var stillRunning = regexp.MustCompile(`^[0-9]+ [^:]{1,60} still running$`)

// otherTool: the hook is about another tool or agent than the open dialogs.
func otherTool(f *Fold, e *api.Evidence) bool {
	if len(f.Dialogs) > 0 {
		return len(f.openDialogs(e)) == len(f.Dialogs)
	}
	if f.Winner == nil || f.Winner.Source != api.SourceHook {
		return false
	}
	asks := f.Winner.Fields
	return asks["agent_id"] != e.Fields["agent_id"] || asks["tool"] != "" && asks["tool"] != e.Fields["tool"]
}

var (
	toolReports = []api.EventKind{api.KindToolBegins, api.KindToolEnds, api.KindToolFails, api.KindToolRefused}
	interrupts  = map[string]bool{"Escape": true, "C-c": true}
	dialogKeys  = regexp.MustCompile(`^([0-9]|Enter)$`)
	busyOrAsks  = []api.State{api.StateWorking, api.StateInput, api.StatePermission}
	betweenTurn = []api.State{api.StateStarting, api.StateIdle, api.StateWorking}
)

// rules is the table, in order of precedence: process facts before reports of the agent,
// explicit reports before general ones.
var rules = []rule{
	// The process.
	{name: "exit-parked", source: api.SourceProcess, names: []string{EvidenceExit}, from: []api.State{api.StateStarting, api.StateIdle,
		api.StateWorking, api.StateInput, api.StatePermission, api.StateExiting}, cond: parking, to: api.StateParked,
		reason: "ccdir has ended its process to free its memory; it is started again in its conversation when it is needed"},
	{name: "exit", source: api.SourceProcess, names: []string{EvidenceExit}, from: []api.State{api.StateStarting, api.StateIdle,
		api.StateWorking, api.StateInput, api.StatePermission, api.StateExiting}, to: api.StateExited,
		reason: "the process has ended; only a restart begins again"},
	{name: "exit-after-lost", source: api.SourceProcess, names: []string{EvidenceExit}, from: []api.State{api.StateLost}, to: api.StateExited,
		reason: "how it ended was found out after its host had been lost"},
	{name: "started-command", source: api.SourceProcess, names: []string{EvidenceStarted},
		cond: func(f *Fold, _ *api.Evidence) bool { return !f.Managed }, to: api.StateIdle,
		reason: "a command without hooks takes input as soon as it runs"},
	{name: "started", source: api.SourceProcess, names: []string{EvidenceStarted}, to: api.StateStarting,
		reason: "an agent is starting until it says that it takes input"},
	{name: "kill-parked", source: api.SourceDelivery, names: []string{EvidenceKill}, from: []api.State{api.StateParked}, to: api.StateExited,
		reason: "it was asked to end, and was parked: no process ran"},
	{name: "ended", from: ended, to: keep,
		reason: "the process has ended; later evidence changes nothing"},
	{name: "lost", source: api.SourceProcess, names: []string{EvidenceLost}, to: api.StateLost,
		reason: "its host died, and with it the terminal"},

	// Ending.
	{name: "kill", source: api.SourceDelivery, names: []string{EvidenceKill}, to: api.StateExiting,
		reason: "it was asked to end"},
	{name: "park", source: api.SourceDelivery, names: []string{EvidencePark}, from: []api.State{api.StateIdle}, to: api.StateExiting,
		reason: "it is at rest, and ccdir ends its process to free its memory"},
	{name: "park-late", source: api.SourceDelivery, names: []string{EvidenceParkOff}, fields: map[string]string{FieldSignalled: "*"}, from: []api.State{api.StateExiting}, cond: parking, to: api.StateIdle,
		reason: "it was to be parked, and its process has not ended in time; if it still does, it is parked"},
	{name: "park-off", source: api.SourceDelivery, names: []string{EvidenceParkOff}, from: []api.State{api.StateExiting}, cond: parking, to: api.StateIdle,
		reason: "it was to be parked, and its process goes on"},
	{name: "parking-stays", from: []api.State{api.StateExiting}, cond: parking, to: keep,
		reason: "its process is being ended to be parked; what it says on the way out does not matter"},
	{name: "exiting-stays", cond: func(f *Fold, _ *api.Evidence) bool { return f.Killed }, to: keep,
		reason: "it was asked to end; what it says on the way out does not matter"},

	// Requests that are held in ccdir.
	{name: "request-opened", source: api.SourceDelivery, names: []string{EvidenceRequestOpened}, from: betweenTurn,
		cond: func(f *Fold, e *api.Evidence) bool { return !openedLate(f, e) }, to: next,
		reason: "a request is open, and its hook waits for the answer"},
	{name: "request-opened-known", source: api.SourceDelivery, names: []string{EvidenceRequestOpened}, to: keep,
		reason: "its dialog is known already"},

	// Several open dialogs.
	{name: "dialog-next", from: waiting, cond: dialogsLeft, to: next,
		reason: "one dialog is closed, and the agent shows the next: another of its agents asks too"},

	{name: "dialog-in-background", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds, api.KindTurnFails, api.KindPrompt, api.KindReport}, from: waiting,
		cond: func(f *Fold, e *api.Evidence) bool { return len(f.openDialogs(e)) > 0 }, to: keep,
		reason: "the conversation goes on or ends its turn, and the dialog of an agent in the background stays open"},

	// Answers from outside the pane.
	{name: "request-closed", source: api.SourceDelivery, names: []string{EvidenceRequestEnded}, fields: map[string]string{"outcome": string(api.OutcomeElsewhere)},
		from: waiting, cond: lastClosed, to: api.StateWorking,
		reason: "the dialog was closed without an answer to its request"},
	{name: "permission-answered", source: api.SourceDelivery, names: []string{EvidenceRequestEnded}, from: waiting, to: says,
		reason: "the request was answered; the dialog is closing and the turn goes on"},
	{name: "permission-ended", source: api.SourceDelivery, names: []string{EvidenceRequestEnded}, to: keep,
		reason: "the request ended, and the session waits for nothing any more"},

	{name: "asks-person", source: api.SourceDelivery, names: []string{EvidenceAsksPerson}, from: betweenTurn, to: says,
		reason: "the agent asks the person by a tool of ccdir's; nothing else reports that"},
	{name: "asks-person-too", source: api.SourceDelivery, names: []string{EvidenceAsksPerson}, to: keep,
		reason: "it waits for the person already"},

	// Order.
	{name: "late", cond: late, to: keep,
		reason: "it happened before the evidence in force, and arrived after it"},

	// Held requests of agents in the background, which only the table of requests knows.
	{name: "request-held-next", from: waiting, cond: func(f *Fold, e *api.Evidence) bool { return forgetsHeld(f, e) && !byDialog(f) }, to: next,
		reason: "that dialog is closed, and the request of an agent in the background is open"},
	{name: "request-held", from: waiting, cond: forgetsHeld, to: keep,
		reason: "the request of an agent in the background is open; its dialog is not shown while ccdir holds it"},

	// Hooks about a conversation, not a turn.
	{name: "hook-session-start", source: api.SourceHook, kinds: []api.EventKind{api.KindConversationBegins}, to: says,
		reason: "a conversation begins at the prompt (after a compaction the turn goes on)"},
	{name: "hook-session-end", source: api.SourceHook, kinds: []api.EventKind{api.KindConversationEnds}, to: says,
		reason: "the process ends with its conversation, unless another one follows (clear, resume)"},

	// Hooks that ask a person.
	{name: "hook-permission-queued", source: api.SourceHook, kinds: []api.EventKind{api.KindDialog}, from: waiting,
		cond: func(f *Fold, _ *api.Evidence) bool { return len(f.Dialogs) > 0 }, to: keep,
		reason: "another dialog is open; the agent shows this one after it"},
	{name: "hook-permission", source: api.SourceHook, kinds: []api.EventKind{api.KindDialog}, to: says,
		reason: "a dialog is open in the pane: for permission, or a question if the tool is one"},
	{name: "hook-elicitation", source: api.SourceHook, kinds: []api.EventKind{api.KindQuestion}, to: says,
		reason: "a server asks the person something"},
	{name: "hook-reminder", source: api.SourceHook, kinds: []api.EventKind{api.KindReminder},
		cond: func(_ *Fold, e *api.Evidence) bool { return e.Says == api.StatePermission }, from: waiting, to: keep,
		reason: "it reminds of a dialog that is known already"},
	{name: "hook-notification", source: api.SourceHook, kinds: []api.EventKind{api.KindReminder}, to: says,
		reason: "the agent notified the person of what it waits for"},

	// Hooks inside turns.
	{name: "dialog-still-open", source: api.SourceHook, kinds: toolReports, from: waiting,
		cond: func(f *Fold, _ *api.Evidence) bool { return f.Status == "blocked" }, to: keep,
		reason: "the agent still reports a dialog: this tool ran beside it"},
	{name: "dialog-of-another", source: api.SourceHook, kinds: toolReports, from: waiting, cond: otherTool, to: keep,
		reason: "another tool than the one that asks ran beside the dialog"},
	{name: "hook-question-status", source: api.SourceHook, kinds: []api.EventKind{api.KindToolBegins},
		from: betweenTurn, cond: func(f *Fold, e *api.Evidence) bool { return asks(f, e) && speaks(f, e) }, to: api.StateWorking,
		reason: "a question comes; its request and the program status report when its dialog is open"},
	{name: "hook-question", source: api.SourceHook, kinds: []api.EventKind{api.KindToolBegins},
		cond: asks, to: says,
		reason: "the tool is a question to the person"},
	{name: "hook-working", source: api.SourceHook, kinds: []api.EventKind{api.KindPrompt, api.KindReport, api.KindCommand,
		api.KindToolBegins, api.KindToolEnds, api.KindToolFails, api.KindToolRefused, api.KindQuestionEnds, api.KindCompactionBegins}, to: says,
		reason: "it happens only inside a turn"},
	{name: "hook-stop-continued", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds}, fields: map[string]string{FieldContinued: "*"},
		to: api.StateWorking, reason: "the answer to the hook has the agent go on: it has messages"},
	{name: "hook-stop-agents", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds}, fields: map[string]string{"background_agents": "*"},
		from: betweenTurn, cond: func(f *Fold, e *api.Evidence) bool { return !finished(f) }, to: api.StateWorking,
		reason: "subagents go on in the background; their report starts the next turn"},
	{name: "hook-stop-status", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds, api.KindTurnFails}, from: busyOrAsks,
		cond: func(f *Fold, _ *api.Evidence) bool { return f.Status == "working" || f.Status == "blocked" }, to: keep, tell: true,
		reason: "the program status will say whether the turn is over, or a hook or a queued prompt continues it"},
	{name: "hook-stop-dialog", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds}, fields: map[string]string{"background_agents": "*"}, from: waiting,
		cond: func(f *Fold, e *api.Evidence) bool { return silent(f, e) && f.File == "waiting" }, to: keep, tell: true,
		reason: "subagents go on in the background, and the session file reports a dialog of theirs"},
	{name: "hook-stop-queued", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds, api.KindTurnFails},
		cond: func(f *Fold, _ *api.Evidence) bool { return f.Queued > 0 }, wait: forQueued, to: says,
		reason: "the turn is over, and nothing is seen of the queued prompt's turn"},
	{name: "hook-stop", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnEnds}, wait: forEnd, to: says,
		reason: "the turn is over; the agent is at its prompt"},
	{name: "hook-subagent-stop", source: api.SourceHook, kinds: []api.EventKind{api.KindSubagentEnds}, from: []api.State{api.StateWorking},
		cond: func(f *Fold, e *api.Evidence) bool { return f.Agents > 0 && !f.Turn && silent(f, e) }, wait: after(agentsTime), to: api.StateIdle,
		reason: "the subagents that the session waited for have ended, and no report starts a turn"},
	{name: "hook-stop-failure", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnFails}, to: says,
		reason: "the turn failed; the agent is at its prompt"},
	{name: "hook-interrupted-status", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnInterrupted}, from: busyOrAsks,
		cond: func(f *Fold, _ *api.Evidence) bool { return f.Status == "working" || f.Status == "blocked" }, to: keep, tell: true,
		reason: "the program status will say when the agent is at its prompt: before that it loses what is typed"},
	{name: "hook-interrupted", source: api.SourceHook, kinds: []api.EventKind{api.KindTurnInterrupted}, to: api.StateIdle,
		reason: "the person interrupted the turn; the agent is at its prompt"},
	{name: "hook-compacted-status", source: api.SourceHook, kinds: []api.EventKind{api.KindCompactionEnds}, from: busyOrAsks,
		cond: func(f *Fold, e *api.Evidence) bool { return e.Says == api.StateIdle && f.Status == "working" }, to: keep, tell: true,
		reason: "the program status will say whether a prompt that was queued meanwhile goes on"},
	{name: "hook-compacted", source: api.SourceHook, kinds: []api.EventKind{api.KindCompactionEnds}, wait: forCompaction, to: says,
		reason: "a compaction by hand is no turn; an automatic one is inside a turn"},
	{name: "hook-other", source: api.SourceHook, to: keep, tell: true,
		reason: "this hook says nothing about the state"},

	// The program status, OSC 7501.
	{name: "psp-background", source: api.SourcePSP, fields: map[string]string{"id": "*"}, to: keep,
		reason: "a named background activity is not the agent's turn"},
	{name: "psp-idle", source: api.SourcePSP, fields: map[string]string{"state": "idle"}, to: api.StateIdle,
		reason: "the agent reports that it is at its prompt"},
	{name: "psp-done", source: api.SourcePSP, fields: map[string]string{"state": "done"}, wait: forReport, to: api.StateIdle,
		reason: "the agent reports that its turn is done"},
	{name: "psp-leftover", source: api.SourcePSP, fields: map[string]string{"state": "working"},
		cond: func(_ *Fold, e *api.Evidence) bool { return stillRunning.MatchString(e.Fields["msg"]) }, to: api.StateIdle,
		reason: "the turn is over; only what was left in the background still runs"},
	{name: "psp-switching", source: api.SourcePSP, fields: map[string]string{"state": "working"}, from: []api.State{api.StateIdle},
		cond: func(f *Fold, e *api.Evidence) bool { return e.At.Sub(f.Switching) < switchTime }, wait: after(switchGrace), to: api.StateWorking,
		reason: "/clear and /resume pass briefly through working"},
	{name: "psp-starting", source: api.SourcePSP, fields: map[string]string{"state": "working"}, from: []api.State{api.StateIdle},
		cond: func(f *Fold, e *api.Evidence) bool {
			return f.Managed && !f.Hooked && e.At.Sub(f.Since) < startWindow
		}, wait: after(startTime), to: api.StateWorking,
		reason: "before its first hook an agent passes briefly through working"},
	{name: "psp-dialog-hidden", source: api.SourcePSP, fields: map[string]string{"state": "working"}, from: waiting,
		cond: unshown, to: keep,
		reason: "the agent has not shown the dialog yet, or does not show it because its agent in the background asks"},
	{name: "psp-working", source: api.SourcePSP, fields: map[string]string{"state": "working"}, to: api.StateWorking,
		reason: "the agent reports that it works"},
	{name: "psp-permission", source: api.SourcePSP, fields: map[string]string{"state": "blocked", "kind": "permission"}, to: api.StatePermission,
		reason: "the agent reports a dialog for permission"},
	{name: "psp-question", source: api.SourcePSP, fields: map[string]string{"state": "blocked", "kind": "question"}, to: api.StateInput,
		reason: "the agent reports a question"},
	{name: "psp-dialog-known", source: api.SourcePSP, fields: map[string]string{"state": "blocked"}, from: waiting, to: keep,
		reason: "it reports a dialog that is known in more detail"},
	{name: "psp-dialog", source: api.SourcePSP, fields: map[string]string{"state": "blocked"}, to: api.StateInput,
		reason: "the agent reports a dialog without saying for what"},
	{name: "psp-error", source: api.SourcePSP, fields: map[string]string{"state": "error"}, to: api.StateIdle,
		reason: "the agent reports that its turn failed"},
	{name: "psp-clear-start", source: api.SourcePSP, fields: map[string]string{"state": "clear"}, from: waiting,
		cond: func(f *Fold, _ *api.Evidence) bool { return f.Managed && !f.Begun }, to: api.StateStarting,
		reason: "the dialog before the first prompt is closed; the agent goes on starting"},
	{name: "psp-clear-command", source: api.SourcePSP, fields: map[string]string{"state": "clear"}, from: []api.State{api.StateWorking, api.StateInput, api.StatePermission},
		cond: func(f *Fold, _ *api.Evidence) bool { return !f.Managed }, to: api.StateIdle,
		reason: "a program that reports its status has ended, and left the terminal to the command that started it"},
	{name: "psp-other", source: api.SourcePSP, to: keep, tell: true,
		reason: "this status says nothing about the turn (clear also comes after the trust dialog)"},

	// The agent's own session file: late and flickering, but for some dialogs the only
	// report.
	{name: "file-dialog-next", source: api.SourceFile, fields: map[string]string{"status": "waiting"}, from: waiting,
		cond: func(f *Fold, e *api.Evidence) bool { return silent(f, e) && byFile(f, e) }, to: says,
		reason: "after one dialog that only the agent's session file reports, another one is open"},
	{name: "file-dialog-known", source: api.SourceFile, fields: map[string]string{"status": "waiting"}, from: waiting, to: keep,
		reason: "it reports a dialog that is known already"},
	{name: "file-panel", source: api.SourceFile, fields: map[string]string{"status": "waiting", "waiting_for": PanelOpen}, from: betweenTurn,
		cond: func(f *Fold, _ *api.Evidence) bool { return f.Status != "working" || f.Leftover }, to: api.StateInput,
		reason: "a panel or dialog is open that only the agent's session file reports"},
	{name: "file-waiting", source: api.SourceFile, fields: map[string]string{"status": "waiting"}, cond: silent, to: says,
		reason: "the agent's session file reports a dialog"},
	{name: "file-panel-closed-working", source: api.SourceFile, fields: map[string]string{"status": "*"}, from: waiting,
		cond: func(f *Fold, _ *api.Evidence) bool { return byFile(f, nil) && f.Status == "working" && !f.Leftover }, to: api.StateWorking,
		reason: "the panel is closed, and the turn goes on"},
	{name: "file-panel-closed", source: api.SourceFile, fields: map[string]string{"status": "*"}, from: waiting, cond: byFile, to: says,
		reason: "the panel or dialog is closed"},
	{name: "file-busy", source: api.SourceFile, fields: map[string]string{"status": "busy"}, from: []api.State{api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission},
		wait: forFile, to: api.StateWorking,
		reason: "the agent's session file says busy, and nothing else speaks against it"},
	{name: "file-shell", source: api.SourceFile, fields: map[string]string{"status": "shell"}, from: busyOrAsks, wait: forRest(fileIdle, fileAgainstStatus), to: api.StateIdle,
		reason: "the agent's session file says that only a shell runs in the background"},
	{name: "file-idle", source: api.SourceFile, fields: map[string]string{"status": "idle"}, from: []api.State{api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission},
		wait: forRest(fileIdle, fileAgainstStatus), to: api.StateIdle,
		reason: "the agent's session file says idle, and nothing else speaks against it"},
	{name: "file-ready", source: api.SourceFile, fields: map[string]string{"status": "idle"}, from: []api.State{api.StateStarting}, cond: silent,
		wait: after(fileIdle), to: api.StateIdle,
		reason: "the agent's session file says idle: it takes input"},

	// The glyph in the title, of agents without a program status.
	{name: "title-known", source: api.SourceTitle, cond: speaks, to: keep,
		reason: "the program status is better evidence than the title"},
	{name: "title-works-on", source: api.SourceTitle, from: waiting,
		cond: func(f *Fold, e *api.Evidence) bool { return e.Says == api.StateWorking && f.TitleWork }, to: keep,
		reason: "the title has shown work since before the dialog, without a pause"},
	{name: "title-working", source: api.SourceTitle, cond: func(_ *Fold, e *api.Evidence) bool { return e.Says == api.StateWorking },
		from: []api.State{api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission}, wait: forWork, to: says,
		reason: "the title shows the sign of work"},
	{name: "title-dialog", source: api.SourceTitle, from: []api.State{api.StateWorking},
		cond: func(f *Fold, e *api.Evidence) bool { return e.Says == api.StateIdle && f.Tool != "" }, wait: forRest(glyphDialog, 0), to: says,
		reason: "the title shows the sign of rest, and no dialog was reported"},
	{name: "title-idle", source: api.SourceTitle, cond: func(_ *Fold, e *api.Evidence) bool { return e.Says == api.StateIdle },
		from: []api.State{api.StateIdle, api.StateWorking}, wait: forRest(glyphIdle, 0), to: says,
		reason: "the title shows the sign of rest"},

	// Keys are only hints: Esc with a prompt queued runs that prompt.
	{name: "key-interrupt", source: api.SourceKeys, from: busyOrAsks,
		cond: func(f *Fold, e *api.Evidence) bool { return blind(f, e) && f.Managed && interrupts[e.Fields["keys"]] }, wait: after(KeyTime), to: api.StateIdle,
		reason: "it was interrupted by a key, and no evidence came since"},
	{name: "key-answer", source: api.SourceKeys, from: waiting,
		cond: func(f *Fold, e *api.Evidence) bool {
			return blind(f, e) && f.Managed && dialogKeys.MatchString(e.Fields["keys"])
		}, wait: after(KeyTime), to: api.StateWorking,
		reason: "the dialog was answered by a key, and no evidence came since"},
	{name: "key-hint", source: api.SourceKeys, from: busyOrAsks,
		cond: func(_ *Fold, e *api.Evidence) bool {
			return interrupts[e.Fields["keys"]] || dialogKeys.MatchString(e.Fields["keys"])
		}, to: keep, tell: true,
		reason: "a key is a hint only; better evidence says what came of it"},

	// The turn as the screen shows it, where every other report would be late.
	{name: ruleInterruptShown, source: api.SourceScreen, names: []string{agents.EvidenceTurn}, fields: map[string]string{"sign": string(agents.TurnInterrupted)},
		from: busyOrAsks, cond: interruptShown, to: api.StateIdle,
		reason: "a key was pressed, and the screen shows since that the turn was interrupted, and the input line without a sign of work"},
	{name: "screen-goes-on", source: api.SourceScreen, names: []string{agents.EvidenceTurn}, fields: map[string]string{"sign": string(agents.TurnWork)},
		from: waiting, cond: dialogGone, to: api.StateWorking,
		reason: "where the screen showed the dialog it shows the input line and the sign of work"},
	{name: "screen-turn", source: api.SourceScreen, names: []string{agents.EvidenceTurn}, to: keep,
		reason: "the screen alone does not tell the state"},

	// Patterns on the screen, as a last resort.
	{name: "screen-known", source: api.SourceScreen, cond: func(f *Fold, _ *api.Evidence) bool { return !f.UsesScreen() }, to: keep,
		reason: "hooks or the program status are better evidence than the screen"},
	{name: "screen-gone", source: api.SourceScreen, from: waiting,
		cond: func(f *Fold, e *api.Evidence) bool { return f.Managed && e.Says == "" && byScreen(f, e) }, wait: forScreen, to: api.StateStarting,
		reason: "the screen does not show the dialog any more; the agent goes on starting"},
	{name: "screen", source: api.SourceScreen, wait: forScreen, to: says, reason: "the screen shows it, and there is no better evidence"},

	// Everything else.
	{name: "says-nothing", to: keep, reason: "it says nothing about the state"},
}

// byFile: the session file gave the state.
func byFile(f *Fold, _ *api.Evidence) bool {
	return f.Winner != nil && f.Winner.Source == api.SourceFile
}

// finished: the program status has ended the turn already.
func finished(f *Fold) bool { return f.Status == "done" || f.Status == "idle" }

// changes lists what would change the state, for people.
func (f Fold) changes() []string {
	var out []string
	if p := f.Pending; p != nil {
		out = append(out, "nothing until "+p.Due.Format("15:04:05.000")+": "+string(p.State)+" ("+p.Reason+")")
	}
	return append(out, f.mayChange()...)
}

// mayChange lists the evidence that would change the state.
func (f Fold) mayChange() []string {
	switch f.State {
	case api.StateStarting:
		return []string{"the begin of a conversation, or status idle: idle", "a dialog before the first prompt: waiting", "the end of the process: exited"}
	case api.StateIdle:
		if !f.Managed {
			return []string{"the end of the process: exited", "a program status (OSC 7501): what it says"}
		}
		return []string{"a prompt, or status working: working", "a question or dialog: waiting", "the end of the process: exited"}
	case api.StateWorking:
		if f.Status == "" && f.Managed {
			return []string{"the end of the turn, or rest in the title or in the session file: idle", "a dialog or question: waiting", "the end of the process: exited"}
		}
		return []string{"the end of the turn, or status idle or done: idle", "a dialog or question: waiting", "the end of the process: exited"}
	case api.StateInput, api.StatePermission:
		return f.whatEnds()
	case api.StateExiting:
		return []string{"the end of the process: exited", "the end of its grace: it is killed"}
	case api.StateParked:
		return []string{"whatever needs it, or `ccdir wake`: starting", "`ccdir kill`: exited"}
	default:
		return []string{"a restart: starting"}
	}
}

// byScreen: the screen gave the state.
func byScreen(f *Fold, _ *api.Evidence) bool {
	return f.Winner != nil && f.Winner.Source == api.SourceScreen
}
