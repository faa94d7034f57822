package tui

import (
	"cmp"
	"context"
	"os/exec"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention"
	"ccdir/tui/dialogs/cards"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/dialogs/conversation"
	"ccdir/tui/dialogs/daemonpage"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/dialogs/fleetpage"
	"ccdir/tui/dialogs/help"
	"ccdir/tui/dialogs/marks"
	"ccdir/tui/dialogs/newsession"
	"ccdir/tui/dialogs/palette"
	"ccdir/tui/dialogs/pullrequest"
	"ccdir/tui/dialogs/rename"
	"ccdir/tui/dialogs/review"
	"ccdir/tui/dialogs/usagepage"
	"ccdir/tui/floating"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/lists/decisions"
	"ccdir/tui/lists/history"
	"ccdir/tui/lists/nodes"
	"ccdir/tui/lists/policymenu"
	"ccdir/tui/lists/queue"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/lists/toolcalls"
	"ccdir/tui/lists/worktrees"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
)

// command runs the action of a key pressed after the prefix key.
func (m *model) command(k input.Key) {
	b, ok := m.keys.Lookup(k.Name)
	if !ok {
		if k.Name != "Escape" {
			m.warn(textsafe.Line(k.Name) + " is not bound: " + m.keys.Hint(keymap.Help) + " lists the keys")
		}
		return
	}
	m.run(b, k)
}

// run runs an action of the table, or says why it is not possible.
func (m *model) run(b keymap.Binding, k input.Key) {
	if reason := b.Disabled(m.facts()); reason != "" {
		m.warn(reason)
		return
	}
	m.do(b.Action, k)
}

// do runs an action that is possible: those on sessions here, those on what is
// shown and how it is arranged in doView and doGrid.
func (m *model) do(a keymap.Action, k input.Key) {
	if tool, ok := a.Tool(); ok {
		m.openTool(tool)
		return
	}
	if ofAgent[a] { // it is not about the tool that floats beside it
		m.setFocus(m.grid.Under(&m.World))
	}
	m.doFor(m.focused(), a, k)
}

// doFor runs an action that is possible on a session, nil for none.
func (m *model) doFor(v *api.Session, a keymap.Action, k input.Key) {
	switch a {
	case keymap.New:
		m.openNew("")
	case keymap.Prompt:
		m.openPrompt(false, nil)
	case keymap.Rename:
		m.openOver(nil, rename.New(*v))
	case keymap.Marks:
		m.openOver(nil, marks.New(*v))
	case keymap.Restart:
		m.restart(*v)
	case keymap.Park:
		m.park(*v)
	case keymap.Restore:
		m.carryOut(ui.Daemon, m.daemon.Restore())
	case keymap.Kill:
		m.openOver(nil, confirm.Kill([]api.Session{*v}))
	case keymap.Menu:
		m.openMenu(*v, nil)
	case keymap.Explain:
		m.openOver(nil, explain.New(*v))
	case keymap.Policy:
		m.carryOut(ui.Nobody, policymenu.Open(*v))
	case keymap.PullReq:
		m.carryOut(ui.Nobody, pullrequest.Open(m.env(), *v))
	case keymap.FailedLog:
		m.carryOut(ui.Nobody, pullrequest.SendFailing(m.env(), *v))
	case keymap.Messages:
		m.carryOut(ui.Nobody, conversation.Open(m.env(), *v))
	case keymap.Review:
		m.openOver(nil, review.New(m.env(), *v))
	case keymap.Attention:
		m.attend()
	case keymap.Snooze:
		m.carryOut(ui.Nobody, m.attention.SnoozeFocused(m.env()))
	case keymap.Seen:
		m.carryOut(ui.Nobody, attention.SeenInView(m.env()))
	case keymap.Copy:
		m.carryOut(ui.Copies, m.copies.Start(m.env(), k.Name))
	case keymap.Literal:
		prefix := input.Key{Name: m.keys.Prefix(), At: k.At}
		effects, taken := m.copies.Key(m.env(), prefix)
		if m.carryOut(ui.Copies, effects); !taken {
			m.toPane(prefix)
		}
	case keymap.CancelWork:
		m.cancelWork()
	case keymap.Demo:
		m.effect(ui.Nobody, tour(m.opts))
	case keymap.Theme:
		m.openThemes()
	case keymap.Suspend:
		if m.stop != nil {
			m.stop()
		}
	case keymap.Detach:
		m.detach()
	default:
		m.doView(a, k.Name)
	}
}

