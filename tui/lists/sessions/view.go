package sessions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// width is the width of the list's inside over the panes.
const width = 96

// Content lists them in the order and the groups that the person chose.
func (d rows) Content(env ui.Env, view listbox.View) listbox.Content {
	all := d.source(env).Rows(view.Query.String())
	c := listbox.Content{
		Title: d.title(env, all), Hint: "filter by name, task, state or directory", Empty: "no sessions yet", Direct: true, Ranked: true,
		At: env.Column, Idle: d.idle, Width: width, All: len(env.List.Sessions),
		Keys: []keymap.Named{keymap.ListFocus.As("focus"), keymap.ListMark.As("mark"), keymap.ListSend.As("task"), keymap.ListFilter.As("filter"), keymap.ListKill.As("end"), keymap.ListRestart.As("restart"),
			keymap.ListRename.As("rename"), keymap.ListHide.As("hide"), keymap.ListSort.As("order"), keymap.ListGroup.As("group"),
			keymap.ListToColumn.As("column"), keymap.ListClose.As("close")},
	}
	if !d.idle && env.Rows >= listbox.FootRoom {
		c.Note = note(env, view.ID)
	}
	if env.List.Opt.Group {
		c.All *= 2 // at most a heading for each
	}
	word := ui.WordWidth
	if env.Column.Empty() { // what follows the words begins in one column
		for i := range all {
			word = max(word, min(paint.Width(ui.StandingWord(all[i].Session, env.Now)), ui.MostWord))
		}
	}
	c.Items = make([]listbox.Item, 0, len(all))
	for i := range all {
		row := &all[i]
		item := listbox.Item{ID: row.Session.ID, Paint: func(s *paint.Surface, r paint.Rect, chosen bool) { d.drawRow(s, env, r, row, word, chosen) }}
		if !env.Column.Empty() {
			item.Twice = d.twice(env, row)
			item.Thrice = d.thrice(env, row)
		}
		c.Items = append(c.Items, item)
	}
	if view.Query.Empty() {
		c.Items = withNews(env, all, c.Items)
		c.All += len(c.Items) - len(all)
	}
	return c
}

// twice is how much a session wants two lines in the column, 1 the most; 0 if one says all.
func (d rows) twice(env ui.Env, row *sessionlist.Row) int {
	if row.Heading != "" || row.Standing == api.StandingIdle && ui.PlainOf(row.Session) != "" {
		return 0
	}
	if d.rowText(env, row) == "" && row.Session.BranchLine() == "" {
		return 0
	}
	if row.Session.Retry != nil { // why nothing comes matters as a failure does
		return 1 + api.StandingFailed.Rank()
	}
	return 1 + row.Need()
}

// thrice reports whether what a session asks, why it failed or what it answered has no room in
// one line of the column.
func (d rows) thrice(env ui.Env, row *sessionlist.Row) bool {
	switch row.Standing {
	case api.StandingAsks, api.StandingFailed, api.StandingDone:
	default:
		return false
	}
	return paint.Width(d.rowText(env, row)) > env.Column.W-1-1-signWidth // the list's margin, the mark
}

// Height is how many rows the column would have for a list and the news of the queue, its frame
// included: two lines for each agent that runs, so that it stands still while they ask, work and end,
// and for what has failed.
func Height(src sessionlist.Source, news api.TaskNews) int {
	n := 2 + src.Headings() + 2*len(news.Apart(src.Sessions, src.Now))
	if news.String() != "" {
		n += 1 + min(1, len(news.Done))
	}
	for i := range src.Sessions {
		v := &src.Sessions[i]
		if n++; ui.PlainOf(*v) == "" && !v.External && !v.State.Ended() || v.Standing(src.Now) == api.StandingFailed {
			n++
		}
	}
	return n
}

// note says more about the chosen session.
func note(env ui.Env, id string) string {
	i := slices.IndexFunc(env.List.Sessions, func(v api.Session) bool { return v.ID == id })
	if i < 0 {
		return ""
	}
	v := env.List.Sessions[i]
	text := textsafe.Line(v.Name) + " · " + textsafe.Line(v.AgentLine()) + " · " + textsafe.Line(format.Home(v.CWD, env.Home))
	if v.Marks.Group != "" {
		text += " · group " + textsafe.Line(v.Marks.Group)
	}
	if v.Marks.Note != "" {
		text += " · " + textsafe.Line(v.Marks.Note)
	}
	if t := sessionlist.Task(v); t != "" {
		text += " · " + t
	}
	return modal.Styled(text, theme.FG(env.Theme.Dim))
}

