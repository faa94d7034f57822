package callers

import (
	"context"
	"fmt"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/mcpserver/runner"
	"ccdir/wire/ancestry"
)

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
			if way.daemon = a.PID == c.o.Self; way.daemon || a.PID == c.o.Starter {
				// A host that was started just now is a child that the registry does not know yet.
				if way.session, way.host = ancestry.Host(way.chain[n-1], c.o.Dir); way.host {
					way.daemon = false
				}
				return !way.daemon && !way.host
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
