package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// maxPrompt bounds the prompt on standard input, in bytes.
const maxPrompt = 1 << 20

// printMain is the one-shot mode: exit code 0 with a result, 1 if the turn
// failed or there is no prompt, 143 after TERM.
func printMain(o options, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	data, err := io.ReadAll(io.LimitReader(stdin, maxPrompt))
	if err != nil || len(data) == 0 {
		fmt.Fprintln(stderr, "demo-agent: no prompt on standard input")
		return 1
	}
	cwd, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(stderr, "demo-agent:", err)
		return 1
	}
	if o.sessionID == "" {
		o.sessionID = newToolID()[6:]
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return newPrinter(o, newHooker(o, environ, cwd)).run(ctx, string(data), stdout, stderr)
}

// printer plays one turn without a terminal.
type printer struct {
	o       options
	hooks   *hooker
	updates chan update
	denials []map[string]any
}

func newPrinter(o options, h *hooker) *printer {
	return &printer{o: o, hooks: h, updates: make(chan update)}
}

func (p *printer) run(ctx context.Context, prompt string, stdout, stderr io.Writer) int {
	begun := time.Now()
	p.hooks.call(ctx, "SessionStart", map[string]any{"source": "startup", "model": "demo"})
	p.hooks.call(ctx, "UserPromptSubmit", map[string]any{"prompt": prompt})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &turn{hooks: p.hooks, updates: p.updates, delay: p.o.delay, allowed: new(sync.Map)}
	ended := make(chan struct{})
	go func() { defer close(ended); t.run(ctx, steps(prompt, p.o.delay)) }()
	code, failed, over := 0, false, false
	for !over {
		select {
		case u := <-p.updates:
			switch {
			case u.dialog != nil: // no user can answer here
				p.denials = append(p.denials, map[string]any{"tool_name": u.dialog.title})
				u.dialog.answer <- len(u.dialog.choices) - 1
			case u.report != "":
				failed = true
			case u.exit != nil:
				code, over = *u.exit, true
				if u.crashed {
					return code
				}
			case u.ended != nil:
				over = true
			}
		case <-ctx.Done():
			return 128 + int(syscall.SIGTERM)
		}
	}
	cancel()
	<-ended
	if failed {
		code = 1
	}
	p.hooks.call(context.Background(), "SessionEnd", map[string]any{"reason": "other"})
	result := map[string]any{"type": "result", "subtype": "success", "is_error": failed, "result": t.last, "num_turns": 1,
		"session_id": p.o.sessionID, "duration_ms": time.Since(begun).Milliseconds(), "total_cost_usd": 0.0,
		"usage": map[string]any{"input_tokens": len(prompt), "output_tokens": len(t.last)}, "permission_denials": p.denials}
	if err := json.NewEncoder(stdout).Encode(result); err != nil {
		fmt.Fprintln(stderr, "demo-agent:", err)
		return 1
	}
	return code
}
