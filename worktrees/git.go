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
	// it is the caller's whole environment instead.
	env   []string
	user  bool
	stdin io.Reader
	// look: git looks as this does, instead of with the repository's own settings. Every git that
	// compares files, merges or writes an index has one, or is the user's.
	look *gitstatus.Look
	// index is an index to use instead of the tree's own.
	index string
	// lock is passed to a git that changes something, so that the repository stays locked
	// until that has ended, even if ccdir dies before; nil for others.
	lock *os.File
}

// git runs git and returns its output.
func (r run) git(ctx context.Context, args ...string) (string, error) {
	if r.lock != nil { // what git leaves running would hold the lock
		args = append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)
	}
	cmd := gitstatus.Command(ctx, r.dir, args...)
	if r.look != nil {
		cmd = r.look.Command(ctx, args...)
	}
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

// gitVersion is the version of git, asked once.
var gitVersion = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("git", "version").Output()
	if err != nil {
		return "", api.Errorf(api.CodeUnavailable, "git cannot be run: %v: install git 2.38 or newer", err)
	}
	fields := strings.Fields(string(out))
	if len(fields) < 3 {
		return "", api.Errorf(api.CodeUnavailable, "git does not tell its version: install git 2.38 or newer")
	}
	return fields[2], nil
})

// checkVersion fails for a git that cannot tell what a merge would be.
func checkVersion() error {
	v, err := gitVersion()
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
