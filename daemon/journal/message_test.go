package journal

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestMessageJSON: what is put together from parts that others use too is what
// json.Marshal makes of the whole.
func TestMessageJSON(t *testing.T) {
	l := open(t, Options{Store: &memory{}})
	defer l.Close()
	w := l.Watch()
	defer w.Close()
	at := time.Date(2026, 11, 21, 11, 24, 0, 5, time.UTC)
	s := &api.Session{ID: "a", Name: "<a> & \u2028", State: api.StateIdle, Since: at, Argv: []string{"x"}}
	e := &api.Event{At: at, Session: "a", Type: claude.HookStop, Message: "<done>", Data: json.RawMessage(`{ "a": "<" }`)}
	for _, m := range []api.WatchMessage{
		{Event: e}, {Session: s}, {Event: e, Session: s}, {Session: s, Focus: "a"}, {Event: e, Session: s, Removed: "b"},
		{Event: e, Removed: "a"}, {Event: e, Session: s, Task: &api.Task{ID: "t"}}, {Request: &api.Request{ID: "r"}}, {TaskGone: "t"}, {},
	} {
		l.Append(m, nil, "")
	}
	<-l.Append(api.WatchMessage{Focus: "last"}, nil, "")
	seen := 0
	for last := false; !last; {
		messages, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			want, err := json.Marshal(m.WatchMessage)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got, err := m.JSON(); err != nil || string(got) != string(want) {
					t.Errorf("got  %s %v\nwant %s", got, err, want)
				}
			}
			seen++
			last = m.Focus == "last"
		}
	}
	if seen != 12 { // the snapshot and eleven
		t.Errorf("%d messages", seen)
	}
	for _, v := range l.Values() {
		want, err := json.Marshal(v.Session)
		if got, failed := v.JSON(); err != nil || failed != nil || string(got) != string(want) {
			t.Errorf("got  %s %v\nwant %s", got, failed, want)
		}
	}
}

// TestEncodedOnce: all who watch and list send the same bytes.
func TestEncodedOnce(t *testing.T) {
	l := open(t, Options{Store: &memory{}})
	defer l.Close()
	watchers := []*Watcher{l.Watch(), l.Watch(), l.Watch()}
	for _, w := range watchers {
		if _, err := w.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	<-l.Append(session("a", 1), nil, "")
	parts := make([][]byte, len(watchers))
	var wg sync.WaitGroup
	for i, w := range watchers {
		wg.Go(func() {
			messages, err := w.Next(t.Context())
			if err != nil || len(messages) != 1 {
				t.Error(len(messages), err)
				return
			}
			parts[i], _ = messages[0].JSON()
		})
	}
	wg.Wait()
	list := [2][]byte{}
	for i := range list {
		list[i], _ = l.Values()[0].JSON()
	}
	if &parts[0][0] != &parts[1][0] || &parts[1][0] != &parts[2][0] || &list[0][0] != &list[1][0] {
		t.Error("something is encoded more than once")
	}
	for _, w := range watchers {
		w.Close()
	}
}

// TestLatest: of a session's values a stream sends the newest, of events all.
func TestLatest(t *testing.T) {
	l := open(t, Options{Store: &memory{}})
	defer l.Close()
	w := l.Watch()
	defer w.Close()
	if _, err := w.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown := func(id string, n int) api.WatchMessage {
		return api.WatchMessage{Session: &api.Session{ID: id, Cols: n}}
	}
	for _, m := range []api.WatchMessage{
		session("a", 1), session("b", 1), shown("a", 2), event("x"), session("a", 3), session("c", 1), {Removed: "c"},
		{Session: &api.Session{ID: "b", Cols: 2}, Focus: "b"}, shown("b", 3),
	} {
		<-l.Append(m, nil, "")
	}
	messages, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = Latest(messages, func(seq int64, data []byte) error {
		var m api.WatchMessage
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		line := fmt.Sprint(seq)
		if m.Event != nil && m.Event.Seq != seq {
			line += " is not its event's"
		}
		if m.Session != nil {
			line += fmt.Sprint(" ", m.Session.ID, m.Session.Cols)
		}
		if m.Removed != "" {
			line += " -" + m.Removed
		}
		got = append(got, line+m.Focus)
		return nil
	})
	want := []string{"1", "2", "3", "4 a3", "5", "0 -c", "0 b2b", "0 b3"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got  %q %v\nwant %q", got, err, want)
	}
}
