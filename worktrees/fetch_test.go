package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
)

// TestFetchHangs: a remote that never answers keeps nobody else from making a work tree, and its
// git ends when the daemon does.
func TestFetchHangs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	root := filepath.Dir(p.dir)
	began := filepath.Join(root, "began")
	writeIn(t, root, "hang", "#!/bin/sh\ntouch "+began+"\nwhile test -e "+began+"; do sleep 0.1; done\n")
	if err := os.Chmod(filepath.Join(root, "hang"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	p.git("remote", "add", "origin", p.dir)
	p.git("config", "remote.origin.uploadpack", filepath.Join(root, "hang"))
	ctx, stop := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.k.Add(ctx, api.NewWorktree{Dir: p.dir, Branch: "x", Fetch: true, Env: os.Environ()})
		ended <- err
	}()
	for !exists(began) {
		select {
		case err := <-ended:
			t.Fatal("it did not wait for the remote:", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := p.k.Add(limited, api.NewWorktree{Dir: p.dir, Branch: "y"}); err != nil {
		t.Error("another work tree:", err)
	}
	stop(api.ErrStopping)
	if err := <-ended; err != api.ErrStopping {
		t.Error("after the end:", err)
	}
	_ = os.Remove(began)
}
