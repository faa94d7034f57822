package wall

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"ccdir/sandbox"

	"golang.org/x/sys/unix"
)

// None is a descriptor that a start goes without.
const None = -1

// Descriptors are those of the new process.
type Descriptors struct {
	// Plan is the plan's file.
	Plan int
	// Control is a stream socket by which the start is steered (Steer); or None.
	Control int
	// Proxy is a connection to what lets listed hosts through (DialProxy); or None.
	Proxy int
}

// Argv is the command line that starts a program behind a plan. self is the shim, path the
// program, argv its arguments from argv[0] on. It makes directories that the plan needs.
func Argv(p sandbox.Plan, self string, fds Descriptors, path string, argv []string) ([]string, error) {
	tmp, err := prepare(p)
	if err != nil {
		return nil, err
	}
	inner := func(shim string) []string {
		return append([]string{shim, InnerVerb, strconv.Itoa(fds.Plan), strconv.Itoa(fds.Control), strconv.Itoa(fds.Proxy), tmp, path}, argv...)
	}
	switch p.Mechanism {
	case sandbox.Landlock:
		return inner(self), nil
	case sandbox.Bubblewrap:
		program, err := lookBubblewrap()
		if err != nil {
			return nil, err
		}
		return append(append(bubblewrap(program, p, self, tmp), "--"), inner(innerShim)...), nil
	}
	return nil, fmt.Errorf("this machine cannot hold the sandbox %s by %q", p.Profile, p.Mechanism)
}

// Detaches reports whether Argv's process is a mere parent of the program, which then has a pid
// of its own (Steer).
func Detaches(p sandbox.Plan) bool { return p.Mechanism == sandbox.Bubblewrap }

// Steer follows a start by its control socket until the program runs, and returns its pid. Where
// the plan detaches, between is called when the program has a process session and the terminal
// of its own, and waits for leave: there the caller ends the process that Argv started, so that the
// program becomes the caller's child.
func Steer(control io.ReadWriter, detaches bool, between func(pid int) error) (pid int, err error) {
	r := bufio.NewReader(control)
	if detaches {
		line, err := r.ReadString('\n')
		if err != nil {
			return 0, errors.New("bubblewrap could not make the sandbox")
		}
		if pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
			return 0, errors.New("the sandbox: " + strings.TrimSpace(line))
		}
		if err := between(pid); err != nil {
			return pid, err
		}
		if _, err := control.Write([]byte{'\n'}); err != nil {
			return pid, fmt.Errorf("the sandbox's process has gone: %w", err)
		}
	}
	rest, _ := io.ReadAll(io.LimitReader(r, 4<<10)) // ends when the program has begun
	if line := strings.TrimSpace(string(rest)); line != "" {
		return pid, errors.New(line)
	}
	return pid, nil
}

// Inner is the second step (InnerVerb): it never returns if the program begins.
func Inner(args []string, env []string) error {
	if len(args) < 6 {
		return errors.New("wall-inner is started by ccdir, not by hand")
	}
	runtime.LockOSThread()
	planFD, err1 := strconv.Atoi(args[0])
	controlFD, err2 := strconv.Atoi(args[1])
	proxyFD, err3 := strconv.Atoi(args[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	file := os.NewFile(uintptr(planFD), "plan")
	unix.CloseOnExec(planFD)
	var control *os.File
	if controlFD != None {
		control = os.NewFile(uintptr(controlFD), "control")
		unix.CloseOnExec(controlFD)
	}
	err := inner(file, control, proxyFD, args[3], args[4], args[5:], env)
	if control != nil {
		_, _ = fmt.Fprintln(control, err)
	}
	return err
}

func inner(file, control *os.File, proxyFD int, tmp, path string, argv, env []string) error {
	p, err := Read(file)
	if err != nil {
		return err
	}
	if control != nil && Detaches(p) {
		if err := ownTerminal(control); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	w := way{}
	if listed(p) {
		if w, err = openWay(p, proxyFD, control != nil); err != nil {
			return err
		}
		env = w.env(env)
	}
	if p.Mechanism == sandbox.Landlock {
		env = privateEnv(p, tmp, env)
		err = landlockFiles(p, tmp, w.ports)
	} else {
		err = landlockScopes(p)
	}
	if err != nil {
		return err
	}
	if err := install(p); err != nil {
		return err
	}
	err = syscall.Exec(path, argv, env)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EACCES) {
		return fmt.Errorf("%s is not there behind the sandbox %s (%w): name its directory in read of the profile", path, p.Profile, err)
	}
	return fmt.Errorf("%s cannot be started: %w", path, err)
}

// ownTerminal makes this process the leader of a process session whose terminal is its standard
// input, tells its pid and waits until the other end has answered.
func ownTerminal(control *os.File) error {
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("no process session: %w", err)
	}
	if err := unix.IoctlSetInt(0, unix.TIOCSCTTY, 0); err != nil {
		return fmt.Errorf("no terminal: %w", err)
	}
	if _, err := fmt.Fprintln(control, os.Getpid()); err != nil {
		return err
	}
	_, err := control.Read(make([]byte, 1))
	return err
}
