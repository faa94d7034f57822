package mailbox

import (
	"context"
	"errors"
	"testing"
)

var errGone = errors.New("gone")

// actor runs a mailbox until stop is called.
func actor(t *testing.T) (m *Mailbox, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	m = New(ctx, 4, func() error { return errGone })
	go func() {
		defer m.Close()
		for {
			select {
			case fn := <-m.Mail:
				fn()
				m.Wake()
			case <-ctx.Done():
				return
			}
		}
	}()
	stop = func() { cancel(); <-m.Done() }
	t.Cleanup(cancel)
	return m, stop
}

func TestAwaitEndsWithItsCondition(t *testing.T) {
	m, _ := actor(t)
	n := 0
	met := make(chan error, 1)
	var w *Waiter
	if err := m.Do(t.Context(), func() { w = m.Expect(func() bool { return n == 2 }) }); err != nil {
		t.Fatal(err)
	}
	go func() { met <- m.WaitFor(t.Context(), w) }()
	m.Post(func() { n++ })
	m.Post(func() { n++ })
	if err := <-met; err != nil {
		t.Errorf("the wait ended with %v", err)
	}
}

// TestGivenUpNeverRuns: a caller that gives up knows that its function did not run and never will.
func TestGivenUpNeverRuns(t *testing.T) {
	m, _ := actor(t)
	busy, begun := make(chan struct{}), make(chan struct{})
	m.Post(func() { close(begun); <-busy })
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	failed := make(chan error, 1)
	go func() { failed <- m.Do(ctx, func() { ran = true }) }()
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("it failed with %v", err)
	}
	close(busy)
	if err := m.Do(t.Context(), func() {}); err != nil || ran {
		t.Errorf("it ran: %v (%v)", ran, err)
	}
}

func TestEndsWithItsActor(t *testing.T) {
	m, stop := actor(t)
	met := make(chan error, 1)
	var w *Waiter
	if err := m.Do(t.Context(), func() { w = m.Expect(func() bool { return false }) }); err != nil {
		t.Fatal(err)
	}
	go func() { met <- m.WaitFor(context.Background(), w) }()
	stop()
	if err := <-met; !errors.Is(err, errGone) {
		t.Errorf("the wait ended with %v", err)
	}
	if err := m.Do(context.Background(), func() {}); !errors.Is(err, errGone) {
		t.Errorf("a later call: %v", err)
	}
}
