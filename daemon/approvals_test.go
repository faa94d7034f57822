package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

const lsInput = `"tool_name":"Bash","tool_input":{"command":"ls -l"}`

// asking is a session that has asked for permission; the channel gets the reply.
func (p *place) asking(id string) (api.Session, api.Request, <-chan heldReply) {
	p.t.Helper()
	s := p.agentSession("")
	for _, hook := range []string{claude.HookSessionStart, claude.HookUserPromptSubmit, claude.HookPreToolUse} {
		if err := p.hook(s, hook, id+hook, hookJSON(hook, lsInput+`,"tool_use_id":"toolu_1","prompt":"p","source":"startup"`)); err != nil {
			p.t.Fatal(err)
		}
	}
	ch := p.held(s, id, hookJSON(claude.HookPermissionRequest, lsInput))
	return s, p.request(s), ch
}

// request waits for the only request of a session.
func (p *place) request(s api.Session) (r api.Request) {
	p.t.Helper()
	until(p.t, "the request", func() bool {
		for _, r = range p.approvals() {
			if r.Session == s.ID {
				return true
			}
		}
		return false
	})
	return r
}

func (p *place) approvals() (list []api.Request) {
	p.t.Helper()
	p.call("GET", "/v1/approvals", nil, &list)
	return list
}

// got is the reply of a held call.
func got(t *testing.T, ch <-chan heldReply) heldReply {
	t.Helper()
	select {
	case r := <-ch:
		return r
	case <-time.After(patience):
		t.Fatal("the held call was not answered")
		return heldReply{}
	}
}

func TestApprove(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	if list := p.approvals(); list == nil || len(list) != 0 {
		t.Errorf("without requests: %v", list)
	}
	s, r, ch := p.asking("r1")
	if r.Tool != "Bash" || string(r.Input) != `{"command":"ls -l"}` || r.ToolUseID != "toolu_1" || r.AlwaysRule != "Bash(ls -l)" || r.Since.IsZero() {
		t.Errorf("the request: %+v", r)
	}
	if st := p.get(s.ID).State; st != api.StatePermission {
		t.Errorf("the session is %s", st)
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/approvals/"+r.ID+"/deny", api.Answer{Always: true})
	p.wantCode(api.CodeInvalid, "POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Behavior: api.AnswerDeny})
	p.wantCode(api.CodeInvalid, "POST", "/v1/approvals/"+r.ID+"/approve", []byte("nonsense"))
	p.wantCode(api.CodeNotFound, "POST", "/v1/approvals/nothing/approve", nil)
	var d api.Decision
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", api.Answer{Always: true}, &d)
	if d.Outcome != api.OutcomeAnswered || d.By != api.ByPerson || d.Request.ID != r.ID {
		t.Errorf("the decision: %+v", d)
	}
	reply := got(t, ch)
	if reply.err != nil || !strings.Contains(reply.reply.Stdout, `"behavior":"allow"`) || reply.reply.Exit != 0 {
		t.Errorf("the hook got %+v", reply)
	}
	p.wait(s.ID, api.StateWorking)
	p.wantCode(api.CodeNotFound, "POST", "/v1/approvals/"+r.ID+"/deny", nil)
	types := p.eventTypes(s.ID)
	if !strings.HasSuffix(types, "PreToolUse PermissionRequest permission.open permission.ended") {
		t.Errorf("events: %s", types)
	}
	events := p.events()
	if last := events[len(events)-1]; last.StateFrom != api.StatePermission || last.StateTo != api.StateWorking || last.Message != "Bash approved by person" {
		t.Errorf("the end's event: %+v", last)
	}
	var x api.Explanation
	p.call("GET", "/v1/sessions/"+s.ID+"/explain", nil, &x)
	if x.Rule != "permission-answered" {
		t.Errorf("explained by %s", x.Rule)
	}
}

func TestDeny(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	_, r, ch := p.asking("r1")
	p.call("POST", "/v1/approvals/"+r.ID+"/deny", api.Answer{Message: "use tests/ instead"}, nil)
	if reply := got(t, ch); !strings.Contains(reply.reply.Stdout, `"behavior":"deny","message":"use tests/ instead"`) {
		t.Errorf("the hook got %+v", reply)
	}
}

// TestAnsweredElsewhere: what ends a request without an answer leaves the hook's
// reply empty.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	for name, end := range map[string]func(s api.Session) error{
		"in the pane": func(s api.Session) error {
			return p.hook(s, claude.HookPostToolUse, "post"+s.ID, hookJSON(claude.HookPostToolUse, lsInput+`,"tool_use_id":"toolu_1"`))
		},
		"the turn ended": func(s api.Session) error {
			return p.hook(s, claude.HookStop, "stop"+s.ID, hookJSON(claude.HookStop, ""))
		},
		"killed": func(s api.Session) error {
			return p.try("POST", "/v1/sessions/"+s.ID+"/kill", api.Kill{Force: true}, nil)
		},
	} {
		s, _, ch := p.asking(name)
		if err := end(s); err != nil {
			t.Fatal(name, err)
		}
		if reply := got(t, ch); reply.err != nil || reply.reply != (api.HookReply{}) {
			t.Errorf("%s: the hook got %+v", name, reply)
		}
		if list := p.approvals(); len(list) != 0 {
			t.Errorf("%s: open is %v", name, list)
		}
		until(t, "the event of the end", func() bool { return strings.Contains(p.eventTypes(s.ID), api.EventPermissionEnded) })
	}
}

