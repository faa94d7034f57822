package callers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/internal/proc"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/ratelimit"
	"ccdir/internal/tune/timer"
	"ccdir/mcpserver"
	"ccdir/mcpserver/runner"
	"ccdir/wire/ancestry"
)

// Sessions are the sessions: sessions.Registry.
type Sessions interface {
	// HostedBy returns the session whose host is the process; ok is false if there is none.
	HostedBy(pid int, start string) (id string, ok bool)
	// Marked returns the session that an environment names; proven: it holds the session's token.
	Marked(env []string) (id string, proven, ok bool)
	// SpeaksForPerson reports whether processes of the session act for the person.
	SpeaksForPerson(ctx context.Context, id string) bool
	// Caller describes a session for the policy.
	Caller(ctx context.Context, ref string) (api.Caller, error)
	// Request returns an open request; Answer answers one, and blocks until that is recorded.
	Request(ref string) (api.Request, error)
	Answer(ref, by string, a api.Answer) (api.Decision, error)
}

// Journal is the event log: journal.Log.
type Journal interface {
	Session(id string) (api.Session, bool)
	Append(msg api.WatchMessage, record []byte, key string) <-chan error
}

// Policy is the policy and its ledger: enforce.Enforcer.
type Policy interface {
	// MayAnswer returns nil if a session may answer a request as the lead of the one that asks.
	MayAnswer(ctx context.Context, lead string, r api.Request, a api.Answer) error
	// RefusedCall writes a row about a refused call.
	RefusedCall(o api.Origin, call, why string)
}

// Tools decide about tools as for a call over MCP: tools.Server.
type Tools interface {
	May(role, tool string) bool
	Decide(ctx context.Context, caller mcpserver.Caller, use mcpserver.Use) mcpserver.Decision
}

// Options join the callers with the daemon. All are needed.
type Options struct {
	Sessions Sessions
	Journal  Journal
	Policy   Policy
	// Tools is called by Permit only, since the tools are made later and ask the callers themselves.
	Tools func() Tools
	// Dir is the directory of the sessions' directories, by which a host is known that the
	// registry does not know yet.
	Dir string
	// Self is the pid of the daemon's process, whose descendants are nobody unless they belong to
	// a session.
	Self   int
	Logger *slog.Logger
}

// Callers recognizes processes that run inside sessions (access.Callers) and decides
// what they may do (httpapi.Insiders).
//
// An agent runs as the same user as the person, so the user of a connection proves
// nothing. The ancestors of its process do: they lead up to the host of a session, or to
// this daemon, which runs commands for agents and programs that look at their files. On Linux
// hosts and the daemon are subreapers, so that detached processes are found too. The
// environment of the process is the second evidence, for other systems and for processes that
// another server started.
type Callers struct {
	o Options
	// refusals rate-limits records: a process that calls in a loop must not fill the
	// ledger, which is never pruned.
	refusals ratelimit.Reports
}

// New makes the callers.
func New(o Options) *Callers { return &Callers{o: o} }

// errGone: the calling process has ended and cannot be identified.
var errGone = api.Errorf(api.CodeForbidden, "the process that called has ended, so who called cannot be told")

