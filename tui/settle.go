package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/widget/format"
	"ccdir/wire"
)

// settle brings everything in line with the model after a message: layout,
// panes, the reader's route, the clock and the scene.
func (m *model) settle() cmd {
	now := m.now()
	if m.notice.text != "" && !now.Before(m.notice.until) {
		m.notice = notice{}
	}
	if d, ok := m.overlay.(answerBar); ok && d.step == answerOver && !now.Before(d.until) {
		m.overlay = nil
	}
	shown := m.shown()
	focusAt := slices.IndexFunc(shown, func(v api.Session) bool { return v.ID == m.focus })
	if focusAt < 0 {
		m.focus, m.zoom = "", m.zoom && len(shown) == 0
		if len(shown) > 0 {
			focusAt, m.focus = 0, shown[0].ID
		}
	}
	m.layout = tiling.Lay(m.layoutInput(len(shown), focusAt))
	cmds := []cmd{m.syncPanes()}
	tiles := m.tiles(shown)
	cmds = append(cmds, m.syncCopies(tiles))
	m.syncViews(tiles, m.arr.drag != nil || now.Before(m.arr.hold))
	cmds = append(cmds, m.remind(now, tiles))
	cmds = append(cmds, m.fetchStills(tiles), m.markSeen(now), m.refresh(), m.followOffer(), m.followEvents(), m.followAnswer(), m.keepGrid(now), m.keepDraft(now), m.clock(now, tiles))
	m.syncFocus()
	m.router.Set(m.route(now))
	m.seq++
	m.publish(m.scene(now, shown, tiles))
	return tea.Batch(cmds...)
}

func (m *model) tiles(shown []api.Session) []tileView {
	var tiles []tileView
	for i, r := range m.layout.Panes {
		v := shown[m.layout.First+i]
		tiles = append(tiles, tileView{
			session: v, pane: m.panes[v.ID], state: m.states[v.ID], rect: r,
			focused: v.ID == m.focus, number: m.layout.First + i + 1,
		})
	}
	return tiles
}

// syncPanes makes a pane for each session and ends those of removed ones.
func (m *model) syncPanes() cmd {
	var ended []*pane.Pane
	for id, p := range m.panes {
		if m.session(id) == nil {
			ended = append(ended, p)
			delete(m.panes, id)
			delete(m.states, id)
		}
	}
	for _, v := range m.gridded() {
		p := m.panes[v.ID]
		if p == nil {
			if m.opts.Client == nil {
				continue // tests of the model alone
			}
			p = pane.New(pane.Config{
				ID: v.ID, Dialer: m.opts.Client, ReadOnly: m.opts.ReadOnly, Ended: v.State.Ended(),
				Report: m.inbox.pane, Wake: m.wakePainter, Fast: m.fastPath(),
			})
			p.Start(cmp.Or(m.paneCtx, m.ctx))
			m.panes[v.ID] = p
		}
		p.End(v.State.Ended())
		if !v.State.Ended() {
			delete(m.asked, v.ID)
		}
	}
	if len(ended) == 0 {
		return nil
	}
	return func() tea.Msg { // closing waits, so not here
		for _, p := range ended {
			p.Close()
		}
		return nil
	}
}

// syncViews tells each host what there is room for; panes out of view get no
// frames. With hold those in view are told of other sizes later.
func (m *model) syncViews(tiles []tileView, hold bool) {
	visible := map[*pane.Pane]bool{}
	for _, t := range tiles {
		if t.pane != nil && m.cols > 0 {
			visible[t.pane] = true
			if !hold || !t.pane.View().Visible {
				t.pane.SetView(m.view(t))
			}
		}
	}
	for _, p := range m.panes {
		if !visible[p] {
			p.SetView(wire.View{})
		}
	}
}

// fetchStills asks for the last screen of ended sessions in view that this
// client never saw.
func (m *model) fetchStills(tiles []tileView) cmd {
	var cmds []cmd
	for _, t := range tiles {
		v := t.session
		if t.pane == nil || !v.State.Ended() || m.asked[v.ID] || t.pane.HasPicture() || m.Offline != "" {
			continue
		}
		m.asked[v.ID] = true
		p := t.pane
		cmds = append(cmds, m.call("", func(c calls) (func(*model), error) {
			out, err := c.Buffer(c.ctx, v.ID)
			if err == nil && out.Text != "" {
				p.Show(pane.ParseStill(out.Text, v.Cols, v.Rows))
			}
			return nil, err
		}))
	}
	return tea.Batch(cmds...)
}

// markSeen clears the focused session's unread mark, at most once a second.
func (m *model) markSeen(now time.Time) cmd {
	v := m.focused()
	if v == nil || !v.Unread || m.blurred || m.opts.ReadOnly || m.Offline != "" || now.Sub(m.seenSent[v.ID]) < time.Second {
		return nil
	}
	m.seenSent[v.ID] = now
	id := v.ID
	return m.call("", func(c calls) (func(*model), error) { return nil, c.Seen(c.ctx, id) })
}

