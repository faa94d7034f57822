package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// outer is the outer terminal of one client program: the master side of its PTY. It
// answers no query, as the simplest terminal would.
type outer struct {
	ptmx *os.File
	cmd  *exec.Cmd
	buf  []byte
	// bytes is how many bytes the program has written so far.
	bytes int
}

// startOuter runs argv in a new PTY of the given size.
func startOuter(o options, env []string, argv ...string) (*outer, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	ptmx, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(o.cols), Rows: uint16(o.rows)})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	polled, err := pollable(ptmx)
	if err != nil {
		return nil, err
	}
	return &outer{ptmx: polled, cmd: cmd, buf: make([]byte, 1<<16)}, nil
}

// pollable returns f as a file whose reads obey deadlines, and closes f: creack/pty
// leaves the master in blocking mode.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// until reads until the output since the call contains token.
func (t *outer) until(token string, limit time.Duration) error {
	if err := t.ptmx.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	var seen []byte
	for {
		n, err := t.ptmx.Read(t.buf)
		t.bytes += n
		seen = append(seen, t.buf[:n]...)
		if bytes.Contains(seen, []byte(token)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for %q: %w (last seen %q)", token, err, tail(seen, 300))
		}
		if keep := len(token) - 1; len(seen) > 1<<20 {
			seen = append(seen[:0], seen[len(seen)-keep:]...)
		}
	}
}

// quiet reads until nothing was printed for gap, at most for limit.
func (t *outer) quiet(gap, limit time.Duration) error {
	end := time.Now().Add(limit)
	for time.Now().Before(end) {
		if err := t.ptmx.SetReadDeadline(time.Now().Add(gap)); err != nil {
			return err
		}
		n, err := t.ptmx.Read(t.buf)
		t.bytes += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drain reads for the duration d and returns the number of bytes.
func (t *outer) drain(d time.Duration) (int, error) {
	before := t.bytes
	if err := t.ptmx.SetReadDeadline(time.Now().Add(d)); err != nil {
		return 0, err
	}
	for {
		n, err := t.ptmx.Read(t.buf)
		t.bytes += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return t.bytes - before, nil
		}
		if err != nil {
			return t.bytes - before, err
		}
	}
}

// echo types text and returns the time until it was printed.
func (t *outer) echo(text string) (time.Duration, error) {
	start := time.Now()
	if _, err := t.ptmx.WriteString(text); err != nil {
		return 0, err
	}
	if err := t.until(text, 2*time.Second); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

func (t *outer) close() {
	_ = t.cmd.Process.Kill()
	_ = t.ptmx.Close()
	_ = t.cmd.Wait()
}

func tail(p []byte, n int) []byte {
	if len(p) > n {
		return p[len(p)-n:]
	}
	return p
}

// cleanEnv is our environment without the variables of the terminal around us.
func cleanEnv(extra ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		k, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(k, "TMUX") || strings.HasPrefix(k, "CCDIR") || k == "TERM" || k == "COLORTERM" {
			continue
		}
		env = append(env, kv)
	}
	return append(append(env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"), extra...)
}
