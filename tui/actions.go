package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/cards"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/dialogs/conversation"
	"ccdir/tui/dialogs/daemonpage"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/dialogs/help"
	"ccdir/tui/dialogs/newsession"
	"ccdir/tui/dialogs/palette"
	"ccdir/tui/dialogs/pullrequest"
	"ccdir/tui/dialogs/rename"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/lists/decisions"
	"ccdir/tui/lists/history"
	"ccdir/tui/lists/nodes"
	"ccdir/tui/lists/policymenu"
	"ccdir/tui/lists/queue"
	"ccdir/tui/lists/toolcalls"
	"ccdir/tui/lists/worktrees"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// typed handles what the reader handed over.
func (m *model) typed(t terminal.Typed) cmd {
	switch {
	case t.Key != nil:
		return m.key(*t.Key)
	case t.Burst != nil:
		return m.burst(t.Burst)
	case t.TooLong:
		m.warn("the paste was dropped: it is larger than 15 MiB")
	case t.Paste != nil:
		return m.paste(t.Paste)
	case t.Event != nil:
		m.pointed = t.At
		return m.event(t.Event)
	}
	return nil
}

// pressed decides who gets a key: the dialog, ccdir after the prefix key, the
// prompt bar, or the focused pane.
func (m *model) pressed(pressed input.Key) cmd {
	if pressed.Name == "" {
		return nil
	}
	k := pressed.Main()
	if m.asksNow() && k.Plain() && m.pasting(k.At) {
		return nil // the end of a paste that was sent as keys
	}
	if m.overlay != nil && !(k.Name == m.keys.Prefix() && m.overlay.yieldsPrefix()) {
		return m.overlay.key(m, k)
	}
	if m.mode == modePrefix {
		m.mode = modePane
		return m.command(k)
	}
	if k.Name == m.keys.Prefix() {
		m.overlay = nil
		m.mode = modePrefix
		m.notice = notice{}
		return nil
	}
	if m.mode == modePane && m.grid.Takes(k.At) {
		if effects, ok := m.grid.Repeats(m.env(), k); ok {
			return m.carryOut(partGrid, effects)
		}
	}
	if m.mode == modePrompt {
		return m.promptDoes(m.prompt.Key(m.env(), k))
	}
	if m.mode == modeEvents {
		return m.sidebarBecame(m.sidebar.Key(m.sidebarEnv(), k))
	}
	if m.copies.On(m.grid.Focus) {
		return m.carryOut(partCopy, m.copies.Key(m.env(), k))
	}
	if m.focused() == nil {
		return m.command(k)
	}
	m.toPane(pressed)
	return nil
}

// prefixHeard reports whether the prefix key is ccdir's by now, and the key after it: a
// dialog in which something is being written takes it for itself.
func (m *model) prefixHeard() bool {
	return m.overlay == nil || m.overlay.waits() != "" || m.overlay.yieldsPrefix()
}

// command runs the action of a key pressed after the prefix key.
func (m *model) command(k input.Key) cmd {
	b, ok := m.keys.Lookup(k.Name)
	if !ok {
		if k.Name != "Escape" {
			m.warn(textsafe.Line(k.Name) + " is not bound: " + m.keys.Hint(keymap.Help) + " lists the keys")
		}
		return nil
	}
	return m.run(b, k)
}

// run runs an action of the table, or says why it is not possible.
func (m *model) run(b keymap.Binding, k input.Key) cmd {
	if reason := b.Disabled(m.facts()); reason != "" {
		m.warn(reason)
		return nil
	}
	return m.do(b.Action, k)
}

// do runs an action that is possible: those on sessions here, those on what is
// shown and how it is arranged in doView and doGrid.
func (m *model) do(a keymap.Action, k input.Key) cmd {
	v := m.focused()
	switch a {
	case keymap.New:
		return m.openNew()
	case keymap.Prompt:
		return m.openPrompt(false, nil)
	case keymap.Rename:
		return m.openOver(nil, rename.New(*v))
	case keymap.Restart:
		return m.restart(*v)
	case keymap.Restore:
		return m.openRestore()
	case keymap.Kill:
		return m.openOver(nil, confirm.Kill([]api.Session{*v}))
	case keymap.Explain:
		return m.openOver(nil, explain.New(*v))
	case keymap.Policy:
		return m.openPolicy(*v)
	case keymap.PullReq:
		return m.carryOut(0, pullrequest.Open(m.env(), *v))
	case keymap.FailedLog:
		return m.carryOut(0, pullrequest.SendFailing(m.env(), *v))
	case keymap.Messages:
		return m.openConversation(*v)
	case keymap.Attention:
		return m.attend()
	case keymap.Snooze:
		return m.carryOut(0, m.attention.SnoozeFocused(m.env()))
	case keymap.Seen:
		return m.seenInView()
	case keymap.Copy:
		return m.carryOut(partCopy, m.copies.Start(m.env(), k.Name))
	case keymap.Literal:
		prefix := input.Key{Name: m.keys.Prefix(), At: k.At}
		if m.copies.On(m.grid.Focus) {
			return m.carryOut(partCopy, m.copies.Key(m.env(), prefix))
		}
		m.toPane(prefix)
	case keymap.CancelWork:
		return m.cancelWork()
	case keymap.Suspend:
		if m.stop != nil {
			m.stop()
		}
	case keymap.Detach:
		return m.detach()
	default:
		return m.doView(a, k.Name)
	}
	return nil
}

