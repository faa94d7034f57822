package callers

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/ratelimit"
	"ccdir/mcpserver"
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
	// a session. Starter is the pid of the process that starts hosts: the same, but in tests in
	// which the daemon's process is the person.
	Self, Starter int
	Logger        *slog.Logger
}

// Callers recognizes processes that run inside sessions (access.Callers), decides what they may do
// (httpapi.Insiders), and checks whose tokens they hold (tools.Callers, hooks.Endpoint.Check). Make
// one with New.
type Callers struct {
	o Options
	// refusals rate-limits records: a process that calls in a loop must not fill the
	// ledger, which is never pruned.
	refusals ratelimit.Reports
}

// New makes the callers.
func New(o Options) *Callers { return &Callers{o: o} }

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
