package agents

import (
	"strings"
	"time"

	"ccdir/api"
)

// Signs is what tells of an agent's state beside its hooks and its program
// status. Adapters without such signs do not implement it.
type Signs interface {
	// TitleSays is what the terminal's title speaks for, "" for nothing.
	TitleSays(title string) api.State
	// StatusFile is the agent's own file about the process pid that runs with
	// that environment; "" if there is none.
	StatusFile(env []string, pid int) string
	// DecodeStatus reads its content. ok is false if it says nothing, is torn,
	// or is about another process.
	DecodeStatus(data []byte, pid int) (s FileStatus, ok bool)
}

// FileStatus is what an agent's own file says.
type FileStatus struct {
	// Status is idle, busy, waiting or shell; WaitingFor says for what.
	Status, WaitingFor string
	// At is when it became so; zero if the file does not tell.
	At time.Time
	// Start is the process's start time as the system counts it, "" if not told.
	Start string
}

// Evidence is the status as evidence; seen is when it was read.
func (s FileStatus) Evidence(seen time.Time) api.Evidence {
	e := api.Evidence{Source: api.SourceFile, At: seen, Name: "file", Detail: "session file: " + Visible(s.Status, 64),
		Fields: map[string]string{"status": Visible(s.Status, 64)}}
	if s.At.Unix() > 0 && s.At.Before(seen) {
		e.At = s.At.UTC()
	}
	if s.WaitingFor != "" {
		e.Fields["waiting_for"] = Visible(s.WaitingFor, MaxField)
		e.Detail += " (" + e.Fields["waiting_for"] + ")"
	}
	switch s.Status {
	case "idle", "shell":
		e.Says = api.StateIdle
	case "busy":
		e.Says = api.StateWorking
	case "waiting":
		e.Says = api.StateInput
		// Before 2.1.172 or so: "approve Bash".
		if s.WaitingFor == "permission prompt" || strings.HasPrefix(s.WaitingFor, "approve ") {
			e.Says = api.StatePermission
		}
		e.Fields["question"] = e.Fields["waiting_for"]
	}
	return e
}
