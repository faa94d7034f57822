package drill

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"ccdir/api"
	"ccdir/config"
	"ccdir/wire"
)

const (
	// fillLines is how many lines a session prints at its start: more than its history
	// keeps, and more bytes than its ring holds.
	fillLines = 45_000
	// fillHooks is how many hook calls are made: more than the daemon remembers of all
	// sessions and of one, and more than its newest events.
	fillHooks = 5_000
	// fillAtOnce bounds the calls in flight.
	fillAtOnce = 8
)

// fill fills the bounded buffers, so that growth is measured from a full state: the
// rings and histories of the sessions that stay, and the daemon's memory of hook calls
// and events. It returns when that is visible.
func (s *soak) fill(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make(chan error, len(s.stay)+1)
	wg.Go(func() { errs <- s.callHooks(ctx, fillHooks) })
	for _, v := range s.stay {
		wg.Go(func() { errs <- s.fillSession(ctx, v) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// fillSession waits until a session's ring and history drop their oldest lines.
func (s *soak) fillSession(ctx context.Context, v api.Session) error {
	if v.Agent == "drilled" {
		// Its lines are shorter, so it prints twice as many; it continues after the
		// answer.
		if _, err := s.client.SendPrompt(ctx, v.ID, api.SendPrompt{Text: "flood " + strconv.Itoa(2*fillLines)}); err != nil {
			return fmt.Errorf("%s does not take a prompt: %w", v.Name, err)
		}
	}
	bound := uint64(config.Default().RingBytes)
	return until(ctx, v.Name+" does not fill its ring and history", func() (bool, error) {
		raw, err := s.client.Output(ctx, v.ID, wire.OutputParams{Format: wire.FormatRaw, From: math.MaxInt64})
		if err != nil || raw.End <= bound {
			return false, err
		}
		lines, err := s.client.Screen(ctx, v.ID, 1)
		return lines.Oldest > 0, err
	})
}

// callHooks makes n hook calls of the agent, without processes: the daemon remembers
// the same.
func (s *soak) callHooks(ctx context.Context, n int) error {
	env := map[string]string{}
	for _, kv := range s.env {
		key, value, _ := strings.Cut(kv, "=")
		env[key] = value
	}
	transport := HookTransport(env[api.EnvSocket], fillAtOnce)
	defer transport.CloseIdleConnections()
	numbers := make(chan int)
	errs := make([]error, fillAtOnce)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for n := range numbers {
				if errs[i] == nil {
					errs[i] = HookCall{
						Session: env[api.EnvSession], Token: env[api.EnvToken], Hook: "Notification", ID: fmt.Sprintf("soak-fill-%d", n),
						Payload: fmt.Sprintf(`{"hook_event_name":"Notification","session_id":"drill","notification_type":"drill","message":"soak-fill-%d."}`, n),
					}.Post(ctx, transport)
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("calling hooks: %w", err)
		}
	}
	return nil
}