func (d rows) title(env ui.Env, all []sessionlist.Row) string {
	n := 0
	for _, r := range all {
		if r.Heading == "" {
			n++
		}
	}
	count := fmt.Sprint(n)
	if most := len(env.List.Sessions); n < most {
		count = fmt.Sprintf("%d of %d", n, most)
	}
	order := map[string]string{sessionlist.ByNeed: "by need", sessionlist.ByName: "by name", sessionlist.ByGrid: "as in the grid"}[env.List.Opt.Sort]
	if len(d.marked) > 0 {
		count += fmt.Sprintf(" · %d marked", len(d.marked))
	}
	if name := sessionlist.ScopeName(env.List.Scope); name != "" {
		return "only " + name + " · " + count + " · " + env.Keys.Hint(keymap.Scope) + ": all"
	}
	return "sessions · " + count + " · " + order
}

// pinned is the sign before the name of a session that a person has pinned.
func pinned(v api.Session) string {
	if v.Marks.Pinned {
		return "*"
	}
	return ""
}

// heading names a project by its directory's name, and of two with that name where they are; one
// of another machine with the machine, and how it is reached.
func heading(env ui.Env, row *sessionlist.Row) string {
	name := filepath.Base(row.Heading)
	if row.Alike {
		name += " " + format.Home(filepath.Dir(row.Heading), env.Home)
	}
	if row.Node == "" {
		return textsafe.Line(name)
	}
	at := row.Node
	if n := env.Node(row.Node); n != nil && n.State != ui.NodeOnline {
		at += " (" + string(n.State) + ")"
	} else if n != nil && n.Round > 0 {
		at += " (" + strconv.FormatFloat(float64(n.Round)/float64(time.Millisecond), 'f', 0, 64) + " ms)"
	}
	return textsafe.Line(at + ": " + name)
}

// drawRow draws one session: sign, name, what it is at, since when, and its headline; on
// two rows the headline has the second.
func (d rows) drawRow(s *paint.Surface, env ui.Env, r paint.Rect, row *sessionlist.Row, wordWidth int, chosen bool) {
	if row.Heading != "" {
		text := heading(env, row)
		s.Text(r.X, r.Y, r.W, paint.Cut(text, r.W-5), theme.Bold(env.Theme.Accent))
		s.Text(r.X+min(paint.Width(text), r.W-5)+1, r.Y, 4, fmt.Sprint(row.Count), theme.FG(env.Theme.Dim))
		return
	}
	v, dim := row.Session, theme.FG(env.Theme.Dim)
	standing := row.Standing
	state := theme.FG(env.Theme.Standing(standing))
	name := cells.Style{Attrs: cells.Bold}
	if v.Marks.Color != "" {
		name.FG = env.Theme.Mark(v.Marks.Color)
	}
	if row.Hidden || v.External || standing == api.StandingEnded {
		name = dim
	}
	headline := dim
	if standing == api.StandingAsks || standing == api.StandingFailed {
		headline = state
	}
	if v.Retry != nil {
		state = theme.FG(env.Theme.Input)
		headline = state
	}
	mark := " "
	switch {
	case d.marked[v.ID]:
		mark = "+"
	case chosen && !d.idle:
		mark = "❯"
	case v.ID == env.Under():
		mark = "▸"
	}
	x, end := r.X, r.X+r.W
	s.Text(x, r.Y, 1, mark, theme.FG(env.Theme.Accent))
	sign := env.Sign(standing)
	s.Text(x+1, r.Y, signWidth, sign, state)
	n := 1 + slices.IndexFunc(env.List.Shown, func(o api.Session) bool { return o.ID == v.ID })
	if n > 0 && n <= mostNumber && paint.Width(sign) <= signWidth-2 {
		s.Text(x+1+signWidth-2, r.Y, 1, strconv.Itoa(n), dim)
	}
	x += 1 + signWidth
	// From the right: the unread mark and the age.
	if standing == api.StandingDone {
		s.Text(end-1, r.Y, 1, "●", state)
	}
	end -= 2
	if a := format.ShortAge(env.Now, v.Since); a != "" {
		end -= paint.Width(a)
		s.Text(end, r.Y, paint.Width(a), a, dim)
	}
	end--
	nameWidth := min(18, max(8, (r.W-14)*2/5)) // the same in all rows
	s.Text(x, r.Y, min(nameWidth, end-x), paint.Cut(pinned(v)+textsafe.Line(v.Name), min(nameWidth, max(0, end-x))), name)
	x += nameWidth + 1
	put := func(text string, st cells.Style) {
		if x < end {
			x += s.Text(x, r.Y, end-x, paint.Cut(text, end-x), st)
		}
	}
	word := ui.StandingWord(v, env.Now)
	put(fmt.Sprintf("%-*s", wordWidth, word), state)
	text := d.rowText(env, row)
	if r.H > 1 {
		branch := textsafe.Line(v.BranchLine())
		if w, to := paint.Width(branch), r.X+r.W-ageRoom; w > 0 && x-max(0, wordWidth-paint.Width(word))+1+w <= min(to, end-1) {
			to = min(to, end-1)
			s.Text(to-w, r.Y, w, branch, dim)
			colourLines(s, env, v, to-w, r.Y, branch)
			branch = ""
		}
		x, end = r.X+1+signWidth, r.X+r.W
		if clash, lines := v.ClashLine(); clash != "" {
			st := theme.FG(env.Theme.Standing(api.StandingAsks))
			if lines {
				st = theme.FG(env.Theme.Alert)
			}
			clash = textsafe.Line(clash)
			w := min(paint.Width(clash), (end-x)/3)
			s.Text(end-w, r.Y+1, w, paint.Cut(clash, w), st)
			end -= w + 1
		}
		if pull, bad := v.PullRequestLine(); pull != "" {
			st := dim
			if bad {
				st = theme.FG(env.Theme.Alert)
			}
			pull = textsafe.Line(pull)
			w := min(paint.Width(pull), (end-x)/3)
			s.Text(end-w, r.Y+1, w, paint.Cut(pull, w), st)
			end -= w + 1
		}
		if turn := strings.Trim(v.TurnNews()+" · "+branch, " ·"); paint.Width(turn) <= (end-x)/2 {
			branch = turn
		}
		if usage := strings.Trim(v.UsageNews()+" · "+branch, " ·"); paint.Width(usage) <= (end-x)/3 {
			branch = usage
		}
		if branch != "" {
			text := cutBranch(branch, (end-x)*2/5)
			w := paint.Width(text)
			s.Text(end-w, r.Y+1, w, text, dim)
			colourLines(s, env, v, end-w, r.Y+1, text)
			end -= w + 1
		}
		at := r.Y + 1
		if lines := modal.Wrap(text, end-x); r.H > 2 && len(lines) > 1 {
			s.Text(x, at, end-x, lines[0], headline)
			text, end = strings.Join(lines[1:], " "), r.X+r.W
			at++
		}
		s.Text(x, at, end-x, ui.CutHeadline(v, env.Now, text, end-x), headline)
		return
	}
	put(" "+text, headline)
}

