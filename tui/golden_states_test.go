package tui

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/answer/request"
	"ccdir/tui/known"
	"ccdir/tui/ui"
)

// stateViews are the states of views that are out of the ordinary: what is put off,
// under way, refused, empty, ended or out of reach.
func stateViews() []goldenView {
	return append(paneStates(), append(promptStates(), answerStates()...)...)
}

// altered is a view of which something was changed before the keys.
func altered(view func(cols, rows int) *model, change func(m *model), keys ...string) func(cols, rows int) *model {
	return func(cols, rows int) *model {
		m := view(cols, rows)
		change(m)
		press(m, keys...)
		return m
	}
}

// edited changes a session.
func edited(m *model, id string, change func(*api.Session)) {
	v := *m.Session(id)
	change(&v)
	m.Upsert(v)
}

// unusual are four panes of which each has something in its title, and two no screen.
func unusual(cols, rows int) *model {
	m := workPanes(cols, rows)
	until := m.now().Add(time.Hour)
	edited(m, "bbbb2222", func(v *api.Session) { v.SnoozedUntil = until })
	edited(m, "cccc3333", func(v *api.Session) { v.Progress = "42 % of the tests" })
	edited(m, "aaaa1111", func(v *api.Session) { v.Override = &api.Override{Mode: api.OverrideEdits, Until: until} })
	edited(m, "dddd4444", func(v *api.Session) { v.State, v.ExitCode = api.StateLost, nil })
	return m
}

func paneStates() []goldenView {
	return []goldenView{
		{"titles", unusual},
		{"titles-list", after(unusual, "C-b", "s", "Space", "Down", "Space")},
		{"states", func(c, r int) *model {
			m := testModel(c, r)
			for i, st := range api.States() {
				m.Upsert(named("state"+strconv.Itoa(i), string(st), st, time.Duration(i)))
			}
			press(m, "C-b", "s")
			return m
		}},
		{"slow-call", altered(fourPanes, func(m *model) {
			m.work.Call(m.way(), m.now().Add(-4*time.Second), ui.Nobody, ui.Call{What: "restarting api"})
			m.work.Call(m.way(), m.now().Add(-2*time.Second), ui.Nobody, ui.Call{What: "renaming web"})
		})},
		{"kill-over", altered(after(fourPanes, "C-b", "x"), func(m *model) {
			m.take(news{News: known.News{Removed: map[string]bool{m.grid.Focus: true}}})
		})},
		{"picker-none", after(workPanes, "C-b", "f", "z", "z")},
		{"help-none", after(fourPanes, "C-b", "?", "z", "z", "z")},
	}
}

func promptStates() []goldenView {
	return []goldenView{
		{"prompt-daemon-lost", altered(after(fourPanes, "C-b", ":", "g", "o"), func(m *model) {
			m.take(news{News: known.News{Link: &known.Link{Lost: os.ErrDeadlineExceeded}}})
		})},
		{"prompt-draft", after(fourPanes, "C-b", "1", "C-b", ":", "f", "i", "x", "C-j", "日", "Escape")},
		{"prompt-question", after(changed(func(q *api.Request) {
			q.Kind, q.Tool, q.Question, q.Origin = api.RequestQuestion, "ask_person", "Which colour?", api.OriginMCP
		}), "C-b", ":")},
	}
}

func answerStates() []goldenView {
	writing := func(q *api.Request) {
		q.Tool, q.Editable, q.AlwaysRule = "Write", false, ""
		q.Input = json.RawMessage(`{"file_path":"/p/a.txt","content":"one\nthree\n"}`)
	}
	file := func(f request.Present) func(m *model) {
		return func(m *model) {
			m.carryOut(ui.Nobody, []ui.Effect{ui.Tell{Value: f}})
		}
	}
	return []goldenView{
		{"answer-write", altered(changed(writing, "C-b", "a"), file(request.Present{Known: true, Text: "one\ntwo\n"}))},
		{"answer-write-new", altered(changed(writing, "C-b", "a"), file(request.Present{Known: true, Absent: true}))},
		{"answer-write-unread", altered(changed(writing, "C-b", "a"), file(request.Present{Known: true, Problem: "the present file cannot be read"}))},
		{"answer-edits", changed(func(q *api.Request) {
			q.Tool = "MultiEdit"
			q.Input = json.RawMessage(`{"file_path":"/p/a.go","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d","replace_all":true}]}`)
		}, "C-b", "a")},
		{"answer-too-large", changed(func(q *api.Request) { q.Input = nil }, "C-b", "a")},
		{"answer-refused", changed(func(q *api.Request) { q.Editable = false }, "C-b", "a", "e")},
		{"answer-sending", altered(after(askingPanes, "C-b", "a"), func(m *model) {
			m.opts.Client = newFakeClient()
			press(m, "y")
		})},
		{"answer-over", altered(after(askingPanes, "C-b", "a", "n", "w", "h", "y"), func(m *model) {
			m.take(news{News: known.News{Requests: map[string]known.Request{"r1": {Ended: &api.Decision{Outcome: api.OutcomeElsewhere}}}}})
		})},
	}
}

// stateLists are states of the views that need a daemon to be made.
func stateLists(t *testing.T, sized func(m *model, cols, rows int) *model) []goldenView {
	none := func(keys ...string) func(c, r int) *model {
		return func(c, r int) *model {
			m, fake := clientModel(t, fourSessions...)
			m.opts.Client = queueFake{fake}
			m.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Sessions: fourSessions, Queue: &api.Queue{Mode: api.QueueManual, Limit: 2}}})
			m.Update(newsMsg{m.inbox.take()})
			do(sized(m, c, r), keys...)
			return m
		}
	}
	return []goldenView{
		{"events-none", none("C-b", "E")},
		{"events-kind", func(c, r int) *model { m := sized(withEvents(), c, r); press(m, "C-b", "E", "k", "t"); return m }},
		{"events-cleared", func(c, r int) *model { m := sized(withEvents(), c, r); press(m, "C-b", "E", "c"); return m }},
		{"calls-none", none("C-b", "t")},
		{"queue-none", none("C-b", "T")},
		{"queue-add", func(c, r int) *model { m, _ := queued(t); do(sized(m, c, r), "C-b", "T", "a", "g", "o"); return m }},
		{"copy-peek", func(c, r int) *model {
			m, _ := copyModel(t, c, r)
			m.withStill("aaaa1111", strings.Repeat("a line of many\n", 60), c-2, r-4)
			m.Update(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelUp})
			return m
		}},
		{"copy-words", func(c, r int) *model { m, _ := copyModel(t, c, r); press(m, "C-b", "[", "v", "b"); return m }},
	}
}
