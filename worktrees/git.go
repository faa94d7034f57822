package worktrees

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ccdir/api"
	"ccdir/internal/gitstatus"
)

// run is one run of git: where, with which additional environment and input.
type run struct {
	dir string
	// env is added to an environment in which git runs no other program; if user is set,
	// it is the caller's whole environment instead, and git acts: with the repository's own settings.
	env   []string
	user  bool
	stdin io.Reader
	// look: git looks as this does. Without one it gets one of its own if it needs it, unless it acts.
	look *gitstatus.Look
	// index is an index to use instead of the tree's own.
	index string
	// lock is passed to a git that changes something and so acts, so that the repository stays locked
	// until that has ended, even if ccdir dies before; nil for others.
	lock *os.File
}

// command makes the command of a run; done follows when it has ended.
func (r run) command(ctx context.Context, args []string) (cmd *exec.Cmd, done func(), err error) {
	switch {
	case r.look != nil:
		return r.look.Command(ctx, args...), func() {}, nil
	case r.user, r.lock != nil:
		return gitstatus.Acting(ctx, r.dir, args...), func() {}, nil
	}
	return gitstatus.Looking(ctx, r.dir, args...)
}

// git runs git and returns its output.
func (r run) git(ctx context.Context, args ...string) (string, error) {
	if r.lock != nil { // what git leaves running would hold the lock
		args = append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)
	}
	cmd, done, err := r.command(ctx, args)
	if err != nil {
		return "", err
	}
	defer done()
	if r.lock != nil {
		cmd.ExtraFiles = []*os.File{r.lock}
	}
	if r.user {
		cmd.Env = userEnv(r.env)
	} else {
		cmd.Env = append(cmd.Env, r.env...)
	}
	if r.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.index)
	}
	cmd.Stdin = r.stdin
	return gitstatus.Output(ctx, cmd)
}

// line is git's output without the newline at its end.
func (r run) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// userEnv is the caller's environment for a git that may fetch and sign as the caller's
// own, but asks for nothing.
func userEnv(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return gitstatus.Local(name) || name == "GIT_ASKPASS"
	})
	return append(env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// said reports whether git itself answered by a status, such as 1 for no.
func said(err error, status int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == status
}

// mergeTreeSince is the minor version of git 2 since which it tells what a merge would be.
const mergeTreeSince = 38

// known is the version of git once that could be asked.
var known struct {
	sync.Mutex
	version string
}

// gitVersion is the version of git.
func gitVersion(ctx context.Context) (string, error) {
	known.Lock()
	defer known.Unlock()
	if known.version != "" {
		return known.version, nil
	}
	v, err := gitstatus.Version(ctx)
	if err != nil {
		return "", api.Errorf(api.CodeUnavailable, "%v: install git 2.38 or newer", err)
	}
	known.version = v
	return v, nil
}

// checkVersion fails for a git that cannot tell what a merge would be.
func checkVersion(ctx context.Context) error {
	v, err := gitVersion(ctx)
	if err != nil || newEnough(v, mergeTreeSince) {
		return err
	}
	return api.Errorf(api.CodeUnavailable, "git %s is too old for this: install git 2.38 or newer", v)
}

// newEnough reports whether a version such as 2.39.5 is at least 2.minor.
func newEnough(version string, least int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return err == nil && err2 == nil && (major > 2 || major == 2 && minor >= least)
}

// short is the beginning of a commit's name for people.
func short(commit string) string { return commit[:min(len(commit), 7)] }
