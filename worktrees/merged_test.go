package worktrees

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/internal/gitstatus"
)

// TestPatchIDKilled: where git's patch-id ends before it has read everything, the diff beside it
// ends, too.
func TestPatchIDKilled(t *testing.T) {
	p := newPlace(t)
	p.write("large.txt", strings.Repeat("more than a pipe holds\n", 20_000))
	p.commit("large")
	r := mustOpen(t, p.dir)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' patch-id '*) exit 1;; esac\nexec %s \"$@\"\n", git)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	look, err := gitstatus.NewLook(ctx, r.Common)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	if ids, err := patchIDs(ctx, look, "HEAD"); err == nil || ctx.Err() != nil {
		t.Errorf("%q, %v, %v", ids, err, ctx.Err())
	}
}