// colourLines gives the counts of lines at the end of a text the colours of a diff.
func colourLines(s *paint.Surface, env ui.Env, v api.Session, x, y int, text string) {
	added, removed := v.LinesLine()
	for _, part := range []struct {
		text string
		st   cells.Style
	}{{removed, theme.FG(env.Theme.Alert)}, {added, theme.FG(env.Theme.Standing(api.StandingDone))}} {
		if rest, at := strings.CutSuffix(text, part.text); at && part.text != "" {
			s.Text(x+paint.Width(rest), y, paint.Width(part.text), part.text, part.st)
			text = strings.TrimSuffix(rest, " ")
		}
	}
}

// cutBranch cuts a branch's name, and not the counts behind it.
func cutBranch(line string, w int) string {
	name, counts, ok := strings.Cut(line, " ")
	if ok && paint.Width(line) > w && paint.Width(counts) <= w && w-paint.Width(counts)-1 < 3 {
		return counts
	}
	if room := w - paint.Width(counts) - 1; ok && paint.Width(line) > w && room >= 3 {
		return paint.Cut(name, room) + " " + counts
	}
	return paint.Cut(line, w)
}

// ageRoom is the room of ages at the right of a row, with the unread mark: what stands before them
// ends in one column.
const ageRoom = 7

// signWidth is the room of a standing's sign with the blank behind it: the ASCII signs
// have three columns. Behind others stands the number of the pane.
const signWidth = 4

// mostNumber is the highest number that a key goes to.
const mostNumber = 9

// place is the name of the directory of a session of which nothing else is known, "" where its
// name has that already.
func (d rows) place(env ui.Env, v api.Session) string {
	dir := env.List.Project(v.CWD)
	if dir == "" || dir == env.Home && v.Node == "" {
		return ""
	}
	base := textsafe.Line(filepath.Base(dir))
	if rest, named := strings.CutPrefix(v.Name, base); named && (rest == "" || rest[0] == '-') {
		return ""
	}
	return base
}

// rowText describes a session's work, or why it has no pane.
func (d rows) rowText(env ui.Env, row *sessionlist.Row) string {
	v := row.Session
	text := format.OneLine(textsafe.Line(v.Headline(env.Now)))
	if text == "" {
		text = format.OneLine(sessionlist.Task(v))
	}
	if text == "" {
		text = ui.RunsLine(v)
	}
	if text == "" && !env.List.Opt.Group {
		text = d.place(env, v)
	}
	if v.Queued > 0 {
		text = fmt.Sprintf("+%d queued · ", v.Queued) + text
	}
	if v.Pending > 0 {
		text = strings.TrimSuffix(fmt.Sprintf("%d for later · ", v.Pending)+text, " · ")
	}
	if badge := ui.Override(v, env.Now); badge != "" {
		text = strings.TrimSuffix("⚑ "+badge+" · "+text, " · ")
	}
	if off := ui.PutOff(v, env.Now); off != "" {
		text = strings.TrimSuffix(off+" · "+text, " · ")
	}
	switch {
	case v.External:
		text = "outside ccdir · " + text
	case row.Hidden:
		text = "hidden · " + text
	}
	return text
}
