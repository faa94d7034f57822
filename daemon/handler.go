package daemon

import (
	"context"
	"net/http"
	"time"

	"ccdir/api"
	"ccdir/daemon/httpapi"
	"ccdir/daemon/page"
	"ccdir/hooks"
	"ccdir/web"
)

// apiHandler is the handler of the API.
type apiHandler struct{ http.Handler }

// handler puts the API together.
func (d *daemon) handler() *apiHandler {
	endpoint := hooks.NewEndpoint(d.registry, func() time.Time { return time.Now().UTC() })
	endpoint.Check = d.callers.HookOf
	return &apiHandler{Handler: httpapi.New(httpapi.Deps{
		Env:      d.o.Env,
		Alarms:   d.alarms,
		Sessions: d.registry, Log: logView{d.events}, Hook: endpoint, Approvals: d.registry, Grid: d.grid, Past: d.past,
		Keys: d.store, Pause: d.o.Pause, MCP: d.tools.Load(), Messages: d.tools.Load().PersonMessages(),
		Policy: policyView{d}, Ledger: d.store, Callers: d.callers, Insiders: d.callers,
		Agents: d.agents, Accounts: d.accounts, Directories: d.repositories.Directories, Repos: d.repositories.Repos,
		Tasks: d.tasks, History: d.history, Conversations: d.conversations, Pending: d.pending, Schedules: d.schedules, Reactions: d.reactions, Watches: d.watches, Reviews: d.reviews,
		Worktrees: d.repositories, Docs: docsView{d}, Usage: usageView{d}, Web: d.page,
		Config: func() any { return d.config.Load() }, Process: d.processUse,
		Shutdown: func(stop api.Stop) {
			select {
			case d.stop <- stop:
			default: // a stop was requested before
			}
		},
		Logger: d.log,
	})}
}

// newPage returns the page in the browser, with the daemon's rooms.
func (d *daemon) newPage() *page.Page {
	return page.New(page.Options{
		Paths: d.o.Paths, UID: d.o.UID, Env: d.o.Env, Shim: d.o.Shim, Config: d.config.Load,
		Registry: d.registry, Journal: d.events, Reviews: d.reviews, Callers: d.callers, Alarms: d.alarms,
		Offers: func(ctx context.Context) ([]api.AgentInfo, []api.Directory, error) {
			dirs, err := d.repositories.Directories(ctx)
			return d.agents(""), dirs, err
		},
		Note:   d.note,
		Shown:  web.Deps{Conversations: d.conversations, Pending: d.pending, Ledger: d.store, Queue: d.tasks, Trees: d.repositories, Usage: usageView{d}, Past: d.history},
		Logger: d.log,
	})
}
