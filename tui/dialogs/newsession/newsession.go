// Package newsession is the dialog that starts sessions. It owns what is written in its
// fields, and asks for the start (ui.Start). It stays until that has worked and says why
// it has not; what is typed meanwhile is for the session (ui.Busy).
package newsession

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/tui/dialogs/dirfield"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// dialog is the dialog.
type dialog struct {
	on     machine // where it is started
	agents []api.AgentInfo
	agent  int // the chosen one
	dirs   []api.Directory
	roles  []string
	walls  []string // profiles of walls, those of the configuration first
	// templates are the names of those that can be opened instead.
	templates []string
	pick      int // the chosen offer of the field, -1: the text is the person's own
	fields    [fieldCount]edit.Line
	at        int      // the field with the cursor
	typed     bool     // the directory was typed since it was completed last
	names     []string // directories that go on with the text
	cut       bool     // and more of them
	busy      bool     // the session is being started
	problem   string   // why nothing was started, "" if nothing is wrong
	// unsure is an earlier call whose outcome is unknown.
	unsure *api.NewSession
	setup  *setup // what is asked before it is started, nil nothing
	base   string // relative directories begin there
	demo   string // the agent that needs nothing
	keep   func(text string) ui.Effect
}

// Draft is the prompt of a dialog that was left: its text, and what keeps another one for the
// next dialog; Keep may be nil.
type Draft struct {
	Text string
	Keep func(text string) ui.Effect
}

// keeps keeps a prompt for the next dialog, "" is none.
func (d dialog) keeps(text string) []ui.Effect {
	if d.keep == nil {
		return nil
	}
	return []ui.Effect{d.keep(text)}
}

// Fields of the dialog, in order: what most sessions need first. The agent is a choice, the others are text; ↑ and ↓ offer
// directories, models, roles and walls.
const (
	fieldNode = iota // only if there are nodes
	fieldAgent
	fieldDir
	fieldName
	fieldPrompt
	fieldBranch
	fieldBase
	fieldModel
	fieldAccount // only if an agent has several
	fieldRole
	fieldWalls
	fieldHowMany
	fieldTemplate // only if there are templates
	fieldCount
)

var labels = [fieldCount]string{"Node", "Agent", "Directory", "Name", "Prompt", "Branch", "Base", "Model", "Account", "Role", "Sandbox", "How many", "Template"}

// New is a dialog that proposes dir, which relative directories begin in, and has a
// draft already. demo is the agent that needs nothing. Agent and model are those of the
// session that a person started last. A role is never proposed: it decides what the
// session may.
func New(env ui.Env, dir string, draft Draft, demo string) ui.Component {
	d := dialog{on: newMachine(env.Nodes), pick: -1, demo: demo, keep: draft.Keep, base: dir, roles: []string{api.RoleDev, api.RoleLead}, walls: env.Walls, templates: env.Templates}
	d.at = d.shown()[0]
	last := lastUsed(env.Sessions)
	d = d.offer(env.Agents, env.Dirs, last.Agent)
	if a, ok := d.chosen(); ok && a.Name == last.Agent {
		d.fields[fieldModel] = edit.NewLine(last.ChosenModel)
	}
	for _, v := range env.Sessions {
		if v.Role != "" && !v.External && !slices.Contains(d.roles, v.Role) {
			d.roles = append(d.roles, v.Role)
		}
	}
	if d.fields[fieldDir] = edit.NewLine(dir); dir == "" && len(d.dirs) > 0 {
		d.fields[fieldDir] = edit.NewLine(d.dirs[0].Path)
	}
	d.fields[fieldPrompt] = edit.NewLine(draft.Text)
	return d
}

// Refresh takes agents and directories; what was chosen stays chosen.
func (d dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	if d.on.node() != "" {
		return d, nil // they are another machine's
	}
	chosen := lastUsed(env.Sessions).Agent
	if d.agent < len(d.agents) {
		chosen = d.agents[d.agent].Name
	}
	return d.offer(env.Agents, env.Dirs, chosen), nil
}

