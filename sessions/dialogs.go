package sessions

import (
	"slices"

	"ccdir/internal/api"
)

// maxOpenDialogs bounds the open dialogs remembered.
const maxOpenDialogs = 16

// dialogEnds are the hooks, and what approvals tell, after which the dialog of the
// same tool and agent is closed.
var dialogEnds = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied", evAnswered}

// openDialogs are those that are open after e. m's own list is not changed.
func (m *Memory) openDialogs(e *api.Evidence) []api.Evidence {
	agent, tool := e.Fields["agent_id"], e.Fields["tool"]
	switch {
	case e.Name == "PermissionRequest":
		if len(m.Dialogs) == maxOpenDialogs {
			return m.Dialogs
		}
		return append(slices.Clone(m.Dialogs), *e)
	case e.Name == "SessionStart" && e.Fields["source"] != "compact", e.Name == "UserPromptSubmit" && e.Fields["kind"] == "":
		return nil // a person is at the prompt
	case (e.Name == "Stop" || e.Name == "StopFailure") && agent == "":
		// The dialogs of agents in the background stay.
		return slices.DeleteFunc(slices.Clone(m.Dialogs), func(d api.Evidence) bool { return d.Fields["agent_id"] == "" })
	case e.Name == "SubagentStop":
		return slices.DeleteFunc(slices.Clone(m.Dialogs), func(d api.Evidence) bool { return agent != "" && d.Fields["agent_id"] == agent })
	case slices.Contains(dialogEnds, e.Name):
		i := slices.IndexFunc(m.Dialogs, func(d api.Evidence) bool {
			return d.Fields["agent_id"] == agent && d.Fields["tool"] == tool
		})
		if i >= 0 {
			return slices.Delete(slices.Clone(m.Dialogs), i, i+1)
		}
	}
	return m.Dialogs
}

// dialogsLeft: e closes a dialog, and behind it another one is open.
func dialogsLeft(f *Fold, e *api.Evidence) bool {
	left := len(f.openDialogs(e))
	return left > 0 && left < len(f.Dialogs)
}

// nextDialog brings the dialog into force that is open behind the one that e
// closed. Both were waited for, so the state may stay the same.
func (f Fold) nextDialog(e api.Evidence, r *rule) Fold {
	d := f.Dialogs[0]
	if d.Says != f.State {
		f.Since = e.At
	}
	if e.At.After(f.Last) {
		f.Last = e.At
	}
	f.State, f.Winner, f.Rule, f.Reason, f.Question = d.Says, &d, r.name, r.reason, d.Fields["question"]
	f.Pending = nil
	return f
}

// hiddenDialog: the program status never told of the dialog that is open, so that
// it cannot tell of its end either: an agent in the background asks, whose dialog
// is not shown (2.1.329).
func hiddenDialog(f *Fold, _ *api.Evidence) bool {
	return f.Status != "blocked" && slices.ContainsFunc(f.Dialogs, func(d api.Evidence) bool { return d.Fields["agent_id"] != "" })
}
