package state

import (
	"time"

	"ccdir/api"
)

// Times of the table. Each is what was seen of Claude Code 2.1.294 to 2.1.329
// on a busy machine, with room.
const (
	// reportTime: a background task's report starts a turn 0.2 s after Stop.
	reportTime = 250 * time.Millisecond
	// glyphWorking and glyphIdle: between queued turns the title shows the idle
	// sign for 40 to 60 ms, after the last one the working sign for 30.
	glyphWorking = 100 * time.Millisecond
	glyphIdle    = 150 * time.Millisecond
	// glyphAtPrompt: after Stop it was seen to show the working sign for 290 ms.
	glyphAtPrompt = 500 * time.Millisecond
	// glyphDialog: the title shows the idle sign up to 130 ms before the hook
	// tells of the dialog that a tool opens.
	glyphDialog = 600 * time.Millisecond
	// fileIdle: between queued turns the session file says idle for 20 to 110
	// ms; fileBusy: it is written up to 500 ms late.
	fileIdle = 150 * time.Millisecond
	fileBusy = 300 * time.Millisecond
	// fileAgainstStatus is how long the file must contradict the program status
	// to be believed.
	fileAgainstStatus = 2 * time.Second
	// stopTime: how long a Stop is not believed while title or session file show
	// work: hooks of the user's at the end of a turn seldom take longer.
	stopTime = 2 * time.Second
	// queueTime: how soon a queued prompt's turn shows signs of life.
	queueTime = 500 * time.Millisecond
	// switchTime: how soon /clear and /resume pass through working, switchGrace how
	// long: until the next conversation begins, which a hook tells (1.5 s were seen on
	// a crowded machine).
	switchTime  = 2 * time.Second
	switchGrace = 4 * time.Second
	// KeyTime: how soon anything else than a key would have spoken.
	KeyTime = 1500 * time.Millisecond
	// answerTime: how soon a dialog closes that was answered from outside.
	answerTime = 2 * time.Second
	// agentsTime: how soon the report of a subagent starts a turn.
	agentsTime = time.Second
	// screenMoving is how long a screen that does not stand still must show the
	// same (it is looked at every 400 ms), screenFirst how soon better evidence of
	// a dialog would have come.
	screenMoving = 500 * time.Millisecond
	screenFirst  = 250 * time.Millisecond
	// leavingTime is how long an agent may take to end after its SessionEnd.
	leavingTime = 10 * time.Second
)

func after(d time.Duration) func(*Fold, *api.Evidence) time.Duration {
	return func(*Fold, *api.Evidence) time.Duration { return d }
}

// toIdle waits as long as signs of rest flicker between turns; not at all when
// a key has just interrupted the turn and nothing was queued.
func toIdle(without, with time.Duration) func(*Fold, *api.Evidence) time.Duration {
	return func(f *Fold, e *api.Evidence) time.Duration {
		switch {
		case f.Status != "":
			return with
		case f.Pending != nil && f.Pending.Rule == "hook-stop" && !f.Pending.Evidence.At.After(e.At) && f.Pending.Evidence.Fields["background_tasks"] == "":
			return 0 // both say so
		case !f.Interrupted.IsZero() && e.At.Sub(f.Interrupted) < KeyTime:
			return 0
		}
		return without
	}
}

// toWorking waits longer at the prompt: hooks tell of turns that begin there,
// and the sign of work may outlast Stop or come with /clear.
func toWorking(f *Fold, e *api.Evidence) time.Duration {
	if f.State == api.StateIdle {
		return atPrompt(f, e)
	}
	return glyphWorking
}

// atPrompt is how long a sign of work is not believed at the prompt: as long as
// another conversation may be about to begin there.
func atPrompt(f *Fold, e *api.Evidence) time.Duration {
	if e.At.Sub(f.Switching) < switchTime {
		return switchTime
	}
	return glyphAtPrompt
}

// busyWait waits for the session file's word of work: it comes late, and tells of
// /clear and the like too.
func busyWait(f *Fold, e *api.Evidence) time.Duration {
	switch {
	case f.Status != "":
		return fileAgainstStatus
	case f.State == api.StateIdle:
		return atPrompt(f, e)
	}
	return fileBusy
}

// screenWait waits for a screen to stand still, and for better evidence.
func screenWait(f *Fold, e *api.Evidence) time.Duration {
	switch {
	case e.Fields["moving"] != "":
		return screenMoving
	case f.Managed && !byScreen(f, e):
		return screenFirst
	}
	return 0
}

// stopWait: without a program status, Stop is believed when title or session file
// show rest too, where they have shown work: a hook of the user's may go on with
// the turn. Which of the two comes first is chance.
func stopWait(f *Fold, e *api.Evidence) time.Duration {
	owed := reportOwed(f, e)
	rests := f.Pending != nil && f.Pending.State == api.StateIdle && weak(f.Pending.Evidence.Source)
	if owed > 0 || f.Status != "" || rests || !f.AtWork || f.State != api.StateWorking {
		return owed
	}
	return stopTime
}

// compactWait is stopWait behind a compaction: a prompt that was queued meanwhile is
// told of when its turn begins.
func compactWait(f *Fold, e *api.Evidence) time.Duration {
	if e.Says != api.StateIdle {
		return 0
	}
	return stopWait(f, e)
}

// queueWait waits for signs of the queued prompt's turn, as long as work is shown
// for an end of it.
func queueWait(f *Fold, _ *api.Evidence) time.Duration {
	if f.Status == "" && f.AtWork {
		return stopTime
	}
	return queueTime
}

// reportOwed: a background activity has ended, or may be ending, whose report
// starts the next turn.
func reportOwed(f *Fold, e *api.Evidence) time.Duration {
	if f.Owed > 0 || e.Fields["background_tasks"] != "" {
		return reportTime
	}
	return 0
}
