package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/daemon/mailbox"
	"ccdir/daemon/store"
	"ccdir/internal/contain"
	"ccdir/mcpserver"
	"ccdir/sessions"
	"ccdir/wire"
)

// Store keeps messages and the results of tools: daemon/store.
type Store interface {
	mailbox.Store
	Results(ctx context.Context, q store.ResultQuery) ([]store.ResultRow, error)
	// ResultsAfter returns the results of a session that follow one.
	ResultsAfter(ctx context.Context, session string, id int64, limit int) ([]store.ResultRow, error)
	// AddResults adds rows, and deletes the oldest beyond keep.
	AddResults(rows []store.ResultRow, keep int) error
}

// Sessions are the sessions that tools act on: sessions.Registry.
type Sessions interface {
	// Caller returns a session as the policy sees it.
	Caller(ctx context.Context, ref string) (api.Caller, error)
	// Identify returns the session of a token.
	Identify(ctx context.Context, id, token string) (sessions.Identity, error)
	Get(ctx context.Context, ref string) (api.Session, error)
	Create(ctx context.Context, n api.NewSession) (api.Session, error)
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	Buffer(ctx context.Context, ref string, p wire.OutputParams) (wire.OutputResult, error)
	Kill(ctx context.Context, ref string, k api.Kill) (api.Session, error)
	Progress(ctx context.Context, session, text string) error
	// ToolsListed is told that the agent of a session has been sent the list of its tools.
	ToolsListed(ctx context.Context, session string)
}

// Tasks is the queue: daemon/queue.
type Tasks interface {
	Add(ctx context.Context, list []api.NewTask) ([]api.Task, error)
	Tasks(ctx context.Context) ([]api.Task, error)
	Task(ctx context.Context, ref string) (api.Task, error)
}

// Enforcer applies the policy: policy/enforce.
type Enforcer interface {
	Use(c api.Caller, u api.ToolUse) api.Verdict
	// Reads returns the test of files that a search may read.
	Reads(c api.Caller, asked bool) func(path string) bool
}

// Approvals holds requests until a person answers: the registry of sessions.
type Approvals interface {
	Hold(ctx context.Context, call string, r api.Request) (api.Decision, error)
}

// Callers recognizes connections from inside sessions.
type Callers interface {
	// Guest refuses a connection without a token that comes from inside a session.
	Guest(ctx context.Context) error
	// Holder refuses a token of another session than the one the connection is from.
	Holder(ctx context.Context, who mcpserver.Caller) error
	// Refused records a refused call.
	Refused(o api.Origin, call, why string)
}

// Options configure a Server.
type Options struct {
	Store     Store
	Journal   *journal.Log
	Sessions  Sessions
	Tasks     Tasks
	Enforcer  Enforcer
	Approvals Approvals
	Callers   Callers
	// Told is called for each durable message, and again for a retry of its call.
	Told func(api.Message)
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// Env is the environment of guests' commands.
	Env []string
	// LogDir is the directory of the full output of commands, made if missing.
	LogDir string
	// Listener accepts MCP over TCP, on a loopback address; nil: none.
	Listener net.Listener
	// Docs looks up documentation.
	Docs mcpserver.Docs
	// Forge asks about issues and pull requests.
	Forge mcpserver.Forge
	// Reviews are comments on sessions' work.
	Reviews mcpserver.Reviews
	Logger  *slog.Logger
}

// Server is the daemon's MCP server: the tools, the mailboxes, and the record of calls.
// Make one with Open, end it with Close.
type Server struct {
	o      Options
	server *mcpserver.Server
	http   *mcpserver.HTTP
	// tcp and tcpHTTP serve Options.Listener; nil without one.
	tcp       *mcpserver.HTTP
	tcpHTTP   *http.Server
	box       *mailbox.Box
	audit     *audit
	announced *announcements
	// spawning is held while an agent starts a session, so that parallel calls do not
	// exceed the limit.
	spawning sync.Mutex

	ctx    context.Context
	cancel context.CancelFunc
	// wg counts connections and goroutines; mu guards closed.
	wg contain.Group
	// calls counts handlers of counted.
	calls  sync.WaitGroup
	mu     sync.Mutex
	closed bool
}