// syncFocus tells the panes which of them has the keyboard, for programs that
// want to know.
func (m *model) syncFocus() {
	want := m.focus
	if m.blurred || m.opts.ReadOnly {
		want = ""
	}
	if want == m.focusSent {
		return
	}
	for id, focused := range map[string]bool{m.focusSent: false, want: true} {
		if p := m.panes[id]; p != nil && m.states[id].Connected {
			p.Send(&wire.Input{Type: wire.InputFocus, Focused: focused})
		} else if p != nil && focused {
			return // not connected yet: tell it then
		}
	}
	m.focusSent = want
}

// route is where the reader may send keys without asking the program.
func (m *model) route(now time.Time) terminal.Route {
	r := terminal.Route{Prefix: m.keys.Prefix()}
	v := m.focused()
	if v != nil && !v.State.Ended() && m.mode == modePane && m.overlay == nil && !m.opts.ReadOnly && m.panes[v.ID] != nil && m.copies[v.ID] == nil && !m.typeahead.ready && !now.Before(m.arr.repeat) && !now.Before(m.focusGrace.until) && !now.Before(m.escapeUntil) {
		r.Pane = m.panes[v.ID]
	}
	return r
}

// clock makes sure that the program is woken when something on the screen
// depends on time: ages, a notice that ends, a pulse.
func (m *model) clock(now time.Time, tiles []tileView) cmd {
	next := time.Duration(1<<63 - 1)
	for _, t := range tiles {
		if !t.session.Since.IsZero() {
			next = min(next, format.AgeStep(now, t.session.Since))
		}
	}
	if m.pulsing(tiles) {
		next = min(next, pulseStep-time.Duration(now.Nanosecond())%pulseStep)
	}
	if n := len(m.Events); n > 0 && !m.layout.Sidebar.Empty() {
		next = min(next, format.AgeStep(now, m.Events[n-1].At))
	}
	for _, at := range append(m.overlayTimes(), m.listTimes()...) {
		next = min(next, format.AgeStep(now, at))
	}
	next = min(next, m.underwayStep(now), m.pasteStep(now))
	if !m.quitSince.IsZero() {
		next = min(next, flushStep)
	}
	if d, ok := m.overlay.(answerBar); ok && d.step == answerOver {
		next = min(next, d.until.Sub(now))
	}
	if at := m.nextWake(); !at.IsZero() {
		next = min(next, at.Sub(now))
	}
	for _, v := range m.Sessions {
		if o := v.Override; o != nil && now.Before(o.Until) {
			next = min(next, o.Until.Sub(now))
		}
	}
	for _, at := range []time.Time{m.notices.back, m.notices.next, m.draftDue(), m.selecting.next} {
		if !at.IsZero() {
			next = min(next, at.Sub(now))
		}
	}
	if m.notice.text != "" {
		next = min(next, m.notice.until.Sub(now))
	}
	for _, until := range []time.Time{m.arr.hold, m.arr.repeat, m.focusGrace.until, m.escapeUntil} {
		if now.Before(until) {
			next = min(next, until.Sub(now))
		}
	}
	if next == 1<<63-1 {
		return nil
	}
	next = max(next, 10*time.Millisecond)
	at := now.Add(next)
	if !m.wakeAt.IsZero() && !at.Before(m.wakeAt) {
		return nil
	}
	m.wakeAt = at
	m.wakeGen++
	gen := m.wakeGen
	return m.wait(m.tick(next, clockMsg{gen}))
}

// tick waits so long, or until it is called for again.
func (m *model) tick(d time.Duration, msg tea.Msg) cmd {
	if m.untick != nil {
		m.untick()
	}
	ctx, stop := context.WithCancel(m.ctx)
	m.untick = stop
	alarms := m.alarms
	return func() tea.Msg {
		due := make(chan struct{})
		a := alarms.AfterFunc(d, func() { close(due) })
		defer stop()
		select {
		case <-due:
			return msg
		case <-ctx.Done():
			a.Stop()
			return nil
		}
	}
}

// overlayTimes are the times whose ages the dialog shows.
func (m *model) overlayTimes() (out []time.Time) {
	switch d := m.overlay.(type) {
	case answerBar:
		out = append(out, d.req.Since)
	}
	return out
}

// scene is the immutable picture of the model.
func (m *model) scene(now time.Time, shown []api.Session, tiles []tileView) *scene {
	env := m.envAt(now)
	env.Turned = m.pulsing(tiles) && turned(now)
	sc := &scene{
		Env: env, seq: m.seq, redraws: m.redraws,
		layout: m.layout, tiles: tiles, target: m.arr.draggedPane.over, zoomed: m.zoom,

		panes: shown, outside: m.outside(),
		total: len(m.gridded()), hidden: env.Facts.Hidden, waiting: env.Facts.Waiting, snoozed: env.Facts.PutOff,
		view: m.eventView,

		mode: m.mode, prompt: m.promptView(), overlay: m.overlay, popup: m.popups, notice: m.notice,
		progress: m.progress(now),
	}
	sc.listed, sc.held = m.eventView.filtered(m.Events, env.Names)
	if m.Offline != "" {
		sc.banner, _ = sc.OfflineBanner()
		sc.banner += m.awaited()
	}
	return sc
}
