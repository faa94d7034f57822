package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// hook calls a hook as the hook process does. A permission request is held: hook
// returns when it is open, and the call ends with the test.
func (p *place) hook(s api.Session, name, id, payload string) error {
	p.t.Helper()
	if name != claude.HookPermissionRequest {
		return p.hookWith(s.ID, p.token(s), name, id, payload)
	}
	opened := strings.Count(p.eventTypes(s.ID), api.EventPermissionOpen)
	failed := p.held(s, id, payload)
	until(p.t, "the request to be open", func() bool {
		select {
		case r := <-failed:
			p.t.Fatalf("the permission request was not held: %+v", r)
		default:
		}
		return strings.Count(p.eventTypes(s.ID), api.EventPermissionOpen) > opened
	})
	return nil
}

// heldReply is what a held call got in the end.
type heldReply struct {
	reply api.HookReply
	err   error
}

// held makes a permission request and does not wait.
func (p *place) held(s api.Session, id, payload string) <-chan heldReply {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan heldReply, 1)
	token := p.token(s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var r heldReply
		r.err = p.post(ctx, s.ID, token, claude.HookPermissionRequest, id, payload, &r.reply)
		done <- r
	}()
	p.t.Cleanup(func() { cancel(); <-ended })
	return done
}

// token is the session's.
func (p *place) token(s api.Session) string {
	p.t.Helper()
	token, err := os.ReadFile(filepath.Join(p.paths.SessionDir(s.ID), paths.TokenFile))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(token)
}

func (p *place) hookWith(session, token, name, id, payload string) error {
	return p.post(context.Background(), session, token, name, id, payload, &api.HookReply{})
}

// post makes a hook call.
func (p *place) post(ctx context.Context, session, token, name, id, payload string, reply *api.HookReply) error {
	req, err := http.NewRequestWithContext(ctx, "POST", "http://ccdir/v1/hook", strings.NewReader(payload))
	if err != nil {
		return err
	}
	req.Header.Set(api.HeaderSession, session)
	req.Header.Set(api.HeaderToken, token)
	req.Header.Set(api.HeaderHook, name)
	req.Header.Set(api.HeaderHookID, id)
	at, _ := p.calledAt.LoadOrStore(session+" "+id, time.Now().UTC().Format(time.RFC3339Nano)) // one that calls again keeps its time
	req.Header.Set(api.HeaderAt, at.(string))
	resp, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		e := &api.Error{}
		if err := json.Unmarshal(data, e); err != nil {
			return fmt.Errorf("status %d: %s", resp.StatusCode, data)
		}
		return e
	}
	return json.Unmarshal(data, reply)
}
