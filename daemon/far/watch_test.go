package far

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"ccdir/api"
	"ccdir/config"
)

// TestWatch: who waits for messages of this machine is woken by those of nodes, loses none of either, and
// gets one for all of those that it was too slow for.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New(Options{Logger: slog.New(slog.DiscardHandler), Nodes: func() map[string]config.Node { return nil }})
		here := make(chan api.WatchMessage)
		next, stop := f.watch(func(ctx context.Context) ([]api.WatchMessage, error) {
			select {
			case m := <-here:
				return []api.WatchMessage{m}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}, func() {})
		defer stop()
		told := func(id string) {
			t.Helper()
			got, err := next(t.Context())
			for len(got) == 0 && err == nil { // woken by what was taken already
				got, err = next(t.Context())
			}
			if err != nil || len(got) != 1 || got[0].Removed != id {
				t.Fatalf("%+v %v, want the end of %s", got, err, id)
			}
		}
		tell := func(id string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.tell(api.WatchMessage{Removed: id})
		}
		for range 20 {
			go func() { synctest.Wait(); tell("box/one") }()
			told("box/one")
			go func() { here <- api.WatchMessage{Removed: "two"} }()
			told("two")
		}
		for range maxWaiting + 1 {
			tell("box/one")
		}
		got, err := next(t.Context())
		if err != nil || len(got) != 1 || got[0].Snapshot == nil {
			t.Errorf("%d messages, %v", len(got), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := next(ctx); err == nil {
			if _, err = next(ctx); err == nil { // the first may have been woken
				t.Error("a call that has ended is not told so")
			}
		}
	})
}

// TestReach: what is of no node, or of one that nobody has reached yet, is refused at once.
func TestReach(t *testing.T) {
	f := New(Options{Logger: slog.New(slog.DiscardHandler), Nodes: func() map[string]config.Node { return map[string]config.Node{"box": {}} }})
	for id, code := range map[string]api.Code{"none/s1": api.CodeNotFound, "box/s1": api.CodeUnavailable} {
		if _, err := f.session(id); api.CodeOf(err) != code {
			t.Errorf("%s: %v", id, err)
		}
	}
	if list := f.List(); len(list) != 1 || list[0].State != "not looked at yet" {
		t.Errorf("%+v", list)
	}
}
