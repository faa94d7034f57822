package sessions

import (
	"cmp"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/theme"
)

// queueRow begins the ids of the rows about the queue; the id of a task is behind it, none for the
// row about all of it.
const queueRow = "queue/"

// item is a row about what has ended in the queue since a person looked.
type item struct {
	task       api.Task
	standing   api.Standing
	name, word string
	says       string
}

// withNews puts what has ended in the queue since a person looked behind the sessions that ask:
// how much that is, and each task that failed and whose session does not say so by itself.
func withNews(env ui.Env, rows []sessionlist.Row, items []listbox.Item) []listbox.Item {
	news := env.Work.News()
	word := news.String()
	if word == "" {
		return items
	}
	all := item{standing: api.StandingDone, name: "queue:", word: word}
	if len(news.Failed) > 0 {
		all.standing = api.StandingFailed
	}
	if len(news.Done) > 0 { // those that failed say it for themselves
		all.task = news.Done[0]
		all.says = all.task.ID + ": " + all.task.Headline("")
	}
	add := []listbox.Item{all.row(env, "")}
	for _, t := range news.Apart(env.Sessions, env.Now) {
		one := item{task: t, standing: t.Standing(), name: cmp.Or(t.Name, t.ID), word: t.StandingWord(), says: t.Headline("")}
		add = append(add, one.row(env, t.ID))
	}
	at := 0
	if env.List.Opt.Sort == sessionlist.ByNeed && !env.List.Opt.Group {
		for at < len(rows) && rows[at].Need() == api.StandingAsks.Rank() {
			at++
		}
	}
	return slices.Insert(items, at, add...)
}

func (i item) row(env ui.Env, id string) listbox.Item {
	row := listbox.Item{ID: queueRow + id, Paint: func(s *paint.Surface, r paint.Rect, chosen bool) { i.draw(s, env, r, chosen) }}
	if !env.Column.Empty() && i.says != "" {
		row.Twice = 1 + i.standing.Rank()
	}
	return row
}

// draw draws it as a session's row is drawn.
func (i item) draw(s *paint.Surface, env ui.Env, r paint.Rect, chosen bool) {
	state := theme.FG(env.Theme.Standing(i.standing))
	x, end := r.X, r.X+r.W
	if chosen {
		s.Text(x, r.Y, 1, "▸", theme.FG(env.Theme.Accent))
	}
	s.Text(x+1, r.Y, signWidth, env.Sign(i.standing), state)
	x, end = x+1+signWidth, end-2
	line := paint.Width(i.name) + 1 + paint.Width(i.word)
	if a := format.ShortAge(env.Now, i.task.Since); a != "" && x+line+1+paint.Width(a) <= end {
		end -= paint.Width(a)
		s.Text(end, r.Y, paint.Width(a), a, theme.FG(env.Theme.Dim))
	}
	end--
	put := func(text string, st cells.Style) {
		if x < end {
			x += s.Text(x, r.Y, end-x, paint.Cut(text, end-x), st) + 1
		}
	}
	put(textsafe.Line(i.name), cells.Style{Attrs: cells.Bold})
	put(i.word, state)
	style := theme.FG(env.Theme.Dim)
	if i.standing == api.StandingFailed {
		style = state
	}
	says := textsafe.Line(i.says)
	if r.H > 1 {
		x = r.X + 1 + signWidth
		s.Text(x, r.Y+1, r.X+r.W-x, paint.Cut(says, r.X+r.W-x), style)
		return
	}
	put(says, style)
}

// Visit is what Enter and a click do on a row: they go to the session, or, for a row about the
// queue, to the task's session if there is one, else to the task in the queue.
func Visit(env ui.Env, id string) []ui.Effect {
	task, queue := strings.CutPrefix(id, queueRow)
	if !queue {
		return []ui.Effect{ui.Focus{Session: id}}
	}
	for i := range env.Work.Tasks {
		if t := &env.Work.Tasks[i]; t.ID == task && t.Session != "" && env.Session(t.Session) != nil {
			return []ui.Effect{ui.Focus{Session: t.Session}}
		}
	}
	return []ui.Effect{ui.Do{Action: keymap.Queue, Arg: task}}
}
