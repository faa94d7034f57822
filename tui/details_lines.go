package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/theme"
)

// ProcessReader is what a Client also is that can tell what a session's
// processes use.
type ProcessReader interface {
	Process(ctx context.Context, id string) (api.ProcessUse, error)
}

// facts are rows of a label and a text.
type facts struct {
	theme *theme.Theme
	width int
	out   []string
}

// add adds a row, broken at blanks; an empty text adds none.
func (f *facts) add(label, text string, st grid.Style) {
	f.out = append(f.out, labelled(f.theme, f.width, label, textsafe.Line(strings.ReplaceAll(text, "\n", " ")), st)...)
}

// addAll adds a row for each text, with one label before them.
func (f *facts) addAll(label string, texts []string, st grid.Style) {
	for _, text := range texts {
		f.add(label, text, st)
		label = ""
	}
}

// heading begins another part.
func (f *facts) heading(text string) {
	if len(f.out) > 0 {
		f.out = append(f.out, "")
	}
	f.out = append(f.out, styled(text, theme.Bold(f.theme.Accent)))
}

// details are what a session is and what its processes use.
func details(t *theme.Theme, now time.Time, w int, home string, v api.Session, use *api.ProcessUse) []string {
	f := facts{theme: t, width: w}
	plain, dim := grid.Style{}, theme.FG(t.Dim)
	agent := v.Agent
	if use != nil && use.AgentVersion != "" {
		agent += " " + use.AgentVersion
	}
	f.add("agent", agent, plain)
	f.add("model", v.Model, plain)
	f.add("command", strings.Join(v.Argv, " "), plain)
	f.add("directory", homely(v.CWD, home), plain)
	f.add("process", processText(v, use), plain)
	if use != nil && use.Processes > 0 {
		f.add("memory", memoryText(use.Memory)+" in "+plural(use.Processes, "process", "processes"), plain)
	}
	f.add("conversation", v.Conversation, plain)
	f.add("task", v.Task, plain)
	f.add("last prompt", v.Prompt, plain)
	f.addAll("queued", v.QueuedPrompts, dim)
	if len(v.QueuedPrompts) == 0 && v.Queued > 0 {
		f.add("queued", plural(v.Queued, "prompt", "prompts"), dim)
	}
	f.add("undelivered", v.Undelivered, theme.Bold(t.Alert))
	f.add("progress", v.Progress, plain)
	f.add("role", v.Role, plain)
	f.add("override", override(v, now), theme.Bold(t.Input))
	f.add("started by", v.Parent, dim)
	if v.Cols > 0 {
		f.add("size", fmt.Sprintf("%dx%d", v.Cols, v.Rows), plain)
	}
	if a := age(now, v.Created); a != "" {
		f.add("created", a+" ago", plain)
	}
	f.add("id", v.ID, dim)
	f.add("error", v.Error, theme.Bold(t.Alert))
	return f.out
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

// memoryText is a number of bytes with three digits or so.
func memoryText(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	case n < 10<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
