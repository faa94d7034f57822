package ui

import (
	"strconv"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// signTurned is the sign of work in the second half of its turn.
const signTurned = "◑"

// Sign is the sign of a session's standing as it stands now.
func (e Env) Sign(standing api.Standing) string {
	if e.Turned && standing == api.StandingWorking {
		return signTurned
	}
	return e.Theme.Sign(standing)
}

// StandingWord is a session's standing in a word, with the exit code of a process that
// has ended.
func StandingWord(v api.Session, standing api.Standing) string {
	switch {
	case v.State == api.StateLost, v.State == api.StateStarting, v.State == api.StateExiting:
		return string(v.State)
	case v.State == api.StateExited && v.ExitCode != nil:
		return "exit " + strconv.Itoa(*v.ExitCode)
	case v.Plain != "" && standing == api.StandingIdle:
		return v.Plain
	}
	return string(standing)
}

// BranchLine is a session's branch with commits ahead and behind and changed files, ""
// outside of repositories.
func BranchLine(v api.Session) string {
	if v.Branch == "" {
		return ""
	}
	text := textsafe.Line(v.Branch)
	for _, n := range []struct {
		sign  string
		count int
	}{{"↑", v.Ahead}, {"↓", v.Behind}, {"±", v.Changed}} {
		if n.count > 0 {
			text += " " + n.sign + strconv.Itoa(n.count)
		}
	}
	return text
}
