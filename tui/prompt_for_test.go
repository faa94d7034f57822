package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/known"
)

// watched gives the model news of a session or a request.
func watched(m *model, w api.WatchMessage) {
	m.inbox.watch(w)
	m.Update(newsMsg{m.inbox.take()})
}

// TestPromptStaysWithItsSession: the text is for the session for which the bar was
// opened, whoever moves the focus.
func TestPromptStaysWithItsSession(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", "1", "C-b", ":")
	typeIn(m, "for api")
	m.take(news{News: known.News{Focus: "bbbb2222"}}) // `ccdir focus web`, from elsewhere
	shows(t, m, "to api")
	do(m, "Enter")
	if got := c.sends(); len(got) != 1 || got[0] != "send aaaa1111 for api" {
		t.Errorf("sent %q", got)
	}
	// A key of the bar's own chooses among those in focus.
	do(m, "C-b", ":")
	typeIn(m, "for web")
	shows(t, m, "to web")
	do(m, "Enter")
	if got := c.sends(); len(got) != 2 || got[1] != "send bbbb2222 for web" {
		t.Errorf("sent %q", got)
	}
}

// TestPromptOfEndedSession: a session that ends while its prompt is written gets no
// successor unless that is asked for.
func TestPromptOfEndedSession(t *testing.T) {
	for _, gone := range []bool{false, true} {
		m, c := clientModel(t, two()...)
		do(m, "C-b", "1", "C-b", ":")
		typeIn(m, "for api")
		if gone {
			watched(m, api.WatchMessage{Removed: "aaaa1111"})
		} else {
			v := ended("aaaa1111", "api", 0)
			watched(m, api.WatchMessage{Session: &v})
		}
		shows(t, m, "to api, which has ended", "for api")
		do(m, "Enter")
		shows(t, m, "not sent: api has ended; Enter starts a new session", "to a new session")
		if len(c.sends()) != 0 || len(c.created) != 0 {
			t.Errorf("sent %q, created %+v", c.sends(), c.created)
		}
		do(m, "Enter")
		if len(c.sends()) != 0 || len(c.created) != 1 || c.created[0].Prompt != "for api" {
			t.Errorf("sent %q, created %+v", c.sends(), c.created)
		}
	}
	// One that is not like a session which runs a command: no agent is called so.
	v := ended("aaaa1111", "shell", 0)
	v.Agent, v.CWD = "command", "/srv"
	m, c := clientModel(t, v)
	do(m, "C-b", ":")
	typeIn(m, "begin")
	do(m, "Enter")
	if len(c.created) != 1 || c.created[0].Agent != "" || c.created[0].CWD != "/srv" {
		t.Errorf("created %+v", c.created)
	}
}

// TestChosenEnds: a text for chosen sessions of which one has ended is not sent to the
// others as if nothing had happened.
func TestChosenEnds(t *testing.T) {
	for _, gone := range []bool{false, true} {
		m, c := clientModel(t, append(two(), named("cccc3333", "docs", api.StateIdle, 2))...)
		do(m, "C-b", ":")
		typeIn(m, "for all")
		do(m, "C-t", "Space", "Space", "Space", "Enter")
		shows(t, m, "to 3 sessions: api, web, docs")
		if gone {
			watched(m, api.WatchMessage{Removed: "bbbb2222"})
		} else {
			v := ended("bbbb2222", "web", 1)
			watched(m, api.WatchMessage{Session: &v})
		}
		shows(t, m, "to 2 sessions: api, docs; web has ended")
		do(m, "Enter")
		shows(t, m, "not sent: web has ended; Enter sends it to 2 sessions: api, docs", "for all")
		if got := c.sends(); len(got) != 0 {
			t.Errorf("sent %q", got)
		}
		do(m, "Enter")
		if got := c.sends(); len(got) != 2 {
			t.Errorf("sent %q", got)
		}
	}
}

// TestRequestBelowThePrompt: a request that comes while a prompt is written is not
// answered by the Enter that was meant to send it, however long it was in view, but by
// one more.
func TestRequestBelowThePrompt(t *testing.T) {
	for _, seen := range []bool{false, true} {
		m, c := clientModel(t, two()...)
		now := epoch.Add(time.Hour)
		m.now = func() time.Time { return now }
		do(m, "C-b", "2", "C-b", ":")
		typeIn(m, "then run the tests")
		asksOf(m, "r1")
		if seen {
			typeIn(m, ",")
			now = now.Add(500 * time.Millisecond)
			typeIn(m, " please")
		}
		do(m, "Enter")
		shows(t, m, "not sent: it asks by now. Enter again refuses it with this", "then run the tests")
		if len(c.sends()) != 0 || len(c.answers()) != 0 {
			t.Errorf("sent %q, answered %q", c.sends(), c.answers())
		}
		do(m, "Enter")
		if got := strings.Join(c.answers(), ";"); !strings.HasPrefix(got, "answer r1 deny false then run the tests") || len(c.sends()) != 0 {
			t.Errorf("sent %q, answered %q", c.sends(), got)
		}
	}
}

