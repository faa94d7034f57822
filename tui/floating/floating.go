// Package floating opens tools beside the focused session: a scratch shell, an editor, a git
// client, in the directory of that session. A tool is an ordinary session that knows beside
// which other one it is (api.Beside), so it outlives the grid and the daemon. Press decides what
// the key of a tool does; where a tool floats is the grid's (tui/grid).
package floating

import (
	"cmp"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Tool is what can be opened beside a session.
type Tool struct {
	// Name is that of [tools.NAME], or api.ToolShell.
	Name string
	// Command is a line for sh; "" is the built-in tool's of that name.
	Command string
	Where   Where
}

// Where a tool is shown.
type Where int

// Over the grid, as a pane of it, or nowhere: the program needs no terminal.
const (
	Floating Where = iota
	Pane
	NoTerminal
)

// builtin are the commands of the tools that need no configuration; api.ToolShell is the person's
// shell.
var builtin = map[string]string{
	"editor": `e=${VISUAL:-${EDITOR:-vi}}; case ${e##*/} in nano*|micro*|ed) exec $e;; esac; exec $e .`,
	"git": `for c in lazygit gitui tig; do command -v $c >/dev/null && exec $c; done
echo 'no git client is in PATH (lazygit, gitui, tig): name one as command in [tools.git] of config.toml'; exit 127`,
}

// Find is the tool of that name: as the configuration has it, or the built-in one.
func Find(configured []Tool, name string) Tool {
	t := Tool{Name: name}
	for _, c := range configured {
		if c.Name == name {
			t = c
		}
	}
	t.Command = cmp.Or(t.Command, builtin[name])
	return t
}

// Press is what the key of a tool does: it shows the one that is open beside the session in
// focus, hides it if it has the focus, starts one that has ended again, or opens a new one. opens
// is nil unless that has to be waited for.
func Press(env ui.Env, t Tool) (opens ui.Component, effects []ui.Effect) {
	owner := ownerOf(env)
	switch {
	case owner == nil:
		return nil, []ui.Effect{ui.Warn{Text: "there is no session beside which it could be opened"}}
	case t.Where == NoTerminal:
		return nil, t.run(env, *owner)
	}
	v := open(env, owner.ID, t.Name)
	switch {
	case v == nil:
		return opening{name: t.Name}, []ui.Effect{ui.Start{Session: t.session(*owner)}}
	case v.State.Ended():
		return nil, []ui.Effect{ui.Focus{Session: v.ID}, ui.Do{Action: keymap.Restart, Arg: v.ID}}
	case v.ID == env.Focus:
		return nil, []ui.Effect{ui.Focus{Session: owner.ID}}
	}
	return nil, []ui.Effect{ui.Focus{Session: v.ID}}
}

// ownerOf is the session in focus, or that of the tool in focus; nil if there is none.
func ownerOf(env ui.Env) *api.Session {
	v := env.Session(env.Focus)
	if v != nil && v.Beside != nil {
		if owner := env.Session(v.Beside.Session); owner != nil {
			return owner
		}
	}
	return v
}

// open is the tool that is open beside a session, nil if there is none.
func open(env ui.Env, owner, tool string) *api.Session {
	for i := range env.Sessions {
		if b := env.Sessions[i].Beside; b != nil && b.Session == owner && b.Tool == tool {
			return &env.Sessions[i]
		}
	}
	return nil
}

// session is what is started for the tool beside a session: in its directory, with the person's
// environment, and nothing of the agent's.
func (t Tool) session(owner api.Session) api.NewSession {
	n := api.NewSession{
		Node: owner.Node, CWD: owner.CWD, Worktree: "-",
		Beside: &api.Beside{Session: owner.ID, Tool: t.Name, Floating: t.Where == Floating},
	}
	if n.Agent = api.PlainShell; t.Command != "" {
		n.Agent, n.Argv = "", []string{"sh", "-c", t.Command}
	}
	return n
}

// opening stands where the tool will be, until that runs. What is typed meanwhile is for the
// tool (ui.Busy): not for the agent below it.
type opening struct{ name string }

// Waits says what it waits for.
func (o opening) Waits() string { return "the " + o.name }

// Chip says whose the keys are.
func (o opening) Chip() string { return "TOOL" }

// Key is not called while it waits.
func (o opening) Key(ui.Env, ui.Key) (ui.Component, []ui.Effect) {
	return o, []ui.Effect{ui.Close{}}
}

// Receive takes why the tool was not started.
func (o opening) Receive(_ ui.Env, value any, _ error) (ui.Component, []ui.Effect) {
	if v, failed := value.(ui.NotStarted); failed {
		return o, []ui.Effect{ui.Close{}, ui.Warn{Text: textsafe.Line(o.name) + " was not started: " + v.Problem}}
	}
	return o, nil
}

// Draw shows the frame of the tool.
func (o opening) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	r := env.Float
	if r.W < 4 || r.H < 3 {
		return paint.Cursor{}
	}
	s.Fill(r, cells.Style{})
	s.Box(r, paint.Heavy, theme.Bold(env.Theme.Accent))
	modal.Line(s, r.Inset(1), 0, " opening "+textsafe.Line(o.name)+"…", theme.FG(env.Theme.Dim))
	return paint.Cursor{}
}
