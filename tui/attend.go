package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/attention"
	"ccdir/tui/attention/notify"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// remind lets attention tell what is due.
func (m *model) remind(env ui.Env, tiles []ui.Tile) {
	m.carryOut(ui.Nobody, m.attention.Remind(env, m.means(), func(id string) bool {
		i := slices.IndexFunc(tiles, func(t ui.Tile) bool { return t.ID() == id })
		return i >= 0 && !m.overlay.covers(env, m.caps, tiles[i])
	}))
}

// means are the ways to the person from this terminal.
func (g *given) means() attention.Means {
	via := notify.ViaNothing
	switch {
	case g.caps.Clipboard == paint.ClipboardTmux:
		via = notify.ViaTmux
	case g.caps.Clipboard == paint.ClipboardScreen:
		via = notify.ViaScreen
	case !g.caps.Extended:
		via = notify.ViaConsole
	}
	return attention.Means{Notify: g.opts.Notify, Via: via, Env: g.opts.Env}
}

// titleSign is how many columns of a pane's title have its number and its state.
const titleSign = 8

// covers reports whether the component lies over the sign of a pane's state.
func (l *layer) covers(env ui.Env, caps paint.Caps, t ui.Tile) bool {
	if l == nil {
		return false
	}
	sign := paint.Rect{X: t.Rect.X, Y: t.Rect.Y, W: min(t.Rect.W, titleSign), H: 1}
	s := paint.NewSurface(env.Cols, env.Rows, caps)
	s.Text(sign.X, sign.Y, sign.W, strings.Repeat("¤", sign.W), cells.Style{}) // no dialog has these
	before := slices.Clone(s.Row(sign.Y)[sign.X : sign.X+sign.W])
	l.Draw(env, s)
	after := s.Row(sign.Y)[sign.X : sign.X+sign.W]
	for i := range before {
		if before[i] == after[i] {
			return false
		}
	}
	return len(before) > 0
}

// retitle keeps the title of the terminal's window.
func (m *model) retitle(env ui.Env) {
	want := ""
	if m.opts.Title {
		want = attention.Title(env)
	}
	if want != m.title && m.setTitle != nil && !m.unseen {
		m.title = want
		m.setTitle(want)
	}
}

const (
	// awayLeast is how long a person was away of whom it is said what happened meanwhile.
	awayLeast = 10 * time.Minute
	// awayFor is how long that is said, at most.
	awayFor = time.Minute
)

// tellAway says once, in the status line, what has happened since the last grid was detached.
func (m *model) tellAway(now time.Time) {
	if m.sinceTold || !m.Loaded || m.unseen {
		return
	}
	m.sinceTold = true
	left := m.grid.Left()
	if left.IsZero() || now.Sub(left) < awayLeast {
		return
	}
	if text := m.sinceLeft(now); text != "" {
		m.sinceText = "since you left " + awayAge(now.Sub(left)) + " ago: " + text
		m.notice = notice{text: m.sinceText, until: now.Add(awayFor)}
	}
}

// endAway takes back what tellAway has said: the person is here.
func (m *model) endAway() {
	if m.sinceText != "" && m.notice.text == m.sinceText {
		m.notice = notice{}
	}
	m.sinceText = ""
}

// sinceLeft counts what is done and failed and was not looked at, and who asks; "" for nothing. The
// cost is in it where every task that ended has one.
func (m *model) sinceLeft(now time.Time) string {
	n, news := map[api.Standing]int{}, m.Work.News()
	for _, v := range m.Sessions {
		if !m.Work.Has(v) {
			n[v.Standing(now)]++
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{n[api.StandingDone] + len(news.Done), "done"}, {n[api.StandingFailed] + len(news.Failed), "failed"}, {len(m.Waiting(now)), "asks"}} {
		if p.n == 1 || p.n > 0 && p.word != "asks" {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		} else if p.n > 1 {
			parts = append(parts, fmt.Sprintf("%d ask", p.n))
		}
	}
	if cost, known := news.Cost(); known {
		parts = append(parts, fmt.Sprintf("$%.2f", cost))
	}
	return strings.Join(parts, ", ")
}

// awayAge is a time of absence in words.
func awayAge(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// markSeen clears the marks of what a person looks at: the focused session, with its task, and
// what has ended in the queue while that is shown; each at most once a second. That a grid was opened
// on a session is no look: somebody has to touch a key, or the mouse.
func (m *model) markSeen(now time.Time) {
	if m.attention.Away() || m.opts.ReadOnly || m.Offline != "" || m.unseen {
		return
	}
	fresh := func(id string) bool {
		if now.Sub(m.seenSent[id]) < time.Second {
			return false
		}
		m.seenSent[id] = now
		return true
	}
	v := m.focused()
	if v != nil && v.ID == m.met && m.router.LastInput() == 0 {
		v = nil
	} else if v != nil {
		m.met = ""
	}
	if v != nil && v.Unread && fresh(v.ID) {
		m.tellSeen(v.ID)
	}
	queue, _ := m.front().(ui.TaskViewer)
	all := queue != nil && queue.ShowsTasks()
	var tasks []string
	for i := range m.Work.Tasks {
		t := &m.Work.Tasks[i]
		if t.Unseen && (all || v != nil && t.ID == v.Task) && fresh(t.ID) {
			tasks = append(tasks, t.ID)
		}
	}
	if len(tasks) > 0 {
		m.tellSeenTasks(tasks)
	}
}

// tellSeenTasks tells the daemon that a person has looked at tasks that have ended.
func (m *model) tellSeenTasks(ids []string) {
	m.call(ui.Nobody, ui.Call{Run: func(ctx context.Context, c ui.Client) (r ui.Result, err error) {
		q, err := ui.As[ui.Queue](c)
		if err == nil {
			_, err = q.SeenTasks(ctx, ids...)
		}
		return r, err
	}})
}

// tellSeen tells the daemon that a person has seen sessions.
func (m *model) tellSeen(ids ...string) {
	m.call(ui.Nobody, ui.Call{Run: func(ctx context.Context, c ui.Client) (r ui.Result, err error) {
		for _, id := range ids {
			if err := c.Seen(ctx, id); err != nil {
				return r, err
			}
		}
		return r, nil
	}})
}

// seenInView clears the unread marks of the panes on the screen: who has read the answers
// there need not focus each.
func (m *model) seenInView() {
	var ids []string
	for _, t := range m.tiles() {
		if t.Session.Unread {
			ids = append(ids, t.ID())
		}
	}
	if len(ids) == 0 {
		m.say("nothing on the screen is new")
		return
	}
	m.tellSeen(ids...)
}
