package state

import (
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// A program status and a session file say what is so until they say something
// else; hooks and keys tell of a moment. A moment that is heard of late, on a busy
// machine, may contradict what stands: a hook whose process started after Esc had
// ended the turn would leave the session working for ever. So whenever the state
// and what stands disagree for a while, what stands wins.

// Times after which what stands wins. Each is longer than the report is late that
// confirms the state.
const (
	// standsIdle: a prompt's status follows its hook within 140 ms, 500 at most in
	// the session file; a busy machine may make a second of it.
	standsIdle = 2 * time.Second
	// standsWorking: /clear and a late Stop make it idle while work is reported;
	// the report that it ended follows at once.
	standsWorking = time.Second
	// standsWorkingFile is the same where only title and session file tell.
	standsWorkingFile = 2 * time.Second
	// standsDialog is the same for a dialog that a hook told of: it is reported
	// within 100 ms, and taking it for closed would give its request up.
	standsDialog = 5 * time.Second
)

// Rules of states that come into force because they stand; not rows of the table,
// because no evidence brings them but its absence.
const (
	ruleStands = "stands"
	whyStands  = "the agent has reported this all the while, and nothing confirmed what contradicted it"
)

// standing is what the reports say that hold until the next one, "" if nothing
// clear, and the evidence for it.
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
				return api.StateInput, fromFile // of panels the program status does not tell
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
			file = "" // one of both is behind
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

// contradicted is the state that stands against the one in force, and how long it
// must do so; "" if there is none.
func (f *Fold) contradicted() (to api.State, wait time.Duration, by api.Evidence) {
	if !f.Managed || f.Killed || f.State.Ended() || f.State == api.StateExiting || f.Winner == nil {
		return "", 0, by
	}
	to, by = f.standing()
	if to == "" || to == f.State {
		return "", 0, by
	}
	if by.Says.NeedsPerson() && f.FileFor != PanelOpen {
		if f.State == api.StateWorking || f.State == api.StateIdle {
			return to, standsDialog, by // a title or a screen misled
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
			break // has its own expiry; the title rests while subagents work
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
		if f.Status == "working" && f.File != "waiting" { // the file's own rules know its delays
			return to, standsDialog, by
		}
	}
	return "", 0, by
}

// agentAsks: among the open dialogs is one of an agent in the background.
func (f *Fold) agentAsks() bool {
	for _, d := range f.Dialogs {
		if d.Fields["agent_id"] != "" {
			return true
		}
	}
	return false
}

// stand has what stands come into force in time, unless something else is
// expected. A wait that has begun goes on, whatever else is heard, until a hook
// of the conversation itself speaks for the state once more.
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
