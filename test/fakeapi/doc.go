// Package fakeapi is a scripted replacement for the endpoints that agent CLIs stream their
// answers from, for tests: the Messages API as Claude Code 2.1 uses it (POST /v1/messages), the
// Gemini API as Gemini CLI 0.61 does (:streamGenerateContent), the Responses API as Codex 0.169
// does, and chat completions as opencode 1.18 does. One script serves all.
//
// A test decides every answer by a Script, and by channels when each part of it is sent:
// nothing here waits for time to pass. Every request is kept.
package fakeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Request is one request of the agent, decoded as far as scripts need.
type Request struct {
	// N counts requests from 1.
	N int
	// Session is the header X-Claude-Code-Session-Id.
	Session string
	Model   string
	// Prompt is the text of the last user message, without system reminders and marks
	// of interruption; "" after a tool's result.
	Prompt string
	// Results are the texts of the tool results in the last message, by tool use id.
	Results map[string]string
	// System is the text of the system prompt, Tools the names of the tools.
	System string
	Tools  []string
	// Safeguards: auto mode asks for a verdict on the tools of the answer.
	Safeguards bool
	Body       json.RawMessage
}

// Main reports whether the request is a turn of the conversation and not one of the
// CLI's own (titles, summaries of topics), which have no tools.
func (r Request) Main() bool { return len(r.Tools) > 0 }

// Block is one block of an answer: Text, Thinking, or a use of a Tool.
type Block struct {
	Text string
	// Thinking is what the model thought, in a block of its own.
	Thinking string
	Tool     string
	Input    any
	// ID is the tool use id; "" generates one.
	ID string
	// Wait delays the block until it is closed; nil does not.
	Wait <-chan struct{}
}

// Reply is one answer.
type Reply struct {
	// Status other than 0 and 200 is an error of that type with that message.
	Status        int
	Type, Message string
	// Header are further headers, as retry-after of an error or the limits of an account.
	Header http.Header
	Blocks []Block
	// Wait delays the whole answer until it is closed.
	Wait <-chan struct{}
	// End delays the end of the stream until it is closed.
	End <-chan struct{}
	// Flag makes auto mode's verdict on the tools "flagged"; NoVerdict leaves it
	// out.
	Flag, NoVerdict bool
	// InputTokens is the reported size of the conversation; 0 is 10.
	InputTokens int
	// Stop is the reason for the end; "" is end_turn, or tool_use after a tool.
	Stop string
}

// Text is a reply of one text.
func Text(s string) Reply { return Reply{Blocks: []Block{{Text: s}}} }

// Tool is a reply that uses one tool.
func Tool(name string, input any) Reply {
	return Reply{Blocks: []Block{{Tool: name, Input: input}}}
}

// Error is a failure with the API's usual type for the status.
func Error(status int, message string) Reply {
	kinds := map[int]string{400: "invalid_request_error", 401: "authentication_error",
		429: "rate_limit_error", 529: "overloaded_error"}
	kind := kinds[status]
	if kind == "" {
		kind = "api_error"
	}
	return Reply{Status: status, Type: kind, Message: message}
}

// Script decides the answer to a request. It runs on the request's goroutine and may
// block until ctx, the request's, ends.
type Script func(ctx context.Context, r Request) Reply

// Server is the fake API. Make one with New; Close it.
type Server struct {
	http *httptest.Server

	mu       sync.Mutex
	script   Script
	requests []Request
	arrived  chan struct{} // closed and replaced at each request
	tools    int
}

// New starts a server that gives every request the answer of script; nil is
// Echo.
func New(script Script) *Server {
	if script == nil {
		script = Echo
	}
	s := &Server{script: script, arrived: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Echo answers with the prompt's text, and "Done." to a tool's result.
func Echo(_ context.Context, r Request) Reply {
	if len(r.Results) > 0 {
		return Text("Done.")
	}
	return Text("You said: " + r.Prompt)
}

// Close ends all answers in flight and the server.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is the base for ANTHROPIC_BASE_URL.
func (s *Server) URL() string { return s.http.URL }

// Requests are all requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Heard reports whether a request so far had the text.
func (s *Server) Heard(text string) bool {
	return slices.ContainsFunc(s.Requests(), func(r Request) bool { return bytes.Contains(r.Body, []byte(text)) })
}

// Await blocks until there is a matching request, which may have come before.
func (s *Server) Await(ctx context.Context, fits func(Request) bool) (Request, error) {
	seen := 0
	for {
		s.mu.Lock()
		list, arrived := s.requests, s.arrived
		s.mu.Unlock()
		for ; seen < len(list); seen++ {
			if fits(list[seen]) {
				return list[seen], nil
			}
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return Request{}, ctx.Err()
		}
	}
}

// Turns is a script that answers the prompts and tool results of the
// conversation with the replies in order, then, like all other requests, with
// Echo.
func Turns(replies ...Reply) Script {
	var mu sync.Mutex
	return func(ctx context.Context, r Request) Reply {
		if r.Main() {
			mu.Lock()
			defer mu.Unlock()
			if len(replies) > 0 {
				next := replies[0]
				replies = replies[1:]
				return next
			}
		}
		return Echo(ctx, r)
	}
}

// waitForServers is Claude Code's tool that waits for the MCP servers that still connect.
const waitForServers = "WaitForMcpServers"

// Connected is a script for conversations that use the tools of MCP servers: where a busy machine has not
// connected one when a conversation begins, the model waits for it, and script sees the prompt after that.
func Connected(script Script) Script {
	var mu sync.Mutex
	began := map[string]Request{} // by conversation: what is kept until the servers are there
	return func(ctx context.Context, r Request) Reply {
		if !r.Main() {
			return script(ctx, r)
		}
		mu.Lock()
		first, waited := began[r.Session]
		wait := !waited && slices.Contains(r.Tools, waitForServers) &&
			!slices.ContainsFunc(r.Tools, func(tool string) bool { return strings.HasPrefix(tool, "mcp__") })
		began[r.Session] = Request{}
		if wait {
			began[r.Session] = r
		}
		mu.Unlock()
		if wait {
			return Tool(waitForServers, map[string]any{})
		}
		if first.Prompt != "" {
			r.Prompt, r.Results = first.Prompt, first.Results
		}
		return script(ctx, r)
	}
}

// ignorable reports whether a text of a user message was inserted by the CLI.
func ignorable(text string) bool {
	t := strings.TrimSpace(text)
	return t == "" || strings.HasPrefix(t, "<system-reminder>") || strings.HasPrefix(t, "[Request interrupted")
}
