// Package oneshot runs an agent's one-shot mode inside a session: the shim's print verb,
// started by the session's host.
//
// Contract: the job is read from the session's directory and removed before anything is
// started, so that it can run only once. The agent gets the prompt on standard input; its
// output goes to files in the directory, the first maxKept bytes and the last maxKept bytes
// of each stream, and, made harmless, to the terminal. It stays in this process's group,
// which the host ends as a whole. The exit code is the agent's, 128+n after signal n, 125 if
// it could not be started.
package oneshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ccdir/internal/disk/paths"
)

const (
	// maxKept bounds what is kept of the beginning, and of the end, of a stream.
	maxKept = 2 << 20
	// exitNotStarted is the exit code when no agent could be started.
	exitNotStarted = 125
	// drainTime bounds the wait for output after the agent has ended: one of its
	// children may hold the pipe open.
	drainTime = 2 * time.Second
)

// Main runs the job in the directory args[0].
func Main(args []string, stdout, stderr io.Writer, environ []string) int {
	if len(args) != 1 || !filepath.IsAbs(args[0]) {
		fmt.Fprintln(stderr, "ccdir-shim print: it is started by ccdir, not by hand")
		return 2
	}
	code, err := run(args[0], stdout, stderr, environ)
	if err != nil {
		fmt.Fprintln(stderr, "ccdir-shim print:", err)
	}
	return code
}

func run(dir string, stdout, stderr io.Writer, environ []string) (int, error) {
	job, err := take(filepath.Join(dir, paths.PrintFile))
	if err != nil {
		return exitNotStarted, err
	}
	out, err := create(filepath.Join(dir, paths.PrintStdout), stdout)
	if err != nil {
		return exitNotStarted, err
	}
	errs, err := create(filepath.Join(dir, paths.PrintStderr), stderr)
	if err != nil {
		return exitNotStarted, errors.Join(err, out.close())
	}
	cmd := exec.Command(job.Argv[0], job.Argv[1:]...)
	cmd.Env = environ
	cmd.Stdin = strings.NewReader(job.Prompt)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = drainTime
	// A signal to the group reaches the agent too: this process survives it to report
	// how the agent ended.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return exitNotStarted, errors.Join(err, out.close(), errs.close())
	}
	_ = cmd.Wait() // ProcessState says how it ended
	err = errors.Join(out.close(), errs.close())
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), err
	}
	return cmd.ProcessState.ExitCode(), err
}

// take reads the job and removes it.
func take(path string) (job paths.PrintJob, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return job, err
	}
	if err := os.Remove(path); err != nil {
		return job, err
	}
	if err := json.Unmarshal(data, &job); err != nil {
		return job, err
	}
	if len(job.Argv) == 0 {
		return job, errors.New("the job has no command")
	}
	return job, nil
}

// keeper writes a stream to a file, the first maxKept bytes as they come, the last
// maxKept at the end, and to the terminal.
type keeper struct {
	file *os.File
	show io.Writer
	head int
	tail []byte // ring of the last bytes after the head
	at   int
	lost int64 // bytes between head and tail
	err  error
}

func create(path string, show io.Writer) (*keeper, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &keeper{file: f, show: show}, nil
}

// Write never fails: an agent must not end because a disk is full or its terminal has
// closed.
func (k *keeper) Write(p []byte) (int, error) {
	_, _ = k.show.Write(harmless(p))
	rest := p
	if n := min(len(rest), maxKept-k.head); n > 0 {
		if _, err := k.file.Write(rest[:n]); err != nil {
			k.err = err
		}
		k.head += n
		rest = rest[n:]
	}
	for len(rest) > 0 {
		if len(k.tail) < maxKept {
			n := min(len(rest), maxKept-len(k.tail))
			k.tail = append(k.tail, rest[:n]...)
			rest = rest[n:]
			continue
		}
		n := copy(k.tail[k.at:], rest)
		k.lost += int64(n)
		k.at = (k.at + n) % maxKept
		rest = rest[n:]
	}
	return len(p), nil
}

// close writes the tail.
func (k *keeper) close() error {
	if k.lost > 0 {
		_, err := fmt.Fprintf(k.file, "\n[… %d bytes are not kept …]\n", k.lost)
		k.err = errors.Join(k.err, err)
	}
	for _, part := range [][]byte{k.tail[min(k.at, len(k.tail)):], k.tail[:min(k.at, len(k.tail))]} {
		if _, err := k.file.Write(part); err != nil {
			k.err = errors.Join(k.err, err)
		}
	}
	return errors.Join(k.err, k.file.Close())
}

// harmless replaces control characters except line ends and tabs: the output of a
// one-shot agent is not meant for a terminal.
func harmless(p []byte) []byte {
	out := make([]byte, 0, len(p))
	for _, b := range p {
		switch {
		case b == '\n':
			out = append(out, '\r', '\n')
		case b == '\t', b >= ' ' && b != 0x7f:
			out = append(out, b)
		default:
			out = append(out, '?')
		}
	}
	return out
}
