package tui

import (
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention"
	"ccdir/tui/attention/notify"
	"ccdir/tui/floating"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/sidebar"
	"ccdir/tui/widget/theme"
)

// Settings are what the configuration says of the grid. They may change while it is open.
type Settings struct {
	// ConfigProblem is the error of the configuration that the others came from; it
	// is told. "" is nothing.
	ConfigProblem string
	// ForDaemon: a key that the daemon reads only when it starts has changed as well.
	ForDaemon bool

	// Notify tells of what needs the person; the zero value tells nothing.
	Notify attention.Notify
	// Prefix is the prefix key by tmux's name; "" is C-b.
	Prefix string
	// Bindings replace keys of the default table: action name → keys.
	Bindings map[string][]string
	// Tools are those that can be opened beside a session; those of the configuration have keys.
	Tools []floating.Tool
	// ToolKeys are the keys of the configured ones.
	ToolKeys []keymap.ToolKey
	// Templates are the names of the layouts that can be opened, sorted.
	Templates []string
	// Walls are the profiles of walls around sessions, those of the configuration first.
	Walls []string
	// Theme is "dark", "light", "contrast" or "auto" ("" too). "contrast" and "auto" have a
	// dark and a light form: the terminal's background decides, if the terminal tells it.
	Theme string
	// Colors replace colours of the theme, by state or by part (dim, accent,
	// alert, hook); other names are ignored.
	Colors map[string]cells.Color
	// Signs are those of standings, where the terminal has more than ASCII.
	Signs api.Signs
	// CopyCommand is a shell command that takes copied text on its standard
	// input; "" copies by OSC 52.
	CopyCommand string
	// NoCopies: programs in panes may not set the clipboard.
	NoCopies bool
	// NoMouse leaves the mouse to the terminal (selecting text, for example).
	NoMouse bool
	// Title: the title of the terminal's window says who needs the person.
	Title bool
	// Sidebar is the sidebar's content until a person changes it.
	Sidebar sidebar.Config
	// Gaps: a blank column or row is left between panes.
	Gaps bool
	// FastPath allows panes the direct line, and the terminal to be lent to hosts
	// (wire/directline). A change counts for panes that are opened afterwards.
	FastPath bool
	// PrefixHelp is how long after the prefix key, without another key, a panel lists the keys
	// that may follow; 0: never.
	PrefixHelp time.Duration
	// Pulse lets the frames of sessions that start, work or wait pulse.
	Pulse bool
}

// fastPath says which shortcuts past its host a new pane may use.
func (g *given) fastPath() pane.FastPath {
	if !g.opts.FastPath {
		return pane.FastPath{}
	}
	return pane.FastPath{Line: true, Display: g.display}
}

// means are the ways to the person from this terminal.
func (g *given) means() attention.Means {
	via := notify.ViaNothing
	switch {
	case g.caps.Clipboard == paint.ClipboardTmux:
		via = notify.ViaTmux
	case g.caps.Clipboard == paint.ClipboardScreen:
		via = notify.ViaScreen
	case !g.caps.Extended:
		via = notify.ViaConsole
	}
	return attention.Means{Notify: g.opts.Notify, Via: via, Env: g.opts.Env}
}

// bindings makes the table of keys; what is wrong with it is told unless something else
// is.
func (s *Settings) bindings() *keymap.Map {
	keys, problems := keymap.Make(s.Prefix, s.Bindings, s.ToolKeys...)
	if s.ConfigProblem == "" && len(problems) > 0 {
		s.ConfigProblem = problems[0].Error()
	}
	return keys
}

// follow hands over other settings from the first picture on.
func (g *program) follow() error {
	select {
	case <-g.seen:
	case <-g.ctx.Done():
		return nil
	}
	err := g.o.Changes(g.ctx, func(s Settings) {
		g.model.inbox.put(func(n *news) { n.settings = &s })
	})
	if err != nil && g.ctx.Err() == nil { // no reason to end: the grid goes on with what it has
		g.model.inbox.put(func(n *news) { n.settled = err })
	}
	return nil
}

// takeSettings takes other settings, as if the grid had been opened with them, and says
// so: keys that one is used to may do something else.
func (m *model) takeSettings(s *Settings) {
	if s == nil {
		return
	}
	old := m.opts.Settings
	m.keys = s.bindings()
	m.router.SetKeys(m.keys)
	m.opts.Settings = *s
	m.sidebar = m.sidebar.Configured(s.Sidebar)
	if old.NoMouse != s.NoMouse && m.setMouse != nil {
		m.setMouse(!s.NoMouse)
	}
	m.dress(true)
	if theme.Follows(s.Theme) && !theme.Follows(old.Theme) && m.colours && m.caps.Extended {
		m.putBackgroundAsk()
	}
	switch {
	case s.ConfigProblem != "":
		m.warn("config: " + textsafe.Line(s.ConfigProblem))
	case s.ForDaemon:
		m.say("the configuration was read again; the addresses that the daemon serves count from `ccdir daemon restart` on")
	default:
		m.say("the configuration was read again")
	}
}
