package tui

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/alarm"
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/edit"
	"ccdir/tui/input"
	"ccdir/tui/outer"
	"ccdir/tui/paint"
	"ccdir/tui/theme"
	"ccdir/tui/tiling"
)

// cmd is a Bubble Tea command.
type cmd = tea.Cmd

// model is the state of the grid. The program's goroutine owns it.
type model struct {
	opts   Options
	keys   *keymap.Map
	theme  *theme.Theme
	now    func() time.Time
	inbox  *inbox
	ctx    context.Context // of the commands; ends with the program
	router *router
	// publish takes each new scene; wakePainter tells that a pane changed.
	publish     func(*scene)
	wakePainter func(*pane)
	// popupShown tells when a popup was first on the screen.
	popupShown func(popup uint64) (at time.Time, ok bool)
	// wait is told of each command that waits for the clock or the inbox, not for
	// the daemon; it gives it back. Tests of the model alone leave it out.
	wait func(cmd) cmd
	// paneCtx is of the panes, which outlive the program until they have handed over
	// what was typed; nil: they end with it.
	paneCtx context.Context
	// begun is called once, off the program's goroutine, when the program runs.
	begun func()
	// slow tells that the terminal takes long to take a frame; colours, that it
	// has some.
	slow    func() bool
	colours bool
	caps    paint.Caps
	display hostwire.Display      // what panes may lend to their hosts; nil: nothing
	backs   *outer.BackgroundAsks // nil in tests of the model alone
	// emit writes to the terminal beside the picture; suspend gives the terminal
	// to a program and blocks until it ends; stop gives it back to the shell. nil in
	// tests of the model alone.
	emit     func([]byte)
	suspend  func(*exec.Cmd) error
	stop     func()
	setMouse func(on bool)
	// light: the terminal's background is, as far as it is known.
	light bool

	cols, rows int
	// sessions in order of creation. Replaced, never changed in place, because
	// scenes share it; likewise events.
	sessions []api.Session
	events   []api.Event
	requests []api.Request // open, oldest first; replaced likewise
	work     queueState    // of tasks; replaced likewise
	steps    queueSteps    // calls of the queue under way
	server   api.Server    // as of the last snapshot
	offered  int           // pid of the daemon that was asked what can be restored
	loaded   bool
	// unseen: the first picture is not on the screen yet. What can wait for it is
	// not asked for before.
	unseen  bool
	offline string // why the daemon does not answer, "" if it does
	agents  []api.AgentInfo
	dirs    []api.Directory

	arr       arranged
	list      listState
	batches   []*batch             // work of several steps, the oldest first; replaced likewise
	underway  []*underway          // calls that a person began; replaced likewise
	pastes    map[string]time.Time // since when long text is on its way to sessions
	incoming  incoming             // a paste that the terminal has not sent whole yet
	later     []cmd                // of results that go on with something
	focus     string
	zoom      bool
	hideEnded bool
	noSidebar bool
	mode      mode
	overlay   overlay
	popups    uint64
	prompt    promptBar
	pastedAt  time.Time // when a paste that comes as keys was taken last
	draft     draft
	notice    notice
	layout    tiling.Screen
	panes     map[string]*pane
	states    map[string]paneState
	snoozes   map[string]time.Time // until when sessions are put off, as last seen
	notices   notices
	fallen    fallen
	held      held
	unstarted edit.Line // the prompt of a dialog for a new session that was left
	keeper    gridKeeper
	asked     map[string]bool // ended sessions whose last screen was asked for
	seenSent  map[string]time.Time
	former    map[string]string // names of sessions that were removed
	copies    map[string]*copyView
	selecting selecting
	pointed   time.Time // when the mouse event came that is handled; zero: now
	eventView eventView
	drag      *pane // the pane in which a mouse button is down
	dragTile  tileView
	focusSent string // the pane that was told that it has the focus
	blurred   bool   // the outer terminal has lost the focus

	seq      uint64
	redraws  uint64    // how often the terminal's content became void
	wakeAt   time.Time // the one outstanding clock
	wakeGen  int
	untick   func() // takes it back
	alarms   *alarm.Clock
	quitting bool
	leaving  bool      // it quits as soon as what was written is on disk
	handing  time.Time // since when it quits as soon as what was typed is with the hosts; zero: it doesn't
	abandons bool      // what is not with the hosts is given up
	fatal    error     // why it quits, nil for a detach
}

