// Package layout opens layouts: it starts the sessions of one and arranges the grid as it says. And
// it makes one of what runs.
//
// Contract: a session that runs under the name of one in the layout is left alone, prompt included.
// One that has ended is started again as it was, with its conversation and without the prompt. What
// is foreseen to fail keeps Open from starting anything; after that a session that fails is told, and
// the others are started. It blocks on the daemon.
package layout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"ccdir/api"
	"ccdir/config"
)

// Client is what opening needs of the daemon's client.
type Client interface {
	Sessions(ctx context.Context) ([]api.Session, error)
	CreateSession(ctx context.Context, n api.NewSession) (api.Session, error)
	RestartSession(ctx context.Context, id string) (api.Session, error)
	MarkSession(ctx context.Context, id string, m api.SetMarks) (api.Session, error)
	Grid(ctx context.Context) (api.Grid, error)
	SetGrid(ctx context.Context, g api.Grid) error
	Focus(ctx context.Context, id string) error
}

// What becomes of a session of a layout.
const (
	Start   = "start"
	Restart = "restart" // it has ended
	Runs    = "runs"    // left alone
	Fails   = "fails"
)

// Step is one session of a layout and what becomes of it; as JSON it is that of `ccdir open --json`.
type Step struct {
	Name string `json:"name"`
	// Does is one of the constants: what Open does, or has done.
	Does string `json:"does"`
	// ID is the session's, "" as long as there is none.
	ID  string `json:"id,omitempty"`
	CWD string `json:"cwd"`
	// Why says why it fails, with its line in the file.
	Why string `json:"why,omitempty"`

	session config.LayoutSession
	present api.Session // that has the name, the zero value: none
}

// Options are what Open needs besides the layout.
type Options struct {
	// Env is the caller's environment, for the sessions.
	Env []string
	// Check returns what of a session the caller knows to be impossible; nil: nothing.
	Check func(s config.LayoutSession) error
	// Make starts a session; nil: the client does.
	Make func(ctx context.Context, n api.NewSession) (api.Session, error)
}

// Plan says what Open would do. It changes nothing.
func Plan(ctx context.Context, c Client, l config.Layout, o Options) ([]Step, error) {
	list, err := c.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, len(l.Sessions))
	for i, s := range l.Sessions {
		step := Step{Name: s.Name, Does: Start, CWD: s.Dir, session: s}
		if at := slices.IndexFunc(list, func(v api.Session) bool { return v.Name == s.Name && v.Node == "" }); at >= 0 {
			step.present = list[at]
			step.ID, step.CWD = list[at].ID, list[at].CWD
			if step.Does = Runs; list[at].State.Ended() {
				step.Does = Restart
			}
		}
		if err := step.check(o); err != nil {
			step.fail(l, err)
		}
		steps[i] = step
	}
	return steps, nil
}

// check returns why the session cannot be started.
func (s *Step) check(o Options) error {
	if s.Does == Runs {
		return nil
	}
	if info, err := os.Stat(s.session.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no directory %s", s.session.Dir)
	}
	if o.Check != nil {
		if err := o.Check(s.session); err != nil {
			return err
		}
	}
	if s.Does == Restart {
		return s.other()
	}
	return nil
}

// other returns why the session that has ended is not the one of the layout.
func (s *Step) other() error {
	agent := s.session.Agent
	switch {
	case len(s.session.Argv) > 0 && s.present.Plain != api.PlainCommand,
		len(s.session.Argv) == 0 && s.present.Plain == api.PlainCommand,
		agent != "" && agent != s.present.Agent,
		s.session.Worktree == "" && s.session.Dir != s.present.CWD:
		return fmt.Errorf("another session of that name has ended: `ccdir rm %s` takes it out of the list", s.Name)
	}
	return nil
}

// fail notes why nothing becomes of the session.
func (s *Step) fail(l config.Layout, err error) {
	s.Does, s.Why = Fails, fmt.Sprintf("%s:%d: %v", l.File, s.session.Line, err)
}

// Open starts what does not run, notes its marks and arranges the grid. The error is that of the
// calls which are not about one session; a failed one is in its step.
func Open(ctx context.Context, c Client, l config.Layout, o Options) ([]Step, error) {
	steps, err := Plan(ctx, c, l, o)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(steps, func(s Step) bool { return s.Does == Fails }); at >= 0 {
		return nil, errors.New(steps[at].Why + "; nothing was started")
	}
	for i := range steps {
		if err := steps[i].do(ctx, c, o); err != nil {
			steps[i].fail(l, err)
		}
		if err := ctx.Err(); err != nil {
			return steps, err
		}
	}
	return steps, arrange(ctx, c, l, steps)
}

// do starts a session.
func (s *Step) do(ctx context.Context, c Client, o Options) error {
	create := o.Make
	if create == nil {
		create = c.CreateSession
	}
	var v api.Session
	var err error
	switch s.Does {
	case Start:
		v, err = create(ctx, s.session.New(o.Env))
	case Restart:
		v, err = c.RestartSession(ctx, s.ID)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	s.ID, s.CWD = v.ID, v.CWD
	if m := s.session.Marks; m != (api.Marks{}) {
		_, err = c.MarkSession(ctx, v.ID, api.SetMarks{Group: &m.Group, Pinned: &m.Pinned, Note: &m.Note, Color: &m.Color})
	}
	return err
}

// arrange puts the layout's sessions first, in their order, and the rest behind them.
func arrange(ctx context.Context, c Client, l config.Layout, steps []Step) error {
	g, err := c.Grid(ctx)
	if err != nil {
		return err
	}
	ids := map[string]string{}
	var order, hidden []string
	for _, s := range steps {
		if s.ID == "" {
			continue
		}
		ids[s.Name] = s.ID
		order = append(order, s.ID)
		if s.session.Hidden {
			hidden = append(hidden, s.ID)
		}
	}
	others := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return slices.Contains(order, id) })
	}
	g.Order, g.Hidden = append(order, others(g.Order)...), append(hidden, others(g.Hidden)...)
	if l.Layout != "" {
		g.Layout = l.Layout
	}
	if l.Sizes != nil {
		g.Sizes = l.Sizes
	}
	if id := ids[l.Focus]; id != "" {
		g.Focus = id
	}
	if l.Zoom != "" {
		g.Zoom = ids[l.Zoom]
	}
	if err := c.SetGrid(ctx, g); err != nil {
		return err
	}
	if id := ids[l.Focus]; id != "" {
		return c.Focus(ctx, id) // grids that are attached keep their focus otherwise
	}
	return nil
}

// Words say what Open does or has done with the session.
func (s Step) Words(done bool) string {
	switch {
	case s.Does == Runs:
		return "runs already, left alone"
	case s.Does == Restart && done:
		return "started again"
	case s.Does == Restart:
		return "has ended, is started again"
	case s.Does == Fails:
		return "not started"
	case done:
		return "started"
	}
	return "is started"
}
