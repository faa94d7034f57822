package callers

import (
	"context"
	"errors"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/mcpserver"
)

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
