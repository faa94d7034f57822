package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// tool is a definition and the function that runs it on checked arguments.
type tool struct {
	tool mcp.Tool
	run  func(ctx context.Context, r *request, input json.RawMessage) (any, error)
	// timed: the tool keeps its time limit itself, and reports progress itself.
	timed bool
	// waits: the tool only waits for others, and takes no slot.
	waits bool
}

// keepsTime marks a tool that has a time limit among its arguments.
func (t tool) keepsTime() tool {
	t.timed = true
	return t
}

// onlyWaits marks a tool that only waits for others, for the time in its arguments.
func (t tool) onlyWaits() tool {
	t.timed, t.waits = true, true
	return t
}

// request is one call in flight.
type request struct {
	peer   *peer
	server *Server
	req    mcp.CallToolRequest
	began  time.Time
	// reads is Decision.Reads.
	reads func(path string) bool
	// notified: a notification was sent to the client.
	notified atomic.Bool
}

// traits become the annotations of a tool.
type traits struct{ reads, destroys, repeats, world bool }

// define makes a tool of a function: the schemas come from its types.
func define[In, Out any](name, description string, t traits, run func(ctx context.Context, r *request, in In) (*Out, error)) tool {
	return tool{
		tool: mcp.NewTool(name, mcp.WithDescription(description),
			mcp.WithInputSchema[In](), mcp.WithOutputSchema[Out](),
			mcp.WithReadOnlyHintAnnotation(t.reads), mcp.WithDestructiveHintAnnotation(t.destroys),
			mcp.WithIdempotentHintAnnotation(t.repeats), mcp.WithOpenWorldHintAnnotation(t.world)),
		run: func(ctx context.Context, r *request, input json.RawMessage) (any, error) {
			var in In
			if err := bind(name, input, &in); err != nil {
				return nil, err
			}
			return run(ctx, r, in)
		},
	}
}

// invalidError says what is wrong with the arguments of a call.
type invalidError struct{ text string }

func (e *invalidError) Error() string { return e.text }

// bind decodes the arguments strictly; its error is one line.
func bind(tool string, input json.RawMessage, to any) error {
	invalid := func(format string, args ...any) error {
		return &invalidError{tool + ": " + fmt.Sprintf(format, args...)}
	}
	names, required := fields(reflect.TypeOf(to).Elem())
	var given map[string]json.RawMessage
	if err := json.Unmarshal(input, &given); err != nil {
		return invalid("the arguments must be a JSON object")
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return invalid("unknown argument %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	for _, name := range required {
		if raw, ok := given[name]; !ok || string(raw) == "null" {
			return invalid("argument %q is missing", name)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	var te *json.UnmarshalTypeError
	if err := dec.Decode(to); errors.As(err, &te) {
		return invalid("argument %q must be %s, not %s", te.Field, te.Type, te.Value)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return invalid("%v", err)
	}
	return nil
}

// fields lists the argument names of a struct and those without omitempty.
func fields(t reflect.Type) (names, required []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			n, r := fields(f.Type)
			names, required = append(names, n...), append(required, r...)
			continue
		}
		names = append(names, name)
		if opts != "omitempty" {
			required = append(required, name)
		}
	}
	return names, required
}

// progress sends a progress notification if the client asked for it: the seconds since
// the call came, which only grow, even if several commands run in turn.
func (r *request) progress(ctx context.Context, line string) {
	if r.req.Params.Meta == nil || r.req.Params.Meta.ProgressToken == nil {
		return
	}
	srv := server.ServerFromContext(ctx)
	if srv == nil {
		return
	}
	r.notified.Store(true)
	// A full channel drops a progress line, never a result.
	_ = srv.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
		"progressToken": r.req.Params.Meta.ProgressToken, "progress": time.Since(r.began).Seconds(), "message": line,
	})
}
