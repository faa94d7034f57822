package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timer"
	"ccdir/internal/tune/timeslice"
	"ccdir/tui/known"
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/tty"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
	"ccdir/tui/widget/theme"
)

// errDetached ends the grid without an error.
var errDetached = errors.New("detached")

// oneThread keeps the grid on one thread while it runs. A key passes four goroutines on its
// way to the host and back; with more threads the runtime wakes another one for each of
// these hops, which costs more than the work: measured on 2 CPUs, one thread saves a
// quarter of the echo's time, and a quarter of the CPU time of 16 spinners. (The process
// starts with that setting, see internal/tune/start; hosts emulate the sessions.)
func oneThread() (restore func()) {
	old := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(old) }
}

// Run shows the grid until the person detaches (nil), ctx ends, a signal comes
// (*terminal.SignalError), the terminal goes away, or the grid fails. The terminal is as
// it was before when Run returns, panics included.
func Run(ctx context.Context, o Options) error {
	defer oneThread()()
	timeslice.Short() // a person waits for whatever it does
	g, err := newGrid(o)
	if err != nil {
		return err
	}
	return g.run(ctx)
}

// program is a running grid: its parts and their goroutines.
type program struct {
	o       Options
	term    *terminal.Terminal
	model   *model
	program *tea.Program

	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	seen chan struct{} // closed when the first picture is on the screen
}

func newGrid(o Options) (*program, error) {
	if o.getenv("TERM") == "dumb" {
		return nil, errors.New("this terminal (TERM=dumb) cannot show the grid: use `ccdir ls`, `ccdir output` and the other verbs")
	}
	profile := o.Profile
	if profile == colorprofile.Unknown {
		profile = tty.Colours(o.Out, o.Env, tty.TmuxWithin)
	}
	if o.getenv("NO_COLOR") != "" { // whatever its value is (no-color.org)
		profile = min(profile, colorprofile.ASCII)
	}
	caps := paint.CapsOf(profile, o.getenv)
	caps.Host, _ = os.Hostname() // without a name, links to files of named machines are none
	profile = caps.Profile
	keys := o.bindings()
	m := newModel(o, keys)
	g := &program{o: o, model: m, seen: make(chan struct{})}
	term, err := terminal.Open(terminal.Config{
		Config: tty.Config{In: o.In, Out: o.Out, Cols: o.Cols, Rows: o.Rows, Modes: tty.Modes{
			Caps: caps, Mouse: !o.NoMouse, Background: theme.Follows(o.Theme) && profile > colorprofile.Ascii,
		}},
		Keys:    keys,
		Program: func(msg any) { g.program.Send(msg) },
		Resized: func(cols, rows int) {
			m.inbox.put(func(n *news) { n.size, n.redraw = &[2]int{cols, rows}, true })
		},
		Seen: func() {
			m.inbox.put(func(n *news) { n.seen = true })
			close(g.seen)
		},
	})
	if err != nil {
		return nil, err
	}
	g.term = term
	m.router, m.wakePainter, m.popupShown = term.Router, term.PaneChanged, term.PopupShown
	m.publish = func(sc *scene) { term.Show(sc.shown()) }
	m.unseen = true
	m.slow, m.colours = term.Slow, profile > colorprofile.Ascii
	m.cols, m.rows = term.Size()
	if o.ConfigProblem != "" {
		m.warn("config: " + textsafe.Line(o.ConfigProblem))
	}
	m.theme = themeOf(o, theme.Light(o.getenv), profile, caps.Glyphs)
	m.caps, m.backs, m.emit = caps, term.Backs(), term.Emit
	m.suspend, m.stop = g.suspend, terminal.Stop
	m.setMouse, m.setTitle, m.display = term.SetMouse, term.SetTitle, term.Lendable()
	return g, nil
}

// guard runs f and turns a panic into the end of the grid.
func (g *program) guard(f func() error) {
	defer func() {
		if r := recover(); r != nil {
			g.cancel(&PanicError{Value: r, Stack: debug.Stack()})
		}
	}()
	if err := f(); err != nil {
		g.cancel(err)
	}
}

// spawn runs f in a goroutine that run waits for.
func (g *program) spawn(f func() error) {
	g.wg.Go(func() { g.guard(f) })
}

