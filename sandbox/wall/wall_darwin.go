package wall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"ccdir/sandbox"
)

// program is macOS' own.
const program = "/usr/bin/sandbox-exec"

// Able says what this machine can hold for this user.
func Able(context.Context) (a sandbox.Ability) {
	_, err := os.Stat(program)
	a.SandboxExec = err == nil
	return a
}

// Argv is the command line that becomes the program at path behind the plan, with its
// environment. It makes directories that the plan needs.
func Argv(p sandbox.Plan, path string, argv, env []string) (_, _ []string, err error) {
	if p.Mechanism != sandbox.SandboxExec {
		return nil, nil, fmt.Errorf("this machine cannot hold the sandbox %s by %q", p.Profile, p.Mechanism)
	}
	tmp, err := prepare(p)
	if err != nil {
		return nil, nil, err
	}
	return append([]string{program, "-p", p.Seatbelt(tmp), path}, argv[1:]...), privateEnv(p, tmp, env), nil
}

// Inner is a second step that macOS does without.
func Inner([]string, []string) error { return errors.New("wall-inner is for Linux") }

// Exec is the verb Verb, `wall PLAN -- PROGRAM ARG…`; it returns only if that failed.
func Exec(_ string, args, env []string) error {
	if len(args) < 3 || args[1] != "--" {
		return errors.New("wall is started by ccdir, not by hand (`ccdir sandbox run` tries a profile)")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	p, err := Read(file)
	if err != nil {
		return err
	}
	path, err := exec.LookPath(args[2])
	if err != nil {
		return err
	}
	argv, env, err := Argv(p, path, args[2:], env)
	if err != nil {
		return err
	}
	return syscall.Exec(argv[0], argv, env)
}
