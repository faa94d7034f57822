package queue

import (
	"fmt"
	"strings"

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

var groups = []string{"running", "queued", "ended"}

// Content lists what runs, what is queued and what has ended.
func (d rows) Content(env ui.Env, view listbox.View) listbox.Content {
	q := env.Work
	c := listbox.Content{
		Title: "tasks", Hint: "filter by number, name, state or prompt", Head: modal.Styled(head(q), theme.Bold(env.Theme.Idle)),
		Empty: "No tasks yet: a adds one here, C-t in the prompt bar gives a text to the queue, and `ccdir task add -f FILE` adds many.",
		Keys: []keymap.Named{keymap.ViewOpen.As("result"), keymap.QueueAdd.As("add"), keymap.QueueStart.As("start"), keymap.QueueCancel.As("cancel"),
			keymap.QueueUp.As("up"), keymap.QueueDown.As("down"), keymap.QueueMode.As("mode"), keymap.QueuePause.As("pause"), keymap.QueueMore.As("more"),
			keymap.QueueFewer.As("fewer"), keymap.QueueClear.As("clear"), keymap.QueuePane.As("pane"), keymap.ViewClose.As("close")},
		DetailKeys: []keymap.Named{keymap.ViewClose.As("back"), keymap.QueuePane.As("pane"), keymap.QueueStart.As("start"), keymap.QueueCancel.As("cancel")},
		Note:       batchNote(env, view.ID),
	}
	if env.ReadOnly {
		c.Keys = []keymap.Named{keymap.ViewOpen.As("result"), keymap.ViewFilter.As("filter"), keymap.QueuePane.As("pane"), keymap.ViewClose.As("close")}
	}
	if view.Open {
		c.Title = "task " + view.ID
	}
	if d.clearing {
		c.Asks = "cancel every queued task?   y yes   any other key: no"
	}
	counts := [3]int{}
	for _, t := range q.Tasks {
		counts[ui.TaskGroup(t)]++
	}
	group := -1
	for _, t := range q.Tasks {
		if g := ui.TaskGroup(t); g != group {
			group = g
			title := fmt.Sprintf("%s (%d)", groups[g], counts[g])
			c.Items = append(c.Items, listbox.Item{Line: func(int) string { return modal.Styled(title, theme.FG(env.Theme.Dim)) }})
		}
		c.Items = append(c.Items, listbox.Item{
			ID: t.ID, Match: func() string {
				return t.ID + " " + string(t.State) + " " + taskLine(t) + " " + strings.Join(t.Labels, " ")
			},
			Line: func(w int) string { return taskRow(env, t, w) },
		})
	}
	c.Detail = func(id string, w int) []string {
		if d.result == nil || d.result.ID != id {
			return []string{"asking the daemon…"}
		}
		return lists.TaskLines(env.Theme, *d.result, w)
	}
	return c
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

// head is the queue in one line.
func head(q ui.Work) string {
	if q.Queue == nil {
		return "the daemon tells nothing of a queue"
	}
	text := fmt.Sprintf("mode %s   limit %d", q.Queue.Mode, q.Queue.Limit)
	for _, s := range api.TaskStates() {
		if n := q.Queue.Counts[s]; n > 0 {
			text += fmt.Sprintf("   %d %s", n, s)
		}
	}
	for agent, until := range q.Queue.Parked {
		text += "   " + textsafe.Line(agent) + " parked until " + until.Local().Format("15:04")
	}
	return text
}

func taskRow(env ui.Env, t api.Task, w int) string {
	state := string(t.State)
	if t.Stalled {
		state += " stalled"
	}
	return modal.Columns(w, modal.Column(t.ID, 6, cells.Style{}), modal.Column(state, 10, theme.Bold(env.Theme.Task(t.State))),
		modal.Column(fmt.Sprintf("%4s", format.Age(env.Now, t.Since)), 6, theme.FG(env.Theme.Dim)), modal.Column(taskLine(t), 0, cells.Style{}))
}

// taskLine is what a task is about, and why it stands where it does.
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
	if t.Reason != "" {
		text += " — " + t.Reason
	}
	return textsafe.Line(text)
}

// DrawOver draws the dialog for a new task over the list.
func (d rows) DrawOver(env ui.Env, s *paint.Surface, cur paint.Cursor) paint.Cursor {
	if !d.adding {
		return cur
	}
	r := modal.Popup(s, addWidth, 3, "new task", env.Theme.Accent)
	s.Text(r.X, r.Y, r.W, "❯ ", theme.Bold(env.Theme.Accent))
	at := d.prompt.Draw(s, r.X+2, r.Y, r.W-2, cells.Style{})
	if d.prompt.Empty() {
		s.Text(r.X+2, r.Y, r.W-2, paint.Cut("what is to be done", r.W-2), theme.FG(env.Theme.Dim))
	}
	modal.Line(s, r, r.H-1, "Enter adds it   Esc back", theme.FG(env.Theme.Dim))
	return paint.Cursor{X: r.X + 2 + at, Y: r.Y, Visible: r.H > 0}
}

// addWidth is the width of the dialog for a new task.
const addWidth = 84
