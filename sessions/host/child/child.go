// Package child is the process in a host's PTY: it is started, signalled, continued when it
// was stopped, waited for and reaped here. Where the system can, orphans of the session are
// reaped on the way.
package child

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
	"ccdir/sessions/host/failpoint"
	"ccdir/wire"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Process is the process in a PTY: the leader of a process session whose terminal the PTY
// is. One goroutine reads PTY, one writes it. Signal and Reap must be serialised by the
// caller; the other methods may be called at any time.
type Process struct {
	PID       int
	StartTime string      // as internal/proc writes it; "" if unknown
	PTY       *rawio.File // the master side

	cmd       *exec.Cmd
	continued time.Time           // when it was last continued after a stop; zero: never
	orphans   bool                // this process is the parent of orphans, and reaps them
	taken     bool                // cmd was its parent, which has ended: see startWalled
	ended     *syscall.WaitStatus // the exit status if WaitExited has reaped it; nil otherwise
}

// Start runs the process of spec in a new PTY. orphans makes the calling process the parent
// of descendants whose own parents end, where the system can (Linux); it must have no other
// children. Errors are for people.
func Start(spec wire.HostSpec, orphans bool) (*Process, error) {
	p := &Process{orphans: orphans}
	if orphans {
		adoptOrphans()
	}
	if err := p.start(spec); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Process) start(spec wire.HostSpec) error {
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
	if err := failpoint.At("pty"); err != nil {
		return startError(spec.Argv[0], err)
	}
	var ptm *os.File
	if spec.Wall != "" {
		ptm, err = p.startWalled(spec, path)
		if err != nil {
			return err
		}
	} else {
		p.cmd = &exec.Cmd{Path: path, Args: spec.Argv, Env: spec.Env, Dir: spec.CWD}
		if ptm, err = pty.StartWithSize(p.cmd, size(spec)); err != nil {
			return startError(spec.Argv[0], err)
		}
		p.PID = p.cmd.Process.Pid
	}
	p.StartTime, _ = proc.StartTime(p.PID)
	if p.PTY, err = rawio.NewFile(ptm); err != nil {
		p.Abandon()
		return err
	}
	return nil
}

func size(spec wire.HostSpec) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(spec.Cols), Rows: uint16(spec.Rows)}
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

// Resize sets the PTY's size; the kernel signals the foreground processes.
func (p *Process) Resize(cols, rows int) {
	_ = p.PTY.Control(func(fd uintptr) {
		_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
}

// Foreground reports whether the process's own group has the terminal; known is false if the
// system does not tell.
func (p *Process) Foreground() (own, known bool) {
	group := 0
	_ = p.PTY.Control(func(fd uintptr) { group, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) }) // 0 says so
	return group == p.PID, group > 0
}

// Signal sends sig to the process group. It must not be called after Reap.
func (p *Process) Signal(sig syscall.Signal) {
	_ = syscall.Kill(-p.PID, sig)
}

// WaitExited blocks until the process has ended and can be reaped. Where the system cannot
// wait without reaping (macOS), it reaps too.
func (p *Process) WaitExited() { waitExited(p) }

// goOnPause is the minimum time between two SIGCONTs: a process that was stopped because it
// read a terminal in the background would be stopped again at once.
const goOnPause = 200 * time.Millisecond

// goOn continues a stopped process (Ctrl-Z): it has no shell whose fg would, and would hang
// for ever.
func (p *Process) goOn() {
	if wait := goOnPause - time.Since(p.continued); wait > 0 {
		time.Sleep(wait)
	}
	p.continued = time.Now()
	p.Signal(syscall.SIGCONT)
}

// Reap collects the exit status. The pid may be reused afterwards.
func (p *Process) Reap() wire.ExitRecord {
	rec := wire.ExitRecord{Code: -1}
	if p.taken {
		p.reapTaken()
	} else if p.ended == nil {
		_ = p.cmd.Wait() // the process state has all that matters
		if p.cmd.ProcessState != nil {
			if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
				p.ended = &ws
			}
		}
	}
	rec.At = time.Now().UTC()
	switch {
	case p.ended == nil:
	case p.ended.Signaled():
		rec.Code = 128 + int(p.ended.Signal())
		rec.Signal = strings.TrimPrefix(unix.SignalName(p.ended.Signal()), "SIG")
	default:
		rec.Code = p.ended.ExitStatus()
	}
	return rec
}

// StopReading makes a blocked read of the PTY return.
func (p *Process) StopReading() {
	if p.PTY.SetReadDeadline(time.Unix(1, 0)) != nil {
		p.PTY.Close()
	}
}

// Close closes the PTY. Processes that still have it open get HUP.
func (p *Process) Close() { p.PTY.Close() }

// Abandon kills a process that cannot be hosted after all.
func (p *Process) Abandon() {
	p.Signal(syscall.SIGKILL)
	if p.taken {
		p.reapTaken()
		return
	}
	_ = p.cmd.Wait()
}

// reapTaken waits for a process that is not cmd's (startWalled).
func (p *Process) reapTaken() {
	for p.ended == nil {
		var ws syscall.WaitStatus
		switch _, err := syscall.Wait4(p.PID, &ws, 0, nil); err {
		case nil:
			p.ended = &ws
		case syscall.EINTR:
		default:
			return
		}
	}
}
