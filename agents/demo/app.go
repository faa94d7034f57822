package demo

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// app is the program. Its fields belong to the goroutine of run.
type app struct {
	opt   options
	in    io.Reader
	out   io.Writer
	tty   *os.File
	hooks *hooker
	// allowed are tool calls that need no further permission.
	allowed sync.Map

	cols, rows int
	line       []rune
	cursor     int
	queue      []queued
	dialog     *dialog
	turn       *turn
	turnStart  time.Time
	spin       int
	hint       string
	lastQuit   time.Time

	psp, sync bool
	reported  string
	titled    string
	// shown is the frame on the screen, of shownLines lines; finished are the last
	// maxFinished texts above it; stale: the terminal's size has changed since they
	// were drawn.
	shown      string
	shownLines int
	finished   []string
	stale      bool

	// record is the conversation's file; nil outside of ccdir.
	record *record

	updates chan update
	cancel  context.CancelFunc
	// work are the goroutines of turns and queued hooks.
	work sync.WaitGroup
}

func newApp(o options, stdin io.Reader, stdout io.Writer, environ []string) (*app, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if o.sessionID == "" {
		o.sessionID = newToolID()[6:]
	}
	a := &app{opt: o, in: stdin, out: stdout, hooks: newHooker(o, environ, cwd), record: newRecord(o, environ), updates: make(chan update)}
	a.hooks.reports(a.record)
	a.tty, _ = stdin.(*os.File)
	return a, nil
}

// quitWindow is the time within which a second Ctrl-C exits.
const quitWindow = 2 * time.Second

// tick is the spinner's interval.
const tick = 120 * time.Millisecond

// queued is a pending prompt; submitted: its UserPromptSubmit hook was called when it
// was typed; todo: the steps to play, if the prompt itself is no script.
type queued struct {
	prompt    string
	submitted bool
	todo      []step
}

// orphaned is how long an agent that ignores HUP lives on without a terminal.
const orphaned = time.Minute

// run is the program's loop. prompts are submitted in order as if typed.
func (a *app) run(ctx context.Context, prompts []queued) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer makeRaw(a.tty)()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGWINCH)
	defer signal.Stop(signals)
	a.cols, a.rows = size(a.tty)
	inputs := make(chan []input)
	go a.read(ctx, inputs)

	a.begin()
	if !pause(ctx, a.opt.startDelay) {
		return 1
	}
	a.hooks.call(ctx, "SessionStart", map[string]any{"source": "startup", "model": "demo"})
	a.show("", sgrBold+" ✻ Demo agent"+sgrReset, sgrDim+"   it thinks nothing and changes nothing"+sgrReset)
	a.queue = append(a.queue, prompts...)
	a.next(ctx)

	code, crashed := a.loop(ctx, inputs, signals)
	cancel()
	if !crashed {
		a.leave(code)
	}
	return code
}

// loop handles one event after another until the agent ends, and returns its exit code;
// crashed: without calling hooks.
func (a *app) loop(ctx context.Context, inputs <-chan []input, signals <-chan os.Signal) (code int, crashed bool) {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	spinning := false
	var end <-chan time.Time
	for done := false; ; {
		if want := a.turn != nil && a.dialog == nil; want != spinning {
			spinning = want
			ticker.Reset(map[bool]time.Duration{true: tick, false: time.Hour}[want])
		}
		select {
		case in, ok := <-inputs:
			if !ok {
				inputs, end = nil, time.After(orphaned)
				code, done = a.onSignal(syscall.SIGHUP)
				break
			}
			for _, i := range in {
				if code, done = a.onInput(ctx, i); done {
					break
				}
			}
		case s := <-signals:
			code, done = a.onSignal(s)
		case u := <-a.updates:
			code, done = a.onUpdate(ctx, u)
			crashed = u.crashed
		case <-ticker.C:
			a.spin++
		case <-end:
			return 0, false
		}
		if done || crashed {
			return code, crashed
		}
		a.title()
		a.show()
	}
}

