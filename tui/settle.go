package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/tune/timer"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// settle brings everything in line with the model after a message: layout,
// panes, the reader's route, the clock and the scene.
func (m *model) settle() {
	now := m.now()
	if m.notice.text != "" && !now.Before(m.notice.until) {
		m.notice = notice{}
	}
	m.dress(false)
	m.grid.Settle(&m.World, m.room())
	if m.inPane != m.grid.Focus {
		m.inPane = ""
	}
	each := pane.Config{Dialer: m.opts.Client, ReadOnly: m.opts.ReadOnly, Report: m.inbox.pane, Copied: m.inbox.copied, Wake: m.wakePainter, Fast: m.fastPath()}
	if closing := m.hosts.Sync(cmp.Or(m.paneCtx, m.ctx), &m.World, each); closing != nil {
		m.out.Put(func() tea.Msg { closing(); return nil }) // closing waits, so not here
	}
	tiles := m.tiles()
	env := m.envAt(now)
	m.hosts.Views(tiles, m.grid.Same(&m.World), m.grid.Held(now), m.outer)
	m.carryOut(ui.Nobody, m.attention.Remind(env, m.means(), func(id string) bool {
		i := slices.IndexFunc(tiles, func(t ui.Tile) bool { return t.ID() == id })
		return i >= 0 && !m.overlay.covers(env, m.caps, tiles[i])
	}))
	if title, changed := m.attention.Retitle(env, !m.opts.Title); changed && m.setTitle != nil {
		m.setTitle(title)
	}
	m.carryOut(ui.Nobody, m.hosts.Stills(env))
	left, spent := m.grid.Left()
	m.carryOut(ui.Nobody, m.attention.Returned(env, left, spent))
	viewer, _ := m.front().(ui.TaskViewer)
	m.carryOut(ui.Nobody, m.attention.Seen(env, viewer != nil && viewer.ShowsTasks()))
	m.refresh()
	env = m.envAt(now)
	for i, p := range m.parts {
		m.carryOut(ui.ID(i+1), p.Refresh(env))
	}
	m.clock(env, tiles)
	m.work.EndStreams(m.overlay.has)
	if m.attention.Away() || m.opts.ReadOnly {
		m.hosts.Focus("")
	} else {
		m.hosts.Focus(m.grid.Focus)
	}
	m.router.Set(m.route(now))
	m.seq++
	m.publish(m.scene(now, tiles))
}

// route is where the reader may send keys without asking the program.
func (m *model) route(now time.Time) terminal.Route {
	r := terminal.Route{Prefix: m.keys.Prefix()}
	v := m.focused()
	if v != nil && v.Away.IsZero() && !m.wakes(v) && !v.State.Ended() && m.mode == modePane && m.overlay == nil && !m.opts.ReadOnly && m.hosts.Panes[v.ID] != nil && !m.copies.On(v.ID) && !m.typeahead.ready && !m.grid.Takes(now) && !now.Before(m.escapeUntil) {
		r.Pane = m.hosts.Panes[v.ID]
	}
	return r
}

// clock makes sure that the program is woken when something on the screen
// depends on time: ages, a notice that ends, a pulse.
func (m *model) clock(env ui.Env, tiles []ui.Tile) {
	now := env.Now
	next := time.Duration(1<<63 - 1)
	for _, t := range tiles {
		if !t.Session.Since.IsZero() {
			next = min(next, format.AgeStep(now, t.Session.Since))
		}
		if !t.Session.Away.IsZero() {
			next = min(next, format.SecondsStep(now, t.Session.Away))
		}
	}
	if m.pulsing(tiles) {
		next = min(next, pulseStep-time.Duration(now.Nanosecond())%pulseStep)
	}
	next = min(next, m.work.Step(now), m.hosts.Step(now))
	if !m.quitSince.IsZero() {
		next = min(next, flushStep)
	}
	for _, v := range m.Sessions {
		if o := v.Override; o != nil && now.Before(o.Until) {
			next = min(next, o.Until.Sub(now))
		}
	}
	wakes := []time.Time{m.overlay.nextWake(env), m.attention.NextWake()}
	for _, p := range m.parts {
		wakes = append(wakes, p.NextWake(env))
	}
	for _, at := range wakes {
		if !at.IsZero() {
			next = min(next, at.Sub(now))
		}
	}
	if due := m.followsAt(); now.Before(due) {
		next = min(next, due.Sub(now))
	}
	if m.notice.text != "" {
		next = min(next, m.notice.until.Sub(now))
	}
	if now.Before(m.escapeUntil) {
		next = min(next, m.escapeUntil.Sub(now))
	}
	if next == 1<<63-1 {
		return
	}
	next = max(next, 10*time.Millisecond)
	at := now.Add(next)
	if !m.wakeAt.IsZero() && !at.Before(m.wakeAt) {
		return
	}
	m.wakeAt = at
	m.out.Put(m.wait(m.tick(m.ctx, m.alarms, next)))
}

// alarm is the one outstanding clock of the program.
type alarm struct {
	wakeAt  time.Time // when it is due; zero: none is outstanding
	wakeGen int
	untick  func() // takes it back
}

// tick waits so long, or until it is called for again.
func (a *alarm) tick(ctx context.Context, clock *timer.Clock, d time.Duration) cmd {
	if a.untick != nil {
		a.untick()
	}
	a.wakeGen++
	msg := clockMsg{a.wakeGen}
	ctx, stop := context.WithCancel(ctx)
	a.untick = stop
	return func() tea.Msg {
		due := make(chan struct{})
		t := clock.AfterFunc(d, func() { close(due) })
		defer stop()
		select {
		case <-due:
			return msg
		case <-ctx.Done():
			t.Stop()
			return nil
		}
	}
}

// scene is the immutable picture of the model.
func (m *model) scene(now time.Time, tiles []ui.Tile) *scene {
	env := m.envAt(now)
	env.Turned = m.pulsing(tiles) && turned(now)
	sc := &scene{
		Picture: m.grid.Picture(env), seq: m.seq, redraws: m.redraws, copies: m.copies.Shown(env),
		side: m.sidebar,
		mode: m.mode, prompt: m.prompt, overlay: m.overlay, popup: m.popups, notice: m.notice,
		progress: m.progress(env),
	}
	sc.follows = m.follows(now)
	return sc
}

// followsAt is from when on the panel of what may follow the prefix key is shown; zero: never.
func (m *model) followsAt() time.Time {
	if m.mode != modePrefix || m.overlay != nil || m.opts.PrefixHelp <= 0 {
		return time.Time{}
	}
	return m.prefixAt.Add(m.opts.PrefixHelp)
}

// follows reports whether that panel is shown.
func (m *model) follows(now time.Time) bool {
	due := m.followsAt()
	return !due.IsZero() && !now.Before(due)
}
