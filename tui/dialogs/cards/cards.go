// Package cards shows every session as a card over the whole screen: what it asks,
// answered or failed with, its task, branch, model and age. It owns the choice and the
// order, which is by need when the page opens and stands still while it is open; new
// sessions come last. It asks for the focus, for the answer bar and for details of the
// chosen session.
package cards

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
)

// page is the component.
type page struct {
	places map[string]int // the sessions' places when the dialog opened, by id, which they keep
	chosen string         // id; a session that has gone leaves the choice to its place
	at     int            // place of the chosen card
}

// New shows the cards; the session in focus is chosen.
func New(env ui.Env) ui.Component {
	return page{places: env.List.Kept(), chosen: env.Under()}.settled(env)
}

// rows are the sessions in their order.
func (p page) rows(env ui.Env) []sessionlist.Row {
	src := env.List
	src.Places, src.Opt.Group, src.Opt.Sort = p.places, false, sessionlist.ByNeed
	return src.Rows("")
}

// settled is the page with a choice that exists.
func (p page) settled(env ui.Env) page {
	rows := p.rows(env)
	for i := range rows {
		if rows[i].Session.ID == p.chosen {
			p.at = i
			return p
		}
	}
	if p.at = max(0, min(p.at, len(rows)-1)); len(rows) > 0 {
		p.chosen = rows[p.at].Session.ID
	}
	return p
}

// Key moves the choice; keys of the prefix table act on the chosen session.
func (p page) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	p = p.settled(env)
	v := env.Session(p.chosen)
	b, ok := env.Keys.LookupIn(keymap.ModeViews, k.Name)
	if n, moves := p.step(env, b.Action); ok && moves {
		return p.moved(env, n), nil
	}
	after, bound := env.Keys.Lookup(k.Name)
	switch {
	case k.Name == "C-c", ok && b.Action == keymap.ViewClose, bound && after.Action == keymap.Overview:
		return p, []ui.Effect{ui.Close{}}
	case v == nil:
	case ok && b.Action == keymap.ViewOpen:
		return p, []ui.Effect{ui.Focus{Session: v.ID}}
	case bound && after.Action == keymap.Attention && env.Waits(*v):
		return p, []ui.Effect{ui.Focus{Session: v.ID}, ui.Do{Action: keymap.Attention}}
	case bound && after.Action == keymap.Attention:
		return p, []ui.Effect{ui.Say{Text: "it asks nothing"}}
	case bound && after.Action == keymap.Explain:
		return p, []ui.Effect{ui.Open{Component: explain.New(*v)}}
	}
	return p, nil
}

// step is how many cards an action moves the choice by.
func (p page) step(env ui.Env, a keymap.Action) (n int, ok bool) {
	l := layout(env, len(p.rows(env)))
	switch a {
	case keymap.ViewLeft:
		return -1, true
	case keymap.ViewRight:
		return 1, true
	case keymap.ViewUp:
		return -l.cols, true
	case keymap.ViewDown:
		return l.cols, true
	case keymap.ViewPageUp:
		return -l.cols * l.lines, true
	case keymap.ViewPageDown:
		return l.cols * l.lines, true
	case keymap.ViewFirst:
		return -p.at, true
	case keymap.ViewLast:
		return len(p.rows(env)), true
	}
	return 0, false
}

// moved chooses the card n places further, the first or last one if there is none.
func (p page) moved(env ui.Env, n int) page {
	p.at, p.chosen = p.at+n, ""
	return p.settled(env)
}

// Mouse gives a clicked card's session the focus; the wheel moves the choice by a line.
func (p page) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	p = p.settled(env)
	if wheel, ok := msg.(tea.MouseWheelMsg); ok {
		a := keymap.ViewDown
		if wheel.Button == tea.MouseWheelUp {
			a = keymap.ViewUp
		}
		n, _ := p.step(env, a)
		return p.moved(env, n), nil
	}
	e, ok := modal.Clicked(msg)
	if !ok {
		return p, nil
	}
	rows := p.rows(env)
	l := layout(env, len(rows)).showing(p.at)
	for i := l.first; i < min(len(rows), l.first+l.cols*l.lines); i++ {
		if l.card(i).Contains(e.X, e.Y) {
			return p, []ui.Effect{ui.Focus{Session: rows[i].Session.ID}}
		}
	}
	return p, nil
}

// NextWake is when the first age changes.
func (p page) NextWake(env ui.Env) time.Time {
	all := make([]time.Time, 0, len(env.Sessions))
	for _, v := range env.Sessions {
		all = append(all, v.Since)
	}
	return format.NextAge(env.Now, all...)
}

// YieldsPrefix: nothing is lost.
func (p page) YieldsPrefix() bool { return true }

// Chip is the component's name in the status line.
func (p page) Chip() string { return "CARDS" }

// grid is how the cards lie on the screen.
type grid struct {
	in          paint.Rect // of all cards
	cols, lines int        // cards in a line, and lines in view
	w, h        int        // of a card
	first       int        // the first card in view
}

// Sizes of a card: it is at least cardWidth wide, and low where the screen is.
const (
	cardWidth, cardHeight, lowCard = 38, 6, 3
	lowScreen                      = 16
)

// layout lays n cards out.
func layout(env ui.Env, n int) grid {
	l := grid{in: paint.Rect{X: 1, Y: 1, W: max(1, env.Cols-2), H: max(1, env.Bottom-2)}, h: cardHeight}
	if env.Rows < lowScreen {
		l.h = lowCard
	}
	l.cols = max(1, min(l.in.W/cardWidth, n))
	l.lines = max(1, l.in.H/l.h)
	l.w = min(l.in.W/l.cols, 2*cardWidth)
	return l
}

// showing is the layout scrolled by whole lines until card at is in view.
func (l grid) showing(at int) grid {
	if line := at / l.cols; line >= l.lines {
		l.first = (line - l.lines + 1) * l.cols
	}
	return l
}

// card is where card i is.
func (l grid) card(i int) paint.Rect {
	i -= l.first
	return paint.Rect{X: l.in.X + i%l.cols*l.w, Y: l.in.Y + i/l.cols*l.h, W: l.w, H: l.h}
}
