package contain

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCall(t *testing.T) {
	var log bytes.Buffer
	to := slog.New(slog.NewTextHandler(&log, nil))
	own := errors.New("its own")
	if err := Call(to, func() error { return own }); !errors.Is(err, own) || log.Len() > 0 {
		t.Errorf("%v, log %q", err, &log)
	}
	if err := Call(to, func() error { panic("broken") }); err == nil || !strings.HasSuffix(err.Error(), ": broken") {
		t.Errorf("of a panic: %v", err)
	}
	if text := log.String(); !strings.Contains(text, "panic=broken") || !strings.Contains(text, "TestCall") {
		t.Errorf("the log names neither the panic nor the place: %q", text)
	}
}

// TestGroup: a goroutine that panics ends alone, what it deferred is done, and Wait returns.
func TestGroup(t *testing.T) {
	g := Group{Log: slog.New(slog.DiscardHandler)}
	told, done := make(chan struct{}), false
	g.Go(func() {
		defer close(told)
		panic("of the first")
	})
	g.Go(func() { <-told; done = true })
	g.Wait()
	if !done {
		t.Error("the other goroutine did not end by itself")
	}
}

// TestKeep: what panics is called again, less and less often, and soon again once it has lasted;
// until it returns or its context ends.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := Group{Log: slog.New(slog.DiscardHandler)}
		began := time.Now()
		var at []time.Duration
		g.Keep(t.Context(), func(context.Context) {
			at = append(at, time.Since(began))
			switch len(at) {
			case 4:
				time.Sleep(2 * lasting)
			case 6:
				return
			}
			panic(len(at))
		})
		g.Wait()
		want := []time.Duration{0, 1 * time.Second, 3 * time.Second, 7 * time.Second, 128 * time.Second, 130 * time.Second}
		for i := range want {
			if i >= len(at) || at[i] != want[i] {
				t.Fatalf("called at %s, want %s", at, want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		g.Keep(ctx, func(context.Context) { panic("always") })
		synctest.Wait()
		cancel()
		g.Wait() // the pause does not delay the end
		if spent := time.Since(began); spent != 130*time.Second {
			t.Errorf("ended after %s", spent)
		}
	})
}
