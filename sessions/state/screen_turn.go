package state

import (
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// What the screen shows of a turn. Without a program status (OSC 7501) an answer
// in the pane is told by no hook: the title says so some 100 ms later, the session
// file up to 500 ms. The screen shows it at once.

// pressed: the last of these keys may interrupt a turn or answer a dialog.
func pressed(keys string) bool {
	last := keys[strings.LastIndexByte(keys, ' ')+1:]
	return interrupts[last] || dialogKeys.MatchString(last)
}

// WatchesTurn: signs of the turn on the screen say more than what else tells, at that
// time.
func (f *Fold) WatchesTurn(now time.Time) bool {
	if f.Status != "" || !f.Managed || !f.Begun || f.Killed {
		return false
	}
	return f.State.NeedsPerson() || f.State == api.StateWorking && now.Before(f.Pressed.Add(KeyTime))
}

// ownDialog: the state was given by one dialog of the conversation itself, which
// the agent shows in the pane.
func (f *Fold) ownDialog() bool {
	return f.Winner != nil && (f.Winner.Source == api.SourceHook || f.Winner.Source == api.SourceFile) &&
		len(f.Dialogs) <= 1 && !f.agentAsks()
}

// dialogGone: the dialog that the session waits for was on the screen.
func dialogGone(f *Fold, e *api.Evidence) bool {
	return f.WatchesTurn(e.At) && f.ownDialog() && f.Sign == string(agents.TurnCovered)
}

// interruptShown: a key was pressed before, and no subagent goes on.
func interruptShown(f *Fold, e *api.Evidence) bool {
	if !f.WatchesTurn(e.At) || f.Agents > 0 || !e.At.After(f.Pressed) || e.At.Sub(f.Pressed) > KeyTime {
		return false
	}
	return f.State == api.StateWorking || dialogGone(f, e)
}

// UsesScreen tells whether the screen may say something now: not where the agent says
// more itself.
func (f *Fold) UsesScreen() bool {
	return !f.State.Ended() && !f.Killed && f.Status == "" && !(f.Managed && f.Begun)
}
