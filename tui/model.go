package tui

import (
	"cmp"
	"context"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/tune/timer"
	"ccdir/tui/attention"
	"ccdir/tui/copymode"
	"ccdir/tui/copymode/clipboard"
	"ccdir/tui/grid"
	"ccdir/tui/hosts"
	"ccdir/tui/known"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/prompt"
	"ccdir/tui/sidebar"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/terminal/tty"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
	"ccdir/tui/upkeep"
	"ccdir/wire/directline"
)

// cmd is a Bubble Tea command.
type cmd = tea.Cmd

// model is the state of the grid. The program's goroutine owns it.
type model struct {
	given
	known.Known
	out underway.Outbox // what an update has caused so far; Update returns all of it

	// What is in view, and how it is arranged.
	look
	cols, rows int
	parts      []ui.Part // those below, by their numbers
	grid       grid.Grid
	sidebar    sidebar.Sidebar
	prompt     prompt.Bar
	copies     copymode.Panes
	daemon     upkeep.Daemon
	hosts      hosts.Hosts

	// What opens over the grid, and what it says by itself.
	mode        mode
	prefixAt    time.Time // when the prefix key was pressed, in modePrefix
	overlay     *layer    // the component in front, with those below it
	popups      uint64
	clipboard   clipboard.State
	notice      notice
	inPane      string // the focused session if the key that answers said that it asks in its pane
	attention   attention.State
	escapeUntil time.Time // until when an Escape is withheld from the pane (escapeGrace)

	// What a person types or points at.
	unstarted string   // the prompt of a dialog for a new session that was left
	recent    []string // what was taken from the palette, the latest first
	typeahead typeahead
	waking    map[string]int // inputs under way to sessions that they wake
	pastedAt  time.Time      // when a paste that comes as keys was taken last
	pointed   time.Time      // when the mouse event came that is handled; zero: now

	// Work that is under way.
	work underway.Work

	// The clock, the scenes' numbers, and the end.
	seq     uint64
	redraws uint64 // how often the terminal's content became void
	alarm
	unseen bool // the first picture is not on the screen yet; what can wait for it is not asked for
	leaving
}

// given are a model's inputs: the person's choices, and the ways to the
// goroutines and the terminal around it. What is about the terminal is nil or does
// nothing in tests of the model alone.
type given struct {
	opts   Options
	keys   *keymap.Map
	now    func() time.Time
	alarms *timer.Clock
	inbox  *inbox
	ctx    context.Context // of the commands; ends with the program
	// paneCtx is of the panes, which outlive the program until they have handed over
	// what was typed; nil: they end with it.
	paneCtx context.Context
	router  *terminal.Router
	// publish takes each new scene; wakePainter tells that a pane changed.
	publish     func(*scene)
	wakePainter func(*pane.Pane)
	// popupShown tells when a popup was first on the screen.
	popupShown func(popup uint64) (at time.Time, ok bool)
	// wait is told of each command that waits for the clock or the inbox, not for
	// the daemon; it gives it back.
	wait func(cmd) cmd
	// begun is called once, off the program's goroutine, when the program runs.
	begun func()

	caps    paint.Caps
	colours bool                // the terminal has some
	slow    func() bool         // it takes long to take a frame
	display directline.Terminal // may be lent to hosts; nil: not
	backs   *tty.BackgroundAsks // asks for its background
	// emit writes to the terminal beside the picture; suspend gives the terminal
	// to a program and blocks until it ends; stop gives it back to the shell.
	emit     func([]byte)
	suspend  func(*exec.Cmd) error
	stop     func()
	setMouse func(on bool)
	setTitle func(string) // of its window
}

// newsMsg are the contents of the inbox, clockMsg is the one clock.
type newsMsg struct{ news }
type clockMsg struct{ gen int }

func newModel(o Options, k *keymap.Map) *model {
	m := &model{
		given: given{
			opts: o, keys: k, now: time.Now, inbox: newInbox(), ctx: context.Background(), router: &terminal.Router{},
			publish: func(*scene) {}, wakePainter: func(*pane.Pane) {},
			popupShown: func(uint64) (time.Time, bool) { return time.Time{}, true },
			wait:       func(c cmd) cmd { return c },
			begun:      func() {},
			colours:    true, slow: func() bool { return false },
		},
		Known: known.New(),
		look:  firstLook(o), sidebar: sidebar.Sidebar{}.Configured(o.Sidebar),
		daemon: upkeep.Daemon{Replaced: o.Replaced},
		prompt: prompt.New(prompt.Disk{History: o.History, Draft: o.Draft}),
		hosts:  hosts.New(),
	}
	m.grid = grid.New(&m.sidebar)
	m.parts = []ui.Part{ui.Prompt - 1: &m.prompt, ui.Grid - 1: &m.grid, ui.Sidebar - 1: &m.sidebar, ui.Copies - 1: &m.copies, ui.Daemon - 1: &m.daemon}
	return m
}

