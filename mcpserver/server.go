// Package mcpserver gives agents their tools over the Model Context Protocol:
// what a project is, compile, test, run, format, lint, type check, files, and
// what agents do together (Control): sessions, queue, messages, questions.
//
// One Server serves any number of connections (Serve), each a session of its
// own with one Caller. Both eras of the protocol are spoken: server/discover
// (2026-07-28) and initialize (2025-11-25). Before every call stand the
// caller's role, the session's slots, the Decider and the check of the arguments,
// in this order; a panic in a tool is an error of that call. Calls run beside one
// another: those beyond MaxCalls of a session wait, those beyond maxRequests of a
// connection are refused, and a client that does not read loses its connection.
// Every call that the role allows is told to Audit, whatever came of it. What the model must read is in
// structuredContent; a failing build is a result, an impossible call an error
// whose text says what to do.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Decision is a Decider's.
type Decision struct {
	Allow  bool
	Reason string
	// Reads reports whether a search may show what is in a file, by its absolute path;
	// nil: in every file.
	Reads func(path string) bool
}

// Use is a call that is to be decided.
type Use struct {
	Tool  string
	Input json.RawMessage
	// ID is the agent's id of the call, "" if it didn't say.
	ID string
}

// Decider is asked before every call of a tool. It may block as long as ctx.
type Decider interface {
	Decide(ctx context.Context, caller Caller, use Use) Decision
}

// Call is the record of one call, for the event log.
type Call struct {
	Caller    Caller
	Tool      string
	ToolUseID string // as the agent names the call in its hooks; "" if it didn't
	// Input is as it came: see redact.JSON.
	Input    json.RawMessage
	Started  time.Time
	Duration time.Duration
	// Outcome is ok, failed (a command did), error, denied, invalid, cancelled or
	// panic.
	Outcome string
	Message string
	// Output is the result's structured content; nil if there is none.
	Output json.RawMessage
}

// Options of a Server.
type Options struct {
	Version string
	// LogDir keeps the full output of commands; it must exist, mode 0700.
	LogDir string
	// KeepLogs is how many of them are kept; nil or 0 is 200.
	KeepLogs func() int
	// Decider may be nil: what the role has is allowed.
	Decider Decider
	// Audit is called after each call, from several goroutines; nil: not.
	Audit func(Call)
	// RoleTools names the tools and groups of a role; nil, or a nil result, stands
	// for those of the built-in role.
	RoleTools func(role string) []string
	// MaxCalls bounds the calls of one session that run at once; nil or 0 is 8.
	MaxCalls func() int
	// Timeout is how long a call of the tool may take if it doesn't say; nil or 0
	// is what the tool has by itself.
	Timeout func(tool string) time.Duration
	// Control is what the tools of coordination work on. What is nil has no tools.
	Control Control
}

// Server holds the tools. Its methods may be called from several goroutines.
type Server struct {
	opts  Options
	mcp   *server.MCPServer
	tools []mcp.Tool
	ids   atomic.Int64
	logs  logKeeper

	guests *budget // of all callers that are no session

	mu    sync.Mutex
	slots map[string]*slots
}

// New makes a Server.
func New(opts Options) *Server {
	keep := func() int {
		if opts.KeepLogs != nil {
			if n := opts.KeepLogs(); n > 0 {
				return n
			}
		}
		return defaultLogs
	}
	s := &Server{opts: opts, guests: &budget{most: maxUnderWay}, slots: map[string]*slots{}, logs: logKeeper{dir: opts.LogDir, keep: keep, owner: map[string]string{}, using: map[string]bool{}}}
	s.logs.adopt(time.Now())
	s.mcp = server.NewMCPServer("ccdir", opts.Version,
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithLogging(),
		server.WithStrictInputSchemaDefault(),
		server.WithToolFilter(s.filter),
		server.WithInstructions("Tools of this project: use compile, test, lint and format instead of a shell; they return diagnostics with file and line."))
	s.addLogs()
	for _, t := range allTools(opts.Control) {
		s.tools = append(s.tools, t.tool)
		s.mcp.AddTool(t.tool, s.handler(t))
	}
	return s
}

// Tools are the definitions of all tools.
func (s *Server) Tools() []mcp.Tool { return slices.Clone(s.tools) }

// filter is applied to lists and to calls.
func (s *Server) filter(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	p := peerOf(ctx)
	if p == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return !s.May(p.caller.Role, t.Name) })
}

// handler is what stands around every tool.
func (s *Server) handler(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		p := peerOf(ctx)
		if p == nil {
			return nil, errors.New("no caller")
		}
		input, err := json.Marshal(req.GetRawArguments())
		if err != nil || string(input) == "null" {
			input = json.RawMessage("{}")
		}
		call := Call{Caller: p.caller, Tool: t.tool.Name, ToolUseID: toolUseID(req), Input: input, Started: time.Now()}
		res := s.perform(ctx, p, t, req, &call)
		call.Duration = time.Since(call.Started)
		if s.opts.Audit != nil {
			s.opts.Audit(call)
		}
		return res, nil
	}
}
