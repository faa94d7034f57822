package explain

import (
	"cmp"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// about are what a session does and did, where, and since when.
func about(env ui.Env, w int, v api.Session) []string {
	th, now := env.Theme, env.Now
	f := modal.Facts{Theme: th, Width: w}
	plain, dim, bad := cells.Style{}, theme.FG(th.Dim), theme.Bold(th.Alert)
	standing := v.Standing(now)
	state := env.Sign(standing) + " " + ui.StandingWord(v, now)
	if a := format.Age(now, v.Since); a != "" {
		state += " for " + a
	}
	f.Add("state", state, theme.Bold(th.Standing(standing)))
	f.Add("error", v.Error, bad)
	f.Add("no policy", unguarded(v), bad)
	f.Add("undelivered", v.Undelivered, bad)
	if env.Waits(v) {
		f.Add("asks", env.AskText(v), theme.Bold(th.Input))
	}
	f.Add("failed", v.FailureLine(), bad)
	f.Add("limit", v.LimitLine(now), theme.Bold(th.Input))
	f.Add("retry", v.RetryLine(now), theme.Bold(th.Input))
	f.Add("last task", v.Prompt, plain)
	f.Add("last answer", v.Answer, plain)
	f.Add("progress", v.Progress, plain)
	f.AddAll("queued", v.QueuedPrompts, dim)
	if len(v.QueuedPrompts) == 0 && v.Queued > 0 {
		f.Add("queued", format.Plural(v.Queued, "prompt", "prompts"), dim)
	}
	if v.Pending > 0 {
		f.Add("for later", format.Plural(v.Pending, "prompt", "prompts"), dim)
	}
	if v.ContextTokens > 0 {
		f.Add("context", strings.Trim(format.Tokens(v.ContextTokens)+" tokens · "+strings.Replace(v.UsageLine(), "% ctx left", "% left", 1), " ·"), plain)
	} else {
		f.Add("cost", v.UsageLine(), plain)
	}
	f.Add("branch", v.BranchLine(), plain)
	f.Add("last turn", v.LastTurn.Line(), plain)
	if p := v.PullRequest; p != nil {
		line, _ := v.PullRequestLine()
		f.Add("pull request", line+" "+p.Title+" "+p.URL, plain)
	}
	f.Add("directory", format.Home(v.CWD, env.Home), plain)
	for i := range env.Work.Tasks {
		if t := env.Work.Tasks[i]; v.Task != "" && t.ID == v.Task {
			f.Add("changed", strings.Join(t.Result.Files, ", "), plain)
			f.Add("cost", costText(t.Result), plain)
		}
	}
	agent := v.AgentLine()
	if v.Model != "" {
		agent += " with " + v.Model
	}
	f.Add("agent", agent, plain)
	f.Add("mode", v.PermissionMode, plain)
	f.Add("role", v.Role, plain)
	if v.Unwalled != "" {
		f.Add("sandbox", v.Walls(), plain)
	}
	if v.Sandbox != nil {
		f.Add("sandbox", v.Sandbox.Line()+", held by "+cmp.Or(v.Sandbox.Mechanism, "nothing")+", "+v.Sandbox.Reaches(), plain)
		f.Add("", v.Sandbox.Lacks(), plain)
	}
	f.Add("override", ui.Override(v, now), theme.Bold(th.Input))
	if a := format.Age(now, v.Created); a != "" {
		f.Add("created", a+" ago", plain)
	}
	return f.Out
}

// costText is a task's use in words; "" if it is unknown.
func costText(r api.TaskResult) (text string) {
	if r.Tokens > 0 {
		text = fmt.Sprintf("%d tokens", r.Tokens)
	}
	if r.Cost > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s, $%.2f", text, r.Cost), ", ")
	}
	return text
}

// details are what runs in a session, and what its processes use.
func details(t *theme.Theme, w int, v api.Session, use *api.ProcessUse) []string {
	f := modal.Facts{Theme: t, Width: w}
	plain, dim := cells.Style{}, theme.FG(t.Dim)
	agent := v.AgentLine()
	if use != nil && use.AgentVersion != "" {
		agent += " " + use.AgentVersion
	}
	f.Add("agent", agent, plain)
	f.Add("command", strings.Join(v.Argv, " "), plain)
	f.Add("process", processText(v, use), plain)
	if use != nil && use.Processes > 0 {
		f.Add("memory", format.Bytes(use.Memory)+" in "+format.Plural(use.Processes, "process", "processes"), plain)
	}
	f.Add("conversation", v.Conversation, plain)
	f.Add("task", v.Task, plain)
	f.Add("started by", v.Parent, dim)
	if v.Cols > 0 {
		f.Add("size", fmt.Sprintf("%dx%d", v.Cols, v.Rows), plain)
	}
	f.Add("id", v.ID, dim)
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

// unguarded is why no policy holds for a session that runs.
func unguarded(v api.Session) string {
	if v.State.Ended() {
		return ""
	}
	return v.Unguarded
}
