package state

import (
	"time"

	"ccdir/api"
)

// Kinds of waiting: how long a state must stay uncontradicted before it takes force, as the
// rows of the table name them. A wait sees the fold after Memory has noted the evidence.

// after waits a fixed time.
func after(d time.Duration) func(*Fold, *api.Evidence) time.Duration {
	return func(*Fold, *api.Evidence) time.Duration { return d }
}

// forRest waits while signs of rest may flicker between turns; not at all if a key has just
// interrupted the turn and nothing was queued.
func forRest(without, with time.Duration) func(*Fold, *api.Evidence) time.Duration {
	return func(f *Fold, e *api.Evidence) time.Duration {
		switch {
		case f.Status != "":
			return with
		case f.Pending != nil && f.Pending.Rule == "hook-stop" && !f.Pending.Evidence.At.After(e.At) && f.Pending.Evidence.Fields["background_tasks"] == "":
			return 0 // both agree
		case !f.Escaped.IsZero() && e.At.Sub(f.Escaped) < KeyTime:
			return 0
		}
		return without
	}
}

// forWork waits longer at the prompt: hooks report turns that begin there, and a sign of
// work may outlast the end of a turn or come with another conversation.
func forWork(f *Fold, e *api.Evidence) time.Duration {
	if f.State == api.StateIdle {
		return forWorkAtPrompt(f, e)
	}
	return glyphWorking
}

// forWorkAtPrompt is how long a sign of work at the prompt is not believed: longer while another
// conversation may be about to begin.
func forWorkAtPrompt(f *Fold, e *api.Evidence) time.Duration {
	if e.At.Sub(f.Switching) < switchTime {
		return switchTime
	}
	return glyphAtPrompt
}

// forFile waits for the session file's busy: it is late, and also written for
// commands that are no turn.
func forFile(f *Fold, e *api.Evidence) time.Duration {
	switch {
	case f.Status != "":
		return fileAgainstStatus
	case f.State == api.StateIdle:
		return forWorkAtPrompt(f, e)
	}
	return fileBusy
}

// forScreen waits for the screen to stand still, and for better evidence.
func forScreen(f *Fold, e *api.Evidence) time.Duration {
	switch {
	case e.Fields["moving"] != "":
		return screenMoving
	case f.Managed && !byScreen(f, e):
		return screenFirst
	}
	return 0
}

// forEnd believes the end of a turn, without a program status, once title or session file show rest
// too, if they have shown work: the user's own hook may continue the turn. Their order is
// chance.
func forEnd(f *Fold, e *api.Evidence) time.Duration {
	owed := forReport(f, e)
	rests := f.Pending != nil && f.Pending.State == api.StateIdle && weak(f.Pending.Evidence.Source)
	if owed > 0 || f.Status != "" || rests || !f.AtWork || f.State != api.StateWorking {
		return owed
	}
	return stopTime
}

// forCompaction is forEnd after a compaction: a prompt queued meanwhile is reported when
// its turn begins.
func forCompaction(f *Fold, e *api.Evidence) time.Duration {
	if e.Says != api.StateIdle {
		return 0
	}
	return forEnd(f, e)
}

// forQueued waits for the queued prompt's turn, longer while title or session file show
// work.
func forQueued(f *Fold, _ *api.Evidence) time.Duration {
	if f.Status == "" && f.AtWork {
		return stopTime
	}
	return queueTime
}

// forReport is the wait for a background activity that has ended, or may be ending: its
// report starts the next turn.
func forReport(f *Fold, e *api.Evidence) time.Duration {
	if f.Owed > 0 || e.Fields["background_tasks"] != "" {
		return reportTime
	}
	return 0
}
