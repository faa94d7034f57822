package agents

import (
	"strings"
	"time"

	"ccdir/api"
)

// Signs is an adapter with evidence of the agent's state besides its hooks and its
// program status.
type Signs interface {
	// TitleSays returns the state that the terminal's title shows, "" for none.
	TitleSays(title string) api.State
	// StatusFile is the path of the agent's own file about the process pid with that
	// environment; "" if there is none.
	StatusFile(env []string, pid int) string
	// DecodeStatus parses its content. ok is false if it has no status, is incomplete,
	// or is about another process.
	DecodeStatus(data []byte, pid int) (s FileStatus, ok bool)
}

// StatusFails is an adapter whose agent reports the failure of a turn by its program status
// alone; its conversation (Conversationalist) says why.
type StatusFails interface {
	// FailsByStatus does nothing: it marks the adapter.
	FailsByStatus()
}

// EndsAlike is an adapter whose agent reports the end of a turn alike, whether it was answered,
// failed or was interrupted; its conversation (Conversationalist) tells how, by the time of the
// report.
type EndsAlike interface {
	// EndIsRead reports whether the conversation has to be read for a report. interrupted: a key
	// that interrupts was pressed in the turn.
	EndIsRead(h Hook, interrupted bool) bool
}

// FileStatus is the content of a status file.
type FileStatus struct {
	// Status is idle, busy, waiting or shell; WaitingFor is the reason of waiting.
	Status, WaitingFor string
	// Conversation is the conversation that runs in the process, "" if not told.
	Conversation string
	// At is when the status began; zero if unknown.
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

// TitleTeller is an adapter whose agent shows every state in its title, at once and exactly,
// as others do in a program status.
type TitleTeller interface {
	// TitleStatus returns the state that the title shows, in the words of the program status:
	// "idle", "working", "blocked"; "" for none.
	TitleStatus(title string) string
}
