package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ccdir/internal/proc"
	"ccdir/internal/tune/rawio"
	"ccdir/wire"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// child is the process in the PTY.
type child struct {
	cmd *exec.Cmd
	pid int
	// startTime is that of internal/proc; "" if unknown.
	startTime string
	// ptm is the master side of the PTY. One goroutine reads it, one writes it.
	ptm *rawio.File
	// continued is when the process was last continued after a stop; zero: never.
	continued time.Time
	// orphans: the host is the parent of processes whose own parents have ended, and reaps
	// them.
	orphans bool
	// ended is the exit status if waitExited has reaped the process; nil otherwise.
	ended *syscall.WaitStatus
}

// start runs the process of spec in a new PTY, as the leader of a process session. Its
// errors are for people.
func (c *child) start(spec wire.HostSpec) error {
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return errors.New("no command given")
	}
	if err := checkDir(spec.CWD); err != nil {
		return err
	}
	path, err := lookPath(spec.Argv[0], spec.CWD, spec.Env)
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: path, Args: spec.Argv, Env: spec.Env, Dir: spec.CWD}
	if err := fault("pty"); err != nil {
		return startError(spec.Argv[0], err)
	}
	ptm, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(spec.Cols), Rows: uint16(spec.Rows)})
	if err != nil {
		return startError(spec.Argv[0], err)
	}
	c.cmd, c.pid = cmd, cmd.Process.Pid
	c.startTime, _ = proc.StartTime(c.pid)
	if c.ptm, err = rawio.NewFile(ptm); err != nil {
		c.abandon()
		return err
	}
	return nil
}

// startError explains an error of exec.
func startError(name string, err error) error {
	switch {
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s may not be executed: permission denied", name)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s is not a program for this machine", name)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("%s cannot be executed: it, or the interpreter in its first line, does not exist", name)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s cannot be started: the system is out of processes or pseudo-terminals (%w)", name, err)
	}
	return fmt.Errorf("%s cannot be started: %w", name, err)
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return errors.New("no working directory given")
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("directory %s does not exist", dir)
	case err != nil:
		return fmt.Errorf("directory %s cannot be used: %w", dir, errors.Unwrap(err))
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	}
	if err := unix.Access(dir, unix.X_OK); err != nil {
		return fmt.Errorf("directory %s cannot be entered: %w", dir, err)
	}
	return nil
}

// lookPath finds the executable as a shell with that environment and directory would.
func lookPath(name, cwd string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(cwd, name)
		}
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s does not exist", name)
		}
		return name, executable(name)
	}
	path := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	var denied error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir)
		}
		full := filepath.Join(dir, name)
		err := executable(full)
		if err == nil {
			return full, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("%s was not found in PATH: install it, or give its path", name)
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a directory", path)
	}
	if unix.Access(path, unix.X_OK) != nil {
		return fmt.Errorf("%s may not be executed: permission denied", path)
	}
	return nil
}

// resize sets the PTY's size; the kernel signals the foreground processes.
func (c *child) resize(cols, rows int) {
	_ = c.ptm.Control(func(fd uintptr) {
		_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
}

// signal sends sig to the process group. It must not be called after reap.
func (c *child) signal(sig syscall.Signal) {
	_ = syscall.Kill(-c.pid, sig)
}

// waitExited blocks until the process has ended and can be reaped. Where the system cannot
// wait without reaping (macOS), it reaps too.
func (c *child) waitExited() { waitExited(c) }

// goOnPause is the minimum time between two SIGCONTs: a process that was stopped because it
// read a terminal in the background would be stopped again at once.
const goOnPause = 200 * time.Millisecond

// goOn continues a stopped process (Ctrl-Z): it has no shell whose fg would, and would hang
// for ever.
func (c *child) goOn() {
	if wait := goOnPause - time.Since(c.continued); wait > 0 {
		time.Sleep(wait)
	}
	c.continued = time.Now()
	c.signal(syscall.SIGCONT)
}

// reap collects the exit status. The pid may be reused afterwards.
func (c *child) reap() wire.ExitRecord {
	rec := wire.ExitRecord{Code: -1}
	if c.ended == nil {
		_ = c.cmd.Wait() // the process state has all that matters
		if c.cmd.ProcessState != nil {
			if ws, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
				c.ended = &ws
			}
		}
	}
	rec.At = time.Now().UTC()
	switch {
	case c.ended == nil:
	case c.ended.Signaled():
		rec.Code = 128 + int(c.ended.Signal())
		rec.Signal = strings.TrimPrefix(unix.SignalName(c.ended.Signal()), "SIG")
	default:
		rec.Code = c.ended.ExitStatus()
	}
	return rec
}

// stopReading makes a blocked read of the PTY return.
func (c *child) stopReading() {
	if c.ptm.SetReadDeadline(time.Unix(1, 0)) != nil {
		c.ptm.Close()
	}
}

// close closes the PTY. Processes that still have it open get HUP.
func (c *child) close() { c.ptm.Close() }

// abandon kills a process that cannot be hosted after all.
func (c *child) abandon() {
	c.signal(syscall.SIGKILL)
	_ = c.cmd.Wait()
}
