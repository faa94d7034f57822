package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// tool is a definition and what runs it on checked arguments.
type tool struct {
	tool mcp.Tool
	run  func(ctx context.Context, r *request, input json.RawMessage) (any, error)
}

// request is one call under way.
type request struct {
	peer   *peer
	server *Server
	req    mcp.CallToolRequest
}

// traits of a tool, for its annotations.
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

// bind decodes the arguments strictly and says in one line what is wrong.
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

// progress sends how far a command is, if the client asked for it.
func (r *request) progress(ctx context.Context, elapsed time.Duration, line string) {
	if r.req.Params.Meta == nil || r.req.Params.Meta.ProgressToken == nil {
		return
	}
	srv := server.ServerFromContext(ctx)
	if srv == nil {
		return
	}
	// A full channel drops a progress line, not a result.
	_ = srv.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
		"progressToken": r.req.Params.Meta.ProgressToken, "progress": elapsed.Seconds(), "message": line,
	})
}

// logKeeper hands out log files and removes the oldest.
type logKeeper struct {
	dir  string
	keep int
	mu   sync.Mutex
	made []string
}

// next creates an empty log.
func (k *logKeeper) next(name string) (string, error) {
	f, err := os.CreateTemp(k.dir, time.Now().UTC().Format("20060102-150405-")+name+"-*.log")
	if err != nil {
		return "", fmt.Errorf("log of the command: %w", err)
	}
	f.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made = append(k.made, f.Name()); len(k.made) > k.keep {
		_ = os.Remove(k.made[0])
		k.made = k.made[1:]
	}
	return filepath.Clean(f.Name()), nil
}
