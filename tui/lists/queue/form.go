package queue

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Fields of the form, in order. The agent is a choice, the others are text.
const (
	fieldPrompt = iota
	fieldDir
	fieldAgent
	fieldModel
	fieldPriority
	fieldRetries
	fieldAfter
	fieldCount
)

var labels = [fieldCount]string{"Prompt", "Directory", "Agent", "Model", "Priority", "Retries", "After"}

// empty is the text that an empty field shows.
var empty = [fieldCount]string{
	fieldPrompt: "what is to be done", fieldDir: "an absolute path, or ~/…", fieldModel: "the agent's own choice", fieldPriority: "0 (from -100 to 100, greater first)",
	fieldRetries: "0 (how often a failed attempt is repeated)", fieldAfter: "no other task (t3 tests: begins when these are done)",
}

// form is a new task, or a queued one that is edited.
type form struct {
	id      string // of the edited task, "" is a new one
	was     api.NewTask
	fields  [fieldCount]edit.Line
	agent   string // "" is the default one
	at      int    // the field with the cursor
	problem string // why it was not taken, "" if nothing is wrong
}

// newForm is the form of a new task in dir, for the default agent or one that is installed.
func newForm(env ui.Env, dir string) *form {
	f := &form{}
	f.fields[fieldDir] = edit.NewLine(dir)
	for _, a := range env.Agents {
		if a.Default {
			f.agent = a.Name
		}
	}
	if names := agents(env); len(names) > 0 && !slices.Contains(names, f.agent) {
		f.agent = names[0] // the default one is not installed
	}
	return f
}

// editForm is the form of a queued task.
func editForm(t api.Task) *form {
	f := &form{id: t.ID, was: t.NewTask, agent: t.Agent}
	var after []string
	for _, a := range t.After {
		after = append(after, a.Task)
	}
	f.fields = [fieldCount]edit.Line{fieldPrompt: edit.NewLine(t.Prompt), fieldDir: edit.NewLine(t.CWD), fieldModel: edit.NewLine(t.Model),
		fieldAfter: edit.NewLine(strings.Join(after, " "))}
	if t.Priority != 0 {
		f.fields[fieldPriority] = edit.NewLine(strconv.Itoa(t.Priority))
	}
	if t.Retries != 0 {
		f.fields[fieldRetries] = edit.NewLine(strconv.Itoa(t.Retries))
	}
	return f
}

// key edits a field or goes to another one.
func (f form) key(env ui.Env, k ui.Key) *form {
	switch k.Name {
	case "Tab", "Down":
		f.at = (f.at + 1) % fieldCount
	case "BTab", "Up":
		f.at = (f.at + fieldCount - 1) % fieldCount
	default:
		f.problem = ""
		if f.at == fieldAgent {
			f.agent = nextAgent(env, f.agent, k.Name)
		} else {
			f.fields[f.at], _ = f.fields[f.at].Key(k.Name, k.Text())
		}
	}
	return &f
}

// agents are those that can run tasks and are installed.
func agents(env ui.Env) (names []string) {
	for _, a := range env.Agents {
		if a.Path != "" && a.Kind != "shell" {
			names = append(names, a.Name)
		}
	}
	return names
}

// nextAgent is the agent that a key chooses.
func nextAgent(env ui.Env, now, key string) string {
	names := agents(env)
	at, n := slices.Index(names, now), len(names)
	switch {
	case n == 0:
		return now
	case key == "Left" || key == "h":
		return names[(max(at, 0)+n-1)%n]
	case key == "Right" || key == "l" || key == "Space":
		return names[(at+1)%n]
	}
	for i := range n { // the next one that begins with the letter
		if name := names[(at+1+i)%n]; strings.HasPrefix(name, key) {
			return name
		}
	}
	return now
}

// number is a field's number; 0 if it is empty.
func (f form) number(field, low, high int) (int, error) {
	text := strings.TrimSpace(f.fields[field].String())
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s: a whole number from %d to %d", strings.ToLower(labels[field]), low, high)
	}
	return n, nil
}

// task is the task that the form describes; field is where it is wrong.
func (f form) task(env ui.Env) (n api.NewTask, field int, err error) {
	n = f.was
	n.Prompt, n.Agent = strings.TrimSpace(f.fields[fieldPrompt].String()), f.agent
	n.CWD, n.Model = strings.TrimSpace(f.fields[fieldDir].String()), strings.TrimSpace(f.fields[fieldModel].String())
	if n.CWD == "~" || strings.HasPrefix(n.CWD, "~/") {
		n.CWD = filepath.Join(env.Home, n.CWD[1:])
	}
	if !filepath.IsAbs(n.CWD) {
		return n, fieldDir, fmt.Errorf("the directory is an absolute path, or ~/…")
	}
	if n.Priority, err = f.number(fieldPriority, -100, 100); err != nil {
		return n, fieldPriority, err
	}
	if n.Retries, err = f.number(fieldRetries, 0, 100); err != nil {
		return n, fieldRetries, err
	}
	n.After = nil
	for _, name := range strings.FieldsFunc(f.fields[fieldAfter].String(), func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
		after := api.TaskAfter{Task: name}
		for _, old := range f.was.After {
			if old.Task == name {
				after = old
			}
		}
		n.After = append(n.After, after)
	}
	return n, 0, nil
}

