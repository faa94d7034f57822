package tools

import (
	"context"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/mcpserver"
	"ccdir/wire"
)

// toolSessions joins the tools with the registry.
type toolSessions struct{ s *Server }

func (c toolSessions) List() []api.Session { return c.s.o.Journal.Sessions() }

func (c toolSessions) Get(ctx context.Context, ref string) (api.Session, error) {
	return c.s.o.Sessions.Get(ctx, ref)
}

func (c toolSessions) Output(ctx context.Context, ref string, history bool) (string, error) {
	out, err := c.s.o.Sessions.Buffer(ctx, ref, wire.OutputParams{Format: wire.FormatText, Scrollback: history})
	return out.Text, err
}

// Spawn starts an agent with the environment of the calling session, and a role that
// mcp.spawn_roles names: others could do more than the caller.
// Only configured agents can be started: the model cannot give a command.
func (c toolSessions) Spawn(ctx context.Context, caller mcpserver.Caller, n api.NewSession) (api.Session, error) {
	c.s.spawning.Lock()
	defer c.s.spawning.Unlock()
	if n.Role == "" {
		n.Role = api.RoleDev
	}
	if roles := c.s.o.Config().MCP.SpawnRoles; !slices.Contains(roles, n.Role) {
		return api.Session{}, api.Errorf(api.CodeForbidden, "a lead may start sessions of the roles %s: mcp.spawn_roles in config.toml has them", strings.Join(roles, ", "))
	}
	limit, running := c.s.o.Config().MCP.SpawnLimit, 0
	for _, s := range c.List() {
		if s.Parent == caller.Session && !s.State.Ended() {
			running++
		}
	}
	if caller.Session == "" || running >= limit {
		return api.Session{}, api.Errorf(api.CodeLimit, "%d sessions that you started run already: stop one, or have mcp.spawn_limit raised in config.toml", running)
	}
	n.Argv, n.Parent, n.Env = nil, caller.Session, caller.Env
	// Cancelling the call does not interrupt the start.
	return c.s.o.Sessions.Create(context.WithoutCancel(ctx), n)
}

func (c toolSessions) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	return c.s.o.Sessions.Send(ctx, ref, p)
}

func (c toolSessions) Wait(ctx context.Context, ref string, ok func(api.Session) bool) (api.Session, error) {
	return c.s.o.Journal.Wait(ctx, ref, ok)
}

func (c toolSessions) Stop(ctx context.Context, ref string, force bool) (api.Session, error) {
	return c.s.o.Sessions.Kill(ctx, ref, api.Kill{Force: force})
}

func (c toolSessions) Progress(ctx context.Context, session, text string) error {
	return c.s.o.Sessions.Progress(ctx, session, text)
}

// toolTasks joins the tools with the queue.
type toolTasks struct{ tasks Tasks }

// Add adds a task with the environment of the calling session.
func (c toolTasks) Add(ctx context.Context, caller mcpserver.Caller, n api.NewTask) (api.Task, error) {
	n.Env, n.Sandbox = caller.Env, caller.Walls.Profile
	list, err := c.tasks.Add(ctx, []api.NewTask{n})
	if err != nil {
		return api.Task{}, err
	}
	return list[0], nil
}

func (c toolTasks) List(ctx context.Context) ([]api.Task, error) { return c.tasks.Tasks(ctx) }

func (c toolTasks) Get(ctx context.Context, ref string) (api.Task, error) {
	return c.tasks.Task(ctx, ref)
}
