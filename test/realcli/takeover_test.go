package realcli

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// takeover is a moment at which the daemon is killed.
type takeover struct {
	name   string
	seed   Seed
	args   []string
	script fakeapi.Script
	// reach brings the CLI there, meanwhile happens while no daemon runs.
	reach, meanwhile func(s *Scene)
	// want is the state that the next daemon must tell; request: with an open
	// request. allow is how it is answered then.
	want    api.State
	request bool
	allow   api.Answer
	// after is the screen that follows the answer.
	after string
}

// takeovers are all to be killed at once: one daemon has all the sessions.
func takeovers(g *gate) []takeover {
	held := func() fakeapi.Script {
		return fakeapi.Turns(fakeapi.Reply{Blocks: []fakeapi.Block{{Text: "Some words first.\n\n"}, {Text: "The end.", Wait: g.ch}}})
	}
	said := func(s *Scene) {
		s.Ready()
		s.Prompt("before")
		s.Answered("● You said: before")
	}
	begun := func(s *Scene) {
		s.Ready()
		s.Prompt("tell me")
		s.See("Some words first")
	}
	return []takeover{
		{name: "trust", seed: Seed{Untrusted: true}, reach: func(s *Scene) { s.See("Enter to confirm") }, want: api.StatePermission},
		{name: "idle", reach: said, want: api.StateIdle},
		{name: "working", script: held(), reach: begun, want: api.StateWorking},
		{name: "working, then Esc", script: held(), reach: begun, meanwhile: press("Escape"), want: api.StateIdle},
		{name: "permission", args: manual, script: fakeapi.Turns(bash("touch made")), reach: dialogAfter("1. Yes"), want: api.StatePermission, request: true,
			allow: api.Answer{Behavior: api.AnswerAllow}, after: "● Done."},
		{name: "permission, then Yes", args: manual, script: fakeapi.Turns(bash("touch made")), reach: dialogAfter("1. Yes"), meanwhile: press("1"), want: api.StateIdle},
		{name: "permission, then Esc", args: manual, script: fakeapi.Turns(bash("touch made")), reach: dialogAfter("1. Yes"), meanwhile: press("Escape"), want: api.StateIdle},
		{name: "question", script: fakeapi.Turns(question), reach: dialogAfter("1. Red"), want: api.StateInput, request: true,
			allow: api.Answer{Behavior: api.AnswerAllow, Text: "Green"}, after: "● Done."},
		{name: "panel", reach: panelOf("/cost", "Esc to"), want: api.StateInput},
		{name: "panel, then Esc", reach: panelOf("/cost", "Esc to"), meanwhile: press("Escape"), want: api.StateIdle},
		{name: "killed too", reach: said, meanwhile: func(s *Scene) { _ = syscall.Kill(s.Process().Pid, syscall.SIGKILL) }, want: api.StateExited},
	}
}

// TestProductDaemonKilledInStates kills the daemon while sessions are in every
// state. Some are changed by keys while none runs. The next daemon tells what is so,
// and shows the requests that are still open, which can be answered.
func TestProductDaemonKilledInStates(t *testing.T) {
	Claude(t)
	hold := newGate()
	defer hold.release()
	p := Install(t, Home(t, ""))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	p.Run(ctx, "daemon", "start")
	list := takeovers(hold)
	scenes := make([]*Scene, len(list))
	if !t.Run("reach", func(sub *testing.T) {
		for i, k := range list {
			fake := fakeapi.New(k.script)
			t.Cleanup(fake.Close)
			sub.Run(k.name, func(sub *testing.T) {
				sub.Parallel()
				opt := Options{Place: HomeWith(t, fake.URL(), k.seed), Args: k.args}
				scenes[i] = &Scene{Stage: OpenLive(ctx, t, p, opt), Fake: fake, opt: opt, ctx: ctx, t: sub}
				k.reach(scenes[i])
			})
		}
	}) {
		return
	}
	live := func(i int) *Live { return scenes[i].Stage.(*Live) }
	for i, k := range list {
		if k.meanwhile == nil {
			p.Until(ctx, live(i).id, k.name, func(s api.Session) bool { return s.State == k.want })
		}
	}
	server, err := p.Client.Health(ctx)
	if err != nil {
		t.Fatal(err)
	}
	conns := make([]*direct, len(list))
	for i, k := range list {
		if k.meanwhile != nil {
			conns[i] = openDirect(ctx, t, p, live(i))
		}
	}
	opt := Options{Place: HomeWith(t, "http://127.0.0.1:9", Seed{})}
	late := OpenLive(ctx, t, p, opt) // it is starting now
	if err := syscall.Kill(server.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for i, k := range list {
		if k.meanwhile != nil {
			k.meanwhile(&Scene{Stage: conns[i], ctx: ctx, t: t})
		}
	}
	time.Sleep(4 * rest) // the CLIs see the keys, and nobody is told
	begun := time.Now()
	p.Run(ctx, "ls") // starts the next daemon
	for i, k := range list {
		s := p.Until(ctx, live(i).id, k.name+": "+string(k.want), func(s api.Session) bool { return s.State == k.want })
		t.Logf("%s: %s %v after the next daemon's start", k.name, s.State, time.Since(begun).Round(time.Millisecond))
		if k.want.NeedsPerson() && s.Question == "" {
			t.Errorf("%s: it does not say what is asked", k.name)
		}
	}
	p.State(ctx, late.id, api.StateIdle)
	open := map[string]api.Request{}
	for wanted := 2; len(open) < wanted && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		requests, err := p.Client.Approvals(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range requests {
			open[r.Session] = r
		}
	}
	for i, k := range list {
		r, found := open[live(i).id]
		if found != k.request {
			t.Errorf("%s: an open request: %v", k.name, found)
			continue
		}
		if found {
			if _, err := p.Client.Answer(ctx, r.ID, k.allow); err != nil {
				t.Errorf("%s: %v", k.name, err)
				continue
			}
			p.Screen(ctx, live(i).id, k.after)
			p.State(ctx, live(i).id, api.StateIdle)
		}
	}
	for i, k := range list { // what was told stays
		if s := p.Show(ctx, live(i).id); s.State != k.want && !k.request {
			t.Errorf("%s: it became %s\n%s", k.name, s.State, strings.TrimSpace(live(i).Log()))
		}
	}
}
