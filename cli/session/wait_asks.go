package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// dialogStands is how long a dialog without a request must stand until it is told: one that a
// policy answers, or that passes by itself, is gone sooner.
const dialogStands = time.Second

// waitAsking is waitFor that tells meanwhile what the session asks a person. With orAsks it
// ends there, with that as asks.
func waitAsking(ctx context.Context, a *verb.App, c *client.Client, ref string, states []api.State, timeout time.Duration, orAsks bool) (s api.Session, asks, err error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	now, err := c.Session(ctx, ref)
	var watched sync.WaitGroup
	if err == nil { // else waitFor says what is wrong
		t := askTeller{of: now, node: a.Node, passed: states, told: map[string]bool{}}
		t.tell = func(line string) { a.Tell("%s", line) }
		if orAsks {
			t.tell = func(line string) { cancel(verb.Asks(errors.New(line))) }
		}
		watched.Go(func() { t.watch(waiting, c) })
	}
	s, err = waitFor(waiting, c, ref, states, timeout)
	cause := context.Cause(waiting)
	cancel(nil)
	watched.Wait()
	if err != nil && errors.As(cause, new(verb.AsksError)) {
		s, err = c.Session(ctx, now.ID)
		return s, cause, err
	}
	return s, nil, err
}

// askTeller tells what a session asks, each request once.
type askTeller struct {
	of     api.Session
	node   string      // its machine, as the command line has it
	passed []api.State // states that are waited for: what is asked in them is not told
	tell   func(line string)

	mu     sync.Mutex
	told   map[string]bool
	dialog *time.Timer // of a dialog that has not stood for dialogStands
}

// watch tells what the session asks until ctx ends. Without the daemon's stream nothing is
// told, and the wait goes on.
func (t *askTeller) watch(ctx context.Context, c *client.Client) {
	_ = c.Watch(ctx, client.Watcher{Message: func(m api.WatchMessage) {
		if snap := m.Snapshot; snap != nil {
			for _, s := range snap.Sessions {
				t.session(s)
			}
			for _, r := range snap.Requests {
				t.request(r)
			}
		}
		if m.Session != nil {
			t.session(*m.Session)
		}
		if m.Request != nil {
			t.request(*m.Request)
		}
	}})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
}

// forget stops the clock of a dialog; under mu.
func (t *askTeller) forget() {
	if t.dialog != nil {
		t.dialog.Stop()
		t.dialog = nil
	}
}

// session takes a session's new value: a dialog that only its pane can answer is told.
func (t *askTeller) session(s api.Session) {
	if s.ID != t.of.ID {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of = s
	t.forget()
	key := s.Since.String() + s.Asks
	if !s.State.NeedsPerson() || !s.AnswerInPane || s.In(t.passed) || t.told[key] {
		return
	}
	line := cmp.Or(s.Asks, s.Question, "something that is not known")
	if s.HasFailed() {
		line = "what to do after a failure: " + s.FailureLine()
	}
	t.dialog = time.AfterFunc(dialogStands, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.dialog != nil { // not forgotten meanwhile
			t.dialog = nil
			t.once(key, line, "`ccdir attach "+t.ref(s.Name)+"`")
		}
	})
}

// request tells a request that opened.
func (t *askTeller) request(r api.Request) {
	if r.Session != t.of.ID {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	waits := api.StatePermission
	how := "`ccdir approve " + t.ref(r.ID) + "` or `ccdir deny " + t.ref(r.ID) + "`"
	if r.Kind == api.RequestQuestion {
		waits, how = api.StateInput, "`ccdir answer "+t.ref(r.ID)+" TEXT`"
		if r.Origin != api.OriginMCP && r.Questions == 0 {
			how = "`ccdir attach " + t.ref(t.of.Name) + "`"
		}
	}
	if (api.Session{State: waits}).In(t.passed) {
		return
	}
	line := cmp.Or(r.Question, r.Tool)
	if t.of.Since.Equal(r.Since) {
		line = cmp.Or(t.of.Asks, line)
	}
	t.once(r.ID, line, how)
}

// once tells one thing once; under mu.
func (t *askTeller) once(key, line, how string) {
	if t.told[key] {
		return
	}
	t.told[key] = true
	t.tell(fmt.Sprintf("%s asks: %s (answer with %s)", t.ref(t.of.Name), textsafe.Cut(textsafe.Line(line), verb.ShownInput), how))
}

// ref is a name or id as the command line takes it.
func (t *askTeller) ref(name string) string { return verb.Prefixed(t.node, name) }
