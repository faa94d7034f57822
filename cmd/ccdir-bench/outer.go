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
// answers no query, as the simplest terminal would, unless answers is set.
type outer struct {
	ptmx *os.File
	cmd  *exec.Cmd
	buf  []byte
	// bytes is how many bytes the program has written so far.
	bytes int
	// answers: queries are answered at once, as by a terminal that has everything.
	answers bool
	asked   []byte // the end of what was read, which may be the beginning of a query
}

// replies are what a terminal answers to the queries of ccdir and tmux.
var replies = []struct{ query, reply string }{
	{"\x1b[5n", "\x1b[0n"}, {"\x1b[?2026$p", "\x1b[?2026;2$y"}, {"\x1b]11;?\x1b\\", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\"},
	{"\x1b]10;?\x1b\\", "\x1b]10;rgb:cdcd/d6d6/f4f4\x1b\\"}, {"\x1b[c", "\x1b[?62;22;52c"}, {"\x1b[>c", "\x1b[>41;390;0c"}, {"\x1b[>q", "\x1bP>|XTerm(390)\x1b\\"},
}

// longestQuery bounds the queries, in bytes.
const longestQuery = 16

// read reads once into t.buf, and answers the queries in it.
func (t *outer) read() (int, error) {
	n, err := t.ptmx.Read(t.buf)
	t.bytes += n
	if !t.answers || n == 0 {
		return n, err
	}
	had := len(t.asked)
	t.asked = append(t.asked, t.buf[:n]...)
	for _, r := range replies {
		for at := 0; ; {
			i := bytes.Index(t.asked[at:], []byte(r.query))
			if i < 0 {
				break
			}
			if at += i + len(r.query); at > had { // not one that was answered before
				if _, err := t.ptmx.WriteString(r.reply); err != nil {
					return n, err
				}
			}
		}
	}
	t.asked = append(t.asked[:0], tail(t.asked, longestQuery)...)
	return n, err
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
		n, err := t.read()
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
		_, err := t.read()
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
		_, err := t.read()
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