// Identify implements access.Callers.
func (c *Callers) Identify(ctx context.Context, pid int, start string) (api.Origin, error) {
	way, err := c.climb(pid)
	if err != nil || way.chain[0].Start != start {
		return api.Origin{}, errGone
	}
	switch {
	case way.host && way.session != "":
		return c.inside(ctx, way.session, fmt.Sprintf("its process %d comes from the host of that session", pid)), nil
	case way.host:
		return api.Origin{Inside: true, Why: fmt.Sprintf("its process %d comes from the host of a session that is not known", pid)}, nil
	}
	byTool := fmt.Sprintf("its process %d was started by a tool of ccdir", pid)
	for _, a := range way.chain {
		if runner.Running(a.PID) {
			return api.Origin{Inside: true, Why: byTool}, nil
		}
		env, err := proc.Environ(a.PID)
		if err != nil {
			continue // another user's, or it has ended
		}
		if runner.Marked(env) {
			return api.Origin{Inside: true, Why: byTool}, nil
		}
		if way.daemon { // whatever session it claims
			continue
		}
		id, proven, ok := c.o.Sessions.Marked(env)
		switch why := fmt.Sprintf("its process %d was started in that session: %s says so", pid, api.EnvSession); {
		case ok && proven:
			return c.inside(ctx, id, why), nil
		case ok && !c.o.Sessions.SpeaksForPerson(ctx, id):
			// From before a restart, or forged: inside, but without the session's rights.
			return api.Origin{Inside: true, Why: why}, nil
		}
	}
	if way.daemon {
		return api.Origin{Inside: true, Nobody: true, Why: fmt.Sprintf("its process %d was started by the daemon", pid)}, nil
	}
	return api.Origin{}, nil
}

// ancestors is the way from a process up to the nearest of its ancestors that decides.
type ancestors struct {
	// chain begins with the process and ends below the ancestor that decides.
	chain []proc.Ancestor
	// host: that is a session's host; session is "" if the registry does not know it.
	host    bool
	session string
	// daemon: that is this daemon.
	daemon bool
}

// climb follows a process's parents up to the host of a session or this daemon.
func (c *Callers) climb(pid int) (way ancestors, err error) {
	err = proc.EachAncestor(pid, func(a proc.Ancestor) bool {
		if n := len(way.chain); n > 0 {
			if way.session, way.host = c.o.Sessions.HostedBy(a.PID, a.Start); way.host {
				return false
			}
			if way.daemon = a.PID == c.o.Self; way.daemon {
				// A host that was started just now is a child that the registry does not know yet.
				if way.session, way.host = ancestry.Host(way.chain[n-1], c.o.Dir); way.host {
					way.daemon = false
				}
				return false
			}
		}
		way.chain = append(way.chain, a)
		return true
	})
	if way.daemon || way.host {
		return way, err
	}
	for _, a := range way.chain[min(1, len(way.chain)):] { // a host that this daemon has not adopted
		if _, way.host = ancestry.Host(a, c.o.Dir); way.host {
			return way, err
		}
	}
	return way, err
}

// reapLook is the interval of looks for orphans that have ended, reapGrace how long they are left
// to somebody who might wait for them.
const (
	reapLook  = 20 * time.Second
	reapGrace = time.Minute
)

// Reap reaps the processes that the daemon adopted (proc.AdoptOrphans), until ctx ends.
func Reap(ctx context.Context, alarms *timer.Clock) {
	orphans := proc.Orphans{Grace: reapGrace}
	tick := alarms.NewTicker(reapLook)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			orphans.Reap(ctx, now)
		case <-ctx.Done():
			return
		}
	}
}

// inside is the origin of a process in a session.
func (c *Callers) inside(ctx context.Context, id, why string) api.Origin {
	if c.o.Sessions.SpeaksForPerson(ctx, id) {
		return api.Origin{}
	}
	o := api.Origin{Inside: true, Session: id, Why: why}
	if s, err := c.o.Sessions.Caller(ctx, id); err == nil {
		o.Name, o.Role = s.Name, s.Role
	}
	return o
}

// Permit implements httpapi.Insiders: role and policy decide as for a call over
// MCP.
func (c *Callers) Permit(ctx context.Context, o api.Origin, tool string, input map[string]any) error {
	s, err := c.o.Sessions.Caller(ctx, o.Session)
	if err != nil {
		return err
	}
	if !c.o.Tools().May(s.Role, tool) {
		return fmt.Errorf("its role has not the tool %s", tool)
	}
	data, err := json.Marshal(input)
	if err != nil {
		return err
	}
	d := c.o.Tools().Decide(ctx, mcpserver.Caller{Session: s.Session, Name: s.Name, Role: s.Role, Dir: s.Root}, mcpserver.Use{Tool: tool, Input: data})
	if !d.Allow {
		return fmt.Errorf("%s", d.Reason)
	}
	return nil
}

