package sessions

import (
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// What the screen shows of a turn. Without a program status (OSC 7501) an answer
// in the pane is told by no hook: the title says so some 100 ms later, the session
// file up to 500 ms. The screen shows it at once.

// turnQuiet is how long a screen must stand still to be looked at for signs of a
// turn: an answer is painted in one piece.
const turnQuiet = 5 * time.Millisecond

// pressed: the last of these keys may interrupt a turn or answer a dialog.
func pressed(keys string) bool {
	last := keys[strings.LastIndexByte(keys, ' ')+1:]
	return interrupts[last] || dialogKeys.MatchString(last)
}

// seesTurn: signs of the turn on the screen say more than what else tells, at that
// time.
func (f *Fold) seesTurn(now time.Time) bool {
	if f.Status != "" || !f.Managed || !f.Begun || f.Killed {
		return false
	}
	return f.State.NeedsPerson() || f.State == api.StateWorking && now.Before(f.Pressed.Add(keyTime))
}

// ownDialog: the state was given by one dialog of the conversation itself, which
// the agent shows in the pane.
func (f *Fold) ownDialog() bool {
	return f.Winner != nil && (f.Winner.Source == api.SourceHook || f.Winner.Source == api.SourceFile) &&
		len(f.Dialogs) <= 1 && !f.agentAsks()
}

// dialogGone: the dialog that the session waits for was on the screen.
func dialogGone(f *Fold, e *api.Evidence) bool {
	return f.seesTurn(e.At) && f.ownDialog() && f.Sign == string(agents.TurnCovered)
}

// interruptShown: a key was pressed before, and no subagent goes on.
func interruptShown(f *Fold, e *api.Evidence) bool {
	if !f.seesTurn(e.At) || f.Agents > 0 || !e.At.After(f.Pressed) || e.At.Sub(f.Pressed) > keyTime {
		return false
	}
	return f.State == api.StateWorking || dialogGone(f, e)
}
