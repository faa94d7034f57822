package events

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// logClient has a log of events.
type logClient struct {
	ui.Client
	log   []api.Event
	asked []string
}

func (c *logClient) PastEvents(_ context.Context, session, kind string, limit int) (out []api.Event, err error) {
	c.asked = append(c.asked, fmt.Sprint(session, kind, limit))
	for _, e := range c.log {
		if (session == "" || e.Session == session) && (kind == "" || e.Type == kind) {
			out = append(out, e)
		}
	}
	return out[max(0, len(out)-limit):], nil
}

// follow lets the list follow the world, and answers what it asks.
func follow(env ui.Env, l List, c ui.Client) List {
	l, effects := l.Refresh(env)
	for _, e := range effects {
		call := e.(ui.Call)
		result, err := call.Run(context.Background(), c)
		if err != nil {
			call.Failed(env, err)
		}
		l = l.Receive(env, result.Value)
	}
	return l
}

// press presses keys.
func press(env ui.Env, l List, names ...string) List {
	for _, name := range names {
		k := uitest.Key(env, name)
		l, _ = l.Key(env, k)
	}
	return l
}

// listed are the messages of the rows.
func listed(l List) string {
	var got []string
	for _, r := range l.rows.all {
		got = append(got, r.Event.Message)
	}
	return strings.Join(got, ";")
}

// TestFilterFindsOlderEvents: behind thousands of events of others a filter shows those
// that it is for, and those that come while it is set, however many come at once.
func TestFilterFindsOlderEvents(t *testing.T) {
	for _, filter := range [][]string{{"s"}, {"/", "n", "e", "e", "d", "l", "e", "Enter"}} {
		for _, atOnce := range []int{300, 3 * Most} {
			env, c := uitest.Env(120, 30), &logClient{}
			env.Names = map[string]string{"aaaa1111": "api", "bbbb2222": "web"}
			l := List{}
			happens := func(session, kind, message string) {
				c.log = append(c.log, api.Event{Seq: int64(len(c.log) + 1), At: env.Now, Session: session, Type: kind, Message: message})
			}
			flood := func(n int) {
				for i := range n {
					if happens("bbbb2222", "Stop", "of web"); i%atOnce == 0 || i == n-1 {
						env.Events = c.log[max(0, len(c.log)-Most):]
						l = follow(env, l, c)
					}
				}
			}
			happens("aaaa1111", "Stop", "the first needle")
			flood(9_000)
			happens("aaaa1111", "Stop", "a second needle")
			env.Events = c.log[max(0, len(c.log)-Most):]
			l = press(env, follow(env, l, c), filter...)
			if l = follow(env, l, c); listed(l) != "the first needle;a second needle" {
				t.Errorf("%q: listed %.200q", filter, listed(l))
			}
			asked := len(c.asked)
			happens("aaaa1111", "Stop", "a third needle")
			flood(2 * Most)
			if listed(l) != "the first needle;a second needle;a third needle" {
				t.Errorf("%q: listed later %.200q", filter, listed(l))
			}
			if atOnce < Most && len(c.asked) != asked {
				t.Errorf("asked %q", c.asked)
			}
			l = follow(env, press(env, l, "Escape"), c)
			if len(l.rows.all) != Most || l.past.events != nil {
				t.Errorf("%d listed without a filter, %d older", len(l.rows.all), len(l.past.events))
			}
		}
	}
}

// TestWithoutALog: a client that has none, or whose daemon fails, leaves the filters to
// what the grid keeps.
func TestWithoutALog(t *testing.T) {
	env := uitest.Env(120, 30)
	env.Events = []api.Event{{Seq: 1, Session: "a", Type: "Stop", Message: "one"}, {Seq: 2, Session: "b", Type: "Stop", Message: "two"}}
	l := follow(env, press(env, List{}, "s"), struct{ ui.Client }{})
	if listed(l) != "two" || l.past.looking {
		t.Errorf("listed %q, looking %v", listed(l), l.past.looking)
	}
}
