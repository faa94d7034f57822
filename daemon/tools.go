package daemon

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/daemon/callers"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/reviews"
	"ccdir/daemon/tools"
	"ccdir/mcpserver"
	"ccdir/worktrees/forge"
)

// openTools starts the MCP server.
func (d *daemon) openTools() error {
	d.callers = callers.New(callers.Options{
		Sessions: d.registry, Journal: d.events, Policy: d.enforcer, Tools: func() callers.Tools { return d.tools.Load() },
		Dir: filepath.Dir(d.o.Paths.SessionDir("x")), Self: cmp.Or(d.o.Self, os.Getpid()), Starter: os.Getpid(), Logger: d.log,
	})
	t, err := tools.Open(tools.Options{
		Store: d.store, Journal: d.events, Sessions: d.registry, Tasks: d.tasks, Enforcer: d.enforcer, Approvals: d.registry, Callers: d.callers,
		Told: d.leads.Told, Config: d.config.Load, Env: d.o.Env, LogDir: d.o.Paths.MCPLogs(), Listener: d.listenMCP(), Docs: d.docs,
		Forge: toolForge{}, Reviews: toolReviews{d.reviews}, Logger: d.log,
	})
	if err == nil {
		d.tools.Store(t)
	}
	return err
}

// toolForge asks the forge of a repository, in the environment of the session that calls.
type toolForge struct{}

func (toolForge) Issue(ctx context.Context, dir string, env []string, number int) (out mcpserver.ForgeIssue, err error) {
	f, err := forge.Find(ctx, dir, env)
	if err != nil {
		return out, err
	}
	i, err := f.Issue(ctx, number)
	return mcpserver.ForgeIssue(i), err
}

func (toolForge) PullRequest(ctx context.Context, dir string, env []string, branch string) (pr api.PullRequest, known bool, err error) {
	f, err := forge.Find(ctx, dir, env)
	if err != nil {
		return pr, false, err
	}
	return f.View(ctx, branch)
}

// toolReviews are the reviews as tools see them.
type toolReviews struct{ *reviews.Reviews }

// Comment implements mcpserver.Reviews.
func (r toolReviews) Comment(ctx context.Context, author, ref string, n api.NewComment, may func(path string) bool) (api.ReviewComment, error) {
	return r.Reviews.Comment(ctx, ref, n, reviews.Said{Author: author, May: may})
}

// listenMCP opens the loopback address of mcp.listen; nil: none. A failure is an event and
// does not end the daemon.
func (d *daemon) listenMCP() net.Listener {
	address := d.config.Load().MCP.Listen
	if address == "" {
		return nil
	}
	l, err := net.Listen("tcp", address)
	if err == nil && !access.IsLoopback(l.Addr()) {
		l.Close()
		err = fmt.Errorf("%s is no loopback address", l.Addr())
	}
	if err != nil {
		d.note(api.EventConfigError, fmt.Sprintf("mcp.listen: %v: MCP is not served there", err))
		return nil
	}
	d.log.Info("MCP is served", "address", l.Addr().String())
	return access.NewTCPListener(l, d.log)
}

// atStop is tools.Server.AtStop, also before the tools are there.
func (d *daemon) atStop(ctx context.Context, session string, again bool) string {
	if t := d.tools.Load(); t != nil {
		return t.AtStop(ctx, session, again)
	}
	return ""
}
