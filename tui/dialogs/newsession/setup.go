package newsession

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// setup is the question whether the setup command of a new work tree may be run. The person
// agrees to its exact text, so a yes counts only once all of it was on the screen.
type setup struct {
	session api.NewSession // the one that waits
	command string
	top     int // the first line that is shown
}

// setupSaid is what the dialog put before the command, and the answers.
const (
	setupSaid = "The project's .ccdir.toml wants to run this in the new work tree:"
	footAgree = "y run it, in later work trees too"
	footElse  = "n start without it   Esc back"
)

// setupText is the answer of the daemon to which command it is, agreed that of the consent.
type (
	setupText struct{ of api.WorktreeSetup }
	agreed    struct{}
)

// askSetup asks for the text of the command.
func askSetup(n api.NewSession) ui.Effect {
	return ui.Call{What: "asking for the setup command", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		trees, err := ui.As[ui.Trees](c)
		if err != nil {
			return ui.Result{Value: setupText{}}, err
		}
		s, err := trees.WorktreeSetup(ctx, n)
		return ui.Result{Value: setupText{s}}, err
	}}
}

// agree records the person's consent.
func agree(command string) ui.Effect {
	return ui.Call{What: "agreeing to the setup command", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		trees, err := ui.As[ui.Trees](c)
		if err == nil {
			err = trees.ConsentToSetup(ctx, command)
		}
		return ui.Result{Value: agreed{}}, err
	}}
}

// setupAnswered takes what the daemon says about the command.
func (d dialog) setupAnswered(value any, err error) (ui.Component, []ui.Effect) {
	if d.setup == nil || !d.busy {
		return d, nil
	}
	v, asked := value.(setupText)
	switch {
	case err != nil:
		d.busy, d.setup, d.problem = false, nil, ui.Problem(err)
		return d, nil
	case asked && v.of.Command != "" && !v.of.Consent:
		s := *d.setup
		s.command = v.of.Command
		d.busy, d.setup = false, &s
		return d, []ui.Effect{ui.Anew{}}
	}
	return d.start(d.setup.session)
}

// setupKey answers the question.
func (d dialog) setupKey(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	s := *d.setup
	lines, room := s.lines(env)
	last := max(0, len(lines)-room)
	switch k.Name {
	case "y", "Y":
		if env.Early || s.top < last {
			return d, nil
		}
		d.busy = true
		return d, []ui.Effect{agree(s.command)}
	case "n", "N":
		if env.Early {
			return d, nil
		}
		s.session.AskSetup = false
		return d.start(s.session)
	case "Escape", "C-c":
		d.setup = nil
		return d, nil
	case "Up":
		s.top--
	case "Down":
		s.top++
	case "PageUp":
		s.top -= room
	case "PageDown", "Space":
		s.top += room
	}
	s.top = min(max(0, s.top), last)
	d.setup = &s
	return d, nil
}

// lines are the command in lines, and how many of them have room.
func (s setup) lines(env ui.Env) (lines []string, room int) {
	w := s.width(env)
	for line := range strings.SplitSeq(s.command, "\n") {
		line = textsafe.Line(line)
		for paint.Width(line) > w {
			head := paint.Head(line, w)
			lines, line = append(lines, head), line[len(head):]
		}
		lines = append(lines, line)
	}
	return lines, max(1, env.Rows-2-len(modal.Wrap(setupSaid, w))-len(setupFoot()))
}

func (s setup) width(env ui.Env) int { return min(width, max(8, env.Cols-6)) }

func setupFoot() []string { return []string{footAgree, footElse} }

// place is where the question is, and its inside.
func (s setup) place(env ui.Env) (box, in paint.Rect) {
	w := s.width(env)
	lines, room := s.lines(env)
	box = modal.Middle(env.Cols, env.Rows, w, len(modal.Wrap(setupSaid, w))+min(len(lines), room)+len(setupFoot()))
	return box, paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
}

// draw shows the question.
func (s setup) draw(env ui.Env, surface *paint.Surface) paint.Cursor {
	box, r := s.place(env)
	modal.Box(surface, box, "setup command", env.Theme.Alert)
	said := modal.Wrap(setupSaid, r.W)
	for i, l := range said {
		modal.Line(surface, r, i, l, theme.FG(env.Theme.Dim))
	}
	lines, room := s.lines(env)
	top := min(s.top, max(0, len(lines)-room)) // the screen may have grown
	for i, l := range lines[top:min(len(lines), top+room)] {
		modal.Line(surface, r, len(said)+i, l, cells.Style{Attrs: cells.Bold})
	}
	foot := setupFoot()
	if top+room < len(lines) {
		foot[0] = "↓ there is more of it"
	}
	for i, l := range foot {
		modal.Line(surface, r, r.H-len(foot)+i, l, theme.Bold(env.Theme.Alert))
	}
	return paint.Cursor{}
}

// setupMouse answers by a click on an answer; the wheel scrolls.
func (d dialog) setupMouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	if _, wheel := msg.(tea.MouseWheelMsg); wheel {
		switch modal.WheelSteps(msg.Mouse().Button) {
		case -1:
			return d.setupKey(env, ui.Key{Name: "Up"})
		case 1:
			return d.setupKey(env, ui.Key{Name: "Down"})
		}
		return d, nil
	}
	e, ok := modal.Clicked(msg)
	if !ok || env.Early {
		return d, nil
	}
	_, r := d.setup.place(env)
	foot := setupFoot()
	if i := e.Y - (r.Y + r.H - len(foot)); i >= 0 && i < len(foot) {
		if name := modal.FootKeyAt(foot[i], e.X-r.X); name != "" {
			return d.setupKey(env, ui.Key{Name: name, At: env.Now})
		}
	}
	return d, nil
}
