package lists

import (
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// TaskLines are what is known of a task.
func TaskLines(env ui.Env, t api.Task, w int) (out []string) {
	th, v, plain := env.Theme, t.Result, cells.Style{}
	add := func(label, text string, st cells.Style) {
		out = append(out, modal.Labelled(th, w, label, textsafe.Block(text), st)...)
	}
	add("task", t.ID+" "+t.Name, cells.Style{Attrs: cells.Bold})
	add("state", string(t.State), theme.Bold(th.Task(t.State)))
	add("reason", t.Reason, plain)
	if v.Duration > 0 {
		add("took", time.Duration(v.Duration).Round(time.Millisecond).String(), plain)
	}
	if v.ExitCode != nil {
		add("exit code", fmt.Sprint(*v.ExitCode), plain)
	}
	if v.Missing != "" {
		add("missing", "the "+v.Missing+" did not come in time", plain)
	}
	if v.Turns > 0 {
		used := fmt.Sprintf("%d turns, %d tokens", v.Turns, v.Tokens)
		if v.Cost > 0 {
			used += fmt.Sprintf(", $%.4f", v.Cost)
		}
		add("used", used, plain)
	}
	for _, d := range v.Denials {
		add("denied", strings.TrimSpace(d.Tool+" "+string(d.Input)+" "+d.Reason), plain)
	}
	add("changed", strings.Join(v.Files, "\n"), plain)
	add("conversation", v.Conversation, theme.FG(th.Dim))
	add("directory", format.Home(t.CWD, env.Home), theme.FG(th.Dim))
	add("prompt", t.Prompt, plain)
	for i, s := range t.Steps {
		add(fmt.Sprintf("step %d", i+2), s, plain)
	}
	add("answer", v.Message, plain)
	return out
}
