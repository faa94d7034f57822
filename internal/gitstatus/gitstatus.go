// Package gitstatus asks git what differs in a repository, without running anything
// that the repository's own settings name: an agent may have written them.
package gitstatus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
)

// within bounds one question to git.
const within = 5 * time.Second

// maxSaid bounds what an error repeats of git's words, in bytes.
const maxSaid = 200

// Status is what git says of a work tree.
type Status struct {
	// Branch and Commit are those checked out, in git's words: "(detached)" for a
	// commit without branch, "(initial)" before the first commit.
	Branch, Commit string
	// Upstream is the branch that this one follows, "" if none; Ahead and Behind count
	// commits.
	Upstream      string
	Ahead, Behind int
	// Changed counts tracked files that differ, Untracked those that git does not know,
	// Conflicts those that could not be merged.
	Changed, Untracked, Conflicts int
}

// Read asks git for the status of the work tree that dir is in; it takes some seconds
// at most. Filters, hooks and file system monitors of the repository are not run, and
// submodules, which have settings of their own, are left out.
func Read(ctx context.Context, dir string) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	out, err := Run(ctx, dir, "status", "--porcelain=v2", "--branch", "-z")
	if err != nil {
		return Status{}, err
	}
	return parse(out), nil
}

// submodules are, for the commands that look at files of the work tree, what keeps them
// from running a git in submodules.
var submodules = map[string]string{"status": "--ignore-submodules=all", "diff": "--ignore-submodules=dirty"}

// Run runs git in a directory until ctx ends, and returns what it prints. It runs with
// Env, and without hooks, file system monitor and filters of the repository; in
// submodules it runs nothing. An error is one line.
func Run(ctx context.Context, dir string, args ...string) (string, error) {
	option := submodules[args[0]]
	if option == "" {
		return run(ctx, dir, args...)
	}
	off, err := filtersOff(ctx, dir)
	if err != nil {
		return "", err
	}
	return run(ctx, dir, slices.Concat(off, args[:1], []string{option}, args[1:])...)
}

// filtersOff are the options that turn off the filters which the repository's own
// settings name: status and diff have changed files filtered.
func filtersOff(ctx context.Context, dir string) (args []string, err error) {
	names, _ := run(ctx, dir, "config", "--includes", "--show-scope", "--name-only", "-z", "--get-regexp", `^filter\.`) // fails if there is none
	scoped := strings.Split(names, "\x00")
	for i := 0; i+1 < len(scoped); i += 2 {
		name := scoped[i+1]
		if scoped[i] != "local" && scoped[i] != "worktree" {
			continue
		}
		if strings.Contains(name, "=") { // git would take it for a shorter name and a value
			return nil, errors.New("the repository names a filter that can't be turned off")
		}
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		args = append(args, "-c", name+"="+value)
	}
	return args, nil
}

// Env is for a git that runs nothing but itself: it takes no locks, asks nobody for a
// password, and fetches nothing. What the settings of a repository call a remote of
// missing objects is a command as well.
func Env() []string {
	// What git says of its repository to hooks, in which a daemon may have been started,
	// is about another one.
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
}

// run is Run as it is.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Env = Env()
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", errors.New("git did not answer in time")
	case errors.As(err, &exit):
		line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return "", errors.New("git says: " + textsafe.Cut(textsafe.Line(line), maxSaid))
	case err != nil:
		return "", fmt.Errorf("git cannot be run: %w", err)
	}
	return string(out), nil
}

// parse reads the output of git status --porcelain=v2 --branch -z.
func parse(out string) (s Status) {
	skip := false // the old name of a renamed file is an entry of its own
	for entry := range strings.SplitSeq(out, "\x00") {
		kind, rest, _ := strings.Cut(entry, " ")
		switch {
		case skip:
			skip = false
		case kind == "#":
			s.header(rest)
		case kind == "1":
			s.Changed++
		case kind == "2":
			s.Changed++
			skip = true
		case kind == "u":
			s.Conflicts++
		case kind == "?":
			s.Untracked++
		}
	}
	return s
}

// header reads a line about the branch.
func (s *Status) header(line string) {
	name, value, _ := strings.Cut(line, " ")
	switch name {
	case "branch.oid":
		s.Commit = value
	case "branch.head":
		s.Branch = value
	case "branch.upstream":
		s.Upstream = value
	case "branch.ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.Ahead, s.Behind = count(ahead, "+"), count(behind, "-")
	}
}

// count reads git's "+3" and "-2"; 0 if it is none.
func count(text, sign string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(text, sign))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
