package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/attention/notify"
)

// Several grids may be attached: at a desk, from home, in two windows. Which of them
// the person will look at next nobody knows, so the bell and a terminal's notification
// go to each of them, once; a command, which does not belong to a terminal, is run
// once for all. If the person works in one of them and has the pane in view there, the
// others are silent.

// seeNotice tells the other grids, before they tell of it, that the person has an
// event before their eyes: that its pane is in view and they pressed a key or the mouse
// here lately. (That the terminal is in front is not enough: its owner may have left.)
func (m *model) seeNotice(id string, d dueNotice, now time.Time, tiles []tileView) cmd {
	claims := m.opts.Notify.Claims
	if d.seen || claims.File == "" || !m.typedLately(now) || !m.inView(id, now, tiles) {
		return nil
	}
	d.seen = true
	m.notices.due[id] = d
	return m.call("", func(calls) (func(*model), error) { return nil, claims.See(d.key(id)) })
}

// tellUnseen tells what is due, but for what the person sees in another grid.
func (m *model) tellUnseen(due []notify.Message) cmd {
	claims := m.opts.Notify.Claims
	if len(due) == 0 || claims.File == "" {
		return tea.Batch(m.tellAll(due)...)
	}
	return m.call("", func(calls) (func(*model), error) {
		var left []notify.Message
		for _, msg := range due {
			if seen, err := claims.Seen(msg.Key); err != nil || !seen {
				left = append(left, msg)
			}
		}
		return func(m *model) { m.later = append(m.later, m.tellAll(left)...) }, nil
	})
}

// typedLately reports whether a key or the mouse was pressed here not long ago.
func (m *model) typedLately(now time.Time) bool {
	return now.UnixNano()-m.router.LastInput() <= int64(presentFor)
}
