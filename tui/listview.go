package tui

import (
	"slices"
	"strings"

	"ccdir/internal/keymap"
	"ccdir/tui/dialog"
	"ccdir/tui/edit"
	"ccdir/tui/paint"
)

// listView is a list over the panes: rows that a filter selects, one of which is
// chosen and can be shown whole. It is a value, and knows nothing of what it
// lists: that is a listContent, made anew whenever it is looked at, so that a
// list follows what it shows.
type listView struct {
	query edit.Line
	// typing: keys go to the filter.
	typing bool
	// id is the chosen row's and place its number among those that can be chosen,
	// for when it is gone.
	id    string
	place int
	// open: the chosen row is shown whole, in detail.
	open   bool
	detail dialog.Pager
}

// listItem is a row.
type listItem struct {
	// id tells rows apart, "" is a heading, which can't be chosen.
	id string
	// match is what the filter looks at.
	match func() string
	// line is the row in w columns, with SGR sequences.
	line func(w int) string
	// paint draws the row instead of line, its mark included: rows that are painted
	// with every frame. With two lines of room it says more.
	paint func(s *paint.Surface, r paint.Rect, chosen bool)
	// key takes the row at once, as long as nothing is typed, "" is none.
	key string
}

// listContent is what a list shows.
type listContent struct {
	title string
	// head is a line above the rows, "" none; note one below them, about the
	// chosen row.
	head, note string
	items      []listItem
	// empty says what to do where there is nothing at all, hint what the filter
	// looks at.
	empty, hint string
	// problem is why rows are missing; loading: the first answer is not there yet.
	problem string
	loading bool
	// asks is a question that waits for a y, instead of the keys.
	asks string
	// busy says what is under way, and how it ends.
	busy string
	// searches: the filter is the business of what is listed, and applied there
	// when it is entered; ranked: as it is typed.
	searches, ranked bool
	// menu: keys are typed into the filter at once; direct: a click and, in the
	// filter, Enter take the row.
	menu, direct bool
	// click is what a click on a row does, instead of choosing it and showing the
	// chosen one; "" is that.
	click keymap.Action
	// twice: rows may take two lines, where all have room for them. says stands for
	// the keys of a menu.
	twice bool
	says  string
	// at is where it stands, in the middle of the screen if that is empty; idle: the
	// keyboard is elsewhere.
	at   paint.Rect
	idle bool
	// width is that of the inside (0 is listSize), all how many rows there are
	// without the filter, most the rows in view, 0 as many as there is room for.
	width, all, most int
	// marks are words that are shown inverse in the rows.
	marks      []string
	keys       []keymap.Named
	detailKeys []keymap.Named
	// detail are the lines of a row shown whole, nil if rows can't be.
	detail func(id string, w int) []string
}

// listSize is the width of a list's inside where there is room.
const listSize = 116

// listDialog is a dialog that is a list. The functions below do what all of them
// have in common.
type listDialog interface {
	overlay
	// list is the list's state, with puts another one into the dialog.
	list() listView
	with(listView) listDialog
	// content is what it lists now.
	content(sc *scene) listContent
	// mode has the keys of the dialog's own; act runs them, and those of the list
	// that it wants for itself, on the chosen row ("" if there is none). taken is
	// false for others.
	mode() keymap.Mode
	act(m *model, a keymap.Action, id string) (c cmd, taken bool)
}

// nowScene is the scene as it is, for what a dialog shows.
func (m *model) nowScene() *scene { return m.scene(m.now(), m.shown(), nil) }

// found are the numbers of the rows that the filter lets through. Headings stay
// where rows below them do.
func (v listView) found(c listContent) []int {
	words := strings.Fields(strings.ToLower(v.query.String()))
	if len(words) == 0 || c.searches || c.ranked {
		return upTo(len(c.items))
	}
	var out []int
	heading := -1
	for i, it := range c.items {
		if it.id == "" {
			heading = i
			continue
		}
		text := strings.ToLower(it.match())
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if heading >= 0 {
			out, heading = append(out, heading), -1
		}
		out = append(out, i)
	}
	return out
}

