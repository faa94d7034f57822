package state

import (
	"time"

	"ccdir/api"
)

// The times of the rules. Those that measure an agent are as seen with Claude Code 2.1.294 to
// 2.1.329 on a busy machine, plus a margin.
const (
	// Between turns: how long rest or work must last to be believed.
	reportTime    = 250 * time.Millisecond // a background task's report starts a turn 0.2 s after the end of the last one
	agentsTime    = time.Second            // a subagent's report starts a turn within this time
	queueTime     = 500 * time.Millisecond // the turn of a queued prompt shows signs of life within this time
	stopTime      = 2 * time.Second        // the user's own hooks at the end of a turn, which may continue it, seldom take longer
	startTime     = 100 * time.Millisecond // Codex 0.169 reports work for 5 to 20 ms, on a busy machine 60, at its start
	startWindow   = 400 * time.Millisecond // within this time after it is first at its prompt
	glyphWorking  = 100 * time.Millisecond // after the last turn the title shows the glyph of work for 30 ms
	glyphIdle     = 150 * time.Millisecond // between queued turns the title shows the glyph of rest for 40 to 60 ms
	glyphAtPrompt = 500 * time.Millisecond // the glyph of work was seen up to 290 ms after the end of a turn
	fileIdle      = 150 * time.Millisecond // between queued turns the session file says idle for 20 to 110 ms
	fileBusy      = 300 * time.Millisecond // the session file is written up to 500 ms late
	switchTime    = 2 * time.Second        // another conversation passes through working within this time
	switchGrace   = 4 * time.Second        // it begins, by a hook, within this time (1.5 s seen on an overloaded machine)
	leavingTime   = 10 * time.Second       // an agent ends within this time after it has said so

	// Dialogs and keys.
	KeyTime      = 1500 * time.Millisecond // other evidence of what a key did comes within this time
	answerTime   = 2 * time.Second         // a dialog answered from outside closes within this time
	glyphDialog  = 600 * time.Millisecond  // the glyph of rest appears up to 130 ms before the hook of a tool's dialog
	promptGap    = 500 * time.Millisecond  // nobody closes a dialog and gives a prompt so soon after it opened; a queued prompt's hook may start as late as this
	parallelTime = time.Second             // calls of one message begin together; after a dialog that no hook closes a person and the model answer before the next call
	dialogSlack  = 2 * time.Second         // how much before its hook the program status may report a dialog: both begin when it opens
	screenFirst  = 250 * time.Millisecond  // better evidence of a dialog than the screen comes within this time
	screenMoving = 500 * time.Millisecond  // a screen that keeps changing is read every 400 ms, and must show the same twice

	// Reports that hold until the next one: how long one must contradict the state to win,
	// longer than the lag of the report that would confirm the state.
	standsIdle        = 2 * time.Second // the status of a prompt follows its hook within 140 ms, the session file within 500; on a busy machine a second
	standsWorking     = time.Second     // a late end of a turn makes the session idle while work is reported; the report that it ended follows at once
	standsWorkingFile = 2 * time.Second // the same if only title and session file report
	standsDialog      = 5 * time.Second // the agent reports a hook's dialog within 100 ms, and taking it for closed would drop its request
	fileAgainstStatus = 2 * time.Second // the session file lags behind the program status

	// Two hook processes race, and a spooled call arrives after a live one. Older evidence
	// than this is taken as it comes: the clock was set back, and ignoring it would freeze the
	// state.
	lateWindow = 30 * time.Second

	// Permission requests.
	nextDialogTime = 500 * time.Millisecond                     // between the end of one dialog and the report of the next
	hangUpTime     = 5 * time.Second                            // far more than a hook process takes to dial again (250 ms)
	HoldTime       = api.HookTimeoutPermission - 30*time.Second // less than what the hook process waits for, so that the end is always reported
)
