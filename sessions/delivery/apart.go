package delivery

import (
	"context"
	"time"
)

// A tool call may open its dialog as soon as its hook has the reply, and an agent reads the keys
// that were typed a moment before in that dialog: Enter would approve. So keys of a prompt and
// replies to the hooks of tool calls keep apart.

const (
	// keysTime is how long an agent is given to read keys, toolTime to show the dialog of a
	// tool call, if it asks.
	keysTime = 300 * time.Millisecond
	toolTime = 500 * time.Millisecond
	// apartLimit bounds how long a hook waits for keys, and keys for one tool call after the other.
	apartLimit = 3 * time.Second
)

// PassTool blocks the reply to the hook of a tool call while keys of a prompt may be under way to
// the agent, at most apartLimit.
func (d *Delivery) PassTool(ctx context.Context) {
	limit, cancel := context.WithTimeout(ctx, apartLimit)
	defer cancel()
	pass := func() { d.toolPassed = d.o.Now() }
	if d.s.Await(limit, func() bool {
		if d.typing == 0 {
			pass()
		}
		return d.typing == 0
	}) != nil {
		_ = d.s.Do(ctx, pass) // fails with the session
	}
}

// beginKeys waits until no tool call may open a dialog, and holds others back until end was
// called and the agent has had time to read the keys. On an error there is nothing to end.
func (d *Delivery) beginKeys(ctx context.Context) (end func(), err error) {
	for began := d.o.Now(); ; {
		var rest time.Duration
		if err := d.s.Do(ctx, func() {
			now := d.o.Now()
			if rest = d.toolPassed.Add(toolTime).Sub(now); rest <= 0 || now.Sub(began) >= apartLimit {
				rest = 0
				d.typing++
			}
		}); err != nil {
			return nil, err
		}
		if rest == 0 {
			return d.endKeys, nil
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (d *Delivery) endKeys() {
	d.o.Go(func() {
		select {
		case <-time.After(keysTime):
		case <-d.o.Context.Done():
		}
		_ = d.s.Do(d.o.Context, func() { d.typing-- }) // fails with the session
	})
}
