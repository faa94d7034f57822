package tui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// slowGrid takes its time for the first arrangement, as a busy daemon does, and keeps
// whatever came to it, cancelled or not.
type slowGrid struct {
	first chan struct{}
	kept  []string
}

func (s *slowGrid) SetGrid(ctx context.Context, g api.Grid) error {
	if g.Layout == "first" {
		select {
		case <-s.first:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.kept = append(s.kept, g.Layout)
	return nil
}

// TestLastArrangementIsLast: what is sent at the end comes after what was on its way.
func TestLastArrangementIsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, daemon := newGridKeeper(), &slowGrid{first: make(chan struct{})}
		ctx, detach := context.WithCancel(t.Context())
		done := make(chan error, 2)
		go func() { done <- k.put(ctx, daemon, api.Grid{Layout: "first"}) }()
		synctest.Wait()
		detach()
		go func() { done <- k.put(context.Background(), daemon, api.Grid{Layout: "last"}) }()
		time.Sleep(keepWithin / 2)
		if len(daemon.kept) != 0 {
			t.Errorf("kept %q before the first was over", daemon.kept)
		}
		close(daemon.first)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if len(daemon.kept) != 2 || daemon.kept[1] != "last" {
			t.Errorf("kept %q", daemon.kept)
		}
	})
}
