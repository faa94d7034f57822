package attention

import (
	"context"
	"time"

	"ccdir/tui/ui"
)

// looks are what a person has looked at here.
type looks struct {
	sent map[string]time.Time // when the daemon was last told of a session or a task
	met  string               // the session that had the focus at first, until a person gives an input
}

// Met notes which session had the focus when the grid was opened: that is no look.
func (l *looks) Met(session string) { l.met = session }

// Seen clears the marks of what a person looks at: the focused session, with its task, and
// what has ended in the queue while that is shown; each at most once a second. That a grid was opened
// on a session is no look: somebody has to touch a key, or the mouse.
func (s *State) Seen(env ui.Env, showsQueue bool) (calls []ui.Effect) {
	if s.away || env.ReadOnly || env.Offline != "" || env.Unseen {
		return nil
	}
	v := env.Session(env.Focus)
	if v != nil && v.ID == s.met && env.Typed == 0 {
		v = nil
	} else if v != nil {
		s.met = ""
	}
	if v != nil && v.Unread && s.fresh(v.ID, env.Now) {
		calls = seen(v.ID)
	}
	var tasks []string
	for i := range env.Work.Tasks {
		t := &env.Work.Tasks[i]
		if t.Unseen && (showsQueue || v != nil && t.ID == v.Task) && s.fresh(t.ID, env.Now) {
			tasks = append(tasks, t.ID)
		}
	}
	if len(tasks) > 0 {
		calls = append(calls, seenTasks(tasks))
	}
	return calls
}

// fresh reports whether the daemon is to be told of it now.
func (l *looks) fresh(id string, now time.Time) bool {
	if now.Sub(l.sent[id]) < time.Second {
		return false
	}
	if l.sent == nil {
		l.sent = map[string]time.Time{}
	}
	l.sent[id] = now
	return true
}

// Removed forgets a session.
func (l *looks) Removed(id string) { delete(l.sent, id) }

// SeenInView clears the unread marks of the panes on the screen: who has read the answers
// there need not focus each.
func SeenInView(env ui.Env) []ui.Effect {
	var ids []string
	for _, t := range env.Tiles {
		if t.Session.Unread {
			ids = append(ids, t.ID())
		}
	}
	if len(ids) == 0 {
		return []ui.Effect{ui.Say{Text: "nothing on the screen is new"}}
	}
	return seen(ids...)
}

// seen tells the daemon that a person has seen sessions.
func seen(ids ...string) []ui.Effect {
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (r ui.Result, err error) {
		for _, id := range ids {
			if err := c.Seen(ctx, id); err != nil {
				return r, err
			}
		}
		return r, nil
	}}}
}

// seenTasks tells the daemon that a person has looked at tasks that have ended.
func seenTasks(ids []string) ui.Effect {
	return ui.Call{Run: func(ctx context.Context, c ui.Client) (r ui.Result, err error) {
		q, err := ui.As[ui.Queue](c)
		if err == nil {
			_, err = q.SeenTasks(ctx, ids...)
		}
		return r, err
	}}
}
