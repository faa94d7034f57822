package queue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// lane is a column of the board.
type lane int

// The lanes, from left to right.
const (
	laneAsks lane = iota
	laneRunning
	laneQueued
	laneReview
	laneChecks
	laneDone
	lanes
)

func (l lane) String() string {
	return [...]string{"asks", "running", "queued", "in review", "in checks", "done"}[l]
}

// laneOf is the lane of a task. One that failed is done, too: it stands first there.
func laneOf(env ui.Env, t api.Task) lane {
	hold, _ := held(env, t)
	v := env.Session(t.Session)
	switch need := t.Need(hold); {
	case reviewed(env, t):
		return laneReview
	case need == api.NeedsYou:
		return laneAsks
	case t.Stage != "":
		return laneChecks
	case need == api.NeedRunning:
		return laneRunning
	case need == api.NeedQueued, need == api.NeedWaiting:
		return laneQueued
	case v != nil && v.PullRequest != nil && v.PullRequest.State == api.PullRequestOpen && v.PullRequest.Checks == api.ChecksPending:
		return laneChecks
	}
	return laneDone
}

// reviewed reports whether a task's last step has ended and it waits for a person's ok.
func reviewed(env ui.Env, t api.Task) bool {
	return t.Review && (t.Stage == "" || t.Stage == api.StageReview) && t.State == api.TaskWaiting && t.Failures == 0 && t.Step >= len(t.Steps) && !asks(env, t)
}

// Sizes of the board: it needs that many columns, and a lane has that many at least; one
// blank column is between two lanes, and so many before the text of a card.
const (
	boardRoom           = 100
	leastLane           = 12
	laneGap, cardIndent = 1, 2
)

// board lays tasks out as cards in lanes.
type board struct{ env ui.Env }

// card is a task on the board: where it is, and its lines.
type card struct {
	task  *api.Task
	at    paint.Rect
	lines []cardLine
}

type cardLine struct {
	text  string
	style cells.Style
}

// column is a lane with its cards, of which those in view have a place.
type column struct {
	lane  lane
	at    paint.Rect
	cards []card
	above int // cards above those in view
	below int
}

// columns are the lanes with the tasks of rows.
func (b board) columns(rows []listbox.Item) (all [lanes]column) {
	for i := range all {
		all[i].lane = lane(i)
	}
	for _, it := range rows {
		if t := task(b.env, it.ID); t != nil {
			c := &all[laneOf(b.env, *t)]
			c.cards = append(c.cards, card{task: t})
		}
	}
	return all
}

// lay places the cards in view, so that the chosen one is among them. A lane without cards
// takes no more than its heading needs.
func (b board) lay(r paint.Rect, rows []listbox.Item, chosen string) [lanes]column {
	all := b.columns(rows)
	room, full := r.W-(int(lanes)-1)*laneGap, 0
	for i := range all {
		if len(all[i].cards) > 0 {
			full++
		} else {
			room -= leastLane
		}
	}
	x := r.X
	for i := range all {
		c := &all[i]
		w := leastLane
		if len(c.cards) > 0 {
			w = room / full
			room, full = room-w, full-1
		}
		c.at = paint.Rect{X: x, Y: r.Y, W: w, H: r.H}
		x += w + laneGap
		b.stack(c, chosen)
	}
	return all
}

// stack places the cards of a lane below its heading, with a blank line between them.
func (b board) stack(c *column, chosen string) {
	for i := range c.cards {
		c.cards[i].lines = b.lines(c.cards[i].task, c.at.W-cardIndent)
	}
	height := func(i int) int { return len(c.cards[i].lines) + 1 }
	room := c.at.H - 3 // the heading, and what is above and below
	i := max(0, slices.IndexFunc(c.cards, func(o card) bool { return o.task.ID == chosen }))
	if len(c.cards) == 0 {
		return
	}
	for used := height(i); i > 0 && used+height(i-1) <= room+1; i-- {
		used += height(i - 1)
	}
	c.above = i
	for y, end := c.at.Y+2, c.at.Y+2+room; i < len(c.cards) && (i == c.above || y+height(i)-1 <= end); i++ {
		c.cards[i].at = paint.Rect{X: c.at.X, Y: y, W: c.at.W, H: min(height(i)-1, end-y)}
		y += height(i)
	}
	c.below = len(c.cards) - i
}

// cardText is how many lines a card's title and what it says may take each.
const cardText = 2

// lines are a card's: its title, what it says, and what is known of its work.
func (b board) lines(t *api.Task, w int) (out []cardLine) {
	add := func(text string, st cells.Style) {
		lines := modal.Wrap(text, w)
		if len(lines) > cardText {
			lines[cardText-1] = paint.Cut(lines[cardText-1]+" "+lines[cardText], w)
			lines = lines[:cardText]
		}
		for _, l := range lines {
			out = append(out, cardLine{paint.Cut(l, w), st})
		}
	}
	title := t.ID + " " + taskLine(*t)
	if t.Name != "" && len(t.Steps) == 0 && t.Attempt < 2 {
		title = t.ID + " " + t.Name
	}
	add(textsafe.Line(title), cells.Style{Attrs: cells.Bold})
	if says := b.says(*t); says != "" {
		add(says, answerStyle(b.env, *t))
	}
	for _, l := range modal.Flow(b.facts(*t), w) {
		out = append(out, cardLine{paint.Cut(l, w), theme.FG(b.env.Theme.Dim)})
	}
	return out
}

