package state

import (
	"time"

	"ccdir/api"
)

// Durations of the table, as seen with Claude Code 2.1.294 to 2.1.329 on a busy machine,
// plus a margin.
const (
	// reportTime: a background task's report starts a turn 0.2 s after Stop.
	reportTime = 250 * time.Millisecond
	// glyphWorking and glyphIdle: between queued turns the title shows the idle glyph for
	// 40 to 60 ms, after the last one the working glyph for 30 ms.
	glyphWorking = 100 * time.Millisecond
	glyphIdle    = 150 * time.Millisecond
	// glyphAtPrompt: the working glyph was seen up to 290 ms after Stop.
	glyphAtPrompt = 500 * time.Millisecond
	// glyphDialog: the idle glyph appears up to 130 ms before the hook of a tool's dialog.
	glyphDialog = 600 * time.Millisecond
	// fileIdle: between queued turns the session file says idle for 20 to 110 ms. fileBusy:
	// the file is written up to 500 ms late.
	fileIdle = 150 * time.Millisecond
	fileBusy = 300 * time.Millisecond
	// fileAgainstStatus is how long the file must contradict the program status to win.
	fileAgainstStatus = 2 * time.Second
	// stopTime is how long a Stop waits while title or session file show work: the user's
	// own Stop hooks seldom take longer.
	stopTime = 2 * time.Second
	// queueTime: the turn of a queued prompt shows signs of life within this time.
	queueTime = 500 * time.Millisecond
	// switchTime: /clear and /resume pass through working within this time. switchGrace:
	// the next conversation begins, by a hook, within this time (1.5 s seen on an
	// overloaded machine).
	switchTime  = 2 * time.Second
	switchGrace = 4 * time.Second
	// KeyTime: other evidence of what a key did comes within this time.
	KeyTime = 1500 * time.Millisecond
	// answerTime: a dialog answered from outside closes within this time.
	answerTime = 2 * time.Second
	// agentsTime: a subagent's report starts a turn within this time.
	agentsTime = time.Second
	// screenMoving is how long a screen that keeps changing must show the same (it is read
	// every 400 ms). screenFirst: better evidence of a dialog comes within this time.
	screenMoving = 500 * time.Millisecond
	screenFirst  = 250 * time.Millisecond
	// leavingTime: an agent ends within this time after its SessionEnd.
	leavingTime = 10 * time.Second
)

func after(d time.Duration) func(*Fold, *api.Evidence) time.Duration {
	return func(*Fold, *api.Evidence) time.Duration { return d }
}

// toIdle waits while signs of rest may flicker between turns; not at all if a key has just
// interrupted the turn and nothing was queued.
func toIdle(without, with time.Duration) func(*Fold, *api.Evidence) time.Duration {
	return func(f *Fold, e *api.Evidence) time.Duration {
		switch {
		case f.Status != "":
			return with
		case f.Pending != nil && f.Pending.Rule == "hook-stop" && !f.Pending.Evidence.At.After(e.At) && f.Pending.Evidence.Fields["background_tasks"] == "":
			return 0 // both agree
		case !f.Interrupted.IsZero() && e.At.Sub(f.Interrupted) < KeyTime:
			return 0
		}
		return without
	}
}

// toWorking waits longer at the prompt: hooks report turns that begin there, and a sign of
// work may outlast Stop or come with /clear.
func toWorking(f *Fold, e *api.Evidence) time.Duration {
	if f.State == api.StateIdle {
		return atPrompt(f, e)
	}
	return glyphWorking
}

// atPrompt is how long a sign of work at the prompt is not believed: longer while another
// conversation may be about to begin.
func atPrompt(f *Fold, e *api.Evidence) time.Duration {
	if e.At.Sub(f.Switching) < switchTime {
		return switchTime
	}
	return glyphAtPrompt
}

// busyWait waits for the session file's busy: it is late, and also written for /clear and
// the like.
func busyWait(f *Fold, e *api.Evidence) time.Duration {
	switch {
	case f.Status != "":
		return fileAgainstStatus
	case f.State == api.StateIdle:
		return atPrompt(f, e)
	}
	return fileBusy
}

// screenWait waits for the screen to stand still, and for better evidence.
func screenWait(f *Fold, e *api.Evidence) time.Duration {
	switch {
	case e.Fields["moving"] != "":
		return screenMoving
	case f.Managed && !byScreen(f, e):
		return screenFirst
	}
	return 0
}

// stopWait believes Stop, without a program status, once title or session file show rest
// too, if they have shown work: the user's own hook may continue the turn. Their order is
// chance.
func stopWait(f *Fold, e *api.Evidence) time.Duration {
	owed := reportOwed(f, e)
	rests := f.Pending != nil && f.Pending.State == api.StateIdle && weak(f.Pending.Evidence.Source)
	if owed > 0 || f.Status != "" || rests || !f.AtWork || f.State != api.StateWorking {
		return owed
	}
	return stopTime
}

// compactWait is stopWait after a compaction: a prompt queued meanwhile is reported when
// its turn begins.
func compactWait(f *Fold, e *api.Evidence) time.Duration {
	if e.Says != api.StateIdle {
		return 0
	}
	return stopWait(f, e)
}

// queueWait waits for the queued prompt's turn, longer while title or session file show
// work.
func queueWait(f *Fold, _ *api.Evidence) time.Duration {
	if f.Status == "" && f.AtWork {
		return stopTime
	}
	return queueTime
}

// reportOwed is the wait for a background activity that has ended, or may be ending: its
// report starts the next turn.
func reportOwed(f *Fold, e *api.Evidence) time.Duration {
	if f.Owed > 0 || e.Fields["background_tasks"] != "" {
		return reportTime
	}
	return 0
}