// lastUsed is the agent's session that a person started last, the zero value if there is
// none.
func lastUsed(all []api.Session) (last api.Session) {
	for _, v := range all {
		if v.Parent == "" && v.Task == "" && v.Plain == "" && !v.External && v.Created.After(last.Created) {
			last = v
		}
	}
	return last
}

// offer takes agents and directories; chosen is the agent to begin with, if it is installed.
func (d dialog) offer(agents []api.AgentInfo, dirs []api.Directory, chosen string) dialog {
	known := len(d.agents) > 0
	d.agents, d.dirs = agents, dirs
	d.agent = preferred(agents, d.demo)
	for i, a := range agents {
		if a.Name == chosen && (known || a.Path != "") {
			d.agent = i
		}
	}
	if d.pick >= len(d.offers()) {
		d.pick = -1
	}
	if shown := d.shown(); !slices.Contains(shown, d.at) {
		d.at = shown[0]
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

// Asks: keys are answers while it asks about the setup command.
func (d dialog) Asks() bool { return d.setup != nil && !d.busy }

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	if d.setup != nil {
		return d.setupKey(env, k)
	}
	switch k.Name {
	case "Escape", "C-c":
		return d, append(d.keeps(d.fields[fieldPrompt].String()), ui.Close{})
	case "Enter":
		return d.submit(env)
	case "Tab":
		if d.at == fieldDir && d.typed && d.on.node() == "" {
			d.typed, d.problem = false, ""
			return d, []ui.Effect{dirfield.Complete(d.fields[fieldDir].String(), d.base, env.Home)}
		}
		d = d.step(1)
	case "BTab":
		d = d.step(-1)
	case "Up", "Down":
		d = d.vertical(k.Name == "Down")
	default:
		if d.at == fieldNode {
			return d.chooseNode(env, k.Name)
		}
		d = d.edit(k)
	}
	return d, nil
}

// shown are the fields that there are.
func (d dialog) shown() (list []int) {
	without := map[int]bool{
		fieldNode: len(d.on.names) == 0, fieldTemplate: len(d.templates) == 0,
		fieldAccount: !slices.ContainsFunc(d.agents, func(a api.AgentInfo) bool { return len(a.Accounts) > 0 }),
	}
	for i := range fieldCount {
		if !without[i] {
			list = append(list, i)
		}
	}
	return list
}

// step goes to the next field, or the one before, past those that the chosen agent does not have.
func (d dialog) step(by int) dialog {
	shown := d.shown()
	n := len(shown)
	i := slices.Index(shown, d.at) + by
	for range n {
		d.at = shown[(i+n)%n]
		if !d.lacks(d.at) {
			break
		}
		i += max(-1, min(by, 1))
	}
	d.pick, d.names = -1, nil
	return d
}

// lacks reports whether the chosen agent has nothing to choose in a field.
func (d dialog) lacks(field int) bool {
	a, ok := d.chosen()
	return ok && (field == fieldModel && len(a.Models) == 0 || field == fieldAccount && len(a.Accounts) == 0)
}

// offered is how many offers of a field are shown.
const offered = 4

// offers are what can be chosen in the field, best first.
func (d dialog) offers() (texts []string) {
	switch d.at {
	case fieldDir:
		for _, dir := range d.dirs {
			texts = append(texts, dir.Path)
		}
	case fieldModel:
		a, _ := d.chosen()
		texts = a.Models
	case fieldAccount:
		a, _ := d.chosen()
		texts = a.Accounts
	case fieldRole:
		texts = d.roles
	case fieldWalls:
		texts = d.walls
	case fieldTemplate:
		texts = d.templates
	}
	return texts[:min(len(texts), offered)]
}

// vertical moves through the offers of the field, else from field to field.
func (d dialog) vertical(down bool) dialog {
	by := -1
	if down {
		by = 1
	}
	if all := d.offers(); d.pick+by >= 0 && d.pick+by < len(all) {
		return d.take(d.pick + by)
	}
	return d.step(by)
}

// take puts an offer into the field.
func (d dialog) take(i int) dialog {
	d.fields[d.at] = edit.NewLine(d.offers()[i])
	d.pick, d.typed, d.names, d.problem = i, false, nil, ""
	return d
}

func (d dialog) edit(k ui.Key) dialog {
	if d.at != fieldAgent {
		f, changed := d.fields[d.at].Key(k.Name, k.Text())
		d.fields[d.at] = f
		if changed {
			d.pick, d.names = -1, nil
			d.typed = d.typed || d.at == fieldDir
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
	if d.at == fieldAgent || d.at == fieldNode || d.setup != nil {
		return d
	}
	if d.at != fieldPrompt {
		text = strings.Join(strings.Fields(text), " ")
	}
	d.fields[d.at] = d.fields[d.at].Insert(text)
	d.pick, d.names, d.typed = -1, nil, d.typed || d.at == fieldDir
	return d
}

// submit starts the session; the dialog stays until that has worked.
func (d dialog) submit(env ui.Env) (ui.Component, []ui.Effect) {
	if d.template() != "" {
		return d.openTemplate(env)
	}
	a, ok := d.chosen()
	count, err := d.count()
	base := strings.TrimSpace(d.fields[fieldBase].String())
	switch {
	case base != "" && d.fields[fieldBranch].Empty():
		d.at, d.problem = fieldBranch, "a base is for a work tree of its own: name its branch"
		return d, nil
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
		Node: d.on.node(), CWD: dirfield.Absolute(d.fields[fieldDir].String(), d.base, d.on.homeOr(env.Home)), Prompt: strings.TrimSpace(d.fields[fieldPrompt].String()),
		Role: strings.TrimSpace(d.fields[fieldRole].String()), Sandbox: strings.TrimSpace(d.fields[fieldWalls].String()), Worktree: strings.TrimSpace(d.fields[fieldBranch].String()), Base: base,
	}
	if len(a.Models) > 0 {
		n.Model = strings.TrimSpace(d.fields[fieldModel].String())
	}
	if len(a.Accounts) > 0 {
		n.Account = strings.TrimSpace(d.fields[fieldAccount].String())
	}
	if count > 1 {
		return d, append(d.keeps(""), ui.Close{}, ui.Start{Session: n, Count: count, Before: d.unsure})
	}
	n.AskSetup = n.Node == "" // a consent is given to this machine's daemon
	return d.start(n)
}

// start asks for the start of one session.
func (d dialog) start(n api.NewSession) (ui.Component, []ui.Effect) {
	effects := append(d.keeps(""), ui.Start{Session: n, Before: d.unsure})
	d.busy, d.problem, d.unsure, d.setup = true, "", nil, nil
	return d, effects
}

// Receive takes why the session was not started, or directories.
func (d dialog) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	switch v := value.(type) {
	case ui.NotStarted:
		if n := v.Session; api.CodeOf(err) == api.CodeAsks && n.AskSetup {
			d.setup = &setup{session: n}
			return d, []ui.Effect{askSetup(n)}
		}
		d.busy, d.problem, d.unsure = false, v.Problem, v.Unsure
	case setupText, agreed:
		return d.setupAnswered(v, err)
	case offers:
		return d.offered(env, v, err), nil
	case dirfield.Names:
		if err == nil {
			return d.completed(v), nil
		}
		d.problem = dirfield.Problem(err)
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

// completed puts what all names have in common into the field, and lists them if there is
// more than one. An answer about another text is too late.
func (d dialog) completed(c dirfield.Names) dialog {
	if d.fields[fieldDir].String() != c.Of {
		return d
	}
	text, names, problem := c.Text()
	d.names, d.cut = names, c.Cut
	if problem != "" {
		d.problem = problem
		return d
	}
	d.fields[fieldDir] = edit.NewLine(text)
	return d
}
