package tui

import (
	"fmt"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// queuePanel lists the tasks and steers the queue. It follows the queue while it
// is open.
type queuePanel struct {
	// selected is the task that keys are about; at is its place, for when it is
	// gone.
	selected string
	at       int
	// adding takes the prompt of a new task.
	adding bool
	prompt editor
	// clearing asks before everything that is queued is cancelled.
	clearing bool
	// result is the task whose result is shown, nil: the list.
	result *taskResult
}

func (m *model) openQueue() {
	if _, ok := m.opts.Client.(QueueClient); !ok {
		m.warn("this daemon has no queue: `ccdir daemon restart`")
		return
	}
	m.overlay = queuePanel{}.follow(m.work)
}

// follow keeps the selection where it was.
func (d queuePanel) follow(q queueState) queuePanel {
	for i, t := range q.tasks {
		if t.ID == d.selected {
			d.at = i
			return d
		}
	}
	d.at = max(0, min(d.at, len(q.tasks)-1))
	d.selected = ""
	if len(q.tasks) > 0 {
		d.selected = q.tasks[d.at].ID
	}
	return d
}

func (d queuePanel) task(q queueState) *api.Task {
	if d.at < len(q.tasks) && q.tasks[d.at].ID == d.selected {
		return &q.tasks[d.at]
	}
	return nil
}

const (
	queueWidth = 110
	// queueChrome are the rows beside the tasks: head, foot of two lines.
	queueChrome = 3
)

var queueGroups = []string{"running", "queued", "ended"}

func (d queuePanel) draw(s *paint.Surface, sc *scene) paint.Cursor {
	if d.result != nil {
		return d.result.draw(s, sc)
	}
	q := sc.work
	rows := queueRows(q)
	r := drawPopup(s, sc, queueWidth, min(max(len(rows), 1)+queueChrome, max(4, sc.rows-2)), "tasks", sc.theme.accent)
	line(s, r, 0, queueHead(q), bold(sc.theme.idle))
	room := max(0, r.H-queueChrome)
	sel := 0
	for i, row := range rows {
		if row.task == d.at {
			sel = i
		}
	}
	top := max(0, min(sel-room/2, len(rows)-room))
	for i := 0; i < room && top+i < len(rows); i++ {
		d.drawRow(s, sc, paint.Rect{X: r.X, Y: r.Y + 1 + i, W: r.W, H: 1}, rows[top+i])
	}
	if len(rows) == 0 {
		line(s, r, 1, "no tasks yet: a adds one, `ccdir task add -f FILE` many", fg(sc.theme.dim))
	}
	return d.drawFoot(s, sc, r)
}

// queueRow is a row of the list: the title of a group, or the task of that number.
type queueRow struct {
	title string
	task  int
}

func queueRows(q queueState) (rows []queueRow) {
	group, counts := -1, [3]int{}
	for _, t := range q.tasks {
		counts[taskGroup(t)]++
	}
	for i, t := range q.tasks {
		if g := taskGroup(t); g != group {
			group = g
			rows = append(rows, queueRow{title: fmt.Sprintf("%s (%d)", queueGroups[g], counts[g]), task: -1})
		}
		rows = append(rows, queueRow{task: i})
	}
	return rows
}

// queueHead is the queue in one line.
func queueHead(q queueState) string {
	if q.queue == nil {
		return "the daemon tells nothing of a queue"
	}
	text := fmt.Sprintf("mode %s   limit %d", q.queue.Mode, q.queue.Limit)
	for _, s := range api.TaskStates() {
		if n := q.queue.Counts[s]; n > 0 {
			text += fmt.Sprintf("   %d %s", n, s)
		}
	}
	for agent, until := range q.queue.Parked {
		text += "   " + textsafe.Line(agent) + " parked until " + until.Local().Format("15:04")
	}
	return text
}

// taskColour is the colour of a task's state.
func (t *theme) task(s api.TaskState) grid.Color {
	switch s {
	case api.TaskRunning, api.TaskStarting:
		return t.state(api.StateWorking)
	case api.TaskWaiting:
		return t.state(api.StateInput)
	case api.TaskDone:
		return t.state(api.StateIdle)
	case api.TaskFailed, api.TaskTimedOut, api.TaskBlocked:
		return t.alert
	}
	return t.dim
}

func (d queuePanel) drawRow(s *paint.Surface, sc *scene, r paint.Rect, row queueRow) {
	if row.task < 0 {
		s.Text(r.X, r.Y, r.W, paint.Cut(row.title, r.W), fg(sc.theme.dim))
		return
	}
	t := sc.work.tasks[row.task]
	mark, st := "  ", grid.Style{}
	if row.task == d.at {
		mark, st.Attrs = "❯ ", grid.Bold
	}
	x := r.X + s.Text(r.X, r.Y, r.W, mark+fmt.Sprintf("%-6s", t.ID), st)
	state := string(t.State)
	if t.Stalled {
		state += " stalled"
	}
	if x < r.X+r.W {
		colour := bold(sc.theme.task(t.State))
		s.Text(x, r.Y, r.X+r.W-x, paint.Cut(fmt.Sprintf("%-10s %4s ", state, age(sc.now, t.Since)), r.X+r.W-x), colour)
	}
	if x += 16; x < r.X+r.W {
		s.Text(x, r.Y, r.X+r.W-x, paint.Cut(taskLine(t), r.X+r.W-x), st)
	}
}

// taskLine is what a task is about, and why it stands where it does.
func taskLine(t api.Task) string {
	text, _, _ := strings.Cut(strings.TrimSpace(t.Prompt), "\n")
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

// drawFoot says what keys do, or takes the prompt of a new task.
func (d queuePanel) drawFoot(s *paint.Surface, sc *scene, r paint.Rect) paint.Cursor {
	y := r.H - 2
	switch {
	case d.adding:
		label := "new task: "
		line(s, r, y, label, bold(sc.theme.accent))
		x := min(paint.Width(label), r.W)
		at := d.prompt.draw(s, r.X+x, r.Y+y, r.W-x, grid.Style{})
		line(s, r, y+1, "Enter adds it   Esc cancel", fg(sc.theme.dim))
		return paint.Cursor{X: r.X + x + at, Y: r.Y + y, Visible: y >= 0}
	case d.clearing:
		line(s, r, y, "cancel every queued task?   y yes   any other key no", bold(sc.theme.alert))
		return paint.Cursor{}
	}
	if t := d.task(sc.work); t != nil {
		if done, all := sc.work.batch(*t); all > 1 {
			line(s, r, y, "batch of "+t.ID+" "+progressBar(done, all, 20)+fmt.Sprintf(" %d of %d", done, all), fg(sc.theme.accent))
		}
	}
	keys := "Enter result  o pane  Esc close"
	if !sc.readOnly {
		keys = "a add  s start  x cancel  K J move  m mode  p pause  + - limit  C clear  " + keys
	}
	line(s, r, y+1, keys, fg(sc.theme.dim))
	return paint.Cursor{}
}

// progressBar is done of all in w cells.
func progressBar(done, all, w int) string {
	full := 0
	if all > 0 {
		full = done * w / all
	}
	return strings.Repeat("█", full) + strings.Repeat("░", w-full)
}

func (d queuePanel) paste(m *model, text string) {
	if d.adding {
		d.prompt = d.prompt.insert(strings.TrimSpace(text))
		m.overlay = d
	}
}

func (d queuePanel) key(m *model, k keyMsg) cmd {
	switch {
	case d.result != nil:
		return d.resultKey(m, k)
	case d.adding:
		return d.addKey(m, k)
	case d.clearing:
		d.clearing = false
		m.overlay = d
		if k.name == "y" {
			return m.queueCall("clearing the queue", func(c QueueClient, ctx calls) error {
				_, err := c.ClearTasks(ctx.ctx)
				return err
			})
		}
		return nil
	}
	n := len(m.work.tasks)
	switch k.name {
	case "Escape", "q", "C-c":
		m.overlay = nil
		return nil
	case "Up", "k":
		d.at--
	case "Down", "j":
		d.at++
	case "PPage":
		d.at -= 10
	case "NPage":
		d.at += 10
	case "Home", "g":
		d.at = 0
	case "End", "G":
		d.at = n - 1
	default:
		if b, ok := m.keys.Lookup(k.name); ok && b.Action == keymap.Queue {
			m.overlay = nil
			return nil
		}
		return d.act(m, k)
	}
	d.at = max(0, min(d.at, n-1))
	if d.selected = ""; n > 0 {
		d.selected = m.work.tasks[d.at].ID
	}
	m.overlay = d
	return nil
}
