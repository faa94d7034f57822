// Package history lists what has ended, and what a search finds in it. It owns the
// entries, what was found, and one call at a time that it waits for, shows and can stop.
// It opens transcripts, and may ask to go on with a session.
package history

import (
	"context"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/conversation"
	"ccdir/tui/dialogs/transcript"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// Archive is the part of a client that knows what has ended.
type Archive interface {
	// History lists ended sessions and tasks, newest first.
	History(ctx context.Context, limit int) ([]api.HistoryEntry, error)
	// Search finds places in conversations, tasks, transcripts and events that have all words
	// of text.
	Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error)
	transcript.Reader
}

// taskReader is the part of a client that knows tasks.
type taskReader interface {
	Task(ctx context.Context, ref string) (api.Task, error)
}

// rows are what has ended.
type rows struct {
	entries []api.HistoryEntry // newest first
	asked   bool
	// hits are the places that have the words of searched; with "" the entries
	// are listed.
	hits     []api.SearchHit
	searched string
	task     *api.Task // with its result, as it was asked for last
	problem  string    // of the last call, "" if nothing is wrong
	// busy says what is under way, "" if nothing is; stop ends it, and number tells its
	// answer from that of what was stopped before.
	busy   string
	stop   context.CancelFunc
	number int
}

// most is how many entries or places are asked for.
const most = 500

// New lists what has ended.
func New() ui.Component { return lists.New(rows{}) }

func (d rows) Mode() keymap.Mode { return keymap.ModeHistory }

// Writes: Escape cancels what is under way, the prefix key does not.
func (d rows) Writes() bool { return d.busy != "" }

// NextWake is when the sign that something is under way turns.
func (d rows) NextWake(env ui.Env) time.Time {
	if d.busy == "" {
		return time.Time{}
	}
	_, step := modal.Spin(env.Now)
	return env.Now.Add(step)
}

// Refresh asks for the entries, once.
func (d rows) Refresh(ui.Env) (lists.Rows, []ui.Effect) {
	if d.asked {
		return d, nil
	}
	d.asked = true
	return d.ask("asking the daemon…", func(ctx context.Context, c Archive) (answer, error) {
		list, err := c.History(ctx, most)
		return answer{put: func(d rows) rows { d.entries = list; return d }}, err
	})
}

// answer is the result of a call: what it changes, or what it opens.
type answer struct {
	number int
	put    func(rows) rows
	open   ui.Component
}

// ask makes a call that the list waits for.
func (d rows) ask(what string, call func(ctx context.Context, c Archive) (answer, error)) (rows, []ui.Effect) {
	d = d.stopped()
	own, stop := context.WithCancel(context.Background())
	d.number++
	d.busy, d.stop, d.problem = what, stop, ""
	number := d.number
	return d, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(own, cancel)()
		archive, err := ui.As[Archive](c)
		if err != nil {
			return ui.Result{Value: answer{number: number}}, err
		}
		a, err := call(ctx, archive)
		a.number = number
		return ui.Result{Value: a}, err
	}}}
}

// Receive takes the answer that is waited for; others came too late.
func (d rows) Receive(_ ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	a, ok := value.(answer)
	switch {
	case !ok && err != nil:
		a = answer{number: d.number}
	case !ok || a.number != d.number || d.busy == "":
		return l, nil
	}
	d = d.stopped()
	switch {
	case err != nil:
		d.problem = ui.Problem(err)
	case a.open != nil:
		return l.With(d), []ui.Effect{ui.Open{Component: a.open}}
	default:
		first := d.entries == nil && d.searched == ""
		d = a.put(d)
		if first && len(d.entries) == 0 && d.searched == "" {
			l.View.Typing = true // there is nothing to choose, only to search
		}
	}
	return l.With(d), nil
}

// stopped are the rows without what was under way.
func (d rows) stopped() rows {
	if d.stop != nil {
		d.stop()
	}
	d.busy, d.stop = "", nil
	return d
}

// cancelled are the rows after the person has stopped what was under way.
func (d rows) cancelled() rows {
	d = d.stopped()
	d.problem = "cancelled"
	return d
}

// search looks for what is in the box; nothing in it lists what has ended.
func (d rows) search(l lists.Dialog) (lists.Dialog, []ui.Effect, bool) {
	text := strings.TrimSpace(l.View.Query.String())
	l.View.Place, l.View.ID, l.View.Open = 0, "", false
	if text == "" {
		d = d.stopped()
		d.hits, d.searched, d.problem = nil, "", ""
		return l.With(d), nil, true
	}
	d, effects := d.ask("searching…", func(ctx context.Context, c Archive) (answer, error) {
		hits, err := c.Search(ctx, text, most)
		return answer{put: func(d rows) rows { d.hits, d.searched = hits, text; return d }}, err
	})
	return l.With(d), effects, true
}

