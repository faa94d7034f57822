package state

import (
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// The screen as evidence of a turn. Without a program status (OSC 7501) no hook reports an
// answer in the pane: the title changes some 100 ms later, the session file up to 500 ms.
// The screen shows it at once.

// pressed reports whether the last of the keys may interrupt a turn or answer a dialog.
func pressed(keys string) bool {
	last := keys[strings.LastIndexByte(keys, ' ')+1:]
	return interrupts[last] || dialogKeys.MatchString(last)
}

// WatchesTurn reports whether the screen may show something about the turn that other
// evidence would report later.
func (f *Fold) WatchesTurn(now time.Time) bool {
	if f.Status != "" || !f.Managed || !f.Begun || f.Killed {
		return false
	}
	return f.State.NeedsPerson() || f.State == api.StateWorking && now.Before(f.Pressed.Add(KeyTime))
}

// ownDialog reports whether one dialog of the conversation itself, which the agent shows in
// the pane, gave the state.
func (f *Fold) ownDialog() bool {
	return f.Winner != nil && (f.Winner.Source == api.SourceHook || f.Winner.Source == api.SourceFile) &&
		len(f.Dialogs) <= 1 && !f.agentAsks()
}

// dialogGone reports whether the screen showed the dialog before.
func dialogGone(f *Fold, e *api.Evidence) bool {
	return f.WatchesTurn(e.At) && f.ownDialog() && f.Sign == string(agents.TurnCovered)
}

// ruleInterruptShown is the name of the rule by which the screen ends a turn.
const ruleInterruptShown = "screen-interrupted"

// interruptShown reports whether a key was pressed shortly before and no subagent goes on.
func interruptShown(f *Fold, e *api.Evidence) bool {
	if !f.WatchesTurn(e.At) || f.Agents > 0 || !e.At.After(f.Pressed) || e.At.Sub(f.Pressed) > KeyTime {
		return false
	}
	return f.State == api.StateWorking || dialogGone(f, e)
}

// UsesScreen reports whether screen rules apply: the agent reports nothing better itself.
func (f *Fold) UsesScreen() bool {
	return !f.State.Stopped() && !f.Killed && f.Status == "" && !(f.Managed && f.Begun)
}
