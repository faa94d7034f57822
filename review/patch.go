package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"ccdir/internal/text/textsafe"
)

// MaxPatch bounds a patch, in bytes.
const MaxPatch = 32 << 20

// Patch is the whole difference of two commits or trees, by their ids, as `git apply` takes it: binary
// files, generated ones and modes as well. paths are files or folders from the top of the work tree; none:
// all. Files above the bound of snapshots are in no commit of ours, and so not in it.
func (r *Repo) Patch(ctx context.Context, from, to string, paths []string) ([]byte, error) {
	if !objectID().MatchString(from) || !objectID().MatchString(to) {
		return nil, errors.New("a patch is between two objects of git")
	}
	specs, err := pathspecs(paths)
	if err != nil {
		return nil, err
	}
	args := []string{"-c", "diff.orderFile=/dev/null", "-c", "diff.noprefix=false", "diff", "--patch", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
		"--find-renames", "--ignore-submodules=dirty", "--submodule=short", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--end-of-options", from, to, "--"}
	return bounded(r.command(ctx, append(args, specs...)...), MaxPatch)
}

// bounded is what a command writes, and an error if that is more than limit bytes.
func bounded(cmd *exec.Cmd, limit int64) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("git cannot be run: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(out, limit+1))
	_ = out.Close() // git ends by that
	ended := cmd.Wait()
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > limit:
		return nil, fmt.Errorf("it has more than %d MiB: name some paths, or fetch the branch", limit>>20)
	case ended != nil:
		return nil, fmt.Errorf("git says: %s", textsafe.Cut(textsafe.Line(stderr.String()+ended.Error()), 200))
	}
	return text, nil
}
