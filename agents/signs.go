package agents

import (
	"encoding/json"
	"path/filepath"
	"strconv"
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

// Signs of Claude Code's title: ✳ at rest (or in a dialog), ◐ and ◑ in turns.
// A version with a program status that is answered shows none.
const (
	claudeResting = "✳"
	claudeWorking = "◐◑"
)

// TitleSays reads the sign before the title.
func (Claude) TitleSays(title string) api.State {
	sign, _, _ := strings.Cut(title, " ")
	switch {
	case sign == claudeResting:
		return api.StateIdle
	case sign != "" && strings.Contains(claudeWorking, sign):
		return api.StateWorking
	}
	return ""
}

// StatusFile is sessions/<pid>.json in the configuration directory.
func (Claude) StatusFile(env []string, pid int) string {
	dir := Getenv(env, "CLAUDE_CONFIG_DIR")
	if dir == "" {
		home := Getenv(env, "HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".claude")
	}
	if !filepath.IsAbs(dir) || pid <= 0 {
		return ""
	}
	return filepath.Join(dir, "sessions", strconv.Itoa(pid)+".json")
}

// maxMillis is more milliseconds than any time has since 1970 that JSON can write.
const maxMillis = 253402300800000

// DecodeStatus reads such a file; seen with 2.1.119 (status) to 2.1.329.
func (Claude) DecodeStatus(data []byte, pid int) (FileStatus, bool) {
	var f struct {
		PID             int             `json:"pid"`
		ProcStart       json.RawMessage `json:"procStart"`
		Status          string          `json:"status"`
		WaitingFor      string          `json:"waitingFor"`
		StatusUpdatedAt json.RawMessage `json:"statusUpdatedAt"`
	}
	if json.Unmarshal(data, &f) != nil || f.PID != pid || f.Status == "" {
		return FileStatus{}, false
	}
	s := FileStatus{Status: f.Status, WaitingFor: f.WaitingFor, Start: strings.Trim(string(f.ProcStart), `"`)}
	if ms, err := strconv.ParseFloat(string(f.StatusUpdatedAt), 64); err == nil && ms > 0 && ms < maxMillis {
		s.At = time.UnixMilli(int64(ms))
	} else if t, err := time.Parse(time.RFC3339Nano, strings.Trim(string(f.StatusUpdatedAt), `"`)); err == nil {
		s.At = t
	}
	return s, true
}