// Answer implements httpapi.Insiders: a lead may answer once for the sessions
// that it leads, and allow only what its own role has.
func (c *Callers) Answer(ctx context.Context, o api.Origin, ref string, a api.Answer) (api.Decision, error) {
	r, err := c.o.Sessions.Request(ref)
	if err != nil {
		return api.Decision{}, err
	}
	if err := c.o.Policy.MayAnswer(ctx, o.Session, r, a); err != nil {
		return api.Decision{}, err
	}
	a.Lead, a.Client = o.Session, ""
	return c.o.Sessions.Answer(r.ID, api.ByLead, a)
}

// Refused implements httpapi.Insiders.
func (c *Callers) Refused(o api.Origin, call, why string) {
	now := time.Now()
	more, ok := c.refusals.Next(now)
	if !ok {
		return
	}
	if more > 0 {
		why += fmt.Sprintf(" (and %d more calls)", more)
	}
	c.o.Logger.Warn("a call was refused for who called", "session", o.Session, "call", call, "why", why)
	c.o.Policy.RefusedCall(o, call, why)
	e := &api.Event{At: now.UTC(), Session: o.Session, Type: api.EventCallRefused, Source: "daemon", Message: textsafe.Line(call + ": " + why)}
	if s, ok := c.o.Journal.Session(o.Session); ok {
		e.StateFrom, e.StateTo = s.State, s.State
	}
	c.o.Journal.Append(api.WatchMessage{Event: e}, nil, "")
}

// Holder implements tools.Callers: a process inside a session may use that session's token
// only. If the origin is unknown, the token is refused too, except in a container with
// the daemon's socket.
func (c *Callers) Holder(ctx context.Context, who mcpserver.Caller) error {
	o, err := access.OriginOf(ctx, c)
	switch {
	case errors.Is(err, access.ErrForeign):
		return nil // a container: the token decides
	case err != nil:
		c.Refused(api.Origin{}, "GET "+api.MCPPath, "the token of "+who.Name+": "+err.Error())
		return err
	}
	return c.another(o, "GET "+api.MCPPath, who.Session, who.Name)
}

// HookOf refuses a hook call unless its process is the named session's or the person's (an agent
// outside ccdir). Who connected is found before the call is read, so that a hook whose agent kills
// it then is known. Of a container the token alone is known.
func (c *Callers) HookOf(ctx context.Context, session, hook string) error {
	if session == "" {
		return nil
	}
	o, err := access.OriginOf(ctx, c)
	switch {
	case errors.Is(err, access.ErrForeign):
		return nil
	case err != nil:
		c.Refused(api.Origin{}, "POST /v1/hook "+hook, "the token of session "+session+": "+err.Error())
		return err
	case !o.Inside || o.Session == session:
		return nil
	}
	name := session
	if s, ok := c.o.Journal.Session(session); ok && s.Name != "" {
		name = s.Name
	}
	return c.another(o, "POST /v1/hook "+hook, session, name)
}

// another refuses and records a caller inside another session than that of its token. A
// command of one of ccdir's tools counts as another session: it gets no token.
func (c *Callers) another(o api.Origin, call, session, name string) error {
	if !o.Inside || o.Session == session {
		return nil
	}
	c.Refused(o, call, "the token of another session, "+name+" ("+o.Why+")")
	return api.Errorf(api.CodeForbidden, "this process runs inside another session of ccdir than its token is of")
}

// Guest implements tools.Callers: an MCP connection from inside a session needs its token,
// because the rules for guests are weaker than those for the session.
func (c *Callers) Guest(ctx context.Context) error {
	o, err := access.OriginOf(ctx, c)
	switch {
	case err != nil:
		return err
	case !o.Inside:
		return nil
	}
	c.Refused(o, "GET "+api.MCPPath, "tools without the token of the session ("+o.Why+")")
	return api.Errorf(api.CodeForbidden, "this process runs inside a session of ccdir: its tools need %s and %s of the session", api.EnvSession, api.EnvToken)
}