// Open makes the server and serves the TCP listener, if there is one.
func Open(o Options) (*Server, error) {
	if err := errors.Join(os.MkdirAll(o.LogDir, 0o700), os.Chmod(o.LogDir, 0o700)); err != nil {
		return nil, fmt.Errorf("cannot make the directory of commands' output: %w", err)
	}
	s := &Server{o: o, wg: contain.Group{Log: o.Logger}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.audit = newAudit(&s.o)
	s.announced = newAnnouncements()
	s.box = mailbox.New(mailbox.Options{Store: o.Store, Resolve: o.Sessions.Get, Told: s.announce, Nudge: s.nudge, Logger: o.Logger})
	s.server = mcpserver.New(mcpserver.Options{
		Version: api.Version, LogDir: o.LogDir, Audit: s.audit.take,
		Decider:   s,
		Listed:    func(caller mcpserver.Caller) { o.Sessions.ToolsListed(s.ctx, caller.Session) },
		KeepLogs:  func() int { return o.Config().MCP.KeepLogs },
		MaxCalls:  func() int { return o.Config().MCP.MaxCalls },
		Timeout:   func(tool string) time.Duration { return o.Config().MCP.TimeoutOf(tool) },
		RoleTools: func(role string) []string { return o.Config().MCP.Roles[role] },
		Control: mcpserver.Control{Sessions: toolSessions{s}, Messages: toolMessages{s}, Asker: toolAsker{s}, Past: toolPast{s}, Docs: o.Docs, Forge: o.Forge, Reviews: o.Reviews,
			Tasks: toolTasks{o.Tasks}},
	})
	s.http = s.server.HTTP(s.byToken, false)
	s.wg.Keep(s.ctx, s.box.Run)
	s.wg.Keep(s.ctx, func(context.Context) { s.watch() })
	if o.Listener != nil {
		s.serveTCP(o.Listener)
	}
	return s, nil
}

// May reports whether a role has a tool.
func (s *Server) May(role, tool string) bool { return s.server.May(role, tool) }

// Box returns the mailboxes.
func (s *Server) Box() *mailbox.Box { return s.box }

// watch passes published sessions and events to mailboxes and announcements.
func (s *Server) watch() {
	w := s.o.Journal.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(s.ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			if m.Session != nil {
				s.box.Changed(*m.Session)
				if m.Session.State.Ended() {
					s.server.EndSession(m.Session.ID)
				}
			}
			if m.Removed != "" {
				s.box.Gone(m.Removed)
				s.server.EndSession(m.Removed)
			}
			if m.Event != nil {
				s.announced.note(*m.Event)
			}
			if m.Snapshot != nil {
				for _, v := range m.Snapshot.Sessions {
					s.box.Changed(v)
					if v.State.Ended() {
						s.server.EndSession(v.ID)
					}
				}
			}
		}
	}
}

// ServeHTTP serves api.MCPPath on the daemon's socket, whose peers were checked.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), api.UpgradeMCP) {
		s.counted(s.http.ServeHTTP).ServeHTTP(w, r)
		return
	}
	s.counted(func(w http.ResponseWriter, r *http.Request) {
		peer := r.Context()
		who := func(ctx context.Context, pre mcpserver.Preamble) (mcpserver.Caller, error) {
			if pre.Token == "" {
				if err := s.o.Callers.Guest(peer); err != nil {
					return mcpserver.Caller{}, err
				}
			}
			who, err := s.identify(ctx, pre)
			if err == nil {
				err = s.o.Callers.Holder(peer, who)
			}
			return who, err
		}
		if err := s.server.ServeUpgrade(s.ctx, w, who); err != nil {
			s.o.Logger.Warn("an MCP connection ended", "error", err)
		}
	}).ServeHTTP(w, r)
}

// counted makes Close wait for the handler. The HTTP server does not wait for hijacked
// connections, and for others only for a while.
func (s *Server) counted(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			http.Error(w, "the daemon is stopping", http.StatusServiceUnavailable)
			return
		}
		s.calls.Add(1)
		s.mu.Unlock()
		defer s.calls.Done()
		next(w, r)
	}
}

// identify returns the caller that a bridge speaks for.
func (s *Server) identify(ctx context.Context, pre mcpserver.Preamble) (mcpserver.Caller, error) {
	if pre.Token == "" {
		dir := filepath.Clean(pre.Dir)
		if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
			return mcpserver.Caller{}, fmt.Errorf("the directory %.200q is not there: start the agent in one that is", pre.Dir)
		}
		return mcpserver.Caller{Role: api.RoleGuest, Dir: dir, Env: s.o.Env}, nil
	}
	return s.caller(ctx, pre.Session, pre.Token)
}

// byToken returns the caller of an HTTP request. As with the upgraded connection, a
// process cannot use another session's token.
func (s *Server) byToken(ctx context.Context, token string) (mcpserver.Caller, error) {
	who, err := s.caller(ctx, "", token)
	if err == nil {
		err = s.o.Callers.Holder(ctx, who)
	}
	return who, err
}

// caller returns the session of a token.
func (s *Server) caller(ctx context.Context, session, token string) (mcpserver.Caller, error) {
	who, err := s.o.Sessions.Identify(ctx, session, token)
	if err != nil {
		return mcpserver.Caller{}, err
	}
	v := who.Session
	c := mcpserver.Caller{Session: v.ID, Name: v.Name, Role: v.Role, Dir: v.CWD, Env: who.Env,
		Allowed: s.o.Config().MCP.AllowedPaths}
	if c.Walls = (mcpserver.Walls(who.Walls)); c.Walls.Behind != nil {
		c.Allowed = nil
	}
	return c, nil
}

// Close ends calls and connections and waits for them, then for the records.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	if s.tcpHTTP != nil {
		_ = s.tcpHTTP.Close()
		s.tcp.Close()
	}
	s.http.Close()
	s.calls.Wait()
	s.wg.Wait()
	s.server.Close()
	s.audit.close()
}
