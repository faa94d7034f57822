package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"ccdir/internal/contain"
)

// lossyPause delays a result after a notification on transports where the library would
// otherwise drop the notification (mcp-go, issue 969).
const lossyPause = 5 * time.Millisecond

// perform runs one call and fills in its record.
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
	r := &request{peer: p, server: s, req: req, began: call.Started}
	if !t.waits {
		leave, err := r.enter(ctx)
		if err != nil {
			return fail("cancelled", err.Error())
		}
		defer leave()
	}
	if ctx.Err() != nil {
		return fail("cancelled", "cancelled before it began")
	}
	if reason := r.refused(ctx, call); reason != "" {
		return fail("denied", reason)
	}
	out, err := s.timed(ctx, t, r, call.Input)
	if p.lossyTransport && r.notified.Load() {
		time.Sleep(lossyPause) // nothing signals that the notification was sent
	}
	var invalid *invalidError
	switch {
	case errors.As(err, &invalid):
		return fail("invalid", err.Error())
	case err != nil && ctx.Err() != nil:
		return fail("cancelled", err.Error())
	case err != nil:
		return fail("error", err.Error())
	}
	if call.Output, err = json.Marshal(out); err != nil {
		return fail("error", err.Error())
	}
	call.Outcome = "ok"
	if o, ok := out.(interface {
		outcome() (outcome, message string)
	}); ok {
		call.Outcome, call.Message = o.outcome()
	}
	return mcp.NewToolResultStructured(out, string(call.Output))
}

// enter waits for one of the session's slots; leave releases it.
func (r *request) enter(ctx context.Context) (leave func(), err error) {
	free := r.peer.slots.free
	leave = func() { <-free }
	select {
	case free <- struct{}{}:
		return leave, nil
	default:
	}
	defer r.reportRunning(ctx, "waits for other calls of this session")()
	select {
	case free <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, errors.New("cancelled while waiting for other calls of this session")
	}
}

// refused asks the Decider, which may ask the user; meanwhile the client gets progress,
// so that it does not time out. "" means allowed.
func (r *request) refused(ctx context.Context, call *Call) string {
	if r.server.opts.Decider == nil {
		return ""
	}
	defer r.reportRunning(ctx, "waits for permission")()
	d := r.server.opts.Decider.Decide(ctx, r.peer.caller, Use{call.Tool, call.Input, call.ToolUseID})
	if !d.Allow {
		return "not allowed: " + d.Reason
	}
	r.reads = d.Reads
	return ""
}

// timed runs a tool, within its time limit unless the tool keeps that itself, and
// reports progress every second.
func (s *Server) timed(ctx context.Context, t tool, r *request, input json.RawMessage) (any, error) {
	if t.timed && !t.waits {
		return t.run(ctx, r, input)
	}
	limit := defaultTime
	if s.opts.Timeout != nil {
		if d := s.opts.Timeout(t.tool.Name); d > 0 {
			limit = d
		}
	}
	if !t.waits {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s took longer than %s", t.tool.Name, limit))
		defer cancel()
	}
	defer r.reportRunning(ctx, t.tool.Name)()
	out, err := t.run(ctx, r, input)
	if err != nil && !t.waits && errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(ctx)
	}
	return out, err
}

// reportRunning reports progress every second until the returned function is called; none is
// sent after that.
func (r *request) reportRunning(ctx context.Context, what string) (stop func()) {
	if r.req.Params.Meta == nil || r.req.Params.Meta.ProgressToken == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	contain.Go(nil, func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.progress(ctx, what)
			case <-end:
				return
			}
		}
	})
	return func() { close(end); <-ended }
}

// toolUseID is the id by which Claude Code names the call in its hooks.
func toolUseID(req mcp.CallToolRequest) string {
	if req.Params.Meta == nil {
		return ""
	}
	id, _ := req.Params.Meta.AdditionalFields["claudecode/toolUseId"].(string)
	return id
}
