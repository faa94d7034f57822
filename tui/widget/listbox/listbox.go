package listbox

import (
	"slices"
	"strings"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// View is a list over the panes: rows that a filter selects, one of which is
// chosen and can be shown whole. It knows nothing of what it lists.
type View struct {
	// Query is the filter.
	Query edit.Line
	// Typing: keys go to the filter.
	Typing bool
	// ID is the chosen row's and Place its number among those that can be chosen,
	// for when it is gone.
	ID    string
	Place int
	// Open: the chosen row is shown whole, in Detail.
	Open   bool
	Detail modal.Pager
}

// Item is a row.
type Item struct {
	// ID tells rows apart, "" is a heading, which can't be chosen.
	ID string
	// Match is the text that the filter searches.
	Match func() string
	// Line is the row in w columns, with SGR sequences.
	Line func(w int) string
	// Paint draws the row instead of Line, its mark included: rows that are painted
	// with every frame. With two lines of room it says more.
	Paint func(s *paint.Surface, r paint.Rect, chosen bool)
	// Key takes the row at once, as long as nothing is typed, "" is none.
	Key string
	// Twice: it wants two lines; where not all that want them have room, the least Twice comes
	// first. 0: one line will do.
	Twice int
	// Thrice: with two lines it does not say all; a third one is its where there is room.
	Thrice bool
}

// Layer lays rows out in the room for them in another way than one below the other, the chosen one in view.
type Layer interface {
	Draw(s *paint.Surface, r paint.Rect, rows []Item, chosen string)
	// At is the id of the row in a cell, "" for none.
	At(r paint.Rect, rows []Item, chosen string, x, y int) string
}

// Content is a list's content. Its texts are harmless and of one line.
type Content struct {
	Title string
	// Head is a line above the rows, "" none; Note one below them, about the
	// chosen row.
	Head, Note string
	Items      []Item
	// Empty says what to do where there is nothing at all, Hint what the filter
	// looks at.
	Empty, Hint string
	// Problem is why rows are missing; Loading: the first answer is not there yet.
	Problem string
	Loading bool
	// Asks is a question that waits for a y, instead of the keys.
	Asks string
	// Busy says what is under way, and how it ends.
	Busy string
	// Searches: the filter is the business of what is listed, and applied there
	// when it is entered; Ranked: as it is typed.
	Searches, Ranked bool
	// Menu: keys are typed into the filter at once; Direct: a click and, in a menu's
	// filter, Enter take the row.
	Menu, Direct bool
	// Click is what a click on a row does, instead of choosing it and showing the
	// chosen one; "" is that.
	Click keymap.Action
	// Says stands for the keys of a menu.
	Says string
	// At is where it stands, in the middle of the screen if that is empty: there it has keys in
	// its frame, a filter while that is used, and Note where a line is left. Idle: the keyboard
	// is elsewhere.
	At   paint.Rect
	Idle bool
	// Width is that of the inside (0 is listSize), All how many rows there are
	// without the filter, Most the rows in view, 0 as many as there is room for.
	Width, All, Most int
	// Laid draws the rows instead of one below the other; nil: nobody does.
	Laid Layer
	// Marks are words that are shown inverse in the rows.
	Marks []string
	// Keys are named in the last lines, DetailKeys while a row is shown whole.
	Keys       []keymap.Named
	DetailKeys []keymap.Named
	// Detail are the lines of a row shown whole, nil if rows can't be.
	Detail func(id string, w int) []string
}

// listSize is the width of a list's inside where there is room.
const listSize = 116

// found are the numbers of the rows that the filter lets through. Headings stay
// where rows below them do.
func (v View) found(c Content) []int {
	words := strings.Fields(strings.ToLower(v.Query.String()))
	if len(words) == 0 || c.Searches || c.Ranked {
		return upTo(len(c.Items))
	}
	var out []int
	heading := -1
	for i, it := range c.Items {
		if it.ID == "" {
			heading = i
			continue
		}
		text := strings.ToLower(it.Match())
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

// Rows are the rows that the filter lets through, and the number of the chosen
// one among them, -1 if there is none.
func (v View) Rows(c Content) (rows []Item, at int) {
	at = -1
	for _, i := range v.found(c) {
		if it := c.Items[i]; it.ID != "" && it.ID == v.ID {
			at = len(rows)
		}
		rows = append(rows, c.Items[i])
	}
	return rows, at
}

// Settled chooses the row in the place of the chosen one if that is gone.
func (v View) Settled(c Content) View {
	rows, at := v.Rows(c)
	var ids []string
	for i, it := range rows {
		if it.ID == "" {
			continue
		}
		if i == at {
			v.Place = len(ids)
		}
		ids = append(ids, it.ID)
	}
	if at < 0 {
		v.Place = max(0, min(v.Place, len(ids)-1))
		if v.ID = ""; len(ids) > 0 {
			v.ID = ids[v.Place]
		}
		if v.Open && c.Detail != nil {
			v.Open = false
		}
	}
	return v
}

// Choose goes to the row n rows further.
func (v View) Choose(c Content, n int) View {
	var ids []string
	rows, _ := v.Rows(c)
	for _, it := range rows {
		if it.ID != "" {
			ids = append(ids, it.ID)
		}
	}
	if len(ids) > 0 {
		v.Place = max(0, min(v.Place+n, len(ids)-1))
		v.ID = ids[v.Place]
	}
	return v
}

// Moves are how many rows an action goes, page rows being a page.
func Moves(a keymap.Action, page int) (n int, ok bool) {
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
