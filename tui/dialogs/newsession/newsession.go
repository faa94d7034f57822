// Package newsession is the dialog that starts sessions. It owns what is written in its
// fields, and asks for the start (ui.Start). It stays until that has worked and says why
// it has not; what is typed meanwhile is for the session (ui.Busy).
package newsession

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// dialog is the dialog.
type dialog struct {
	agents  []api.AgentInfo
	agent   int // the chosen one
	dirs    []api.Directory
	dirPick int // -1: the text is the person's own
	fields  [fieldCount]edit.Line
	at      int    // the field with the cursor
	busy    bool   // the session is being started
	problem string // why nothing was started, "" if nothing is wrong
	// unsure is what was asked for before, if nobody knows what became of it.
	unsure *api.NewSession
	base   string // relative directories begin there
	demo   string // the agent that needs nothing
}

// Fields of the dialog, in order. The agent is a choice, the others are text.
const (
	fieldAgent = iota
	fieldDir
	fieldName
	fieldPrompt
	fieldHowMany
	fieldCount
)

var labels = [fieldCount]string{"Agent", "Directory", "Name", "Prompt", "How many"}

// New is a dialog that proposes dir, which relative directories begin in, and has a
// prompt already. demo is the agent that needs nothing.
func New(env ui.Env, dir, prompt, demo string) ui.Component {
	d := dialog{dirPick: -1, demo: demo, base: dir}
	d = d.offer(env.Agents, env.Dirs)
	if d.fields[fieldDir] = edit.NewLine(dir); dir == "" && len(d.dirs) > 0 {
		d.fields[fieldDir] = edit.NewLine(d.dirs[0].Path)
	}
	d.fields[fieldPrompt] = edit.NewLine(prompt)
	return d
}

// Refresh takes agents and directories; what was chosen stays chosen.
func (d dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	return d.offer(env.Agents, env.Dirs), nil
}

func (d dialog) offer(agents []api.AgentInfo, dirs []api.Directory) dialog {
	chosen := ""
	if d.agent < len(d.agents) {
		chosen = d.agents[d.agent].Name
	}
	d.agents, d.dirs = agents, dirs
	d.agent = preferred(agents, d.demo)
	for i, a := range agents {
		if a.Name == chosen {
			d.agent = i
		}
	}
	if d.dirPick >= len(dirs) {
		d.dirPick = -1
	}
	return d
}

// preferred is the agent that the dialog begins with: the default one if it is
// installed, else the demo agent, which needs nothing, else the first.
func preferred(agents []api.AgentInfo, demo string) int {
	best := 0
	for i, a := range agents {
		if a.Path != "" && a.Default {
			return i
		}
		if a.Name == demo {
			best = i
		}
	}
	return best
}

func (d dialog) chosen() (api.AgentInfo, bool) {
	if d.agent < len(d.agents) {
		return d.agents[d.agent], true
	}
	return api.AgentInfo{}, false
}

// Waits says what it waits for.
func (d dialog) Waits() string {
	if d.busy {
		return "the new session"
	}
	return ""
}

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	switch k.Name {
	case "Escape", "C-c":
		return d, []ui.Effect{ui.Close{}, ui.Unstarted{Prompt: d.fields[fieldPrompt].String()}}
	case "Enter":
		return d.submit(env)
	case "Tab":
		d.at = (d.at + 1) % fieldCount
	case "BTab":
		d.at = (d.at + fieldCount - 1) % fieldCount
	case "Up", "Down":
		d = d.vertical(k.Name == "Down")
	default:
		d = d.edit(k)
	}
	return d, nil
}

// vertical moves through the offered directories in that field, else from
// field to field.
func (d dialog) vertical(down bool) dialog {
	step := -1
	if down {
		step = 1
	}
	if d.at == fieldDir && len(d.dirs) > 0 {
		n := min(len(d.dirs), 4)
		if next := d.dirPick + step; next >= 0 && next < n {
			d.dirPick = next
			d.fields[fieldDir] = edit.NewLine(d.dirs[next].Path)
			return d
		}
	}
	d.at = (d.at + step + fieldCount) % fieldCount
	return d
}

func (d dialog) edit(k ui.Key) dialog {
	if d.at != fieldAgent {
		f, changed := d.fields[d.at].Key(k.Name, k.Text())
		d.fields[d.at] = f
		if changed && d.at == fieldDir {
			d.dirPick = -1
		}
		d.problem = ""
		return d
	}
	n := len(d.agents)
	if n == 0 {
		return d
	}
	switch k.Name {
	case "Left", "h":
		d.agent = (d.agent + n - 1) % n
	case "Right", "l", "Space":
		d.agent = (d.agent + 1) % n
	default:
		for i := 1; i <= n; i++ { // the next one that begins with the letter
			j := (d.agent + i) % n
			if strings.HasPrefix(d.agents[j].Name, k.Name) {
				d.agent = j
				break
			}
		}
	}
	d.problem = ""
	return d
}

// Paste puts text into a field.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	if d.at == fieldAgent {
		return d
	}
	if d.at != fieldPrompt {
		text = strings.Join(strings.Fields(text), " ")
	}
	d.fields[d.at] = d.fields[d.at].Insert(text)
	return d
}

// submit starts the session; the dialog stays until that has worked.
func (d dialog) submit(env ui.Env) (ui.Component, []ui.Effect) {
	a, ok := d.chosen()
	count, err := d.count()
	switch {
	case err != nil:
		d.at, d.problem = fieldHowMany, err.Error()
		return d, nil
	case !ok:
		d.problem = "the daemon has not said yet which agents there are"
		return d, nil
	case a.Path == "":
		d.at = fieldAgent
		return d, nil
	}
	n := api.NewSession{
		Agent: a.Name, Name: strings.TrimSpace(d.fields[fieldName].String()),
		CWD: absolute(d.fields[fieldDir].String(), d.base, env.Home), Prompt: strings.TrimSpace(d.fields[fieldPrompt].String()),
	}
	started := []ui.Effect{ui.Unstarted{}, ui.Start{Session: n, Count: count, Before: d.unsure}}
	if count > 1 {
		return d, append([]ui.Effect{ui.Close{}}, started...)
	}
	d.busy, d.problem, d.unsure = true, "", nil
	return d, started
}

// Receive takes why the session was not started.
func (d dialog) Receive(_ ui.Env, value any, _ error) (ui.Component, []ui.Effect) {
	if v, ok := value.(ui.NotStarted); ok {
		d.busy, d.problem, d.unsure = false, v.Problem, v.Unsure
	}
	return d, nil
}

// mostAtOnce is how many sessions one dialog starts at most.
const mostAtOnce = 50

// count is how many sessions to start: one unless the person says otherwise.
func (d dialog) count() (int, error) {
	text := strings.TrimSpace(d.fields[fieldHowMany].String())
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostAtOnce {
		return 0, fmt.Errorf("how many: a number from 1 to %d", mostAtOnce)
	}
	return n, nil
}

// absolute makes a path of what was typed: ~ is the home directory, and a relative path
// begins in base.
func absolute(path, base, home string) string {
	path = strings.TrimSpace(path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return path
}
