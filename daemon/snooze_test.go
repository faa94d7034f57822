package daemon

import (
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// snooze puts a session off.
func (p *place) snooze(s api.Session, seconds int) (out api.Session) {
	p.t.Helper()
	p.call("POST", "/v1/sessions/"+s.ID+"/snooze", api.Snooze{Seconds: seconds}, &out)
	if d := time.Until(out.SnoozedUntil); d > time.Duration(seconds)*time.Second || seconds > 1 && !out.PutOff(time.Now()) { // a second may be over by now
		p.t.Fatalf("put off for %ds: until %v", seconds, out.SnoozedUntil)
	}
	return out
}

// awake waits until a session is not put off any more.
func (p *place) awake(why string, s api.Session) {
	p.t.Helper()
	until(p.t, why, func() bool { return p.get(s.ID).SnoozedUntil.IsZero() })
}

// TestSnoozeEnds: a wait that was put off comes back when it is taken back, when its
// time is over, when somebody answers and when there is another question; and it is
// refused where nothing waits.
func TestSnoozeEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s, r, ch := p.asking("r1")
	for _, bad := range []int{0, -1, int(api.MaxSnooze/time.Second) + 1} {
		p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/"+s.ID+"/snooze", api.Snooze{Seconds: bad})
	}
	p.snooze(s, 600)
	if v := p.get(s.ID); v.State != api.StatePermission || !v.PutOff(time.Now()) {
		t.Errorf("put off it is %+v", v)
	}
	var v api.Session
	if p.call("DELETE", "/v1/sessions/"+s.ID+"/snooze", nil, &v); !v.SnoozedUntil.IsZero() {
		t.Errorf("taken back: %v", v.SnoozedUntil)
	}
	p.call("DELETE", "/v1/sessions/"+s.ID+"/snooze", nil, nil) // once more does no harm

	p.snooze(s, 1)
	p.awake("the end of its time", s)

	p.snooze(s, 600)
	other := p.held(s, "r2", hookJSON(claude.HookPermissionRequest, `"tool_name":"Bash","tool_input":{"command":"make"}`))
	p.awake("another question", s)

	p.snooze(s, 600)
	p.call("POST", "/v1/approvals/"+r.ID+"/approve", nil, nil)
	got(t, ch)
	p.awake("an answer", s)
	for _, r := range p.approvals() {
		p.call("POST", "/v1/approvals/"+r.ID+"/deny", nil, nil)
	}
	got(t, other)
	p.wait(s.ID, api.StateWorking)
	p.wantCode(api.CodeConflict, "POST", "/v1/sessions/"+s.ID+"/snooze", api.Snooze{Seconds: 60})
	p.wantCode(api.CodeNotFound, "POST", "/v1/sessions/nothing/snooze", api.Snooze{Seconds: 60})
}

// TestSnoozeOutlivesTheDaemon: the next daemon knows of it, also after the request
// was asked again; an answer of which it learns by the spool ends it, and so does
// the time that went by meanwhile.
func TestSnoozeOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*place){"killed": (*place).kill9, "stopped": (*place).stopDaemon} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.spawn()
			s, _, ch := p.asking("r1")
			till := p.snooze(s, 600).SnoozedUntil
			end(p)
			got(t, ch)
			p.spawn()
			if v := p.get(s.ID); !v.SnoozedUntil.Equal(till) || v.State != api.StatePermission {
				t.Fatalf("the next daemon: %s, put off until %v, not %v", v.State, v.SnoozedUntil, till)
			}
			ch = p.held(s, "r1", hookJSON(claude.HookPermissionRequest, lsInput))
			p.request(s)
			if v := p.get(s.ID); !v.SnoozedUntil.Equal(till) {
				t.Errorf("the same request asked again ended it")
			}
			end(p)
			got(t, ch)
			p.spool(s, "post1", claude.HookPostToolUse, hookJSON(claude.HookPostToolUse, lsInput+`,"tool_use_id":"toolu_1"`), p.token(s))
			p.spawn()
			if v := p.get(s.ID); v.State != api.StateWorking || !v.SnoozedUntil.IsZero() {
				t.Errorf("answered without a daemon: %s, put off until %v", v.State, v.SnoozedUntil)
			}
			second, _, ch := p.asking("r9")
			soon := p.snooze(second, 1).SnoozedUntil
			end(p)
			got(t, ch)
			<-time.After(time.Until(soon)) // it goes by while no daemon is there
			p.spawn()
			p.awake("a time that was over", second)
		})
	}
}
