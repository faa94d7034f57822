package tui

import (
	"context"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
)

// HistoryClient is what a Client also is that knows what has ended.
type HistoryClient interface {
	// History lists ended sessions and tasks, newest first.
	History(ctx context.Context, limit int) ([]api.HistoryEntry, error)
	// Search finds tasks, transcripts and events that have all words of text.
	Search(ctx context.Context, text string, limit int) ([]api.SearchHit, error)
	// Transcript is what a session, or a task's, showed until it ended.
	Transcript(ctx context.Context, ref string) (api.Transcript, error)
}

// pastDialog lists what has ended, and what a search finds in it. It is a value.
type pastDialog struct {
	view    listbox.View
	entries []api.HistoryEntry // newest first
	loaded  bool
	// hits are the places that have the words of searched; with "" the entries
	// are listed.
	hits     []api.SearchHit
	searched string
	// task is a task with its result, as it was asked for last.
	task    *api.Task
	problem string
	// busy says what is under way, "" if nothing is; stop ends it, and number
	// tells its answer from that of what was stopped before.
	busy   string
	stop   context.CancelFunc
	number int
}

// historyRows is how many entries or places are asked for.
const historyRows = 500

// openHistory shows what has ended.
func (m *model) openHistory() cmd {
	if _, ok := m.opts.Client.(HistoryClient); !ok {
		m.warn("this daemon keeps no history: `ccdir daemon restart`")
		return nil
	}
	return pastDialog{}.ask(m, "asking the daemon…", func(ctx context.Context, c HistoryClient) (func(pastDialog) overlay, error) {
		list, err := c.History(ctx, historyRows)
		return func(d pastDialog) overlay {
			d.entries, d.loaded = list, true
			return d
		}, err
	})
}

// ask makes a call that the view waits for, shows and can stop. put lays the
// answer into the view as it is by then.
func (d pastDialog) ask(m *model, what string, call func(context.Context, HistoryClient) (func(pastDialog) overlay, error)) cmd {
	client, ok := m.opts.Client.(HistoryClient)
	if !ok {
		return nil
	}
	d = d.cancelled()
	ctx, stop := context.WithCancel(m.ctx)
	d.number++
	d.busy, d.stop, d.problem = what, stop, ""
	m.overlay = d
	number := d.number
	answered := func(m *model) (pastDialog, bool) {
		stop()
		now, open := m.overlay.(pastDialog)
		if !open || now.number != number || now.busy == "" {
			return now, false
		}
		now.busy, now.stop = "", nil
		return now, true
	}
	return m.callIn(ctx, nil, func(c calls) (func(*model), error) {
		put, err := call(c.ctx, client)
		return func(m *model) {
			if now, ok := answered(m); ok {
				m.overlay = put(now)
			}
		}, err
	}, func(m *model, err error) {
		if now, ok := answered(m); ok {
			now.problem = ui.Problem(err)
			m.overlay = now
		}
	})
}

// cancelled is the view without what was under way.
func (d pastDialog) cancelled() pastDialog {
	if d.stop != nil {
		d.stop()
	}
	d.busy, d.stop = "", nil
	return d
}

// search looks for what is in the box; nothing in it lists what has ended.
func (d pastDialog) search(m *model) cmd {
	text := strings.TrimSpace(d.view.Query.String())
	d.view.Place, d.view.ID, d.view.Open = 0, "", false
	if text == "" {
		d = d.cancelled()
		d.hits, d.searched, d.problem = nil, "", ""
		m.overlay = d
		return nil
	}
	return d.ask(m, "searching…", func(ctx context.Context, c HistoryClient) (func(pastDialog) overlay, error) {
		hits, err := c.Search(ctx, text, historyRows)
		return func(d pastDialog) overlay {
			d.hits, d.searched = hits, text
			return d
		}, err
	})
}

// place is what a row of the view is about.
type place struct {
	kind, id, session string
}