// newsMsg are the contents of the inbox, clockMsg is the one clock.
type newsMsg struct{ news }
type clockMsg struct{ gen int }

func newModel(o Options, k *keymap.Map) *model {
	return &model{
		opts: o, keys: k, theme: firstTheme(o, o.Profile), now: time.Now,
		inbox: newInbox(), ctx: context.Background(), router: &router{},
		publish: func(*scene) {}, wakePainter: func(*pane) {},
		popupShown: func(uint64) (time.Time, bool) { return time.Time{}, true },
		begun:      func() {},
		wait:       func(c cmd) cmd { return c },
		slow:       func() bool { return false }, colours: true,
		light:     theme.Light((&model{opts: o}).getenv),
		noSidebar: o.SidebarWidth < 0, arr: arranged{kind: tiling.Tiled}, keeper: newGridKeeper(),
		copies: map[string]*copyView{}, panes: map[string]*pane{}, states: map[string]paneState{}, asked: map[string]bool{}, seenSent: map[string]time.Time{}, former: map[string]string{},
	}
}

func (m *model) demoName() string { return cmp.Or(m.opts.Demo, "demo") }

func (m *model) getenv(key string) string {
	for i := len(m.opts.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(m.opts.Env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

// Init asks for the news, and for what the dialogs offer unless firstSeen does.
func (m *model) Init() tea.Cmd {
	begun := m.begun
	begin := tea.Batch(m.waitNews(), func() tea.Msg { begun(); return nil })
	if m.unseen {
		return begin
	}
	return tea.Batch(begin, m.askAgents(), m.loadDraft())
}

// firstSeen asks for what the dialogs offer, once the first picture is there.
func (m *model) firstSeen() cmd {
	if !m.unseen {
		return nil
	}
	m.unseen = false
	return tea.Batch(m.askAgents(), m.loadDraft())
}

// View is empty: the painter draws scenes.
func (m *model) View() tea.View { return tea.View{} }

// Update handles one message and publishes what came of it.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c := m.handle(msg)
	m.handOver()
	if m.quitting {
		return m, tea.Quit
	}
	c = tea.Batch(c, m.settle())
	if m.held.ready || len(m.held.typed) > 0 {
		c = tea.Batch(c, m.playHeld())
	}
	if _, typed := msg.(typedMsg); typed {
		m.router.handled()
	}
	return m, c
}

func (m *model) handle(msg tea.Msg) cmd {
	switch msg := msg.(type) {
	case typedMsg:
		return m.typed(msg)
	case tea.KeyPressMsg:
		return m.key(keyMsg{name: input.KeyName(tea.Key(msg)), key: tea.Key(msg), at: m.now()})
	case tea.PasteMsg:
		return m.paste([]byte(msg.Content))
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.FocusMsg:
		m.blurred, m.notices.focusTold = false, true
		m.askBackground()
	case tea.BlurMsg:
		m.blurred, m.notices.focusTold = true, true
	case tea.WindowSizeMsg:
		m.cols, m.rows = msg.Width, msg.Height
	case newsMsg:
		m.take(msg.news)
		if msg.news.seen {
			return tea.Batch(m.waitNews(), m.firstSeen(), m.goOn())
		}
		return tea.Batch(m.waitNews(), m.goOn())
	case clockMsg:
		if msg.gen == m.wakeGen {
			m.wakeAt = time.Time{}
		}
	case resultMsg:
		return m.result(msg)
	case incomingMsg:
		m.comes(msg)
	case foundMsg:
		m.found(msg)
	case crashMsg:
		m.fatal, m.quitting = msg.err, true
	}
	return nil
}

// waitNews is the one outstanding wait for the inbox.
func (m *model) waitNews() cmd {
	inbox, ctx := m.inbox, m.ctx
	return m.wait(func() tea.Msg {
		select {
		case <-inbox.wake:
			return newsMsg{inbox.take()}
		case <-ctx.Done():
			return nil
		}
	})
}

// take lays the news into the model.
func (m *model) take(n news) {
	before, told, focus := m.sessions, m.loaded, m.focus
	if n.size != nil {
		m.cols, m.rows = n.size[0], n.size[1]
	}
	if n.redraw {
		m.redraws++
	}
	if n.link != nil {
		m.offline = ""
		if n.link.lost != nil {
			m.offline = textsafe.Line(n.link.lost.Error())
		}
	}
	if n.snapshot != nil {
		m.sessions = sorted(n.snapshot.Sessions)
		m.events, m.eventView.older = m.eventView.resumed(m.events, n.snapshot.Events), olderEvents{}
		m.noteVersions(n.snapshot)
		m.server = n.snapshot.Server
		m.offline = ""
		m.arr.kept, m.arr.failed = n.snapshot.Grid != nil, 0
		m.takeGrid(n.snapshot.Grid, !m.loaded)
	}
	m.takeGrid(n.grid, false)
	m.takeSettings(n.settings)
	m.noMoreSettings(n.settled)
	for _, v := range n.sessions {
		m.upsert(v)
	}
	for id := range n.removed {
		m.remove(id)
	}
	m.takeRequests(n.snapshot, n.requests)
	m.takeTasks(n)
	if len(n.events) > 0 {
		m.keepEvents(append(m.events[:len(m.events):len(m.events)], n.events...))
	}
	for id, s := range n.panes {
		if old := m.states[id]; s.Dropped > old.Dropped && id == m.focus {
			m.warn("the program in this pane does not read its input: it was not sent")
		}
		m.notePaste(id, m.states[id], s)
		m.states[id] = s
	}
	if n.snapshot != nil && !m.loaded {
		m.loaded = true
		m.firstFocus()
	}
	if n.focus != "" && m.session(n.focus) != nil {
		m.setFocus(n.focus)
	}
	m.noteRemoved(before, n.snapshot)
	m.noteFallen(focus)
	m.overtaken()
	if told {
		m.noteStates(before)
	}
}

func sorted(all []api.Session) []api.Session {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b api.Session) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all
}

// session finds one by its id; the pointer is for reading.
func (m *model) session(id string) *api.Session {
	for i := range m.sessions {
		if m.sessions[i].ID == id {
			return &m.sessions[i]
		}
	}
	return nil
}

// answered takes a session from the answer to a call. The watch stream tells every
// change too, and in order: what it told while the answer was under way is newer, so
// the answer only adds a session of which nothing was heard yet.
func (m *model) answered(v api.Session) {
	if _, removed := m.former[v.ID]; !removed && m.session(v.ID) == nil {
		m.upsert(v)
	}
}

// upsert takes a session's new value.
func (m *model) upsert(v api.Session) {
	if v.ID == "" {
		return
	}
	next := slices.DeleteFunc(slices.Clone(m.sessions), func(o api.Session) bool { return o.ID == v.ID })
	m.sessions = sorted(append(next, v))
}

func (m *model) remove(id string) {
	gridded := m.shown()
	at := slices.IndexFunc(gridded, func(v api.Session) bool { return v.ID == id })
	m.sessions = slices.DeleteFunc(slices.Clone(m.sessions), func(o api.Session) bool { return o.ID == id })
	delete(m.asked, id)
	delete(m.seenSent, id)
	if m.focus == id {
		m.focus = ""
		if rest := m.shown(); len(rest) > 0 {
			m.focus = rest[min(max(at, 0), len(rest)-1)].ID
		}
	}
}

// facts are what decides which actions are possible.
func (m *model) facts() keymap.Facts {
	f := keymap.Facts{Sessions: len(m.gridded()), Panes: len(m.shown()), ReadOnly: m.opts.ReadOnly, Offline: m.offline != ""}
	if v := m.focused(); v != nil {
		f.Focused, f.Ended = true, v.State.Ended()
	}
	f.PutOff = m.snoozedCount()
	f.Waiting, f.Hidden, f.Pages = len(m.waiting()), m.hiddenCount(), m.layout.Pages
	f.Working = len(m.batches)+len(m.underway) > 0 || len(m.prompt.jobs)+len(m.pastes) > 0
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

// openPopup numbers a popup that ignores the keys in flight.
func (m *model) openPopup() uint64 {
	m.popups++
	return m.popups
}

// seen reports whether a key pressed at that time can be an answer to a popup:
// whether the popup was on the screen by then.
func (m *model) seen(popup uint64, at time.Time) bool {
	shown, ok := m.popupShown(popup)
	return ok && !at.Before(shown)
}

// view is what the client has room for in a tile.
func (m *model) view(t tileView) hostwire.View {
	in := t.inner()
	return hostwire.View{Visible: true, Cols: max(in.W, 1), Rows: max(in.H, 1)}
}
