package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
)

// logClient is a client with a log of events.
type logClient struct {
	*fakeClient
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

// TestFilterFindsOlderEvents: behind thousands of events of others a filter shows those
// that it is for, and those that come while it is set.
func TestFilterFindsOlderEvents(t *testing.T) {
	m, fake := clientModel(t, two()...)
	c := &logClient{fakeClient: fake}
	m.opts.Client = c
	happens := func(session, kind, message string) {
		e := api.Event{Seq: int64(len(c.log) + 1), At: m.now(), Session: session, Type: kind, Message: message}
		c.log = append(c.log, e)
		m.inbox.watch(api.WatchMessage{Event: &e})
	}
	flood := func(n int) {
		for range n {
			happens("bbbb2222", "Noise", "of web")
			if len(c.log)%300 == 0 {
				_, cmd := m.Update(newsMsg{m.inbox.take()})
				perform(m, cmd)
			}
		}
		_, cmd := m.Update(newsMsg{m.inbox.take()})
		perform(m, cmd)
	}
	happens("aaaa1111", "Stop", "the first needle")
	flood(10_000 - 2)
	lists := func(want ...string) {
		t.Helper()
		listed, _ := m.eventView.filtered(m.Events, m.names())
		var got []string
		for _, e := range listed {
			got = append(got, e.Message)
		}
		if strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("listed %.200q instead of %q", got, want)
		}
	}
	for _, filter := range [][]string{{"S", "a", "p", "i", "Enter"}, {"/", "n", "e", "e", "d", "l", "e", "Enter"}} {
		happens("bbbb2222", "Noise", "of web")
		do(m, "C-b", "E")
		do(m, filter...)
		lists("the first needle")
		happens("aaaa1111", "Stop", "a second needle")
		flood(2 * maxEvents)
		lists("the first needle", "a second needle")
		do(m, "Escape")
		if listed, _ := m.eventView.filtered(m.Events, m.names()); len(listed) != maxEvents || m.eventView.older.events != nil {
			t.Errorf("%d listed without a filter, %d older", len(listed), len(m.eventView.older.events))
		}
		do(m, "Escape")
		c.log = c.log[:1] // the next one begins as this one
		m.Events = nil
		flood(5000)
	}
	if len(c.asked) != 2 {
		t.Errorf("asked %q", c.asked)
	}
}
