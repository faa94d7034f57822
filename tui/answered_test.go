package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
)

// TestAnswerIsOlder: a session in the answer to a call, which was on its way while the
// watch stream told what became of it, changes nothing; one of which nothing was heard
// is added.
func TestAnswerIsOlder(t *testing.T) {
	m := testModel(120, 40, fourSessions...)
	starting := named("eeee5555", "new", api.StateStarting, 5)
	idle := starting
	idle.State = api.StateIdle
	m.answered(starting)
	if v := m.session("eeee5555"); v == nil || v.State != api.StateStarting {
		t.Fatalf("a new session is not there: %+v", v)
	}
	m.take(news{sessions: map[string]api.Session{idle.ID: idle}})
	m.answered(starting)
	if v := m.session("eeee5555"); v.State != api.StateIdle {
		t.Errorf("its state went back to %s", v.State)
	}
	m.take(news{removed: map[string]bool{"eeee5555": true}})
	m.answered(idle)
	if m.session("eeee5555") != nil {
		t.Error("a session that was removed has come back")
	}
}

// TestAnswerBarOutlivesTheDaemon: a bar stays, with what is written in it, while the
// next daemon has not been asked again; what is answered there meanwhile is sent. It
// goes when the session does not wait any more, or asks something else.
func TestAnswerBarOutlivesTheDaemon(t *testing.T) {
	started := epoch.Add(time.Hour)
	next := func(m *model, r ...api.Request) {
		sessions := slices.Clone(m.Sessions)
		m.inbox.watch(api.WatchMessage{Snapshot: &api.Snapshot{Server: api.Server{PID: 2, Started: started}, Sessions: sessions, Requests: r}})
		m.Update(newsMsg{m.inbox.take()})
	}
	lose := func(m *model) {
		m.take(news{link: &linkState{lost: errors.New("gone")}})
	}
	t.Run("written", func(t *testing.T) {
		m, c := asking(t)
		do(m, "C-b", "a", "n", "h", "a", "l", "f")
		lose(m)
		next(m)
		shows(t, m, "❯ half", "Enter refuses")
		do(m, "Enter")
		if got := strings.Join(c.answers(), "; "); got != "answer r1 deny false half" {
			t.Errorf("answered %q", got)
		}
	})
	t.Run("refused while there is none", func(t *testing.T) {
		m, c := asking(t)
		do(m, "C-b", "a")
		lose(m)
		do(m, "y")
		shows(t, m, keymap.NoDaemon+" ")
		next(m)
		if d := m.bar(); d == nil || d.problem != "" || d.step != answerChoose {
			t.Fatalf("%+v", d)
		}
		next(m, testRequest("r1", "bbbb2222", "Bash", `{}`, 1))
		do(m, "y")
		if got := strings.Join(c.answers(), "; "); got != "answer r1 allow false " {
			t.Errorf("answered %q", got)
		}
	})
	for name, end := range map[string]func(m *model){
		"goes on": func(m *model) {
			v := *m.session("bbbb2222")
			v.State = api.StateWorking
			m.take(news{sessions: map[string]api.Session{v.ID: v}})
		},
		"asks something else": func(m *model) { next(m, testRequest("r2", "bbbb2222", "Bash", `{}`, 9999)) },
		"has gone":            func(m *model) { m.take(news{removed: map[string]bool{"bbbb2222": true}}) },
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := asking(t)
			do(m, "C-b", "a")
			next(m)
			if d := m.bar(); d == nil || d.step != answerChoose {
				t.Fatalf("%+v", d)
			}
			end(m)
			if d := m.bar(); d != nil && d.step != answerOver {
				t.Errorf("it still offers an answer: %+v", d)
			}
		})
	}
}
