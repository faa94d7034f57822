package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Content lists the tasks: those that need somebody first.
func (d rows) Content(env ui.Env, view listbox.View) listbox.Content {
	node := ui.NodeOf(view.ID)
	c := listbox.Content{
		Title: "tasks", Hint: "filter by number, name, state or prompt", Head: modal.Styled(head(env.Work, node), theme.Bold(env.Theme.Idle)),
		Empty: "No tasks yet: a adds one here, C-t in the prompt bar gives a text to the queue, and `ccdir task add -f FILE` adds many.",
		Note:  d.note(env, view.ID),
	}
	t := task(env, view.ID)
	c.Keys = append(rowKeys(env, t, false), d.queueKeys(env, node)...)
	c.DetailKeys = append([]keymap.Named{keymap.ViewClose.As("back")}, rowKeys(env, t, true)...)
	if view.Open {
		c.Title = "task " + view.ID
	}
	if d.laid(env) {
		c.Laid, c.Width, c.All = board{env}, env.Cols, 2*env.Rows
	}
	if d.clearing {
		of := ""
		if len(env.Work.Queues) > 0 {
			of = " of " + machine(d.on)
		}
		c.Asks = "cancel every queued task" + of + "?   y yes   any other key: no"
	}
	idWidth := idColumn(env)
	for _, g := range byNeed(env) {
		title := fmt.Sprintf("%s (%d)", g.need, len(g.tasks))
		st := theme.FG(env.Theme.Dim)
		if g.need == api.NeedsYou {
			st = theme.Bold(env.Theme.Task(api.TaskWaiting))
		}
		c.Items = append(c.Items, listbox.Item{Line: func(int) string { return modal.Styled(title, st) }})
		for _, t := range g.tasks {
			c.Items = append(c.Items, listbox.Item{
				ID: t.ID, Match: func() string {
					return t.ID + " " + string(t.State) + " " + taskLine(t) + " " + answer(env, t) + " " + strings.Join(t.Labels, " ")
				},
				Line: func(w int) string { return taskRow(env, t, idWidth, w) },
			})
		}
	}
	c.Detail = func(id string, w int) []string {
		if d.result == nil || d.result.ID != id {
			return []string{"asking the daemon…"}
		}
		return lists.TaskLines(env, *d.result, w)
	}
	return c
}

// group are the tasks of one need, in the order of the queue.
type group struct {
	need  api.Need
	tasks []api.Task
}

// byNeed groups the tasks; no group is empty.
func byNeed(env ui.Env) []group {
	var all [api.NeedDone + 1]group
	for _, t := range env.Work.Tasks {
		hold, _ := held(env, t)
		need := t.Need(hold)
		all[need].need = need
		all[need].tasks = append(all[need].tasks, t)
	}
	return slices.DeleteFunc(all[:], func(g group) bool { return g.tasks == nil })
}

// held is the reason why a task does not start, and its text.
func held(env ui.Env, t api.Task) (api.Hold, string) {
	q := env.Work.Of(ui.NodeOf(t.ID))
	if q == nil || t.State != api.TaskQueued {
		return api.HoldNone, ""
	}
	return q.Hold(t, api.OpenTasks(env.Work.Tasks), env.Now)
}

// note says why nothing runs; else how far the tasks are that were added together with
// the chosen one.
func (d rows) note(env ui.Env, id string) string {
	if why := why(env, ui.NodeOf(id)); why != "" {
		return modal.Styled(why, theme.Bold(env.Theme.Task(api.TaskWaiting)))
	}
	if text := batchNote(env, id); text != "" {
		return text
	}
	return d.dueNext(env)
}

// dueNext is the schedule that adds a task or a prompt next, "" without one.
func (d rows) dueNext(env ui.Env) string {
	due := slices.DeleteFunc(slices.Clone(d.schedules), func(s api.Schedule) bool { return s.Next == nil })
	if len(due) == 0 {
		return ""
	}
	at, form := due[0].Next.Local(), "15:04"
	if days := at.Sub(env.Now); days > 6*24*time.Hour {
		form = "Jan 2 15:04"
	} else if at.Day() != env.Now.Local().Day() {
		form = "Mon 15:04"
	}
	text := "due next: " + at.Format(form) + "  " + textsafe.Cut(textsafe.Line(cmp.Or(due[0].Name, due[0].Prompt)), 40)
	if n := len(due) - 1; n > 0 {
		text += fmt.Sprintf("   and %d more: `ccdir schedule ls`", n)
	}
	return modal.Styled(text, theme.FG(env.Theme.Dim))
}

