package queue

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/tui/dialogs/dirfield"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// Fields of the form, in order. The agent and what follows the last turn are choices, the others
// are text. A queued task keeps the role, the sandbox profile and what follows: they decide what
// it may.
const (
	fieldPrompt = iota
	fieldDir
	fieldAgent
	fieldBranch
	fieldBase
	fieldModel
	fieldRole    // of a new task only
	fieldSandbox // of a new task only
	fieldThen    // of a new task only
	fieldPriority
	fieldRetries
	fieldAfter
	fieldCount
)

var labels = [fieldCount]string{"Prompt", "Directory", "Agent", "Branch", "Base", "Model", "Role", "Sandbox", "Then", "Priority", "Retries", "After"}

// empty is the text that an empty field shows.
var empty = [fieldCount]string{
	fieldPrompt: "what is to be done", fieldDir: "a path, or ~/…: Tab completes it", fieldBranch: "of a work tree of its own; . is the task's number",
	fieldBase: "what is checked out there (where a new branch begins)", fieldModel: "the agent's own choice", fieldPriority: "0 (from -100 to 100, greater first)",
	fieldRole: "that of the directory", fieldSandbox: "as configured",
	fieldRetries: "0 (how often a failed attempt is repeated)", fieldAfter: "no other task (t3 tests: begins when these are done)",
}

// form is a new task, or a queued one that is edited.
type form struct {
	id      string // of the edited task, "" is a new one
	was     api.NewTask
	fields  [fieldCount]edit.Line
	agent   string // "" is the default one
	then    int    // what follows its last turn, in endings
	at      int    // the field with the cursor
	problem string // why it was not taken, "" if nothing is wrong
	base    string // relative directories begin there
	typed   bool   // the directory was typed since it was completed last
	names   []string
	cut     bool // there are more names
	// sent numbers the call that takes it, 0: none is under way. unsure is what an earlier call
	// asked for, whose outcome is unknown.
	sent   int
	unsure *api.NewTask
}

// endings are what can follow a task's last turn, in words.
var endings = []struct {
	name string
	set  func(*api.NewTask)
}{
	{"done", func(*api.NewTask) {}},
	{"review by you", func(n *api.NewTask) { n.Review = true }},
	{"pull request", func(n *api.NewTask) { n.PR = true }},
	{"both", func(n *api.NewTask) { n.Review, n.PR = true, true }},
}

// shown are the fields that the form has.
func (f form) shown() (fields []int) {
	for i := range fieldCount {
		if f.id == "" || i < fieldRole || i > fieldThen {
			fields = append(fields, i)
		}
	}
	return fields
}

// chooses reports whether a field is filled in by ← →.
func chooses(field int) bool { return field == fieldAgent || field == fieldThen }

// newForm is the form of a new task in dir, for the default agent or one that is installed.
func newForm(env ui.Env, dir string) *form {
	f := &form{base: dir}
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
	f := &form{id: t.ID, was: t.NewTask, agent: t.Agent, base: t.CWD}
	var after []string
	for _, a := range t.After {
		after = append(after, a.Task)
	}
	f.fields = [fieldCount]edit.Line{fieldPrompt: edit.NewLine(t.Prompt), fieldDir: edit.NewLine(t.CWD), fieldModel: edit.NewLine(t.Model),
		fieldBranch: edit.NewLine(t.Worktree), fieldBase: edit.NewLine(t.Base),
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
		return f.step(1)
	case "BTab", "Up":
		return f.step(-1)
	}
	f.problem = ""
	switch f.at {
	case fieldAgent:
		f.agent = nextAgent(env, f.agent, k.Name)
		return &f
	case fieldThen:
		names := make([]string, len(endings))
		for i, e := range endings {
			names[i] = e.name
		}
		f.then = slices.Index(names, next(names, names[f.then], k.Name))
		return &f
	}
	line, changed := f.fields[f.at].Key(k.Name, k.Text())
	if f.fields[f.at] = line; changed {
		f.names, f.typed = nil, f.typed || f.at == fieldDir
	}
	return &f
}

// step goes n fields on.
func (f form) step(n int) *form {
	shown := f.shown()
	f.at, f.names = shown[(slices.Index(shown, f.at)+len(shown)+n)%len(shown)], nil
	return &f
}

// completes reports whether Tab completes the directory: it was typed, and is this machine's.
func (f form) completes() bool { return f.at == fieldDir && f.typed && ui.NodeOf(f.id) == "" }

// completed is the form with the answer to that; one about another text is too late.
func (f form) completed(c dirfield.Names) *form {
	if f.fields[fieldDir].String() == c.Of {
		var text string
		text, f.names, f.problem = c.Text()
		f.fields[fieldDir], f.cut = edit.NewLine(text), c.Cut
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
	if names := agents(env); len(names) > 0 {
		return next(names, now, key)
	}
	return now
}

// next is the name that a key chooses.
func next(names []string, now, key string) string {
	at, n := slices.Index(names, now), len(names)
	switch key {
	case "Left", "h":
		return names[(max(at, 0)+n-1)%n]
	case "Right", "l", "Space":
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
	text := func(field int) string { return strings.TrimSpace(f.fields[field].String()) }
	n = f.was
	n.Prompt, n.Agent, n.Model = text(fieldPrompt), f.agent, text(fieldModel)
	n.CWD, n.Worktree, n.Base = text(fieldDir), text(fieldBranch), text(fieldBase)
	if n.Prompt == "" {
		return n, fieldPrompt, fmt.Errorf("the prompt is missing: say what is to be done")
	}
	if f.id == "" {
		n.Role, n.Sandbox = text(fieldRole), text(fieldSandbox)
		endings[f.then].set(&n)
	}
	if n.CWD != "" && ui.NodeOf(f.id) == "" {
		n.CWD = dirfield.Absolute(n.CWD, f.base, env.Home)
	}
	if !filepath.IsAbs(n.CWD) {
		return n, fieldDir, fmt.Errorf("the directory is missing: an absolute path, or ~/…")
	}
	if n.Base != "" && n.Worktree == "" {
		return n, fieldBranch, fmt.Errorf("a base is where a new branch begins: name that branch, or . for the task's number")
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
	if n.Worktree != f.was.Worktree {
		c.Worktree = &n.Worktree
	}
	if n.Base != f.was.Base {
		c.Base = &n.Base
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