// Intercept: C-c and Escape end what is under way, or the search.
func (d rows) Intercept(_ ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect, bool) {
	switch {
	case k.Name == "C-c" && d.busy != "":
		return l.With(d.cancelled()), nil, true
	case k.Name == "/" && l.View.Typing && l.View.Query.Empty():
		return l, nil, true // who is used to begin a search by it
	case k.Name == "Escape" && l.View.Typing && len(d.entries) == 0 && d.searched == "" && d.busy == "":
		return l, []ui.Effect{ui.Close{}}, true
	case k.Name == "Escape" && l.View.Typing:
		l.View.Typing, l.View.Query = false, edit.Line{}
		return d.search(l)
	}
	return l, nil, false
}

// place identifies the subject of a row.
type place struct {
	kind, id, session string
	line              string // the line of the hit
	turn              int    // of a conversation
}

// at is the place of a row, ok is false if it is gone.
func (d rows) at(row string) (p place, ok bool) {
	for i, h := range d.hits {
		if d.searched != "" && hitID(i, h) == row {
			return place{h.Kind, h.ID, h.Session, h.Line, h.Turn}, true
		}
	}
	for _, e := range d.entries {
		if d.searched == "" && entryID(e) == row {
			return place{kind: e.Kind, id: e.ID, session: e.Session}, true
		}
	}
	return place{}, false
}

// of is the session of a place, "" if there is none.
func (p place) of() string {
	if p.kind == "session" {
		return p.id
	}
	return p.session
}

// Act reads, searches, shows and goes on with what has ended.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, row string) (lists.Dialog, []ui.Effect, bool) {
	p, ok := d.at(row)
	switch a {
	case keymap.ViewOpen:
		switch {
		case row == "": // the box was left by Enter
			return d.search(l)
		case l.View.Open || !ok:
			return l, nil, false
		case p.of() == "":
			return d.detail(l, p)
		}
		return d.read(env, l, p)
	case keymap.HistoryDetail:
		if ok {
			return d.detail(l, p)
		}
	case keymap.HistorySearch:
		l.View.Typing, l.View.Open = true, false
	case keymap.HistoryResume:
		if ok {
			return l, transcript.Resume(env, p.of(), d.conversation(p)), true
		}
	case keymap.ViewClose:
		switch {
		case l.View.Open:
			return l, nil, false
		case d.busy != "":
			return l.With(d.cancelled()), nil, true
		case d.searched != "" || !l.View.Query.Empty():
			l.View.Query = edit.Line{}
			return d.search(l)
		}
		return l, nil, false
	default:
		return l, nil, false
	}
	return l, nil, true
}

// detail shows what is known of a row; a task is asked for whole.
func (d rows) detail(l lists.Dialog, p place) (lists.Dialog, []ui.Effect, bool) {
	l.View.Open, l.View.Detail, d.task = true, modal.Pager{}, nil
	if p.kind != "task" {
		return l.With(d), nil, true
	}
	d, effects := d.ask("asking for the result…", func(ctx context.Context, c Archive) (answer, error) {
		tasks, ok := c.(taskReader)
		if !ok {
			return answer{}, ui.ErrUnknown
		}
		t, err := tasks.Task(ctx, p.id)
		return answer{put: func(d rows) rows { d.task = &t; return d }}, err
	})
	return l.With(d), effects, true
}

// read opens the conversation of a row, or what it showed if it has none; the pane of a
// session that runs.
func (d rows) read(env ui.Env, l lists.Dialog, p place) (lists.Dialog, []ui.Effect, bool) {
	if p.kind == api.HitTurn {
		s := conversation.Subject{ID: p.session, Name: env.SessionName(p.session), Entry: d.conversation(p), Turn: p.turn, Words: d.searched}
		if s.Entry != nil {
			s.Name = s.Entry.Name
		}
		return l.With(d.stopped()), []ui.Effect{ui.Open{Component: conversation.New(s)}}, true
	}
	if v := env.Session(p.of()); v != nil && !v.State.Ended() {
		if p.kind == api.HitPane {
			return l.With(d.stopped()), []ui.Effect{ui.Focus{Session: v.ID, Text: sought(p.line)}}, true
		}
		return l.With(d.stopped()), []ui.Effect{ui.Focus{Session: v.ID}}, true
	}
	if e := d.conversation(p); e != nil && e.Conversation != "" && d.searched == "" {
		return l.With(d.stopped()), []ui.Effect{ui.Open{Component: conversation.New(conversation.Subject{ID: e.ID, Name: e.Name, Entry: e})}}, true
	}
	words := strings.Fields(strings.ToLower(d.searched))
	d, effects := d.ask("reading the transcript…", func(ctx context.Context, c Archive) (answer, error) {
		t, err := c.Transcript(ctx, p.of())
		if err != nil {
			return answer{}, err
		}
		return answer{open: transcript.New(t, words)}, nil
	})
	return l.With(d), effects, true
}

// soughtRunes is how much of a line finds it again: its end may have been cut.
const soughtRunes = 60

// sought is the part of a line that finds it again in its pane.
func sought(line string) string {
	if all := []rune(line); len(all) > soughtRunes {
		return string(all[:soughtRunes])
	}
	return line
}

// conversation is that of a row, as far as the list knows it.
func (d rows) conversation(p place) *api.HistoryEntry {
	for i, e := range d.entries {
		if e.Kind == "session" && e.ID == p.of() {
			return &d.entries[i]
		}
	}
	return nil
}