// begin asks the terminal what Claude Code asks and sets the modes.
func (a *app) begin() {
	var b strings.Builder
	if a.opt.alt {
		b.WriteString("\x1b[?1049h\x1b[2J\x1b[H\x1b[?1000h\x1b[?1002h\x1b[?1006h")
	}
	b.WriteString("\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[>0q\x1b[?u")
	if !a.opt.noPSP {
		b.WriteString("\x1b]7501;?\a")
	}
	b.WriteString("\x1b[c")
	a.write(b.String())
}

// leave ends everything in progress, calls the hooks and restores the terminal.
func (a *app) leave(code int) {
	a.cancelTurn()
	stop := make(chan struct{})
	go func() { // turns that still report must not block
		for {
			select {
			case <-a.updates:
			case <-stop:
				return
			}
		}
	}()
	a.work.Wait()
	close(stop)
	reason := "other"
	if code == 0 {
		reason = "prompt_input_exit"
	}
	a.hooks.call(context.Background(), "SessionEnd", map[string]any{"reason": reason})
	a.report("clear")
	var b strings.Builder
	if a.opt.alt {
		b.WriteString("\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1049l")
	}
	b.WriteString("\x1b[?2004l\x1b[?1004l\x1b[?25h\r\n")
	a.write(b.String())
}

// read passes on the terminal's input until EOF.
func (a *app) read(ctx context.Context, inputs chan<- []input) {
	defer close(inputs)
	var d decoder
	buf := make([]byte, 4096)
	for {
		n, err := a.in.Read(buf)
		if out := d.feed(buf[:n]); len(out) > 0 {
			select {
			case inputs <- out:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// onSignal handles a signal; EOF counts as HUP.
func (a *app) onSignal(s os.Signal) (code int, done bool) {
	switch s {
	case syscall.SIGWINCH:
		a.cols, a.rows = size(a.tty)
		a.stale = true
		return 0, false
	case syscall.SIGINT:
		return 130, true
	case syscall.SIGTERM:
		return 143, !a.opt.ignoreHUP
	}
	return 129, !a.opt.ignoreHUP
}

// onUpdate handles a report of the turn.
func (a *app) onUpdate(ctx context.Context, u update) (code int, done bool) {
	switch {
	case u.exit != nil:
		return *u.exit, true
	case u.print != nil:
		a.show(u.print...)
	case u.dialog != nil:
		a.dialog = u.dialog
		if u.dialog.kind == "permission" {
			a.report("blocked" + ":kind=permission" + pspMessage("approve "+u.dialog.title))
		} else {
			a.report("blocked" + ":kind=question" + pspMessage(u.dialog.title))
		}
	case u.closed != nil:
		if a.dialog == u.closed {
			a.dialog = nil
			a.report("working")
		}
	case u.report != "":
		a.report(u.report)
	case u.later != nil:
		a.backgroundDone(ctx, u.later)
	case u.ended != nil:
		a.cancelTurn()
		a.report("done")
		if u.ended.background != nil {
			a.background(ctx, u.ended)
		}
		a.next(ctx)
	}
	return 0, false
}

// cancelTurn ends the turn, if there is one.
func (a *app) cancelTurn() {
	if a.turn != nil {
		a.cancel()
		a.turn, a.dialog = nil, nil
	}
}

// next starts the turn of the next queued prompt.
func (a *app) next(ctx context.Context) {
	if a.turn != nil || len(a.queue) == 0 {
		return
	}
	q := a.queue[0]
	a.queue = a.queue[1:]
	todo := q.todo
	if todo == nil {
		todo = steps(q.prompt, a.opt.delay)
	}
	a.start(ctx, q, todo)
}

// start begins a turn.
func (a *app) start(ctx context.Context, q queued, todo []step) {
	tctx, cancel := context.WithCancel(ctx)
	t := &turn{hooks: a.hooks, record: a.record, updates: a.updates, delay: a.opt.delay, allowed: &a.allowed}
	a.turn, a.cancel, a.turnStart = t, cancel, time.Now()
	a.report("working")
	a.record.prompt(q.prompt)
	if q.prompt == taskNote {
		a.show("", "⏺ Background task finished")
	} else {
		a.show("", sgrDim+"> "+sgrReset+printable(q.prompt))
	}
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		if !q.submitted {
			t.hooks.call(tctx, "UserPromptSubmit", map[string]any{"prompt": q.prompt})
		}
		t.run(tctx, todo)
	}()
}