// why says why no queued task of a machine starts, and what to press; "" if none has to wait for
// a person or a setting.
func why(env ui.Env, node string) string {
	q := env.Work.Of(node)
	if q == nil {
		return ""
	}
	runs := q.Counts[api.TaskStarting] + q.Counts[api.TaskRunning]
	key := env.Keys.Hint
	found := map[api.Hold]string{}
	for _, t := range env.Work.Tasks {
		if hold, words := held(env, t); found[hold] == "" && ui.NodeOf(t.ID) == node {
			found[hold] = t.ID + ": " + words
		}
	}
	switch {
	case found[api.HoldPaused] != "":
		return "the queue is paused: " + key(keymap.QueuePause) + " lets it go on"
	case found[api.HoldManual] != "" && runs == 0:
		return "mode is manual: " + key(keymap.QueueStart) + " starts the chosen task, " + key(keymap.QueueMode) + " lets all start by themselves"
	case found[api.HoldLimit] != "":
		return fmt.Sprintf("limit of %d reached: %s lets one more run", q.Limit, key(keymap.QueueMore))
	case runs > 0:
		return ""
	}
	for _, hold := range []api.Hold{api.HoldAgent, api.HoldBackoff, api.HoldAfter} {
		if found[hold] != "" {
			return "nothing runs: " + textsafe.Line(found[hold])
		}
	}
	return ""
}

// batchNote is how far the tasks are that were added together with the chosen
// one, "" if it was added alone.
func batchNote(env ui.Env, id string) string {
	for _, t := range env.Work.Tasks {
		if t.ID != id {
			continue
		}
		if done, all := env.Work.Batch(t); all > 1 {
			return modal.Styled(fmt.Sprintf("batch of %s ", t.ID), theme.FG(env.Theme.Dim)) + modal.ProgressBar(env.Theme, done, all, 20) + modal.Styled(fmt.Sprintf(" %d of %d", done, all), theme.FG(env.Theme.Dim))
		}
	}
	return ""
}

// machine is a machine's name in the words of this list.
func machine(node string) string { return cmp.Or(textsafe.Line(node), "here") }

// head is a machine's queue in one line, with its name if there are several.
func head(w ui.Work, node string) string {
	q := w.Of(node)
	if q == nil {
		return "the daemon tells nothing of a queue"
	}
	text := fmt.Sprintf("mode %s   limit %d", textsafe.Line(string(q.Mode)), q.Limit)
	if len(w.Queues) > 0 {
		text = machine(node) + ":   " + text
	}
	for _, s := range api.TaskStates() {
		if n := q.Counts[s]; n > 0 {
			text += fmt.Sprintf("   %d %s", n, s.Word())
		}
	}
	for agent, until := range q.Parked {
		text += "   " + textsafe.Line(agent) + " parked until " + until.Local().Format("15:04")
	}
	return text
}

// Widths from which rows have their state and age, and the answer a column of its own.
const (
	stated  = 50
	besides = 60
)

// stateWidth is the room of the longest word of a task's state.
const stateWidth = 12

// Widths of ids: those of this machine, and the most that those of nodes get.
const (
	ownID = 6
	farID = 16
)

// idColumn is the width of the ids of all tasks.
func idColumn(env ui.Env) int {
	width := ownID
	for _, t := range env.Work.Tasks {
		width = max(width, min(len(t.ID), farID))
	}
	return width
}

func taskRow(env ui.Env, t api.Task, idWidth, w int) string {
	row := []modal.Cell{modal.Column(textsafe.Line(t.ID), idWidth, cells.Style{}), modal.Column(textsafe.Line(t.StandingWord()), stateWidth, theme.Bold(env.Theme.Task(t.State))),
		modal.Column(fmt.Sprintf("%4s", format.Age(env.Now, t.Since)), 5, theme.FG(env.Theme.Dim))}
	line, says := taskLine(t), answer(env, t)
	if w < stated { // the heading says the state
		row = row[:1]
	}
	switch {
	case says == "":
	case w < besides:
		line += " — " + says
	default:
		row = append(row, modal.Column(line, (w-8-stateWidth-idWidth)*2/5, cells.Style{}))
		return modal.Columns(w, append(row, modal.Column(says, 0, answerStyle(env, t)))...)
	}
	return modal.Columns(w, append(row, modal.Column(line, 0, cells.Style{}))...)
}

// answer is one line about what became of a task, what it asks or does, or why it does
// not start.
func answer(env ui.Env, t api.Task) string {
	_, words := held(env, t)
	says := t.Headline(words)
	if v := env.Session(t.Session); v != nil && !t.State.Ended() && !v.State.Ended() && says == "" {
		says = v.Progress
	}
	return textsafe.Line(says)
}

func answerStyle(env ui.Env, t api.Task) cells.Style {
	switch t.Need(api.HoldNone) {
	case api.NeedsYou, api.NeedFailed:
		return theme.FG(env.Theme.Task(t.State))
	case api.NeedDone:
		return cells.Style{}
	}
	return theme.FG(env.Theme.Dim)
}

// taskLine describes a task.
func taskLine(t api.Task) string {
	text, _, _ := strings.Cut(strings.TrimSpace(t.Prompt), "\n")
	text = strings.TrimRight(text, "\r")
	if t.Name != "" {
		text = t.Name + ": " + text
	}
	if t.Step > 0 {
		text = fmt.Sprintf("step %d: %s", t.Step+1, text)
	}
	if t.Attempt > 1 {
		text = fmt.Sprintf("try %d: %s", t.Attempt, text)
	}
	return textsafe.Line(text)
}

// DrawOver draws the form over the list.
func (d rows) DrawOver(env ui.Env, s *paint.Surface, cur paint.Cursor) paint.Cursor {
	if d.form == nil {
		return cur
	}
	return d.form.draw(env, s)
}