// says is one line about a task, without what its lane and the line below the board say.
func (b board) says(t api.Task) string {
	hold, _ := held(b.env, t)
	switch {
	case reviewed(b.env, t):
		text, _, _ := strings.Cut(t.Result.Message, "\n")
		return textsafe.Line(text)
	case hold == api.HoldLimit, hold == api.HoldManual, hold == api.HoldPaused:
		return ""
	}
	return answer(b.env, t)
}

// facts are a task's end if it is not done, its age, branch, pull request with its checks, priority and cost.
func (b board) facts(t api.Task) (all []string) {
	add := func(text string) {
		if text = textsafe.Line(text); text != "" {
			all = append(all, text)
		}
	}
	if t.State.Ended() && t.State != api.TaskDone {
		add(t.State.Word())
	}
	if t.Priority != 0 {
		add("P" + strconv.Itoa(t.Priority))
	}
	add(format.ShortAge(b.env.Now, t.Since))
	v := b.env.Session(t.Session)
	if v == nil {
		v = &api.Session{CostUSD: t.Result.Cost}
	}
	if branch := v.BranchLine(); branch != "" {
		add(branch)
	} else {
		add(t.Branch())
	}
	cost := *v
	if t.Pull != nil {
		cost.PullRequest = t.Pull
	}
	pull, _ := cost.PullRequestLine()
	add(pull)
	cost.ContextLeft = nil
	add(cost.UsageLine())
	return all
}

// Draw draws the lanes (listbox.Layer).
func (b board) Draw(s *paint.Surface, r paint.Rect, rows []listbox.Item, chosen string) {
	dim := theme.FG(b.env.Theme.Dim)
	for _, c := range b.lay(r, rows, chosen) {
		head := dim
		switch n := len(c.cards); {
		case n > 0 && (c.lane == laneAsks || c.lane == laneReview):
			head = theme.Bold(b.env.Theme.Task(api.TaskWaiting))
		case n > 0:
			head = cells.Style{Attrs: cells.Bold}
		}
		title := c.lane.String()
		if n := len(c.cards); n > 0 {
			title += " " + strconv.Itoa(n)
		}
		s.Text(c.at.X+cardIndent, c.at.Y, c.at.W-cardIndent, title, head)
		if c.above > 0 {
			s.Text(c.at.X+cardIndent, c.at.Y+1, c.at.W-cardIndent, fmt.Sprintf("↑ %d more", c.above), dim)
		}
		if c.below > 0 {
			s.Text(c.at.X+cardIndent, c.at.Y+c.at.H-1, c.at.W-cardIndent, fmt.Sprintf("↓ %d more", c.below), dim)
		}
		for _, o := range c.cards {
			b.draw(s, o, o.task.ID == chosen)
		}
	}
}

// draw draws a card in its place; it has none if it is out of view.
func (b board) draw(s *paint.Surface, c card, chosen bool) {
	if c.at.Empty() {
		return
	}
	accent := theme.Bold(b.env.Theme.Accent)
	for i, l := range c.lines[:c.at.H] {
		if chosen && l.style == (cells.Style{Attrs: cells.Bold}) {
			l.style = accent
		}
		if chosen && i == 0 {
			s.Text(c.at.X, c.at.Y, cardIndent, listbox.RowMark, accent)
		}
		s.Text(c.at.X+cardIndent, c.at.Y+i, c.at.W-cardIndent, l.text, l.style)
	}
}

// At is the id of the card in a cell, "" for none (listbox.Layer).
func (b board) At(r paint.Rect, rows []listbox.Item, chosen string, x, y int) string {
	for _, c := range b.lay(r, rows, chosen) {
		for _, o := range c.cards {
			if o.at.Contains(x, y) {
				return o.task.ID
			}
		}
	}
	return ""
}

// move is the card that a key goes to from the chosen one: to the next lane that has some,
// or along the lane.
func (b board) move(rows []listbox.Item, chosen string, a keymap.Action) (id string, ok bool) {
	all := b.columns(rows)
	at, i := 0, 0
	for l := range all {
		if n := slices.IndexFunc(all[l].cards, func(o card) bool { return o.task.ID == chosen }); n >= 0 {
			at, i = l, n
		}
	}
	step := map[keymap.Action]int{keymap.ViewLeft: -1, keymap.ViewRight: 1}[a]
	n, along := listbox.Moves(a, boardPage)
	switch {
	case step != 0:
		to := at + step
		for to >= 0 && to < len(all) && len(all[to].cards) == 0 {
			to += step
		}
		if to >= 0 && to < len(all) {
			at = to
		}
	case !along:
		return "", false
	}
	if len(all[at].cards) == 0 {
		return chosen, true
	}
	return all[at].cards[max(0, min(i+n, len(all[at].cards)-1))].task.ID, true
}

// boardPage is how many cards a page goes.
const boardPage = 5
