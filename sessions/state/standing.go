package state

import (
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Program status and session file hold until their next report; hooks and keys are about
// one moment. A moment reported late, on a busy machine, may contradict what holds: a hook
// whose process started after Esc had ended the turn would leave the session working for
// ever. So if a standing report contradicts the state for long enough, the report wins.

// The rule of states that win by standing. It is no row of the table: no evidence brings
// it, but the lack of evidence.
const (
	ruleStands = "stands"
	whyStands  = "the agent has reported this all the while, and nothing confirmed what contradicted it"
)

// standing returns the state that the standing reports give, and the evidence for it; "" if
// they are unclear.
func (f *Fold) standing() (state api.State, e api.Evidence) {
	file := map[string]api.State{"idle": api.StateIdle, "shell": api.StateIdle, "busy": api.StateWorking}[f.File]
	fromFile := api.Evidence{Source: api.SourceFile, At: f.FileAt, Name: "file", Says: file, Detail: "session file: " + f.File,
		Fields: map[string]string{"status": f.File}}
	if f.Status != "" {
		if f.FileLive && f.FileAt.After(f.StatusAt) {
			return file, fromFile
		}
		switch {
		case f.Status == "idle" || f.Status == "done" || f.Status == "error" || f.Status == "working" && f.Leftover:
			if f.File == "waiting" && f.FileFor == PanelOpen {
				fromFile.Says = api.StateInput
				return api.StateInput, fromFile // the program status does not report panels
			}
			state = api.StateIdle
		case f.Status == "working":
			state = api.StateWorking
		}
		return state, api.Evidence{Source: api.SourcePSP, At: f.StatusAt, Name: "psp", Says: state, Detail: "status " + f.Status,
			Fields: map[string]string{"state": f.Status}}
	}
	if f.FileLive {
		if f.File == "waiting" && !f.TitleWork {
			fromFile = agents.FileStatus{Status: f.File, WaitingFor: f.FileFor}.Evidence(f.FileAt)
			return fromFile.Says, fromFile
		}
		if f.Titled && f.TitleWork != (file == api.StateWorking) {
			file = "" // one of the two lags
		}
		return file, fromFile
	}
	if !f.Titled {
		return "", api.Evidence{}
	}
	state = api.StateIdle
	if f.TitleWork {
		state = api.StateWorking
	}
	return state, api.Evidence{Source: api.SourceTitle, At: f.Last, Name: "title", Says: state, Detail: "the sign in the title"}
}

// contradicted returns the standing state that contradicts the one in force, and how long
// it must do so to win; "" if none does.
func (f *Fold) contradicted() (to api.State, wait time.Duration, by api.Evidence) {
	if !f.Managed || f.Killed || f.State.Stopped() || f.State == api.StateExiting || f.Winner == nil {
		return "", 0, by
	}
	to, by = f.standing()
	if to == "" || to == f.State {
		return "", 0, by
	}
	if by.Says.NeedsPerson() && f.FileFor != PanelOpen {
		if f.State == api.StateWorking || f.State == api.StateIdle {
			return to, standsDialog, by // a title or screen was misleading
		}
		return "", 0, by
	}
	switch {
	case f.State == api.StateStarting:
		if to == api.StateIdle && by.Source == api.SourcePSP {
			return to, standsWorking, by
		}
	case f.State == api.StateWorking:
		if f.Winner.Name == EvidenceRequestEnded || by.Source == api.SourceTitle && f.Agents > 0 {
			break // expires by itself; the title rests while subagents work
		}
		return to, standsIdle, by
	case f.State == api.StateIdle && f.Switching.IsZero():
		if f.Status != "" {
			return to, standsWorking, by
		}
		return to, standsWorkingFile, by
	case f.State.NeedsPerson():
		told := f.Winner.Source == api.SourceHook || f.Winner.Source == api.SourcePSP || f.Winner.Source == api.SourceFile
		if to.NeedsPerson() || !told || f.agentAsks() || by.Source == api.SourceTitle {
			break // ccdir's own questions, and dialogs that the agent does not show yet
		}
		if to == api.StateIdle {
			return to, standsIdle, by
		}
		if f.Status == "working" && f.File != "waiting" && !f.heldBack() { // rules of the file know its lag
			return to, standsDialog, by
		}
	}
	return "", 0, by
}

// agentAsks reports whether a background agent's dialog is open.
func (f *Fold) agentAsks() bool {
	for _, d := range f.Dialogs {
		if d.Fields["agent_id"] != "" {
			return true
		}
	}
	return false
}

// heldBack reports whether a dialog is open that the agent opens only when its hook has replied:
// until then it reports work.
func (f *Fold) heldBack() bool {
	for _, d := range f.Dialogs {
		if d.Fields[agents.FieldHeldBack] != "" {
			return true
		}
	}
	return false
}

// stand makes a contradicting standing report pending, unless another state is pending. A
// wait that has begun goes on until a hook of the conversation itself confirms the state.
func (f Fold) stand(before *Fold, e *api.Evidence) Fold {
	old := f.Pending
	if old != nil && old.Rule != ruleStands {
		return f
	}
	f.Pending = nil
	to, wait, by := f.contradicted()
	if to == "" {
		return f
	}
	anew := e.Source == api.SourceHook && e.Says == f.State && e.Fields["agent_id"] == ""
	if p := before.Pending; p != nil && p.Rule == ruleStands && p.State == to && !anew {
		f.Pending = p
		return f
	}
	from := e.At
	for _, t := range []time.Time{f.Last, by.At} {
		if t.After(from) {
			from = t
		}
	}
	f.Pending = &Pending{State: to, Due: from.Add(wait), Evidence: by, Rule: ruleStands, Reason: whyStands}
	return f
}
