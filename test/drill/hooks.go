package drill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// hookEvery is the pause between two hook calls.
const hookEvery = 30 * time.Millisecond

// hookLoad calls one hook after another, as an agent does. A kill is requested over a
// channel and hits the next call.
type hookLoad struct {
	shim  string
	env   []string
	rand  *rand.Rand
	kills chan chan error
	end   context.CancelFunc
	done  chan struct{}
	once  sync.Once

	// The fields below may be read once done is closed. last is the call killed last.
	last   int
	ended  []int // calls that ended by themselves
	killed []int // calls that were killed
	err    error
}

// startHooks starts the load; the caller stops it.
func startHooks(shim string, env []string, seed uint64) *hookLoad {
	ctx, cancel := context.WithCancel(context.Background())
	h := &hookLoad{shim: shim, env: env, rand: rand.New(rand.NewPCG(seed, 1)), kills: make(chan chan error), end: cancel, done: make(chan struct{})}
	go h.loop(ctx)
	return h
}

// stop ends the calls and waits for the last one.
func (h *hookLoad) stop() { h.once.Do(h.end); <-h.done }

func (h *hookLoad) loop(ctx context.Context) {
	defer close(h.done)
	t := time.NewTicker(hookEvery)
	defer t.Stop()
	for n := 1; ; n++ {
		var killed chan error
		select {
		case <-ctx.Done():
			return
		case killed = <-h.kills:
		case <-t.C:
		}
		err := h.call(n, killed != nil)
		for ; err == nil && killed != nil && h.last != n; err = h.call(n, true) {
			n++ // it ended first
		}
		if killed != nil {
			killed <- err
		}
		if err != nil && h.err == nil {
			h.err = err
		}
	}
}

// hookText is the text in the payload of call n.
func hookText(n int) string { return fmt.Sprintf("drill-hook-%d.", n) }

// call runs a hook process and, if requested, kills it at a random moment of the few
// milliseconds that it lives.
func (h *hookLoad) call(n int, kill bool) error {
	cmd := exec.Command(h.shim, "hook", "Notification") //nolint:gosec // our own shim
	cmd.Env = h.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C must not reach it
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"Notification","session_id":"drill","notification_type":"drill","message":%q}`, hookText(n)))
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting a hook: %w", err)
	}
	if kill {
		time.Sleep(time.Duration(h.rand.Int64N(int64(4 * time.Millisecond)))) // random moment
		_ = cmd.Process.Kill()                                                // it may have ended first
	}
	err := cmd.Wait()
	switch {
	case err == nil:
		h.ended = append(h.ended, n)
	case kill:
		h.killed, h.last = append(h.killed, n), n
	default:
		return fmt.Errorf("hook call %d failed: %w", n, err)
	}
	return nil
}

// kill kills the next call and waits until it is dead.
func (h *hookLoad) kill(ctx context.Context) error { return askKill(ctx, h.kills, h.done) }

// askKill sends a request for a kill to a load and waits for the outcome.
func askKill(ctx context.Context, kills chan chan error, done <-chan struct{}) error {
	answer := make(chan error, 1)
	select {
	case kills <- answer:
	case <-done:
		return fmt.Errorf("the load has ended")
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