func (g *program) run(parent context.Context) error {
	g.ctx, g.cancel = context.WithCancelCause(parent)
	defer g.term.Close()
	g.model.alarms = timer.New()
	defer g.model.alarms.Close()
	signals := terminal.CatchSignals()
	defer signals.Stop()
	// The program's context ends last: it must not stop before the goroutines that send
	// to it.
	programCtx, endProgram := context.WithCancel(context.Background())
	defer endProgram()
	g.model.ctx = g.ctx
	var endPanes context.CancelFunc
	g.model.paneCtx, endPanes = context.WithCancel(context.Background())
	defer endPanes()
	g.program = tea.NewProgram(g.model,
		tea.WithContext(programCtx), tea.WithInput(nil), tea.WithOutput(nowhere{}), tea.WithEnvironment(g.o.Env),
		tea.WithColorProfile(colorprofile.NoTTY), tea.WithWindowSize(g.model.cols, g.model.rows),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFPS(1))
	g.model.begun = func() { stopTicker(g.program) }
	defer g.term.Leave()
	if err := g.term.Enter(); err != nil {
		return err
	}
	g.spawn(func() error {
		return g.term.Signals(g.ctx, signals, func(err error) { g.program.Send(underway.Over{Err: err, What: "suspending"}) })
	})
	g.spawn(func() error { return wrapError("writing to the terminal", g.term.Paint(g.ctx)) })
	g.spawn(g.watch)
	if g.o.Changes != nil {
		g.spawn(g.follow)
	}
	if g.o.Nodes != nil {
		g.spawn(func() error {
			g.o.Nodes(g.ctx, func(list []ui.Node) { g.model.inbox.put(func(n *news) { n.Nodes = &list }) })
			return nil
		})
	}
	g.spawn(g.read)
	g.spawn(func() error {
		defer endProgram()
		_, err := g.program.Run()
		if g.ctx.Err() == nil {
			return cmp.Or(g.model.fatal, err, errDetached)
		}
		return nil
	})
	<-g.ctx.Done()
	endProgram()
	g.term.Unblock()
	g.wg.Wait()
	g.flushOnQuit()
	endPanes()
	for _, p := range g.model.hosts.Panes {
		p.Close()
	}
	if g.model.Offline == "" {
		g.model.grid.KeepLast(g.o.Client, g.o.ReadOnly, &g.model.World, g.model.now())
	}
	kept := g.model.prompt.Last(g.o.ReadOnly)
	g.term.Drain()
	g.term.Leave()
	return errors.Join(g.reason(parent), kept)
}

// suspend runs a program in the grid's terminal.
func (g *program) suspend(c *exec.Cmd) error {
	return g.term.Suspend(g.ctx, func() error {
		c.Stdin, c.Stdout, c.Stderr = g.o.In, g.o.Out, g.o.Out
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", textsafe.Line(c.Args[2]), err)
		}
		return nil
	})
}

// stopTicker ends the ticker of Bubble Tea's renderer, which runs even without a renderer
// and wakes an idle grid every second. ReleaseTerminal is the only method that stops it;
// it touches neither files nor modes here (no input, no terminal as output).
func stopTicker(p *tea.Program) { _ = p.ReleaseTerminal() }

// reason is why the grid has ended.
func (g *program) reason(parent context.Context) error {
	err := context.Cause(g.ctx)
	switch {
	case errors.Is(err, errDetached):
		return nil
	case parent.Err() != nil:
		return parent.Err()
	}
	return err
}

// read reads the terminal, whose end is the end of the grid.
func (g *program) read() error {
	err := g.term.Read(g.ctx)
	if err == io.EOF {
		return errDetached
	}
	return wrapError("reading the terminal", err)
}

// watch follows the daemon.
func (g *program) watch() error {
	b := g.model.inbox
	err := g.o.Client.Watch(g.ctx, func(m api.WatchMessage) { b.watch(m) }, func(lost error) {
		b.put(func(n *news) { n.Link = &known.Link{Lost: lost} })
	})
	if g.ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = errors.New("the watch ended")
	}
	return fmt.Errorf("the daemon can no longer be followed: %w", err)
}

func wrapError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// nowhere drops the program's output.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