// upTo are the numbers below n.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// rows are the rows that the filter lets through, and the number of the chosen
// one among them, -1 if there is none.
func (v listView) rows(c listContent) (rows []listItem, at int) {
	at = -1
	for _, i := range v.found(c) {
		if it := c.items[i]; it.id != "" && it.id == v.id {
			at = len(rows)
		}
		rows = append(rows, c.items[i])
	}
	return rows, at
}

// settled chooses the row in the place of the chosen one if that is gone.
func (v listView) settled(c listContent) listView {
	rows, at := v.rows(c)
	var ids []string
	for i, it := range rows {
		if it.id == "" {
			continue
		}
		if i == at {
			v.place = len(ids)
		}
		ids = append(ids, it.id)
	}
	if at < 0 {
		v.place = max(0, min(v.place, len(ids)-1))
		if v.id = ""; len(ids) > 0 {
			v.id = ids[v.place]
		}
		if v.open && c.detail != nil {
			v.open = false
		}
	}
	return v
}

// choose goes to the row n rows further.
func (v listView) choose(c listContent, n int) listView {
	var ids []string
	rows, _ := v.rows(c)
	for _, it := range rows {
		if it.id != "" {
			ids = append(ids, it.id)
		}
	}
	if len(ids) > 0 {
		v.place = max(0, min(v.place+n, len(ids)-1))
		v.id = ids[v.place]
	}
	return v
}

// moves are how many rows an action goes, page rows being a page.
func moves(a keymap.Action, page int) (n int, ok bool) {
	const all = 1 << 30
	switch a {
	case keymap.ViewUp:
		return -1, true
	case keymap.ViewDown:
		return 1, true
	case keymap.ViewPageUp:
		return -page, true
	case keymap.ViewPageDown:
		return page, true
	case keymap.ViewFirst:
		return -all, true
	case keymap.ViewLast:
		return all, true
	}
	return 0, false
}

// listKey handles a key of a list: of the filter while it is typed, else of the
// dialog, else of all lists.
func listKey(m *model, d listDialog, k keyMsg) cmd {
	sc := m.nowScene()
	c := d.content(sc)
	v := d.list().settled(c)
	d = d.with(v)
	m.overlay = d
	if k.name == "KPEnter" {
		k.name = "Enter"
	}
	if k.name == "C-c" {
		m.overlay = nil
		return nil
	}
	if v.typing || c.menu {
		return listTyped(m, d, c, k)
	}
	b, ok := m.keys.LookupIn(d.mode(), k.name)
	if !ok {
		b, ok = m.keys.LookupIn(keymap.ModeViews, k.name)
	}
	if !ok {
		return nil
	}
	return listBound(m, d, c, b)
}

// listBound runs what is bound on the chosen row, or says why it is not possible.
func listBound(m *model, d listDialog, c listContent, b keymap.Binding) cmd {
	if reason := b.Disabled(m.facts()); reason != "" {
		m.warn(reason)
		return nil
	}
	a := b.Action
	if t, ok := d.(interface {
		translate(keymap.Action) keymap.Action
	}); ok {
		a = t.translate(a)
	}
	return listAct(m, d, c, a, d.list().id)
}

// listAct runs an action on a row.
func listAct(m *model, d listDialog, c listContent, a keymap.Action, id string) cmd {
	v := d.list()
	if next, taken := d.act(m, a, id); taken {
		return next
	}
	if v.open {
		if p, ok := v.sized(m.nowScene(), c).detail.Moved(a); ok {
			v.detail = p
			m.overlay = d.with(v)
			return nil
		}
	}
	if n, ok := moves(a, v.plan(m.nowScene(), c).page()); ok {
		m.overlay = d.with(v.choose(c, n))
		return nil
	}
	switch a {
	case keymap.ViewOpen:
		if v.open {
			v.open = false
		} else if v.id != "" && c.detail != nil {
			v.open, v.detail = true, dialog.Pager{}
		}
	case keymap.ViewFilter:
		v.typing = !v.open
	case keymap.ViewClose:
		switch {
		case v.open:
			v.open = false
		case !v.query.Empty():
			v.query = edit.Line{}
		default:
			m.overlay = nil
			return nil
		}
	}
	m.overlay = d.with(v)
	return nil
}
