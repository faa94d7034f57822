package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
)

// ends has the daemon tell that requests were answered.
func ends(m *model, ids ...string) {
	for _, id := range ids {
		m.inbox.watch(api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: id}, Outcome: api.OutcomeAnswered, By: api.ByPerson, Answer: &api.Answer{Behavior: api.AnswerAllow}}})
	}
	m.Update(newsMsg{m.inbox.take()})
}

// TestAnswerGoesOn: after an answer the bar has the next request, of the same session first,
// and keys that were meant for the one before are for nobody.
func TestAnswerGoesOn(t *testing.T) {
	m, c := asked(t, bash("r1", "bbbb2222", "one", 1), bash("r2", "aaaa1111", "two", 2), bash("r3", "bbbb2222", "three", 3))
	now := m.now()
	m.now = func() time.Time { return now }
	do(m, "C-b", "2", "C-b", "a")
	ids := map[string]string{"one": "r1", "three": "r3", "two": "r2"}
	for _, want := range []string{"one", "three", "two"} {
		if !m.barHas("┃ " + want + " ") {
			t.Fatalf("not %s:\n%s", want, m.picture().Dump())
		}
		if want != "one" {
			for range 3 { // a key that is held down, or one too many
				do(m, "y")
				now = now.Add(300 * time.Millisecond)
			}
			shows(t, m, "this is the next request")
			now = now.Add(300 * time.Millisecond)
		}
		if n := len(c.got); n != map[string]int{"one": 0, "three": 1, "two": 2}[want] {
			t.Fatalf("%d answers when %s is shown", n, want)
		}
		do(m, "y")
		ends(m, ids[want])
	}
	if m.grid.Focus != "aaaa1111" || len(c.got) != 3 {
		t.Errorf("focus %s, answers %v", m.grid.Focus, c.got)
	}
	now = now.Add(3 * time.Second)
	m.Update(clockMsg{m.wakeGen})
	if m.bar() != nil || m.queued("aaaa1111")+m.queued("bbbb2222") != "" {
		t.Errorf("the bar is %v, the panes got %q %q", m.bar() != nil, m.queued("aaaa1111"), m.queued("bbbb2222"))
	}
}

// TestAnswerGoesOnByAge: one that was passed over with Tab does not come back at once, one
// that was put off not at all.
func TestAnswerGoesOnByAge(t *testing.T) {
	m, c := asked(t, bash("r1", "aaaa1111", "one", 1), bash("r2", "bbbb2222", "two", 2), bash("r3", "cccc3333", "three", 3))
	off := *m.Session("cccc3333")
	do(m, "C-b", "1", "C-b", "a", "Tab", "y")
	if !m.barHas("┃ three ") || len(c.got) != 1 {
		t.Fatalf("answers %v:\n%s", c.got, m.picture().Dump())
	}
	m.now = func() time.Time { return epoch.Add(time.Hour) }
	off.SnoozedUntil = m.now().Add(time.Hour)
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{off.ID: off}}}})
	ends(m, "r2")
	ends(m, "r3") // it is open again
	r3 := bash("r3", "cccc3333", "three", 3)
	m.inbox.watch(api.WatchMessage{Request: &r3})
	m.Update(newsMsg{m.inbox.take()})
	do(m, "Escape", "C-b", "1", "C-b", "a", "y")
	if m.barHas("┃ three ") {
		t.Error("it goes on to what was put off")
	}
}

// TestAnswerGoesOnNotOverOthers: what the person opened meanwhile stays in front.
func TestAnswerGoesOnNotOverOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, c, keys, let := answeringGrid(t)
		r := bash("r9", "aaaa1111", "another", 5)
		m.inbox.watch(api.WatchMessage{Request: &r})
		m.Update(newsMsg{m.inbox.take()})
		keys("h", "i")
		let(nil)
		shows(t, m, "another", "what you typed was sent to nobody")
		if got := m.queued("bbbb2222") + m.queued("aaaa1111"); got != "" || len(c.answers()) != 1 {
			t.Errorf("typed %q, answers %q", got, c.answers())
		}
		m, _, keys, let = answeringGrid(t)
		m.inbox.watch(api.WatchMessage{Request: &r})
		m.Update(newsMsg{m.inbox.take()})
		keys("Escape", "C-b", "?")
		let(nil)
		if m.bar() != nil {
			t.Error("the help was replaced")
		}
	})
}