// asksOf lets web ask for a permission.
func asksOf(m *model, id string) {
	v := named("bbbb2222", "web", api.StatePermission, 1)
	r := testRequest(id, "bbbb2222", "Bash", `{"command":"make"}`, 1)
	watched(m, api.WatchMessage{Session: &v})
	watched(m, api.WatchMessage{Request: &r})
}

// TestReplyToWhatIsOver: a reply to a request that ends while it is written becomes
// neither a task nor the answer to the next request by the Enter that was meant for it.
func TestReplyToWhatIsOver(t *testing.T) {
	for _, next := range []string{"", "r2"} {
		m, c := clientModel(t, two()...)
		now := epoch.Add(time.Hour)
		m.now = func() time.Time { return now }
		asksOf(m, "r1")
		do(m, "C-b", "2", "C-b", ":")
		now = now.Add(500 * time.Millisecond)
		typeIn(m, "not that, take")
		watched(m, api.WatchMessage{RequestEnded: &api.Decision{Request: api.Request{ID: "r1"}, Outcome: api.OutcomeElsewhere}})
		says, want := "what it asked is over. Enter again gives it this as a task", "send bbbb2222 not that, take blue"
		if next != "" {
			asksOf(m, next)
			says, want = "it asks something else by now. Enter again refuses it with this", "answer r2 deny false not that, take blue"
		}
		typeIn(m, " blue")
		now = now.Add(500 * time.Millisecond)
		do(m, "Enter")
		shows(t, m, "not sent: "+says, "not that, take blue")
		if len(c.sends()) != 0 || len(c.answers()) != 0 {
			t.Errorf("sent %q, answered %q", c.sends(), c.answers())
		}
		do(m, "Enter")
		if got := strings.Join(append(c.sends(), c.answers()...), ";"); !strings.HasPrefix(got, want) {
			t.Errorf("%q instead of %q", got, want)
		}
		// What is begun now is for what is asked now.
		do(m, "C-b", "1", "C-b", ":")
		typeIn(m, "next")
		do(m, "Enter")
		if got := c.sends(); !slices.Contains(got, "send aaaa1111 next") {
			t.Errorf("sent %q", got)
		}
	}
}

// TestOvertakenDialogs: a dialog about a session that has ended or gone meanwhile asks
// no more, says why, and takes the key that was meant for it.
func TestOvertakenDialogs(t *testing.T) {
	end := func(m *model) {
		v := named("aaaa1111", "api", api.StateExited, 0)
		watched(m, api.WatchMessage{Session: &v})
	}
	gone := func(m *model) { watched(m, api.WatchMessage{Removed: "aaaa1111"}) }
	for _, tt := range []struct {
		before, after func(*model)
		says          string
	}{{nil, end, "api has ended meanwhile"}, {nil, gone, "api was removed meanwhile"}, {end, gone, "api was removed meanwhile"}} {
		m, c := clientModel(t, two()...)
		if tt.before != nil {
			tt.before(m)
		}
		do(m, "C-b", "1", "C-b", "x")
		tt.after(m)
		shows(t, m, tt.says, "any key closes this")
		calls := len(c.noted())
		do(m, "y")
		if m.overlay != nil || len(c.noted()) != calls || m.queued("bbbb2222") != "" {
			t.Errorf("%s: %T, called %q", tt.says, m.overlay, c.noted()[calls:])
		}
	}
	m, _ := clientModel(t, two()...)
	do(m, "C-b", "s", "a")
	shows(t, m, "2 marked")
	gone(m)
	shows(t, m, "1 marked")
	m, c := clientModel(t, two()...)
	do(m, "C-b", "1", "C-b", ",", "x")
	gone(m)
	calls := len(c.noted())
	do(m, "Enter")
	if shows(t, m, "api was removed meanwhile"); len(c.noted()) != calls {
		t.Errorf("called %q", c.noted()[calls:])
	}
}

// TestPromptWhileItRestarts: a text for a session that has ended and is about to run
// again is sent to it, and waits there.
func TestPromptWhileItRestarts(t *testing.T) {
	for _, early := range []bool{false, true} {
		m, c := clientModel(t, two()...)
		v := ended("aaaa1111", "api", 0)
		v.Restarting = true
		do(m, "C-b", "1")
		if early {
			watched(m, api.WatchMessage{Session: &v})
		}
		do(m, "C-b", ":")
		typeIn(m, "for api")
		watched(m, api.WatchMessage{Session: &v})
		shows(t, m, "to api", "for api")
		do(m, "Enter")
		if got := c.sends(); len(got) != 1 || got[0] != "send aaaa1111 for api" || len(c.created) != 0 {
			t.Errorf("sent %q, created %+v", got, c.created)
		}
	}
}