// doView runs an action on what is shown.
func (m *model) doView(a keymap.Action, key string) cmd {
	switch a {
	case keymap.List:
		return m.openList("")
	case keymap.ListColumn, keymap.Sidebar:
		return m.sidebarDoes(a)
	case keymap.Picker, keymap.Palette:
		return m.openChooser(a == keymap.Palette)
	case keymap.Queue:
		return m.openOver(nil, queue.New(m.opts.Dir, m.opts.Env))
	case keymap.History:
		return m.openOver(nil, history.New())
	case keymap.Calls:
		return m.openOver(nil, toolcalls.New())
	case keymap.Decisions:
		return m.openOver(nil, decisions.New())
	case keymap.Overview:
		return m.openOver(nil, cards.New(m.env()))
	case keymap.Daemon:
		return m.openOver(nil, daemonpage.New())
	case keymap.Nodes:
		return m.openOver(nil, nodes.New())
	case keymap.Worktrees:
		return m.openOver(nil, worktrees.New())
	case keymap.Help:
		return m.openOver(nil, help.New())
	case keymap.Events:
		return m.focusEvents()
	case keymap.Redraw:
		m.redraws++
	default:
		return m.gridDoes(a, key)
	}
	return nil
}

func (m *model) restart(v api.Session) cmd {
	name := textsafe.Line(v.Name)
	begun := "starting " + name + " again…"
	m.say(begun)
	return m.call("starting it again", func(c calls) (func(*model), error) {
		v, err := c.RestartSession(api.IfMatch(c.ctx, v.Version()), v.ID)
		return func(m *model) {
			m.answered(v)
			if m.notice.text == begun {
				m.say(name + " was started again")
			}
		}, err
	})
}

// paste goes where keys go.
func (m *model) paste(text []byte) cmd {
	switch {
	case m.overlay != nil:
		m.overlay.paste(m, string(text))
	case m.mode == modePrompt:
		return m.promptDoes(m.prompt.Paste(m.env(), text))
	case m.mode == modeEvents:
		return m.sidebarBecame(m.sidebar.Pasted(m.env(), string(text)))
	case m.copies.On(m.grid.Focus):
		return m.carryOut(partCopy, m.copies.Paste(m.env(), text))
	case m.focused() != nil:
		m.toPaneInput(&wire.Input{Type: wire.InputPaste, Text: text})
	}
	return nil
}

// swallows reports whether a key is withheld from the focused pane.
func (m *model) swallows() bool {
	effects, yes := m.grid.Swallows(&m.World, m.now())
	m.carryOut(partGrid, effects)
	return yes
}

// toPane gives a key to the focused pane.
func (m *model) toPane(k input.Key) { m.toPaneInput(terminal.KeyInput(k)) }

func (m *model) toPaneInput(in *wire.Input) {
	v := m.focused()
	switch {
	case v == nil:
	case m.opts.ReadOnly:
		m.warn("attached read-only: keys go nowhere; " + m.keys.Hint(keymap.Detach) + " leaves")
	case v.State.Ended():
		m.warn("this session has ended: " + m.keys.Hint(keymap.Restart) + " starts it again, " + m.keys.Hint(keymap.Kill) + " removes it")
	case !v.Away.IsZero():
		m.refuseAway(v)
	case m.swallows():
	default:
		if p := m.panes[v.ID]; p != nil {
			p.Send(in)
		}
	}
}

// openChooser finds a session, or a command.
func (m *model) openChooser(commands bool) cmd {
	m.mode = modePane
	if commands {
		return m.openOver(nil, palette.New())
	}
	return m.openOver(nil, chooser.Sessions())
}

// openPolicy offers what can be changed about what a session may.
func (m *model) openPolicy(v api.Session) cmd {
	if v.External {
		m.warn(textsafe.Line(v.Name) + " runs outside ccdir: the policy is not asked about it")
		return nil
	}
	return m.openOver(nil, policymenu.New(v))
}

// openConversation shows what a session's agent was told, said and did.
func (m *model) openConversation(v api.Session) cmd {
	if plain := ui.PlainOf(v); plain != "" {
		m.warn(textsafe.Line(v.Name) + " runs no agent, so there is no conversation: " + m.keys.Hint(keymap.Copy) + " looks back in what it printed")
		return nil
	}
	return m.openOver(nil, conversation.New(conversation.Subject{ID: v.ID, Name: v.Name}))
}

// openNew opens the dialog for a new session with what is known, and asks for what isn't.
func (m *model) openNew() cmd {
	return tea.Batch(m.openOver(nil, newsession.New(m.env(), m.opts.Dir, m.unstarted, m.demoName())), m.askAgents())
}

// openNewIn is openNew for a directory, of a node as NODE/DIR.
func (m *model) openNewIn(place string) cmd {
	node, dir, _ := strings.Cut(place, "/")
	if node == "" {
		dir = place
	}
	c, effects := newsession.In(m.env(), node, dir, m.unstarted, m.demoName())
	return tea.Batch(m.openOver(nil, c), m.carryOut(m.overlay.id, effects), m.askAgents())
}
