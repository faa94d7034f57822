package explain

import (
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// details are what a session is and what its processes use.
func details(t *theme.Theme, now time.Time, w int, home string, v api.Session, use *api.ProcessUse) []string {
	f := modal.Facts{Theme: t, Width: w}
	plain, dim := cells.Style{}, theme.FG(t.Dim)
	agent := v.Agent
	if use != nil && use.AgentVersion != "" {
		agent += " " + use.AgentVersion
	}
	f.Add("agent", agent, plain)
	f.Add("model", v.Model, plain)
	f.Add("command", strings.Join(v.Argv, " "), plain)
	f.Add("directory", format.Home(v.CWD, home), plain)
	f.Add("process", processText(v, use), plain)
	if use != nil && use.Processes > 0 {
		f.Add("memory", format.Bytes(use.Memory)+" in "+format.Plural(use.Processes, "process", "processes"), plain)
	}
	f.Add("conversation", v.Conversation, plain)
	f.Add("task", v.Task, plain)
	f.Add("last prompt", v.Prompt, plain)
	f.AddAll("queued", v.QueuedPrompts, dim)
	if len(v.QueuedPrompts) == 0 && v.Queued > 0 {
		f.Add("queued", format.Plural(v.Queued, "prompt", "prompts"), dim)
	}
	f.Add("undelivered", v.Undelivered, theme.Bold(t.Alert))
	f.Add("progress", v.Progress, plain)
	f.Add("role", v.Role, plain)
	f.Add("override", ui.Override(v, now), theme.Bold(t.Input))
	f.Add("started by", v.Parent, dim)
	if v.Cols > 0 {
		f.Add("size", fmt.Sprintf("%dx%d", v.Cols, v.Rows), plain)
	}
	if a := format.Age(now, v.Created); a != "" {
		f.Add("created", a+" ago", plain)
	}
	f.Add("id", v.ID, dim)
	f.Add("error", v.Error, theme.Bold(t.Alert))
	return f.Out
}

// processText names the processes of a session.
func processText(v api.Session, use *api.ProcessUse) string {
	pid, host := v.PID, v.HostPID
	if use != nil && !v.State.Ended() {
		pid, host = use.PID, use.HostPID
	}
	var text string
	switch {
	case v.ExitCode != nil:
		text = fmt.Sprintf("ended with %d", *v.ExitCode)
	case pid == 0:
		return "none"
	default:
		text = fmt.Sprint(pid)
	}
	if host > 0 {
		text += fmt.Sprintf(", host %d", host)
	}
	switch {
	case v.External:
		text += ", outside ccdir"
	case host > 0 && v.HostVersion != "":
		text += " of ccdir " + v.HostVersion
		if v.HostVersion != api.Version {
			text += " (this is " + api.Version + ")"
		}
	}
	return text
}
