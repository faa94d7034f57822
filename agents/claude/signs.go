package claude

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Marks in Claude Code's title: ✳ at rest (or in a dialog), ◐ and ◑ during turns. A
// version whose program status was answered shows none.
const (
	restingSigns = "✳"
	workingSigns = "◐◑"
)

// TitleSays reads the mark before the title.
func (Adapter) TitleSays(title string) api.State {
	sign, _, _ := strings.Cut(title, " ")
	switch {
	case sign == restingSigns:
		return api.StateIdle
	case sign != "" && strings.Contains(workingSigns, sign):
		return api.StateWorking
	}
	return ""
}

// StatusFile is sessions/<pid>.json in the configuration directory.
func (Adapter) StatusFile(env []string, pid int) string {
	dir := configDir(env)
	if !filepath.IsAbs(dir) || pid <= 0 {
		return ""
	}
	return filepath.Join(dir, "sessions", strconv.Itoa(pid)+".json")
}

// maxMillis is the Unix time in milliseconds of the year 10000, the first that JSON
// times cannot have.
const maxMillis = 253402300800000

// DecodeStatus reads a status file; seen with 2.1.119 (status) to 2.1.329.
func (Adapter) DecodeStatus(data []byte, pid int) (agents.FileStatus, bool) {
	var f struct {
		PID             int             `json:"pid"`
		SessionID       string          `json:"sessionId"`
		ProcStart       json.RawMessage `json:"procStart"`
		Status          string          `json:"status"`
		WaitingFor      string          `json:"waitingFor"`
		StatusUpdatedAt json.RawMessage `json:"statusUpdatedAt"`
	}
	if json.Unmarshal(data, &f) != nil || f.PID != pid || f.Status == "" {
		return agents.FileStatus{}, false
	}
	s := agents.FileStatus{Status: f.Status, WaitingFor: f.WaitingFor, Conversation: f.SessionID, Start: strings.Trim(string(f.ProcStart), `"`)}
	if ms, err := strconv.ParseFloat(string(f.StatusUpdatedAt), 64); err == nil && ms > 0 && ms < maxMillis {
		s.At = time.UnixMilli(int64(ms))
	} else if t, err := time.Parse(time.RFC3339Nano, strings.Trim(string(f.StatusUpdatedAt), `"`)); err == nil {
		s.At = t
	}
	return s, true
}
