package copymode

import (
	"context"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/copymode/core"
	"ccdir/tui/ui"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
	"ccdir/tui/widget/turns"
	"ccdir/wire"
)

// On the alternate screen an agent has no history: above what it shows there the view goes
// on with the agent's own conversation.

// talker is the part of a client that reads conversations.
type talker interface {
	// Turns calls each with the turns of a session's conversations, the last ones by number
	// (0: all).
	Turns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
}

// talk is how far the conversation is above the screen; the zero value is a pane without.
type talk struct {
	on   bool
	last int // how many turns were asked for
	// first is the oldest turn that is here, 0 if none is.
	first int
	over  bool // no more is to come
	theme *theme.Theme
}

const (
	// talkTurns are asked for at first, talkMore times as many each time after that.
	talkTurns, talkMore = 20, 6
	// pageRows is how many rows a page has at most (sgr.Parse).
	pageRows = 900
)

// talks reports whether the lines above a pane's screen are in its agent's conversation.
func talks(t ui.Tile) bool {
	return t.Session.Conversation != "" && ui.PlainOf(*t.Session) == "" && (t.State.Flags&wire.FlagAlt != 0 || t.Session.State.Ended())
}

// goesOn keeps what is above the screen open after that has come.
func (v *View) goesOn() {
	switch {
	case !v.talk.on || !v.known:
	case v.ended && v.st.Buf.First() < 0: // it printed its history
		v.talk.on = false
	case !v.talk.over && v.note == "":
		v.complete = false
	}
}

// loadTurns asks for turns of the conversation.
func (v *View) loadTurns() ui.Effect {
	switch {
	case v.all:
		v.talk.last = 0
	case v.talk.first == 0:
		v.talk.last = talkTurns
	default:
		v.talk.last *= talkMore
	}
	id, cols, before, look, screen, wrapped, last := v.id, v.cols, v.talk.first, v.talk.theme, v.st.Buf, v.wrapped, v.talk.last
	return v.call(func(ctx context.Context, c ui.Client) (func(*View), error) {
		client, err := ui.As[talker](c)
		if err != nil {
			return endOfTalk(""), nil
		}
		var list []api.Turn
		err = client.Turns(ctx, id, last, func(t api.Turn) error {
			if before == 0 || t.Turn < before {
				list = append(list, t)
			}
			return nil
		})
		switch code := api.CodeOf(err); {
		case code == api.CodeNotFound || code == api.CodeConflict:
			return endOfTalk(""), nil
		case err != nil:
			return endOfTalk("the conversation cannot be had: " + ui.Problem(err)), nil
		case len(list) == 0:
			return endOfTalk(""), nil
		}
		pages := talkPages(list, look, cols)
		if before == 0 {
			pages = joined(pages, screen, cols)
		}
		return func(v *View) {
			if v.wrapped != wrapped {
				return // they have other numbers by now
			}
			v.talk.first = list[0].Turn
			v.talk.over = last == 0 || list[0].Turn <= 1
			v.above(pages, cols)
			v.loaded(v.talk.over)
		}, nil
	})
}

// endOfTalk: nothing more comes.
func endOfTalk(note string) func(*View) {
	return func(v *View) { v.talk.over, v.complete, v.note = true, true, note }
}

// above lays pages over the lines that are here.
func (v *View) above(pages []rowsOf, cols int) {
	for i := len(pages) - 1; i >= 0; i-- {
		p := pages[i]
		v.st.Prepend(core.NewPage(v.st.Buf.First()-len(p.rows), cols, p.table, p.rows))
	}
}

// rowsOf are rows with the table of their cells.
type rowsOf struct {
	rows  []cells.Row
	table *cells.Table
}

// talkPages are turns as rows of cells.
func talkPages(list []api.Turn, look *theme.Theme, cols int) (pages []rowsOf) {
	if look == nil {
		look = theme.New("", nil)
	}
	layout := turns.Layout{Theme: look, Width: cols}
	var rows []turns.Row
	var before *api.Turn
	for i := range list {
		rows = append(rows, layout.Rows(list[i], before)...)
		before = &list[i]
	}
	rows = append(rows, turns.Row{})
	for len(rows) > 0 {
		n := min(len(rows), pageRows)
		var text strings.Builder
		for _, r := range rows[:n] {
			text.WriteString(r.Text + "\n")
		}
		page := sgr.Parse(text.String(), cols, n)
		for i := range page.Rows {
			page.Rows[i].Wrapped = rows[i].Wrapped
			page.Rows[i].Gen = 0
		}
		pages, rows = append(pages, rowsOf{page.Rows, page.Table}), rows[n:]
	}
	return pages
}
