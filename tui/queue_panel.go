package tui

import (
	"context"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// queuePanel lists the tasks and steers the queue. It follows the queue while it
// is open.
type queuePanel struct {
	view listbox.View
	// adding takes the prompt of a new task.
	adding bool
	prompt edit.Line
	// clearing asks before everything that is queued is cancelled.
	clearing bool
	popup    uint64 // keys typed before that question was on the screen are ignored
	// result is a task with everything, as it was asked for last.
	result *api.Task
}

func (m *model) openQueue() {
	if _, ok := m.opts.Client.(QueueClient); !ok {
		m.warn("this daemon has no queue: `ccdir daemon restart`")
		return
	}
	m.overlay = queuePanel{}
}

func (d queuePanel) list() listbox.View             { return d.view }
func (d queuePanel) with(v listbox.View) listDialog { d.view = v; return d }
func (d queuePanel) mode() keymap.Mode              { return keymap.ModeQueue }

var queueGroups = []string{"running", "queued", "ended"}

func (d queuePanel) content(sc *scene) listbox.Content {
	q := sc.Work
	c := listbox.Content{
		Title: "tasks", Hint: "filter by number, name, state or prompt", Head: modal.Styled(queueHead(q), theme.Bold(sc.Theme.Idle)),
		Empty: "No tasks yet: a adds one here, C-t in the prompt bar gives a text to the queue, and `ccdir task add -f FILE` adds many.",
		Keys: []keymap.Named{keymap.ViewOpen.As("result"), keymap.QueueAdd.As("add"), keymap.QueueStart.As("start"), keymap.QueueCancel.As("cancel"),
			keymap.QueueUp.As("up"), keymap.QueueDown.As("down"), keymap.QueueMode.As("mode"), keymap.QueuePause.As("pause"), keymap.QueueMore.As("more"),
			keymap.QueueFewer.As("fewer"), keymap.QueueClear.As("clear"), keymap.QueuePane.As("pane"), keymap.ViewClose.As("close")},
		DetailKeys: []keymap.Named{keymap.ViewClose.As("back"), keymap.QueuePane.As("pane"), keymap.QueueStart.As("start"), keymap.QueueCancel.As("cancel")},
		Note:       d.batchNote(sc),
	}
	if sc.ReadOnly {
		c.Keys = []keymap.Named{keymap.ViewOpen.As("result"), keymap.ViewFilter.As("filter"), keymap.QueuePane.As("pane"), keymap.ViewClose.As("close")}
	}
	if d.view.Open {
		c.Title = "task " + d.view.ID
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
			title := fmt.Sprintf("%s (%d)", queueGroups[g], counts[g])
			c.Items = append(c.Items, listbox.Item{Line: func(int) string { return modal.Styled(title, theme.FG(sc.Theme.Dim)) }})
		}
		c.Items = append(c.Items, listbox.Item{
			ID: t.ID, Match: func() string {
				return t.ID + " " + string(t.State) + " " + taskLine(t) + " " + strings.Join(t.Labels, " ")
			},
			Line: func(w int) string { return taskRow(sc, t, w) },
		})
	}
	c.Detail = func(id string, w int) []string {
		if d.result == nil || d.result.ID != id {
			return []string{"asking the daemon…"}
		}
		return lists.TaskLines(sc.Theme, *d.result, w)
	}
	return c
}

// batchNote is how far the tasks are that were added together with the chosen
// one, "" if it was added alone.
func (d queuePanel) batchNote(sc *scene) string {
	for _, t := range sc.Work.Tasks {
		if t.ID != d.view.ID {
			continue
		}
		if done, all := sc.Work.Batch(t); all > 1 {
			return modal.Styled(fmt.Sprintf("batch of %s ", t.ID), theme.FG(sc.Theme.Dim)) + modal.ProgressBar(sc.Theme, done, all, 20) + modal.Styled(fmt.Sprintf(" %d of %d", done, all), theme.FG(sc.Theme.Dim))
		}
	}
	return ""
}

// queueHead is the queue in one line.
func queueHead(q ui.Work) string {
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

func taskRow(sc *scene, t api.Task, w int) string {
	state := string(t.State)
	if t.Stalled {
		state += " stalled"
	}
	return modal.Columns(w, modal.Column(t.ID, 6, cells.Style{}), modal.Column(state, 10, theme.Bold(sc.Theme.Task(t.State))),
		modal.Column(fmt.Sprintf("%4s", format.Age(sc.Now, t.Since)), 6, theme.FG(sc.Theme.Dim)), modal.Column(taskLine(t), 0, cells.Style{}))
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

func (d queuePanel) draw(s *paint.Surface, sc *scene) paint.Cursor {
	cur := drawListDialog(d, s, sc)
	if !d.adding {
		return cur
	}
	r := modal.Popup(s, queueAddWidth, 3, "new task", sc.Theme.Accent)
	s.Text(r.X, r.Y, r.W, "❯ ", theme.Bold(sc.Theme.Accent))
	at := d.prompt.Draw(s, r.X+2, r.Y, r.W-2, cells.Style{})
	if d.prompt.Empty() {
		s.Text(r.X+2, r.Y, r.W-2, paint.Cut("what is to be done", r.W-2), theme.FG(sc.Theme.Dim))
	}
	modal.Line(s, r, r.H-1, "Enter adds it   Esc back", theme.FG(sc.Theme.Dim))
	return paint.Cursor{X: r.X + 2 + at, Y: r.Y, Visible: r.H > 0}
}

// queueAddWidth is the width of the dialog for a new task.
const queueAddWidth = 84

func (d queuePanel) paste(m *model, text string) {
	if !d.adding {
		listPaste(m, d, text)
		return
	}
	d.prompt = d.prompt.Insert(strings.TrimSpace(text))
	m.overlay = d
}

func (d queuePanel) key(m *model, k input.Key) cmd {
	switch {
	case d.adding:
		return d.addKey(m, k)
	case d.clearing && k.Name == "y" && !m.seen(d.popup, k.At):
		return nil // in flight when the question appeared
	case d.clearing:
		d.clearing = false
		m.overlay = d
		if k.Name == "y" {
			return m.queueCall("clearing the queue", func(ctx context.Context, c QueueClient) ([]api.Task, *api.Queue, error) {
				gone, err := c.ClearTasks(ctx)
				return gone, nil, err
			})
		}
		return nil
	}
	if b, ok := m.keys.Lookup(k.Name); ok && b.Action == keymap.Queue && !d.view.Typing {
		m.overlay = nil
		return nil
	}
	return listKey(m, d, k)
}
