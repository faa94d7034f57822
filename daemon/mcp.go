package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/mailbox"
	"ccdir/mcpserver"
)

// tools is the daemon's MCP server with what belongs to it. Made by openTools,
// ended by close.
type tools struct {
	d      *daemon
	server *mcpserver.Server
	http   *mcpserver.HTTP
	// tcp is Streamable HTTP on a loopback address, nil if not configured.
	tcp     *mcpserver.HTTP
	tcpHTTP *http.Server
	box     *mailbox.Box
	audit   *audit
	// dialogs are the calls that agents' hooks announced.
	dialogs *dialogs
	// spawning is held while a session is started for an agent, so that its
	// limit holds.
	spawning sync.Mutex

	ctx    context.Context
	cancel context.CancelFunc
	// wg counts connections and goroutines; mu guards closing.
	wg     sync.WaitGroup
	mu     sync.Mutex
	closed bool
}

// openTools makes the server; nobody can reach it yet.
func (d *daemon) openTools() (*tools, error) {
	logs := d.o.Paths.MCPLogs()
	if err := errors.Join(os.MkdirAll(logs, 0o700), os.Chmod(logs, 0o700)); err != nil {
		return nil, fmt.Errorf("cannot make the directory of commands' output: %w", err)
	}
	t := &tools{d: d}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.audit = newAudit(d)
	t.dialogs = newDialogs()
	t.box = mailbox.New(mailbox.Options{Store: d.store, Resolve: d.registry.Get, Told: d.tellMessage, Nudge: d.nudge, Logger: d.log})
	d.box.Store(t.box)
	t.server = mcpserver.New(mcpserver.Options{
		Version: api.Version, LogDir: logs, Audit: t.audit.take,
		Decider:   toolPolicy{t},
		KeepLogs:  func() int { return d.config.Load().MCP.KeepLogs },
		MaxCalls:  func() int { return d.config.Load().MCP.MaxCalls },
		Timeout:   func(tool string) time.Duration { return d.config.Load().MCP.TimeoutOf(tool) },
		RoleTools: func(role string) []string { return d.config.Load().MCP.Roles[role] },
		Control: mcpserver.Control{Sessions: toolSessions{t}, Messages: toolMessages{t}, Asker: toolAsker{d}, Past: toolPast{d},
			Tasks: toolTasks{d.tasks}},
	})
	t.http = t.server.HTTP(t.byToken, false)
	t.wg.Go(func() { t.box.Run(t.ctx) })
	t.wg.Go(t.watch)
	t.listen()
	return t, nil
}

// watch tells the mailboxes of the sessions' states.
func (t *tools) watch() {
	w := t.d.events.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(t.ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			if m.Session != nil {
				t.box.Changed(*m.Session)
			}
			if m.Removed != "" {
				t.box.Gone(m.Removed)
			}
			if m.Event != nil {
				t.dialogs.note(*m.Event)
			}
			if m.Snapshot != nil {
				for _, s := range m.Snapshot.Sessions {
					t.box.Changed(s)
				}
			}
		}
	}
}

// ServeHTTP is api.MCPPath on the daemon's socket, whose peers were checked.
func (t *tools) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), api.UpgradeMCP) {
		t.counted(t.http.ServeHTTP).ServeHTTP(w, r)
		return
	}
	t.counted(func(w http.ResponseWriter, r *http.Request) {
		peer := r.Context()
		who := func(ctx context.Context, pre mcpserver.Preamble) (mcpserver.Caller, error) {
			if pre.Token == "" {
				if err := t.d.callers.guest(peer); err != nil {
					return mcpserver.Caller{}, err
				}
			}
			who, err := t.identify(ctx, pre)
			if err == nil {
				err = t.d.callers.holder(peer, who)
			}
			return who, err
		}
		if err := t.server.ServeUpgrade(t.ctx, w, who); err != nil {
			t.d.log.Warn("an MCP connection ended", "error", err)
		}
	}).ServeHTTP(w, r)
}

// counted has close wait for the handler: the HTTP server doesn't, for
// connections that were taken over, and for others only for a while.
func (t *tools) counted(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t.mu.Lock()
		if t.closed {
			t.mu.Unlock()
			http.Error(w, "the daemon is stopping", http.StatusServiceUnavailable)
			return
		}
		t.wg.Add(1)
		t.mu.Unlock()
		defer t.wg.Done()
		next(w, r)
	}
}

// identify says who a bridge speaks for.
func (t *tools) identify(ctx context.Context, pre mcpserver.Preamble) (mcpserver.Caller, error) {
	if pre.Token == "" {
		dir := filepath.Clean(pre.Dir)
		if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
			return mcpserver.Caller{}, fmt.Errorf("the directory %.200q is not there: start the agent in one that is", pre.Dir)
		}
		return mcpserver.Caller{Role: api.RoleGuest, Dir: dir, Env: t.d.o.Env}, nil
	}
	return t.caller(ctx, pre.Session, pre.Token)
}

// byToken says who calls over HTTP. A session's token is of no use to the processes of
// another one, as with the bare connection.
func (t *tools) byToken(ctx context.Context, token string) (mcpserver.Caller, error) {
	who, err := t.caller(ctx, "", token)
	if err == nil {
		err = t.d.callers.holder(ctx, who)
	}
	return who, err
}

// caller is the session of a token.
func (t *tools) caller(ctx context.Context, session, token string) (mcpserver.Caller, error) {
	who, err := t.d.registry.Identify(ctx, session, token)
	if err != nil {
		return mcpserver.Caller{}, err
	}
	s := who.Session
	return mcpserver.Caller{Session: s.ID, Name: s.Name, Role: s.Role, Dir: s.CWD, Env: who.Env,
		Allowed: t.d.config.Load().MCP.AllowedPaths}, nil
}

// close ends calls and connections and waits for them, then for the records.
func (t *tools) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.cancel()
	if t.tcpHTTP != nil {
		_ = t.tcpHTTP.Close()
		t.tcp.Close()
	}
	t.http.Close()
	t.wg.Wait()
	t.audit.close()
}
