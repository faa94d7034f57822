package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention/notify"
	"ccdir/tui/paint"
	"ccdir/tui/ui"

	tea "charm.land/bubbletea/v2"
)

// Notify says how a person who looks elsewhere is told of what happens.
type Notify struct {
	// Ways are the ways to tell, by the kind of event: "permission", "question",
	// "done", "failed" and "lost".
	Ways map[string][]string
	// Command is run where a way is "command".
	Command []string
	// Claims keeps several grids from running it for the same event.
	Claims notify.Claims
}

// Times of notifications.
const (
	// settleFor is how long a state must last to be told: what a policy or the
	// lead answers at once is nobody's business.
	settleFor = time.Second
	// presentFor is how long after a key a person is thought to look at a
	// terminal that does not tell whether it is in front.
	presentFor = 2 * time.Minute
)

// notices are the events that are about to be told.
type notices struct {
	due map[string]dueNotice // by session
	// focusTold: the terminal tells whether it is in front.
	focusTold bool
	// back is when the next wait that was put off comes back, next when the next
	// event is told; zero if none.
	back, next time.Time
	// tasks are what is to be told of tasks.
	tasks []notify.Message
}

type dueNotice struct {
	event string
	state api.State
	since time.Time
	at    time.Time
	until time.Time // it was put off until then
	seen  bool      // the other grids were told that somebody sees it here
}

// key names what is told: the same in all grids, another after each time that it was
// put off.
func (d dueNotice) key(id string) string {
	key := fmt.Sprintf("%s/%s/%d", id, d.event, d.since.UnixNano())
	if !d.until.IsZero() {
		key += fmt.Sprintf("/%d", d.until.UnixNano())
	}
	return key
}

// again tells of a session that was put off until then, and asks again.
func (n *notices) again(v api.Session, until, now time.Time) {
	event := "permission"
	if v.State == api.StateInput {
		event = "question"
	}
	n.put(v.ID, dueNotice{event: event, state: v.State, since: v.Since, at: now.Add(settleFor), until: until})
}

func (n *notices) put(id string, d dueNotice) {
	if n.due == nil {
		n.due = map[string]dueNotice{}
	}
	n.due[id] = d
}

// noteStates looks for what a person may want to be told of: before are the
// sessions as they were.
func (m *model) noteStates(before []api.Session) {
	if len(m.opts.Notify.Ways) == 0 {
		return
	}
	was := make(map[string]api.Session, len(before))
	for _, v := range before {
		was[v.ID] = v
	}
	for _, v := range m.Sessions {
		old, known := was[v.ID]
		switch {
		case !known && !v.State.NeedsPerson(), known && old.State == v.State && old.Since.Equal(v.Since):
			continue
		}
		delete(m.notices.due, v.ID)
		if event := eventOf(old, v); event != "" && len(m.opts.Notify.Ways[event]) > 0 {
			m.notices.put(v.ID, dueNotice{event: event, state: v.State, since: v.Since, at: m.now().Add(settleFor)})
		}
	}
}

// eventOf is what a change of state means, "" if nothing that is told.
func eventOf(old, v api.Session) string {
	switch {
	case v.State == api.StatePermission:
		return "permission"
	case v.State == api.StateInput:
		return "question"
	case v.State == api.StateLost:
		return "lost"
	case v.State == api.StateExited && !old.State.Ended() && old.State != api.StateExiting:
		if v.ExitCode != nil && *v.ExitCode != 0 {
			return "failed"
		}
		return "done"
	case v.State == api.StateIdle && old.State == api.StateWorking:
		return "done"
	}
	return ""
}

// remind brings back what was put off, and tells what is due.
func (m *model) remind(now time.Time, tiles []tileView) cmd {
	m.notices.back = m.wakeSnoozed(now)
	var cmds []cmd
	cmds, m.notices.next = m.tell(now, tiles)
	return tea.Batch(cmds...)
}