// TestRequestOutlivesTheDaemon: the hook asks the next daemon with the same id;
// for people it stays the same request.
func TestRequestOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*place){"killed": (*place).kill9, "stopped": (*place).stopDaemon} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.spawn()
			s, before, ch := p.asking("r1")
			end(p)
			if p.cutOff() {
				t.Error("a held request kept the daemon")
			}
			if reply := got(t, ch); reply.err == nil || api.CodeOf(reply.err).Status() < 500 {
				t.Fatalf("the hook got %+v", reply)
			}
			p.spawn()
			if st := p.get(s.ID).State; st != api.StatePermission {
				t.Errorf("the session is %s", st)
			}
			ch = p.held(s, "r1", hookJSON(claude.HookPermissionRequest, lsInput))
			if after := p.request(s); after.ID != before.ID {
				t.Errorf("the request was %s, is %s", before.ID, after.ID)
			}
			p.call("POST", "/v1/approvals/"+before.ID+"/approve", nil, nil)
			if reply := got(t, ch); !strings.Contains(reply.reply.Stdout, `"behavior":"allow"`) {
				t.Errorf("the hook got %+v", reply)
			}
			p.wait(s.ID, api.StateWorking)
			for _, kind := range []string{claude.HookPermissionRequest, api.EventPermissionOpen, api.EventPermissionEnded} {
				if n := strings.Count(p.eventTypes(s.ID), kind); n != 1 {
					t.Errorf("%d events %s", n, kind)
				}
			}
		})
	}
}

// TestDemoAgentAsks: with the real shim and an agent that draws a dialog, an
// approval closes the dialog and the turn ends; Esc in the pane retires the
// request, though no hook tells.
func TestDemoAgentAsks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Agent: "demo", Cols: 80, Rows: 24})
	p.wait(s.ID, api.StateIdle)
	for i, answer := range []string{"approve", "deny"} {
		p.call("POST", "/v1/sessions/"+s.ID+"/input", api.SendPrompt{Text: fmt.Sprintf("permit Bash make%d", i)}, nil)
		r := p.request(s)
		if r.AlwaysRule != fmt.Sprintf("Bash(make%d)", i) {
			t.Errorf("the request: %+v", r)
		}
		p.call("POST", "/v1/approvals/"+r.ID+"/"+answer, nil, nil)
		p.wait(s.ID, api.StateIdle)
	}
	p.call("POST", "/v1/sessions/"+s.ID+"/input", api.SendPrompt{Text: "permit Bash rm"}, nil)
	p.request(s)
	p.wait(s.ID, api.StatePermission)
	p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Keys: []string{"Escape"}}, nil)
	p.wait(s.ID, api.StateIdle)
	until(t, "Esc to retire the request", func() bool { return len(p.approvals()) == 0 })
}

// TestRequestsAreWatched: who watches learns of a request at once and of its end,
// and who comes between finds it in the snapshot.
func TestRequestsAreWatched(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	early := p.stream("/v1/watch")
	_, r, ch := p.asking("r1")
	message := func(s *sse, ok func(api.WatchMessage) bool) (m api.WatchMessage) {
		for {
			if m = (api.WatchMessage{}); s.next(&m) != "x" && ok(m) {
				return m
			}
		}
	}
	opened := message(early, func(m api.WatchMessage) bool { return m.Request != nil })
	if opened.Request.ID != r.ID || string(opened.Request.Input) != string(r.Input) || opened.Request.AlwaysRule != r.AlwaysRule {
		t.Errorf("told of %+v", opened.Request)
	}
	late := p.stream("/v1/watch")
	if snap := message(late, func(m api.WatchMessage) bool { return m.Snapshot != nil }).Snapshot; len(snap.Requests) != 1 || snap.Requests[0].ID != r.ID {
		t.Errorf("the snapshot has %+v", snap.Requests)
	}
	p.call("POST", "/v1/approvals/"+r.ID+"/deny", api.Answer{Message: "no"}, nil)
	got(t, ch)
	for _, s := range []*sse{early, late} {
		d := message(s, func(m api.WatchMessage) bool { return m.RequestEnded != nil }).RequestEnded
		if d.Request.ID != r.ID || d.Outcome != api.OutcomeAnswered || d.By != api.ByPerson || string(d.Request.Input) != "null" {
			t.Errorf("ended: %+v", d)
		}
	}
	after := p.stream("/v1/watch")
	if snap := message(after, func(m api.WatchMessage) bool { return m.Snapshot != nil }).Snapshot; len(snap.Requests) != 0 {
		t.Errorf("afterwards the snapshot has %+v", snap.Requests)
	}
}