func (g *given) demoName() string { return cmp.Or(g.opts.Demo, "demo") }

// Init asks for the news, and for what the dialogs offer once the first picture is there.
func (m *model) Init() tea.Cmd {
	begun := m.begun
	m.waitNews()
	m.out.Put(func() tea.Msg { begun(); return nil })
	if !m.unseen {
		m.offers()
	}
	return m.out.Take()
}

// waitNews waits for the inbox: there is one such wait at a time.
func (m *model) waitNews() {
	inbox, ctx := m.inbox, m.ctx
	m.out.Put(m.wait(func() tea.Msg { return inbox.wait(ctx) }))
}

// offers asks for what the dialogs and the prompt bar offer.
func (m *model) offers() {
	m.askAgents()
	m.carryOut(ui.Prompt, m.prompt.Load(m.env()))
}

// View is empty: the painter draws scenes.
func (m *model) View() tea.View { return tea.View{} }

// Update handles one message and publishes the result.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.handle(msg)
	m.flushOnQuit()
	if m.quitting {
		return m, tea.Quit
	}
	m.settle()
	if m.typeahead.ready || len(m.typeahead.typed) > 0 {
		m.playTypeahead()
	}
	if _, typed := msg.(terminal.Typed); typed {
		m.router.Handled()
	}
	return m, m.out.Take()
}

func (m *model) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case terminal.Typed:
		m.typed(msg)
	case tea.KeyPressMsg:
		m.key(input.Key{Name: input.KeyName(tea.Key(msg)), Press: tea.Key(msg), At: m.now()})
	case tea.PasteMsg:
		m.paste([]byte(msg.Content))
	case tea.MouseMsg:
		m.mouse(msg)
	case tea.FocusMsg:
		m.attention.InFront(true)
		m.askBackground()
	case tea.BlurMsg:
		m.attention.InFront(false)
	case tea.WindowSizeMsg:
		m.cols, m.rows = msg.Width, msg.Height
	case newsMsg:
		m.take(msg.news)
		if len(msg.news.copies) > 0 {
			m.carryOut(ui.Nobody, m.clipboard.FromProgram(m.env(), msg.news.copies, m.opts.NoCopies))
		}
		m.waitNews()
		if msg.news.seen && m.unseen {
			m.unseen = false
			m.offers()
		}
	case clockMsg:
		if msg.gen == m.wakeGen {
			m.wakeAt = time.Time{}
		}
	case underway.Over:
		if msg.Err == nil || m.ctx.Err() == nil { // errors at the end of the grid are nobody's
			m.follow(m.work.Took(m.way(), m.env(), msg))
		}
	case underway.Streamed:
		m.follow(m.work.Streamed(m.way(), msg, m.overlay.has))
	case terminal.Background:
		m.background(&m.given, msg.BackgroundColorEvent)
	case terminal.Foreground:
		m.text = msg.Color
	case terminal.Incoming:
		m.hosts.Incoming(msg)
	case underway.Crash:
		m.fatal, m.quitting = msg.Err, true
	}
}

// facts are what decides which actions are possible.
func (m *model) facts() keymap.Facts {
	f := keymap.Facts{Sessions: len(m.grid.Gridded(&m.World)), Panes: len(m.grid.Shown(&m.World)), ReadOnly: m.opts.ReadOnly, Offline: m.Offline != ""}
	if v := m.focused(); v != nil {
		f.Focused, f.Ended, f.Parked = true, v.State.Ended(), v.State == api.StateParked
	}
	f.PutOff = m.SnoozedCount(m.now())
	f.Waiting, f.Hidden, f.Pages = len(m.Waiting(m.now())), m.grid.HiddenCount(&m.World), m.grid.Layout.Pages
	f.Working = m.work.Busy() || m.hosts.Pasting() || len(m.prompt.Jobs()) > 0
	return f
}

// Notices stay for that long.
const (
	sayFor  = 4 * time.Second
	warnFor = 8 * time.Second
)

func (m *model) say(text string) { m.notice = notice{text: text, until: m.now().Add(sayFor)} }
func (m *model) warn(text string) {
	m.notice = notice{text: text, alert: true, until: m.now().Add(warnFor)}
}
