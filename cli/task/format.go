package task

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
)

// endedShown bounds the ended tasks that `task ls` shows.
const endedShown = 10

// standingCell is a task's state in a table: sign, words, colour.
func standingCell(a *verb.App, t api.Task) verb.Cell {
	return a.StandingCell(t.Standing(), t.StandingWord())
}

func labelled(list []api.Task, label string) []api.Task {
	out := make([]api.Task, 0, len(list))
	for _, t := range list {
		if label == "" || slices.Contains(t.Labels, label) {
			out = append(out, t)
		}
	}
	return out
}

func hasState(states []api.TaskState, s api.TaskState) bool { return slices.Contains(states, s) }

// queueLine describes the queue in one line.
func queueLine(q api.Queue) string {
	parts := []string{fmt.Sprintf("mode %s, limit %d", q.Mode, q.Limit)}
	for _, s := range api.TaskStates() {
		if n := q.Counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s.Word()))
		}
	}
	for agent, until := range q.Parked {
		parts = append(parts, fmt.Sprintf("%s parked until %s", textsafe.Line(agent), until.Local().Format(time.TimeOnly)))
	}
	return strings.Join(parts, ", ")
}

// taskColumn is the width of the prompts in `task ls`: with the answers they fit into 80
// columns.
const taskColumn = 28

// printTasks prints tasks, those that need a person first, and on stderr the queue. unended
// are the ids and names of all tasks that have not ended.
func printTasks(a *verb.App, list []api.Task, unended map[string]bool, q api.Queue, all bool) error {
	var open, ended []api.Task
	for _, t := range list {
		if t.State.Ended() {
			ended = append(ended, t)
		} else {
			open = append(open, t)
		}
	}
	slices.SortFunc(ended, compareEnded)
	left := 0
	if most := max(endedShown, len(api.News(ended).Failed)); !all && len(ended) > most {
		left = len(ended) - most
		ended = ended[:most]
	}
	if len(list) > 0 {
		now := time.Now()
		need := func(t api.Task) api.Need {
			hold, _ := q.Hold(t, unended, now)
			return t.Need(hold)
		}
		shown := append(open, ended...)
		slices.SortStableFunc(shown, func(x, y api.Task) int { return cmp.Compare(need(x), need(y)) })
		t := verb.Table{}
		t.Row(verb.Plain("TASK", "STATE", "FOR", "PROMPT", "ANSWER")...)
		for _, task := range shown {
			_, hold := q.Hold(task, unended, now)
			title := task.Title()
			if task.Attempt > 1 {
				title = fmt.Sprintf("try %d: %s", task.Attempt, title)
			}
			r := verb.Plain(task.ID, "", verb.Age(now, task.Since), textsafe.Cut(title, taskColumn), task.Headline(hold))
			r[1] = standingCell(a, task)
			t.Row(r...)
		}
		if err := t.WriteWithin(a.Out, a.Colours(), a.Columns()); err != nil {
			return err
		}
	}
	if left > 0 {
		fmt.Fprintf(a.Stderr, "%d more have ended: --all lists them\n", left)
	}
	fmt.Fprintln(a.Stderr, queueLine(q)+whyIdle(list, unended, q))
	return nil
}

// whyIdle says what to do where tasks wait for a setting of the queue and none runs, "" elsewhere.
func whyIdle(list []api.Task, unended map[string]bool, q api.Queue) string {
	if q.Counts[api.TaskStarting]+q.Counts[api.TaskRunning] > 0 {
		return ""
	}
	now := time.Now()
	for _, t := range list {
		switch hold, _ := q.Hold(t, unended, now); hold {
		case api.HoldManual:
			return ": `ccdir task start " + t.ID + "` begins one, `ccdir task mode auto` all"
		case api.HoldPaused:
			return ": `ccdir task resume` lets it go on"
		case api.HoldLimit:
			return fmt.Sprintf(": those that wait hold all places, `ccdir task limit %d` lets one more run", q.Limit+1)
		}
	}
	return ""
}

