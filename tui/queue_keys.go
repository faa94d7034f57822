package tui

import (
	"fmt"
	"strings"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// queueCall makes a call of the queue away from the program.
func (m *model) queueCall(what string, f func(c QueueClient, ctx calls) error) cmd {
	client, ok := m.opts.Client.(QueueClient)
	if !ok {
		return nil
	}
	return m.call(what, func(c calls) (func(*model), error) { return nil, f(client, c) })
}

// act runs the keys that change something, or look at one task.
func (d queuePanel) act(m *model, k keyMsg) cmd {
	t := d.task(m.work)
	switch k.name {
	case "Enter", "KPEnter":
		if t != nil {
			return d.showResult(m, t.ID)
		}
		return nil
	case "o":
		return d.openPane(m, t)
	}
	if m.opts.ReadOnly {
		m.warn("attached read-only")
		return nil
	}
	if m.offline != "" {
		m.warn("the daemon does not answer")
		return nil
	}
	switch k.name {
	case "a":
		d.adding, d.prompt = true, newEditor("")
		m.overlay = d
		return nil
	case "C":
		d.clearing = true
		m.overlay = d
		return nil
	case "m", "p", "+", "=", "-":
		return d.changeQueue(m, k.name)
	}
	if t == nil {
		return nil
	}
	return d.change(m, *t, k.name)
}

// change runs the keys about one task.
func (d queuePanel) change(m *model, t api.Task, key string) cmd {
	id := t.ID
	switch key {
	case "s":
		return m.queueCall("starting "+id, func(c QueueClient, ctx calls) error {
			_, err := c.StartTask(ctx.ctx, id)
			return err
		})
	case "x":
		return m.queueCall("cancelling "+id, func(c QueueClient, ctx calls) error {
			_, err := c.CancelTask(ctx.ctx, id)
			return err
		})
	case "K", "S-Up":
		return d.move(m, id, -1)
	case "J", "S-Down":
		return d.move(m, id, 1)
	}
	return nil
}

// move gives a queued task its neighbour's place.
func (d queuePanel) move(m *model, id string, by int) cmd {
	var queued []string
	at := -1
	for _, t := range m.work.tasks {
		if t.State == api.TaskQueued {
			if t.ID == id {
				at = len(queued)
			}
			queued = append(queued, t.ID)
		}
	}
	to := at + by
	if at < 0 || to < 0 || to >= len(queued) {
		return nil
	}
	before := queued[to]
	if by > 0 {
		before = ""
		if to+1 < len(queued) {
			before = queued[to+1]
		}
	}
	return m.queueCall("moving "+id, func(c QueueClient, ctx calls) error {
		_, err := c.MoveTask(ctx.ctx, id, before)
		return err
	})
}

// changeQueue runs the keys about the queue itself.
func (d queuePanel) changeQueue(m *model, key string) cmd {
	q := m.work.queue
	if q == nil {
		return nil
	}
	var change api.QueueChange
	switch limit := q.Limit; key {
	case "m":
		change.Mode = api.QueueAuto
		if q.Mode == api.QueueAuto {
			change.Mode = api.QueueManual
		}
	case "p":
		change.Paused = new(q.Mode != api.QueuePaused)
	case "-":
		change.Limit = new(max(1, limit-1))
	default:
		change.Limit = new(limit + 1)
	}
	return m.queueCall("changing the queue", func(c QueueClient, ctx calls) error {
		_, err := c.ChangeQueue(ctx.ctx, change)
		return err
	})
}

// addKey edits the prompt of a new task.
func (d queuePanel) addKey(m *model, k keyMsg) cmd {
	switch k.name {
	case "Escape", "C-c":
		d.adding = false
	case "Enter", "KPEnter":
		prompt := strings.TrimSpace(d.prompt.String())
		d.adding = false
		m.overlay = d
		if prompt == "" {
			return nil
		}
		n := api.NewTask{Prompt: prompt, CWD: m.opts.Dir, Env: m.opts.Env}
		return m.queueCall("adding the task", func(c QueueClient, ctx calls) error {
			_, err := c.AddTasks(ctx.ctx, []api.NewTask{n})
			return err
		})
	default:
		d.prompt, _ = d.prompt.key(k.name, k.key)
	}
	m.overlay = d
	return nil
}

// openPane gives the task's session the focus.
func (d queuePanel) openPane(m *model, t *api.Task) cmd {
	if t == nil || t.Session == "" || m.session(t.Session) == nil {
		m.warn("this task has no pane")
		return nil
	}
	m.overlay = nil
	m.setFocus(t.Session)
	return nil
}

// taskResult shows one task with its result.
type taskResult struct {
	id   string
	task *api.Task // nil until the answer is here
	top  int
}

// showResult asks for the whole task.
func (d queuePanel) showResult(m *model, id string) cmd {
	d.result = &taskResult{id: id}
	m.overlay = d
	client, ok := m.opts.Client.(QueueClient)
	if !ok {
		return nil
	}
	return m.call("asking for the result", func(c calls) (func(*model), error) {
		t, err := client.Task(c.ctx, id)
		return func(m *model) {
			if now, ok := m.overlay.(queuePanel); ok && now.result != nil && now.result.id == id {
				now.result = &taskResult{id: id, task: &t}
				m.overlay = now
			}
		}, err
	})
}

// resultRoom is the width and height inside the popup.
func resultRoom(cols, rows int) (w, h int) {
	return max(1, min(queueWidth, cols-4)), max(1, rows-4)
}

// lines are what is known of the task, at most w columns wide.
func (r *taskResult) lines(w int) (out []string) {
	add := func(label, text string) {
		if text == "" {
			return
		}
		const indent = 14
		for _, paragraph := range strings.Split(textsafe.Block(text), "\n") {
			parts := wrap(paragraph, max(1, w-indent))
			if len(parts) == 0 {
				parts = []string{""}
			}
			for _, p := range parts {
				out = append(out, fmt.Sprintf("%-*s%s", indent, label, p))
				label = ""
			}
		}
	}
	if r.task == nil {
		return []string{"asking the daemon…"}
	}
	t, v := r.task, r.task.Result
	add("state", string(t.State))
	add("reason", t.Reason)
	if !t.Ended.IsZero() && !t.Started.IsZero() {
		add("took", t.Ended.Sub(t.Started).Round(time.Second).String())
	}
	if v.ExitCode != nil {
		add("exit code", fmt.Sprint(*v.ExitCode))
	}
	if v.Missing != "" {
		add("missing", "the "+v.Missing+" did not come in time")
	}
	if v.Turns > 0 {
		used := fmt.Sprintf("%d turns, %d tokens", v.Turns, v.Tokens)
		if v.Cost > 0 {
			used += fmt.Sprintf(", $%.4f", v.Cost)
		}
		add("used", used)
	}
	add("denied", string(v.Denials))
	add("changed", strings.Join(v.Files, "\n"))
	add("conversation", v.Conversation)
	add("directory", t.CWD)
	add("prompt", t.Prompt)
	for i, s := range t.Steps {
		add(fmt.Sprintf("step %d", i+2), s)
	}
	add("answer", v.Message)
	return out
}

func (r *taskResult) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, h := resultRoom(sc.cols, sc.rows)
	lines := r.lines(w)
	box := drawPopup(s, sc, queueWidth, min(len(lines)+1, h), "task "+r.id, sc.theme.accent)
	room := max(0, box.H-1)
	top := max(0, min(r.top, len(lines)-room))
	for i := 0; i < room && top+i < len(lines); i++ {
		line(s, box, i, lines[top+i], grid.Style{})
	}
	foot := "Esc back"
	if len(lines) > room {
		foot += "   ↑ ↓ PgUp PgDn scroll"
	}
	line(s, box, box.H-1, foot, fg(sc.theme.dim))
	return paint.Cursor{}
}

func (d queuePanel) resultKey(m *model, k keyMsg) cmd {
	r := *d.result
	w, h := resultRoom(m.cols, m.rows)
	n := len(r.lines(w))
	room := max(1, min(n+1, h)-1)
	switch k.name {
	case "Escape", "q", "C-c", "Enter":
		d.result = nil
		m.overlay = d
		return nil
	case "Up", "k":
		r.top--
	case "Down", "j":
		r.top++
	case "PPage":
		r.top -= room
	case "NPage", "Space":
		r.top += room
	}
	r.top = max(0, min(r.top, n-room))
	d.result = &r
	m.overlay = d
	return nil
}
