package sessions

import (
	"encoding/json"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// TestFollowScreen: for an agent without a program status the daemon watches the screen
// while a dialog is open and for a while after a key, and no longer. What the screen shows
// ends the dialog.
func TestFollowScreen(t *testing.T) {
	asked := make(chan wire.ScreenParams, 16)
	conns := make(chan *wire.Conn, 1)
	h := &fakeHost{t: t, serve: func(n int, c *wire.Conn, _ wire.Hello) {
		welcome(c)
		conns <- c
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			req, ok := m.(*wire.Request)
			if !ok {
				continue
			}
			var p wire.ScreenParams
			if req.Method == wire.MethodScreen && json.Unmarshal(req.Params, &p) == nil {
				asked <- p
			}
			c.Send(&wire.Response{ID: req.ID})
		}
	}}
	r, _ := newTestRegistry(t, h)
	v, err := r.Create(t.Context(), api.NewSession{Agent: agents.KindClaude, Argv: []string{"/bin/true"}, CWD: "/"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.find(v.ID)
	if err != nil {
		t.Fatal(err)
	}
	wants := func(when string, lines int) {
		t.Helper()
		for {
			select {
			case p := <-asked:
				if p.Lines == agents.RetryLines && lines != agents.RetryLines {
					continue // of the work before
				}
				if p.Lines != lines {
					t.Fatalf("%s: asked for %+v, want %d lines", when, p, lines)
				}
				return
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: not asked", when)
			}
		}
	}
	hears := func(kind api.EventKind, says api.State, fields map[string]string) {
		t.Helper()
		e := api.Evidence{Source: api.SourceHook, At: r.now(), Kind: kind, Says: says, Fields: fields}
		if err := s.do(t.Context(), func() { s.weigh(e, change{}) }); err != nil {
			t.Fatal(err)
		}
	}
	host := <-conns
	seq := uint64(0)
	key := func(name string) {
		seq++
		host.Send(&wire.Evidence{Seq: seq, At: time.Now(), Name: wire.EvidenceKeys, Fields: map[string]string{"keys": name}})
	}
	box := "────────────────────\n❯\u00a0\n────────────────────\n"

	wants("before the first hook", agents.ScreenLines(s.screenRules()))
	hears(api.KindConversationBegins, api.StateIdle, map[string]string{"source": "startup"})
	wants("at the prompt", 0)
	hears(api.KindPrompt, api.StateWorking, nil)
	hears(api.KindDialog, api.StatePermission, map[string]string{"tool": "Bash"})
	wants("in a dialog", agents.TurnLines)
	host.Send(&wire.Screen{At: time.Now(), Text: " Do you want to proceed?\n ❯ 1. Yes\n"})
	key("4")
	host.Send(&wire.Screen{At: time.Now(), Text: "❯ do it\n  ⎿ \u00a0Interrupted · What should Claude do instead?\n" + box})
	r.reach(t, v.ID, func(s *session) bool { return s.fold.State == api.StateIdle && s.fold.Rule == "screen-interrupted" })
	wants("after No", 0)

	hears(api.KindPrompt, api.StateWorking, nil)
	lines := 0
	for i := 0; i < 10 && lines == 0; i++ { // again if the machine stood still for longer than a key counts
		key("Enter")
		select {
		case p := <-asked:
			if p.Lines != agents.RetryLines {
				lines = p.Lines
			}
		case <-time.After(2 * time.Second):
		}
	}
	if lines != agents.TurnLines {
		t.Fatalf("after a key: asked for %d lines", lines)
	}
	host.Send(&wire.Screen{At: time.Now(), Text: "❯ do it\n✻ Baking… (2s)\n" + box})
	wants("a while after it", agents.RetryLines) // what it asks its API
	if got, err := r.Get(t.Context(), v.ID); err != nil || got.State != api.StateWorking {
		t.Errorf("%s, %v", got.State, err)
	}
}
