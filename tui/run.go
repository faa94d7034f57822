package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timer"
	"ccdir/internal/tune/timeslice"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/tty"
	"ccdir/tui/widget/theme"
)

// SignalError says that a signal ended the grid; the sessions go on.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "the grid was ended by a signal: " + e.Signal.String() }

// errDetached ends the grid without an error.
var errDetached = errors.New("detached")

// oneThread keeps the grid on one thread while it runs. A key passes four
// goroutines on its way to the host and back; with more threads the runtime
// wakes another one for each of these hops, which costs more than they do:
// measured on 2 CPUs, the echo takes a quarter less and 16 spinners a quarter
// less CPU. (The setting is the process's, which begins with it, see
// internal/tune/start; sessions are emulated elsewhere.)
func oneThread() (restore func()) {
	old := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(old) }
}

// Run shows the grid until the person detaches (nil), ctx ends, a signal comes
// (*SignalError), the terminal goes away, or the grid fails. The terminal is as
// it was before when Run returns, panics included.
func Run(ctx context.Context, o Options) error {
	defer oneThread()()
	timeslice.Short() // somebody waits for whatever it does
	g, err := newGrid(o)
	if err != nil {
		return err
	}
	return g.run(ctx)
}

// ui is a running grid: its parts and their goroutines.
type program struct {
	o       Options
	term    *tty.Terminal
	model   *model
	painter *painter
	router  *router
	program *tea.Program

	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	input      *inputGate
	seen       chan struct{} // closed when the first picture is on the screen
	suspending sync.Mutex    // one program at a time
	away       atomic.Bool   // a program has the terminal
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
	profile = caps.Profile
	keys := o.bindings()
	term, err := tty.Open(tty.Config{In: o.In, Out: o.Out, Cols: o.Cols, Rows: o.Rows, Modes: tty.Modes{
		Caps: caps, Mouse: !o.NoMouse, Background: theme.Follows(o.Theme) && profile > colorprofile.Ascii,
	}})
	if err != nil {
		return nil, err
	}
	r := &router{}
	r.lead.Store(uint32(prefixByte(keys)))
	m := newModel(o, keys)
	p := newPainter(term.Output(), caps, r)
	m.router, m.wakePainter, m.popupShown = r, p.paneChanged, p.popupShown
	m.publish = func(sc *scene) { p.publish(sc, r.pending.Load() > 0) }
	m.unseen = true
	seen := make(chan struct{})
	p.seen = func() {
		m.inbox.put(func(n *news) { n.seen = true })
		close(seen)
	}
	m.slow, m.colours = p.slow, profile > colorprofile.Ascii
	m.cols, m.rows = term.Size()
	if o.ConfigProblem != "" {
		m.warn("config: " + textsafe.Line(o.ConfigProblem))
	}
	g := &program{o: o, term: term, model: m, painter: p, router: r, input: &inputGate{term: term}, seen: seen}
	m.theme = firstTheme(o, profile)
	m.caps, m.backs, m.emit = caps, term.Backs(), p.emit
	m.suspend, m.stop = g.suspend, stopGrid
	m.setMouse = func(on bool) { p.emit(term.SetMouse(on)) }
	m.display = lendable(term, caps)
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
	stopSignals := g.watchSignals()
	defer stopSignals()
	// The program's context ends last: it must not stop before what sends to
	// it.
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
	g.spawn(func() error { return wrapError("writing to the terminal", g.painter.run(g.ctx)) })
	g.spawn(g.watch)
	if g.o.Changes != nil {
		g.spawn(g.follow)
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
	g.term.Cancel()
	g.term.Unblock()
	g.wg.Wait()
	g.handOver()
	endPanes()
	for _, p := range g.model.panes {
		p.Close()
	}
	g.keepGrid()
	kept := g.model.lastDraft()
	g.drain()
	g.term.Leave()
	return errors.Join(g.reason(parent), kept)
}

// keepGrid sends the arrangement that the daemon does not have yet. The program
// has ended.
func (g *program) keepGrid() {
	last := g.model.lastGrid()
	if last == nil || g.model.Offline != "" {
		return
	}
	_ = g.model.keeper.put(context.Background(), g.o.Client, *last) // nobody is left to tell
}

// drain takes the answers that are under way from the terminal, before somebody else
// gets it. The painter and the reader are at rest.
func (g *program) drain() {
	p := g.painter
	p.answers.Add(g.term.Drain(tty.AnswerWithin, p.asks.Load(), p.answers.Load()))
}

// stopTicker ends the ticker of Bubble Tea's renderer, which runs without a
// renderer too and wakes an idle grid every second for nothing. The one way to
// it is to give the terminal back, which the program has never taken: that
// touches neither files nor modes here (no input, no terminal as output).
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

// read reads the terminal. Its end is the end of the grid.
func (g *program) read() error {
	r := &reader{
		in: g.term.Input(), router: g.router, program: func(m tea.Msg) { g.program.Send(m) },
		syncs: g.painter.terminalSyncs, answered: g.painter.terminalAnswered, now: g.model.now,
	}
	for {
		if err := r.run(g.ctx); err != nil {
			return wrapError("reading the terminal", err)
		}
		if !g.input.wait(g.ctx) {
			break
		}
		r.in = g.term.Input()
	}
	if g.ctx.Err() == nil {
		return errDetached // the terminal has ended
	}
	return nil
}

// watch follows the daemon.
func (g *program) watch() error {
	b := g.model.inbox
	err := g.o.Client.Watch(g.ctx, func(m api.WatchMessage) { b.watch(m) }, func(lost error) {
		b.put(func(n *news) { n.link = &linkState{lost} })
	})
	if g.ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = errors.New("the watch ended")
	}
	return fmt.Errorf("the daemon can no longer be followed: %w", err)
}

// resized tells the program the terminal's size, and that its content is void.
func (g *program) resized() {
	cols, rows := g.term.Size()
	g.model.inbox.put(func(n *news) { n.size, n.redraw = &[2]int{cols, rows}, true })
}

func wrapError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// nowhere takes what the program might want to print.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
