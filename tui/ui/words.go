package ui

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// Problem is an error in one line.
func Problem(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return textsafe.Line(strings.TrimSuffix(strings.TrimSpace(err.Error()), WaitFlag))
}

// WaitFlag is the end of delivery errors that is for `ccdir send`: others have no such flag.
const WaitFlag = ", or use --wait"

// ErrCancelled is the outcome of a call that a person cancelled: it is not waited for
// any longer. One that may have been carried out all the same has it in an
// api.UnsureError, which says so.
var ErrCancelled = errors.New("cancelled")

// Failure says that something has failed, or was cancelled.
func Failure(what string, err error) string {
	if !errors.Is(err, ErrCancelled) {
		what += " failed"
	}
	return what + ": " + Problem(err)
}

// OverrideName is a mode as it is written on the screen.
func OverrideName(m api.OverrideMode) string {
	return strings.ReplaceAll(textsafe.Line(string(m)), "-", " ")
}

// Override is a session's override as long as it holds, "" if there is none.
func Override(v api.Session, now time.Time) string {
	if o := v.Override; o != nil && now.Before(o.Until) && !v.State.Ended() {
		return OverrideName(o.Mode) + " until " + o.Until.Local().Format("15:04")
	}
	return ""
}

// PermissionMode is the agent's permission mode where it is not that of asking, "" otherwise.
func PermissionMode(v api.Session) string {
	if v.PermissionMode == api.ModeManual || v.State.Ended() {
		return ""
	}
	return textsafe.Line(v.PermissionMode)
}

// OlderHost reports whether a session's host is of another version than this.
func OlderHost(v api.Session) bool {
	return v.HostPID > 0 && v.HostVersion != "" && v.HostVersion != api.Version
}

// PutOff tells until when a session is put off, "" if it is not.
func PutOff(v api.Session, now time.Time) string {
	if !v.PutOff(now) || v.State.Ended() {
		return ""
	}
	at := "15:04"
	if v.SnoozedUntil.Sub(now) >= 24*time.Hour {
		at = "2 Jan 15:04"
	}
	return "put off until " + v.SnoozedUntil.Local().Format(at)
}

// PlainOf names the program of a session that has no agent; "" for an agent.
func PlainOf(v api.Session) string {
	if v.Plain == "" && (v.Agent == api.PlainShell || v.Agent == api.PlainCommand) {
		return v.Agent // a daemon that is older does not say it
	}
	return v.Plain
}

// RunsLine is the command line of a plain command, "" for agents and shells and where the
// session's name says it.
func RunsLine(v api.Session) string {
	if PlainOf(v) != api.PlainCommand || len(v.Argv) == 0 {
		return ""
	}
	words := slices.Clone(v.Argv)
	words[0] = filepath.Base(words[0])
	if line := textsafe.Line(strings.Join(words, " ")); line != v.Name {
		return line
	}
	return ""
}
