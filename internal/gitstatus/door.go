package gitstatus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"ccdir/internal/text/textsafe"
)

// Nothing else runs git (test/arch). There are two ways through: Run, Looking and a Look, which run
// no program that a repository names, and Acting, for what changes a repository or asks a remote.

// maxSaid bounds the part of git's message that an error repeats, in bytes.
const maxSaid = 200

// plain are the commands which no setting of a repository makes run a program, once those are off
// that Acting switches off, with the options that they may have; nil is all. Every other one needs a
// Look: git log checks signatures, git diff has drivers, git status filters.
var plain = map[string][]string{
	"cat-file":         {"--batch-check"},
	"check-ignore":     nil,
	"check-ref-format": nil,
	"commit-tree":      {"-m", "-p"},
	"config":           nil,
	"diff-tree":        {"-r", "-z", "--name-only", "--no-ext-diff", "--no-renames", "--no-textconv", "--root", "--stdin"},
	"for-each-ref":     nil,
	"ls-files": {"-X", "-c", "-i", "-o", "-s", "-x", "-z", "--cached", "--deduplicate", "--directory", "--exclude", "--exclude-standard", "--ignored", "--others",
		"--stage", "--unmerged"},
	"merge-base":    nil,
	"pack-objects":  nil,
	"rev-list":      nil,
	"rev-parse":     nil,
	"symbolic-ref":  nil,
	"update-ref":    nil,
	"version":       nil,
	"worktree list": nil,
}

// isPlain reports whether git with these arguments needs no Look.
func isPlain(args []string) bool {
	options, known := plain[args[0]]
	if !known && len(args) > 1 {
		options, known = plain[args[0]+" "+args[1]]
	}
	if !known || options == nil {
		return known
	}
	for _, arg := range args[1:] {
		name, _, _ := strings.Cut(arg, "=")
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, "-") && !slices.Contains(options, name) {
			return false
		}
	}
	return true
}

// submodules are the options that keep a command from running git in submodules, by
// command. These commands also compare files.
var submodules = map[string]string{"status": "--ignore-submodules=all", "diff": "--ignore-submodules=dirty"}

// Run runs git in a directory until ctx ends, and returns its output: for commands that read
// and list. None runs a program that the repository names. An error is one line.
func Run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd, done, err := Looking(ctx, dir, args...)
	if err != nil {
		return "", err
	}
	defer done()
	return Output(ctx, cmd)
}

// Looking makes a command for Run, with a Look of its own if it needs one. done follows when
// the command has ended.
func Looking(ctx context.Context, dir string, args ...string) (cmd *exec.Cmd, done func(), err error) {
	if isPlain(args) {
		return Acting(ctx, dir, args...), func() {}, nil
	}
	l, err := NewLook(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	return l.Command(ctx, inside(args)...), l.Close, nil
}

// inside are arguments with which git stays out of submodules.
func inside(args []string) []string {
	if option := submodules[args[0]]; option != "" {
		return slices.Insert(slices.Clone(args), 1, option)
	}
	return args
}

// Env is an environment in which git runs no other program: it takes no locks, asks for
// no password, and fetches nothing (the address of a promisor remote may be a command).
func Env() []string {
	// GIT_* variables that a hook passed to the daemon concern another repository.
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
}

// Acting makes a command that runs git in a directory with the repository's own settings: for what
// changes the repository, where its filters and merge drivers are what a person wants. Hooks
// and the file system monitor are off, and the environment is Env; a caller that has a person's
// sets that.
func Acting(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Env = Env()
	cmd.WaitDelay = time.Second
	return cmd
}

// Lend makes the environment for a program that runs git itself at dir, such as gh: out of env, with a
// Look in place of the repository. That has the addresses of remotes; the program's git neither
// fetches nor pushes, and what it writes into the settings is lost. The person's own settings apply.
// done follows when the program has ended.
func Lend(ctx context.Context, dir string, env []string) (lent []string, done func(), err error) {
	l, err := newLook(ctx, dir, true)
	if err != nil {
		return nil, nil, err
	}
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !Local(name) {
			lent = append(lent, kv)
		}
	}
	for _, kv := range l.env {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") && name != "GIT_CONFIG_NOSYSTEM" {
			lent = append(lent, kv)
		}
	}
	return append(lent, "GIT_PAGER=cat", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
		"GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null"), l.Close, nil
}

// Version is git's version, such as 2.39.5.
func Version(ctx context.Context) (string, error) {
	out, err := Run(ctx, "", "version") // git takes no directory for the current one
	if err != nil {
		return "", err
	}
	fields := strings.Fields(out)
	if len(fields) < 3 {
		return "", errors.New("git does not tell its version")
	}
	return fields[2], nil
}

// Output runs a command and returns its standard output. Its error is one line, by
// errors.As an *exec.ExitError where git said no.
func Output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", errors.New("git did not answer in time")
	case errors.As(err, &exit):
		line, rest, more := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		for more && strings.HasPrefix(line, "warning: ") { // the reason comes after them
			line, rest, more = strings.Cut(rest, "\n")
		}
		return string(out), said{exit, "git says: " + textsafe.Cut(textsafe.Line(line), maxSaid)}
	case err != nil:
		return "", fmt.Errorf("git cannot be run: %w", err)
	}
	return string(out), nil
}

// said is an exit of git with the first line of its message that is no warning.
type said struct {
	*exec.ExitError
	line string
}

func (s said) Error() string { return s.line }

func (s said) Unwrap() error { return s.ExitError }
