// Package mcpserver gives agents their tools over the Model Context Protocol:
// what a project is, compile, test, run, format, lint, type check, and files.
//
// One Server serves any number of connections (Serve), each a session of its
// own with one Caller. Both eras of the protocol are spoken: server/discover
// (2026-07-28) and initialize (2025-11-25). Before every call stands the
// caller's role, then the Decider, then the check of the arguments; a panic in
// a tool is an error of that call. What the model must read is in
// structuredContent; a failing build is a result, an impossible call an error
// whose text says what to do.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ccdir/mcpserver/files"
)

// Caller is who is at the other end of a connection, as the daemon knows it.
type Caller struct {
	// Session is the id of the session; "" for a guest.
	Session string
	// Role decides which tools there are: "lead", "dev", "guest" or another.
	Role string
	// Dir is the absolute directory of the session: the default project.
	Dir string
	// Allowed are other absolute directories that tools may work in.
	Allowed []string
	// Env is the environment of commands, KEY=VALUE.
	Env []string
}

// Decision is a Decider's.
type Decision struct {
	Allow  bool
	Reason string
}

// Decider is asked before every call of a tool. It may block as long as ctx.
type Decider interface {
	Decide(ctx context.Context, caller Caller, tool string, input json.RawMessage) Decision
}

// Call is the record of one call, for the event log.
type Call struct {
	Caller    Caller
	Tool      string
	ToolUseID string // as the agent names the call in its hooks; "" if it didn't
	Input     json.RawMessage
	Started   time.Time
	Duration  time.Duration
	// Outcome is ok, error, denied, invalid or panic.
	Outcome string
	Message string
}

// Options of a Server.
type Options struct {
	Version string
	// LogDir keeps the full output of commands; it must exist, mode 0700.
	LogDir string
	// KeepLogs is how many of them are kept; 0 is 200.
	KeepLogs int
	// Decider may be nil: what the role has is allowed.
	Decider Decider
	// Audit is called after each call, from several goroutines; nil: not.
	Audit func(Call)
	// RoleTools names the tools of a role; nil, or a nil result, is all.
	RoleTools func(role string) []string
	// MaxCalls bounds the calls of one connection that run at once; 0 is 8.
	MaxCalls int
}

// Server holds the tools. Its methods may be called from several goroutines.
type Server struct {
	opts  Options
	mcp   *server.MCPServer
	tools []mcp.Tool
	ids   atomic.Int64
	logs  logKeeper
}

type callerKey struct{}

// peer is a connection's part of the context of its calls.
type peer struct {
	caller Caller
	space  *files.Space
	slots  chan struct{}
}

func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(callerKey{}).(*peer)
	return p
}

// New makes a Server.
func New(opts Options) *Server {
	if opts.MaxCalls <= 0 {
		opts.MaxCalls = 8
	}
	if opts.KeepLogs <= 0 {
		opts.KeepLogs = 200
	}
	s := &Server{opts: opts, logs: logKeeper{dir: opts.LogDir, keep: opts.KeepLogs}}
	s.mcp = server.NewMCPServer("ccdir", opts.Version,
		server.WithToolCapabilities(false),
		server.WithLogging(),
		server.WithStrictInputSchemaDefault(),
		server.WithToolFilter(s.filter),
		server.WithInstructions("Tools of this project: use compile, test, lint and format instead of a shell; they return diagnostics with file and line."))
	for _, t := range allTools() {
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
	if s.opts.RoleTools == nil {
		return tools
	}
	names := s.opts.RoleTools(p.caller.Role)
	if names == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return !slices.Contains(names, t.Name) })
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

func (s *Server) perform(ctx context.Context, p *peer, t tool, req mcp.CallToolRequest, call *Call) (res *mcp.CallToolResult) {
	fail := func(outcome, text string) *mcp.CallToolResult {
		call.Outcome, call.Message = outcome, text
		return mcp.NewToolResultError(text)
	}
	defer func() {
		if r := recover(); r != nil {
			res = fail("panic", fmt.Sprintf("%s failed inside ccdir: %v; this is a fault of ccdir, other tools still work", call.Tool, r))
		}
	}()
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return fail("error", "cancelled while waiting for other calls of this session")
	}
	if s.opts.Decider != nil {
		if d := s.opts.Decider.Decide(ctx, p.caller, call.Tool, call.Input); !d.Allow {
			return fail("denied", "not allowed: "+d.Reason)
		}
	}
	out, err := t.run(ctx, &request{peer: p, server: s, req: req}, call.Input)
	var invalid *invalidError
	switch {
	case errors.As(err, &invalid):
		return fail("invalid", err.Error())
	case err != nil:
		return fail("error", err.Error())
	}
	text, err := json.Marshal(out)
	if err != nil {
		return fail("error", err.Error())
	}
	call.Outcome = "ok"
	return mcp.NewToolResultStructured(out, string(text))
}

// toolUseID is how Claude Code names the call in its hooks.
func toolUseID(req mcp.CallToolRequest) string {
	if req.Params.Meta == nil {
		return ""
	}
	id, _ := req.Params.Meta.AdditionalFields["claudecode/toolUseId"].(string)
	return id
}