// doView runs an action on what is shown.
func (m *model) doView(a keymap.Action, key string) {
	switch a {
	case keymap.List:
		m.openList("")
	case keymap.ListColumn, keymap.Sidebar:
		m.carryOut(ui.Sidebar, m.sidebar.Do(m.env(), a))
	case keymap.Picker:
		m.mode = modePane
		m.openOver(nil, chooser.Sessions())
	case keymap.Palette:
		m.mode = modePane
		m.openOver(nil, palette.New(m.used()))
	case keymap.Queue:
		dir := m.opts.Dir
		if v := m.focused(); v != nil && v.Node == "" && v.Away.IsZero() {
			dir = cmp.Or(v.CWD, dir) // a task begins where one looks, as a session does
		}
		m.openOver(nil, queue.At(dir, m.opts.Env, m.grid.Queued, m.grid.Board))
		m.grid.Queued = ""
	case keymap.History:
		m.openOver(nil, history.New())
	case keymap.Calls:
		m.openOver(nil, toolcalls.New())
	case keymap.Decisions:
		m.openOver(nil, decisions.New())
	case keymap.Overview:
		m.openOver(nil, cards.New(m.env()))
	case keymap.Daemon:
		m.openOver(nil, daemonpage.New())
	case keymap.Usage:
		m.openOver(nil, usagepage.New())
	case keymap.Fleet:
		m.openOver(nil, fleetpage.New())
	case keymap.Nodes:
		m.openOver(nil, nodes.New())
	case keymap.Worktrees:
		m.openOver(nil, worktrees.New())
	case keymap.Help:
		m.openOver(nil, help.New())
	case keymap.Events:
		m.focusEvents()
	case keymap.Scope:
		m.carryOut(ui.Nobody, sessions.Scope(m.env()))
	case keymap.Redraw:
		m.redraws++
	default:
		m.carryOut(ui.Grid, m.grid.Do(m.env(), a, key))
	}
}

func (m *model) restart(v api.Session) {
	name := textsafe.Line(v.Name)
	begun := "starting " + name + " again…"
	m.say(begun)
	m.call(ui.Nobody, ui.Call{What: "starting it again", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		v, err := c.RestartSession(api.IfMatch(ctx, v.Version()), v.ID)
		return ui.Result{Effects: follows(func(m *model) {
			m.Answered(v)
			if m.notice.text == begun {
				m.say(name + " was started again")
			}
		})}, err
	}})
}

// openNew opens the dialog for a new session with what is known, and asks for what isn't.
// place is a directory, of a node as NODE/DIR; "" is that of the focused session, or of the
// grid if there is none.
func (m *model) openNew(place string) {
	node, dir, _ := strings.Cut(place, "/")
	if v := m.focused(); place == "" && v != nil && v.Away.IsZero() {
		node, dir = v.Node, v.CWD
	} else if node == "" {
		dir = cmp.Or(place, m.opts.Dir)
	}
	left := newsession.Draft{Text: m.unstarted, Keep: func(text string) ui.Effect {
		return then{do: func(m *model) { m.unstarted = text }}
	}}
	c, effects := newsession.In(m.env(), node, dir, left, m.demoName())
	m.openOver(nil, c)
	m.carryOut(m.overlay.id, effects)
	m.askAgents()
}

// tour shows the tour in this terminal, until that is left.
func tour(o Options) ui.Effect {
	if o.Exe == "" {
		return ui.Warn{Text: "`ccdir demo` in a shell starts the tour"}
	}
	return ui.Suspend{What: "the tour", Run: func(ctx context.Context, give func(*exec.Cmd) error) error {
		c := exec.CommandContext(ctx, "/bin/sh", "-c", `"$0" demo`, o.Exe)
		c.Env, c.Dir = o.Env, o.Dir
		return give(c)
	}}
}

// openPrompt gives the keyboard to the prompt bar. With anew the text is for the sessions
// to, or for the one in focus if there are none; else for whom it was.
func (m *model) openPrompt(anew bool, to []string) {
	m.mode = modePrompt
	m.carryOut(ui.Prompt, m.prompt.Open(m.env(), anew, to))
}

// ofAgent are the actions that are about the session below a floating tool, not about the tool.
var ofAgent = map[keymap.Action]bool{
	keymap.Prompt: true, keymap.Messages: true, keymap.Review: true, keymap.Policy: true, keymap.PullReq: true, keymap.FailedLog: true, keymap.Attention: true,
}

// openTool opens a tool beside the focused session, shows it, or hides it.
func (m *model) openTool(name string) {
	c, effects := floating.Press(m.env(), floating.Find(m.opts.Tools, name))
	if c == nil {
		m.carryOut(ui.Nobody, effects)
		return
	}
	m.openOver(nil, c)
	m.carryOut(m.overlay.id, effects)
}