// tell tells what is due, and returns the commands for it and when the next
// one is.
func (m *model) tell(now time.Time, tiles []tileView) (cmds []cmd, next time.Time) {
	due := m.taskNotices(now)
	for id, d := range m.notices.due {
		if now.Before(d.at) {
			cmds = append(cmds, m.seeNotice(id, d, now, tiles))
			if next.IsZero() || d.at.Before(next) {
				next = d.at
			}
			continue
		}
		delete(m.notices.due, id)
		v := m.session(id)
		if v == nil || v.State != d.state || !v.Since.Equal(d.since) || m.snoozed(*v) || m.inView(id, now, tiles) {
			continue
		}
		due = append(due, notify.Message{Key: d.key(id), Event: d.event, Session: id, Name: v.Name, Text: m.noticeText(d.event, *v)})
	}
	return append(cmds, m.tellUnseen(due)), next
}

// tellAll tells by every way that is set, and returns the commands that do.
func (m *model) tellAll(due []notify.Message) (cmds []cmd) {
	var out string
	rang := false
	for _, msg := range due {
		for _, way := range m.opts.Notify.Ways[msg.Event] {
			if way == notify.Command {
				cmds = append(cmds, m.runNotice(msg))
				continue
			}
			seq := notify.Sequence(way, msg, m.noticeVia())
			if seq == "\a" && rang {
				continue // one bell for all of this moment
			}
			rang = rang || seq == "\a"
			out += seq
		}
	}
	if out != "" && m.emit != nil {
		m.emit([]byte(out))
	}
	return cmds
}

// noticeVia is what stands between here and the terminal that shows notices.
func (m *model) noticeVia() notify.Via {
	switch {
	case m.caps.Clipboard == paint.ClipboardTmux:
		return notify.ViaTmux
	case m.caps.Clipboard == paint.ClipboardScreen:
		return notify.ViaScreen
	case !m.caps.Extended:
		return notify.ViaConsole
	}
	return notify.ViaNothing
}

// present reports whether somebody is thought to look at this terminal.
func (m *model) present(now time.Time) bool {
	return !m.blurred && (m.notices.focusTold || m.typedLately(now))
}

// titleSign is how many columns of a pane's title have its number and its state.
const titleSign = 8

// inView reports whether a person sees the session's pane, and so its state.
func (m *model) inView(id string, now time.Time, tiles []tileView) bool {
	if !m.present(now) {
		return false
	}
	for _, t := range tiles {
		if t.session.ID == id {
			return !m.covered(t)
		}
	}
	return false
}

// covered reports whether a dialog lies over the sign of a pane's state.
func (m *model) covered(t tileView) bool {
	if m.overlay == nil {
		return false
	}
	sign := paint.Rect{X: t.rect.X, Y: t.rect.Y, W: min(t.rect.W, titleSign), H: 1}
	s := paint.NewSurface(m.cols, m.rows, m.caps)
	s.Text(sign.X, sign.Y, sign.W, strings.Repeat("¤", sign.W), cells.Style{}) // no dialog has these
	before := slices.Clone(s.Row(sign.Y)[sign.X : sign.X+sign.W])
	m.overlay.draw(s, m.nowScene())
	after := s.Row(sign.Y)[sign.X : sign.X+sign.W]
	for i := range before {
		if before[i] == after[i] {
			return false
		}
	}
	return len(before) > 0
}

// noticeText is what is told, in one line.
func (m *model) noticeText(event string, v api.Session) string {
	switch event {
	case "permission", "question":
		return "asks: " + askText(v, requestOf(m.Requests, v.ID))
	case "done":
		return "is done"
	case "failed":
		if v.ExitCode != nil {
			return fmt.Sprintf("failed with exit code %d", *v.ExitCode)
		}
		return "failed"
	}
	if v.Error != "" {
		return "was lost: " + textsafe.Line(v.Error)
	}
	return "was lost"
}

// runNotice runs the person's command, once for all grids.
func (m *model) runNotice(msg notify.Message) cmd {
	o := m.opts.Notify
	env := m.opts.Env
	return m.callOr("", func(c calls) (func(*model), error) {
		first, err := o.Claims.Claim(msg.Key)
		if err != nil || !first {
			return nil, err
		}
		return nil, notify.Run(c.ctx, o.Command, env, msg)
	}, func(m *model, err error) {
		m.warn("telling you of " + textsafe.Line(msg.Name) + " failed: " + ui.Problem(err))
	})
}