// at is the place of a row, ok is false if it is gone.
func (d pastDialog) at(row string) (p place, ok bool) {
	for i, h := range d.hits {
		if d.searched != "" && hitID(i, h) == row {
			return place{h.Kind, h.ID, h.Session}, true
		}
	}
	for _, e := range d.entries {
		if d.searched == "" && entryID(e) == row {
			return place{e.Kind, e.ID, e.Session}, true
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

func (d pastDialog) act(m *model, a keymap.Action, row string) (cmd, bool) {
	p, ok := d.at(row)
	switch a {
	case keymap.ViewOpen:
		switch {
		case row == "": // the box was left by Enter
			return d.search(m), true
		case d.view.Open || !ok:
			return nil, false
		case p.of() == "":
			return d.detail(m, p), true
		}
		return d.read(m, p), true
	case keymap.HistoryDetail:
		if ok {
			return d.detail(m, p), true
		}
	case keymap.HistorySearch:
		d.view.Typing, d.view.Open = true, false
		m.overlay = d
	case keymap.HistoryResume:
		if ok {
			return m.resume(p.of(), d.conversation(p)), true
		}
	case keymap.ViewClose:
		switch {
		case d.view.Open:
			return nil, false
		case d.busy != "":
			d = d.cancelled()
			d.problem = "cancelled"
			m.overlay = d
		case d.searched != "" || !d.view.Query.Empty():
			d.view.Query = edit.Line{}
			return d.search(m), true
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	return nil, true
}

// detail shows what is known of a row; a task is asked for whole.
func (d pastDialog) detail(m *model, p place) cmd {
	d.view.Open, d.view.Detail, d.task = true, modal.Pager{}, nil
	m.overlay = d
	client, ok := m.opts.Client.(QueueClient)
	if p.kind != "task" || !ok {
		return nil
	}
	return d.ask(m, "asking for the result…", func(ctx context.Context, _ HistoryClient) (func(pastDialog) overlay, error) {
		t, err := client.Task(ctx, p.id)
		return func(d pastDialog) overlay {
			d.task = &t
			return d
		}, err
	})
}

// read opens the transcript of a row; the pane of a session that runs.
func (d pastDialog) read(m *model, p place) cmd {
	if v := m.session(p.of()); v != nil && !v.State.Ended() {
		d.cancelled()
		m.openSession(v.ID)
		return nil
	}
	words := strings.Fields(strings.ToLower(d.searched))
	return d.ask(m, "reading the transcript…", func(ctx context.Context, c HistoryClient) (func(pastDialog) overlay, error) {
		t, err := c.Transcript(ctx, p.of())
		if err != nil {
			return nil, err
		}
		doc := newTranscript(t, words)
		return func(d pastDialog) overlay {
			doc.back = d
			return doc
		}, nil
	})
}

// conversation is that of a row, as far as the list knows it.
func (d pastDialog) conversation(p place) *api.HistoryEntry {
	for i, e := range d.entries {
		if e.Kind == "session" && e.ID == p.of() {
			return &d.entries[i]
		}
	}
	return nil
}

// resume goes on with a session: its pane if it runs, the session again if it is
// still listed, else a new one with its conversation. entry is what is known of
// it, nil asks for that.
func (m *model) resume(id string, entry *api.HistoryEntry) cmd {
	client, ok := m.opts.Client.(HistoryClient)
	switch v := m.session(id); {
	case id == "":
		m.warn("no session belongs to it: there is nothing to go on with")
		return nil
	case v != nil && v.State.Ended() && !v.External:
		m.openSession(id)
		return m.restart(*v)
	case v != nil:
		m.openSession(id)
		return nil
	case entry != nil:
		return m.resumeEntry(*entry)
	case !ok:
		return nil
	}
	return m.call("going on with it", func(c calls) (func(*model), error) {
		t, err := client.Transcript(c.ctx, id)
		return func(m *model) { m.later = append(m.later, m.resumeEntry(t.HistoryEntry)) }, err
	})
}

// resumeEntry starts a session with the conversation of an ended one.
func (m *model) resumeEntry(e api.HistoryEntry) cmd {
	if e.Conversation == "" {
		m.warn("the agent told no conversation for it: `" + m.keys.Hint(keymap.New) + "` starts a new session in " + textsafe.Line(format.Home(e.CWD, m.opts.getenv("HOME"))))
		return nil
	}
	m.overlay = nil
	m.say("going on with " + textsafe.Line(e.Name) + "…")
	n := api.NewSession{Agent: e.Agent, Name: e.Name, CWD: e.CWD, Resume: e.Conversation, Env: m.opts.Env, Request: newRequest()}
	n.Cols, n.Rows = m.nextSize()
	return m.create(m.setOut(startingOne), n)
}
