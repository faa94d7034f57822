// Package cards shows every session as a card over the whole screen: what it asks,
// answered or failed with, its task, branch, model and age. It owns the choice and the
// order, which is by need when the page opens and stands still while it is open; new
// sessions come last. It asks for the focus, for the answer bar and for details of the
// chosen session.
package cards

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
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

// rows are the sessions in their order, those with little to say behind the others.
func (p page) rows(env ui.Env) []sessionlist.Row {
	src := env.List
	src.Places, src.Opt.Group, src.Opt.Sort = p.places, false, sessionlist.ByNeed
	rows := src.Rows("")
	slices.SortStableFunc(rows, func(a, b sessionlist.Row) int {
		switch {
		case low(&a) == low(&b):
			return 0
		case low(&a):
			return 1
		}
		return -1
	})
	return rows
}

// low reports whether a session has a low card: a shell or plain command that is well.
func low(row *sessionlist.Row) bool {
	return ui.PlainOf(row.Session) != "" && row.Standing.Rank() >= api.StandingIdle.Rank()
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
	l := layout(env, p.rows(env))
	switch a {
	case keymap.ViewLeft:
		return -1, true
	case keymap.ViewRight:
		return 1, true
	case keymap.ViewUp:
		return l.down(p.at, -1), true
	case keymap.ViewDown:
		return l.down(p.at, 1), true
	case keymap.ViewPageUp:
		return l.down(p.at, -l.page(p.at)), true
	case keymap.ViewPageDown:
		return l.down(p.at, l.page(p.at)), true
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
	cards, first := layout(env, rows).showing(p.at)
	for i, r := range cards {
		if r.Contains(e.X, e.Y) {
			return p, []ui.Effect{ui.Focus{Session: rows[first+i].Session.ID}}
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

// grid is how the cards lie on the screen: lines of cards, low ones in lines of their own.
type grid struct {
	in    paint.Rect // of all cards
	w     int        // of a card
	lines []line
}

// line is a line of n cards of height h; first is the number of its first card.
type line struct{ first, n, h int }

// Sizes of a card: it is at least cardWidth wide, and low where the screen is.
const (
	cardWidth, cardHeight, lowCard = 38, 6, 3
	lowScreen                      = 16
)

// layout lays the cards of rows out, low ones last.
func layout(env ui.Env, rows []sessionlist.Row) grid {
	l := grid{in: paint.Rect{X: 1, Y: 1, W: max(1, env.Cols-2), H: max(1, env.Bottom-2)}}
	height := cardHeight
	if env.Rows < lowScreen {
		height = lowCard
	}
	cols := max(1, min(l.in.W/cardWidth, len(rows)))
	l.w = min(l.in.W/cols, 2*cardWidth)
	for i := range rows {
		h := height
		if low(&rows[i]) {
			h = lowCard
		}
		if last := len(l.lines) - 1; last < 0 || l.lines[last].n == cols || l.lines[last].h != h {
			l.lines = append(l.lines, line{first: i, h: h})
		}
		l.lines[len(l.lines)-1].n++
	}
	return l
}

// line is the number of the line of card i.
func (l grid) line(i int) int {
	at := slices.IndexFunc(l.lines, func(r line) bool { return i < r.first+r.n })
	return max(0, at)
}

// down is how many cards further the card n lines below card i is, at most the last line's.
func (l grid) down(i, n int) int {
	if len(l.lines) == 0 {
		return 0
	}
	at := l.line(i)
	to := l.lines[min(max(0, at+n), len(l.lines)-1)]
	return to.first + min(i-l.lines[at].first, to.n-1) - i
}

// from is the first line in view when card i is, and to the one behind the last.
func (l grid) from(i int) (from, to int) {
	if len(l.lines) == 0 {
		return 0, 0
	}
	room, at := l.in.H, l.line(i)
	for to = 0; to < len(l.lines) && (l.lines[to].h <= room || to == from); to++ {
		room -= l.lines[to].h
	}
	for to <= at {
		room -= l.lines[to].h
		for to++; room < 0 && from < to-1; from++ {
			room += l.lines[from].h
		}
	}
	return from, to
}

// page is how many lines are in view.
func (l grid) page(i int) int {
	from, to := l.from(i)
	return max(1, to-from)
}

// showing are the places of the cards in view when card at is, and the number of the first.
func (l grid) showing(at int) (cards []paint.Rect, first int) {
	from, to := l.from(at)
	y := l.in.Y
	for _, r := range l.lines[from:to] {
		for i := range r.n {
			cards = append(cards, paint.Rect{X: l.in.X + i*l.w, Y: y, W: l.w, H: r.h})
		}
		y += r.h
	}
	if from < to {
		first = l.lines[from].first
	}
	return cards, first
}
