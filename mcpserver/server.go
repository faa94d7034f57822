// Package mcpserver serves agents their tools over the Model Context Protocol: project info,
// compile, test, run, format, lint, type check, files, and coordination (Control): sessions,
// queue, messages, questions.
//
// One Server serves any number of connections (Serve), each a session of its own with one
// Caller. Both eras of the protocol are supported: server/discover (2026-07-28) and
// initialize (2025-11-25). Every call passes the caller's role, the session's slots, the
// Decider and the check of the arguments, in this order; a panic in a tool becomes an error
// of that call.
//
// Contract: calls run concurrently. Calls beyond MaxCalls of a session wait, requests beyond
// maxRequests of a connection are refused, and a client that does not read loses its
// connection. Audit gets every call that the role allows, whatever its outcome. The model's
// part of a result is its structuredContent; a failing build is a result, an impossible call
// an error whose text says what to do.
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

// Decision is the answer of a Decider.
type Decision struct {
	Allow  bool
	Reason string
	// Reads reports whether a search may show the content of a file, by its absolute
	// path; nil: of every file.
	Reads func(path string) bool
}

// Use is a call for the Decider.
type Use struct {
	Tool  string
	Input json.RawMessage
	// ID is the agent's id of the call, "" if it sent none.
	ID string
}

// Decider is asked before every tool call. It may block until ctx ends.
type Decider interface {
	Decide(ctx context.Context, caller Caller, use Use) Decision
}

// Call is the record of one call, for the event log.
type Call struct {
	Caller    Caller
	Tool      string
	ToolUseID string // the agent's id of the call in its hooks; "" if unknown
	// Input are the arguments as received: see redact.JSON.
	Input    json.RawMessage
	Started  time.Time
	Duration time.Duration
	// Outcome is ok, failed (the tool's command failed), error, denied, invalid,
	// cancelled or panic.
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
	// KeepLogs is how many logs are kept; nil or 0 is 200.
	KeepLogs func() int
	// Decider may be nil: every tool of the role is allowed.
	Decider Decider
	// Audit is called after each call, concurrently; nil: no record.
	Audit func(Call)
	// Listed is called after a caller on a connection was answered the list of its tools,
	// concurrently; nil: nobody is told.
	Listed func(Caller)
	// RoleTools returns the tools and groups of a role; nil, or a nil result, means
	// those of the built-in role.
	RoleTools func(role string) []string
	// MaxCalls bounds the calls of one session in flight; nil or 0 is 8.
	MaxCalls func() int
	// Timeout is the time limit of a tool whose call sets none; nil or 0 is the tool's
	// own.
	Timeout func(tool string) time.Duration
	// Control is the interface of the coordination tools. A nil part has no tools.
	Control Control
}

// Server holds the tools. Safe for concurrent use.
type Server struct {
	opts  Options
	mcp   *server.MCPServer
	tools []mcp.Tool
	ids   atomic.Int64
	logs  logKeeper

	runs   *runs
	guests *budget // of all callers without a session

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
	s := &Server{opts: opts, runs: newRuns(), guests: &budget{most: maxUnderWay}, slots: map[string]*slots{}, logs: logKeeper{dir: opts.LogDir, keep: keep, owner: map[string]string{}, using: map[string]bool{}}}
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

// filter drops the tools that the caller's role lacks, from lists and for calls.
func (s *Server) filter(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	p := peerOf(ctx)
	if p == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return !s.May(p.caller.Role, t.Name) })
}

// handler wraps every tool with the checks and the record.
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