// change returns the edited fields.
func (f form) change(n api.NewTask) (c api.EditTask) {
	if n.Prompt != strings.TrimSpace(f.was.Prompt) {
		c.Prompt = &n.Prompt
	}
	if n.Agent != f.was.Agent {
		c.Agent = &n.Agent
	}
	if n.Model != f.was.Model {
		c.Model = &n.Model
	}
	if n.CWD != f.was.CWD {
		c.CWD = &n.CWD
	}
	if n.Priority != f.was.Priority {
		c.Priority = &n.Priority
	}
	if n.Retries != f.was.Retries {
		c.Retries = &n.Retries
	}
	if !slices.Equal(n.After, f.was.After) {
		c.After = &n.After
	}
	return c
}

// write gives a key to the form.
func (d rows) write(env ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect) {
	f := d.form
	switch k.Name {
	case "Escape", "C-c":
		if d.form = nil; f.id == "" {
			d.left = f
		}
	case "Enter":
		n, field, err := f.task(env)
		switch {
		case n.Prompt == "" && f.id == "":
			d.form = nil
		case err != nil:
			wrong := *f
			wrong.at, wrong.problem = field, err.Error()
			d.form = &wrong
		case f.id != "":
			d.form = nil
			return l.With(d), edited(f.id, f.change(n))
		default:
			d.form = nil
			n.Env = d.vars
			return l.With(d), added(n)
		}
	default:
		d.form = f.key(env, k)
	}
	return l.With(d), nil
}

// added adds a task. Its text is kept in the history of prompts, for if that fails.
func added(n api.NewTask) []ui.Effect {
	return []ui.Effect{ui.Tell{To: ui.Prompt, Value: ui.Remember{Text: n.Prompt}}, ui.QueueCall{
		What: "adding the task", Plan: func(ui.Work) ui.QueueRun {
			return func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
				list, err := c.AddTasks(ctx, []api.NewTask{n})
				return list, nil, err
			}
		},
		Failed: "not added, the text is in the history of the prompt bar (Up)",
	}}
}

// edited changes a queued task.
func edited(id string, change api.EditTask) (effects []ui.Effect) {
	if change == (api.EditTask{}) {
		return nil
	}
	if change.Prompt != nil {
		effects = append(effects, ui.Tell{To: ui.Prompt, Value: ui.Remember{Text: *change.Prompt}})
	}
	return append(effects, now("changing "+id, func(ctx context.Context, c ui.Queue) ([]api.Task, *api.Queue, error) {
		t, err := c.EditTask(ctx, id, change)
		return []api.Task{t}, nil, err
	})...)
}

// The form's inside: its width, and the column of labels.
const (
	formWidth  = 84
	labelWidth = 12
)

// draw draws the form over the list.
func (f form) draw(env ui.Env, s *paint.Surface) (cur paint.Cursor) {
	title, last := "new task", "Enter adds it   Tab next   Esc back"
	if len(env.Nodes) > 0 {
		title += " here"
	}
	if f.id != "" {
		title, last = "task "+f.id, "Enter changes it   Tab next   Esc back"
	}
	dim := theme.FG(env.Theme.Dim)
	r := modal.Popup(s, formWidth, fieldCount+2, title, env.Theme.Accent)
	room := max(1, r.H-2)
	from := max(0, min(f.at-room+1, fieldCount-room))
	for i := from; i < min(fieldCount, from+room); i++ {
		y, mark, st := r.Y+i-from, "  ", dim
		if i == f.at {
			mark, st = "▸ ", theme.Bold(env.Theme.Accent)
		}
		s.Text(r.X, y, min(labelWidth, r.W), mark+labels[i], st)
		x, w := r.X+labelWidth, r.W-labelWidth
		switch {
		case w <= 0:
		case i == fieldAgent:
			f.drawAgents(env, s, x, y, w)
		default:
			at := f.fields[i].Draw(s, x, y, w, cells.Style{})
			if f.fields[i].Empty() {
				s.Text(x, y, w, paint.Cut(empty[i], w), dim)
			}
			if i == f.at {
				cur = paint.Cursor{X: x + at, Y: y, Visible: r.H > 0}
			}
		}
	}
	switch {
	case f.problem != "":
		modal.Line(s, r, r.H-2, f.problem, theme.Bold(env.Theme.Alert))
	case f.at == fieldAgent:
		modal.Line(s, r, r.H-2, "← → choose", dim)
	}
	modal.Line(s, r, r.H-1, last, dim)
	return cur
}

func (f form) drawAgents(env ui.Env, s *paint.Surface, x, y, w int) {
	names := agents(env)
	if !slices.Contains(names, f.agent) {
		names = append(names, f.agent)
	}
	end := x + w
	for _, name := range names {
		text, st := textsafe.Line(name), cells.Style{}
		if name == "" {
			text = "the default one"
		}
		if name == f.agent {
			text, st.Attrs = "‹"+text+"›", cells.Bold
			if f.at == fieldAgent {
				st.Attrs |= cells.Inverse
			}
		}
		if x >= end {
			return
		}
		x += s.Text(x, y, end-x, paint.Cut(text, end-x), st) + 1
	}
}
