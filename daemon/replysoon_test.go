package daemon

import (
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
)

// TestAnswersWaitForTheHook: who answers right after a daemon's start waits until the
// hook of the request has asked again, whichever way the answer comes.
func TestAnswersWaitForTheHook(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(s api.Session, r api.Request) keyed{
		"approve": func(_ api.Session, r api.Request) keyed {
			return keyed{"POST", "/v1/approvals/" + r.ID + "/approve", api.Answer{}}
		},
		"reply": func(s api.Session, _ api.Request) keyed {
			return keyed{"POST", "/v1/sessions/" + s.ID + "/reply", api.Reply{Behavior: api.AnswerAllow}}
		},
		"reply to the request": func(s api.Session, r api.Request) keyed {
			return keyed{"POST", "/v1/sessions/" + s.ID + "/reply", api.Reply{Behavior: api.AnswerAllow, Request: r.ID}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.spawn()
			s, r, ch := p.asking("r1")
			p.kill9()
			got(t, ch)
			p.spawn()
			c := answer(s, r)
			answered := make(chan error, 1)
			go func() { answered <- p.try(c.method, c.path, c.in, nil) }()
			// It waits, or the hook is there before it: both must do.
			ch = p.held(s, "r1", hookJSON(claude.HookPermissionRequest, lsInput))
			if err := <-answered; err != nil {
				t.Errorf("the answer: %v", err)
			}
			if reply := got(t, ch); !strings.Contains(reply.reply.Stdout, `"behavior":"allow"`) {
				t.Errorf("the hook got %+v", reply)
			}
		})
	}
}

// TestReplyToNothing: a session that asks nothing of this daemon is not waited for.
func TestReplyToNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions/"+s.ID+"/reply", api.Reply{Behavior: api.AnswerAllow})
}