// firstTasks returns at most limit tasks (0: all) in their order, and how many it left
// out: those that have not ended come first, then as compareEnded has them.
func firstTasks(list []api.Task, limit int) (first []api.Task, left int) {
	if limit == 0 || len(list) <= limit {
		return list, 0
	}
	byNeed := slices.Clone(list)
	slices.SortStableFunc(byNeed, func(x, y api.Task) int {
		switch {
		case x.State.Ended() != y.State.Ended():
			return cmp.Compare(ended(x), ended(y))
		case x.State.Ended():
			return compareEnded(x, y)
		}
		return 0
	})
	chosen := map[string]bool{}
	for _, t := range byNeed[:limit] {
		chosen[t.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(t api.Task) bool { return !chosen[t.ID] }), len(list) - limit
}

// compareEnded orders tasks that have ended: what failed and what is done and was not looked at,
// then what failed before, what is done, and what was cancelled; of each the latest first.
func compareEnded(x, y api.Task) int {
	return cmp.Or(cmp.Compare(endedPlace(x), endedPlace(y)), y.Ended.Compare(x.Ended))
}

func endedPlace(t api.Task) int {
	if t.State == api.TaskCancelled {
		return math.MaxInt
	}
	return t.Standing().Rank()
}

func ended(t api.Task) int {
	if t.State.Ended() {
		return 1
	}
	return 0
}

// printTask prints a task; last is what the last turn of its session changed, nil if that is not known.
func printTask(a *verb.App, task api.Task, last *api.TurnDiff) error {
	t := verb.Table{}
	add := func(key, value string) {
		if value != "" && value != "0" && value != "0s" {
			t.Row(verb.Plain(key, value)...)
		}
	}
	moment := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.Local().Format(time.DateTime)
	}
	add("id", task.ID)
	add("name", task.Name)
	t.Row(verb.Cell{Text: "state"}, standingCell(a, task))
	add("reason", task.Reason)
	add("prompt", task.Prompt)
	for i, s := range task.Steps {
		add(fmt.Sprintf("step %d", i+2), s)
	}
	add("kind", string(task.Kind))
	add("agent", task.Agent)
	add("model", task.Model)
	add("arguments", strings.Join(task.Args, " "))
	add("role", task.Role)
	add("sandbox", cmp.Or(task.Result.Sandbox, task.Sandbox))
	add("added in", task.CWD)
	add("branch", task.Branch())
	add("base", task.Base)
	add("ran in", task.Result.CWD)
	add("session", task.Session)
	add("setup", task.Result.Setup)
	add("attempt", fmt.Sprint(task.Attempt))
	printPlan(add, task)
	add("created", moment(task.Created))
	add("not before", moment(task.NotBefore))
	add("started", moment(task.Started))
	add("ended", moment(task.Ended))
	r := task.Result
	add("took", time.Duration(r.Duration).Round(time.Millisecond).String())
	if r.ExitCode != nil {
		t.Row(verb.Plain("exit code", fmt.Sprint(*r.ExitCode))...)
	}
	add("conversation", r.Conversation)
	add("turns", fmt.Sprint(r.Turns))
	add("tokens", fmt.Sprint(r.Tokens))
	if r.Cost > 0 {
		add("cost", fmt.Sprintf("$%.4f", r.Cost))
	}
	for _, d := range r.Denials {
		add("denied", denialLine(d))
	}
	add("missing", r.Missing)
	add("last turn", last.Line())
	for _, f := range r.Files {
		add("changed", f)
	}
	if err := t.Write(a.Out, a.Colours()); err != nil {
		return err
	}
	if r.Message != "" {
		fmt.Fprintf(a.Out, "\n%s\n", textsafe.Block(r.Message))
	}
	return nil
}

// printPlan prints the settings of a task that are not defaults.
func printPlan(add func(key, value string), task api.Task) {
	for _, after := range task.After {
		how := ""
		if after.Always {
			how = " (however it ends)"
		}
		add("after", after.Task+how)
	}
	add("continues", cmp.Or(task.Continue, task.Conversation))
	add("priority", fmt.Sprint(task.Priority))
	add("after a limit", map[api.ResumeMode]string{api.ResumeAsk: "it waits for `ccdir task start`", api.ResumeOff: "it has failed"}[task.ResumeAfterLimit])
	if len(task.Steps) > 0 {
		add("step", fmt.Sprintf("%d of %d", task.Step+1, len(task.Steps)+1))
	}
	if task.Manual {
		add("autoplay", "off")
	}
	add("timeout", time.Duration(task.Timeout).String())
	add("max turns", fmt.Sprint(task.MaxTurns))
	add("max tokens", fmt.Sprint(task.MaxTokens))
	if task.MaxCost > 0 {
		add("max cost", fmt.Sprintf("$%g", task.MaxCost))
	}
	if task.MaxCostAll > 0 {
		add("max cost", fmt.Sprintf("$%g of all tasks that were added with it", task.MaxCostAll))
	}
	if task.Retries > 0 || task.Failures > 0 {
		add("retries", fmt.Sprintf("%d, %d failures", task.Retries, task.Failures))
	}
	if task.Idempotent {
		add("idempotent", "yes")
	}
	if stall := time.Duration(task.Stall); stall > 0 {
		add("stall", strings.TrimSpace(stall.String()+" "+string(task.OnStall)))
	} else if stall < 0 {
		add("stall", "never")
	} else {
		add("stall", string(task.OnStall))
	}
	if task.Review {
		add("review", "yes")
	}
	if task.PR {
		add("pull request", map[bool]string{true: "as a draft", false: "when it is done"}[task.Draft])
	}
	if task.Stage != "" {
		add("stage", strings.ReplaceAll(string(task.Stage), "_", " ")+map[bool]string{true: fmt.Sprintf(", round %d", task.Round)}[task.Round > 0])
	}
	if task.Pull != nil {
		add("pull request", strings.TrimSpace(fmt.Sprintf("#%d %s %s", task.Pull.Number, task.Pull.State, task.Pull.URL)))
	}
	if task.Keep {
		add("keep", "yes")
	}
	add("labels", strings.Join(task.Labels, ", "))
}

// denialLine describes a refused permission in one line.
func denialLine(d api.Denial) string {
	line := d.Tool
	if len(d.Input) > 0 {
		line += " " + string(d.Input)
	}
	if d.By != "" || d.Reason != "" {
		line += " (" + strings.TrimSpace(d.By+": "+d.Reason) + ")"
	}
	return line
}

// completeTask completes one task that has not ended, completeTasks several.
func completeTask(a *verb.App, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeTasks(a, cmd, args, prefix)
}

func completeTasks(a *verb.App, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return tasksFor(a, cmd, func(t api.Task) bool { return !t.State.Ended() })
}

// completeAnyTask completes one task, ended ones too.
func completeAnyTask(a *verb.App, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return tasksFor(a, cmd, func(api.Task) bool { return true })
}

// tasksFor returns completions for the tasks that fit.
func tasksFor(a *verb.App, cmd *cobra.Command, fits func(api.Task) bool) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	c, err := a.NewClient("completion")
	if err != nil {
		return nil, none
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), verb.CompleteTimeout)
	defer cancel()
	list, err := c.Tasks(ctx)
	if err != nil {
		return nil, none
	}
	var out []string
	for _, t := range list {
		if fits(t) {
			out = append(out, cobra.CompletionWithDesc(t.ID, textsafe.Line(textsafe.Cut(t.Title(), 60))))
		}
	}
	return out, none
}
