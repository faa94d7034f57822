// Package runner runs one command until it ends, its time is up or its caller cancels, and
// leaves none of its processes running.
//
// The command gets a process group of its own and no input. Its standard output and error
// go in the order in which they were written into one log file, which is kept in full up
// to Spec.LogLimit; the Result has its head and tail. They are one pipe, or with
// Spec.Apart two: then the Result also says which stream each piece came from, and
// streams.go how exact the order is. Processes that the command left running are killed: its
// group, and on Linux also descendants in a session of their own (see kill_linux.go).
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"ccdir/internal/contain"
)

// Statuses of a Result.
const (
	OK        = "ok"        // exit code 0
	Failed    = "failed"    // any other exit code, or killed by a signal
	Timeout   = "timeout"   // Spec.Timeout expired
	Cancelled = "cancelled" // the context was cancelled
	Error     = "error"     // it could not be started
)

const (
	// grace is the time between TERM and KILL.
	grace = 2 * time.Second
	// drain is how long Run waits for output after the command has ended: a process
	// that it left behind may hold the pipe open until it is killed.
	drain = 500 * time.Millisecond
	// defaultLogLimit is in bytes; further output is counted and dropped.
	defaultLogLimit = 64 << 20
	defaultKeep     = 16 << 10
	// marker is the environment variable that identifies descendants.
	marker = "CCDIR_RUN"
)

// Spec says what to run.
type Spec struct {
	// Argv is the program and its arguments; the program is looked up in the PATH of Env.
	Argv []string
	// Behind is the command that runs Argv behind walls; nil runs it as it is.
	Behind []string
	// Dir is the absolute directory to run in.
	Dir string
	// Env is the whole environment, as KEY=VALUE.
	Env []string
	// Timeout is the time limit; 0 is none, a negative one has expired already.
	Timeout time.Duration
	// Log is the file for the output; it is created or truncated, with mode 0600. The
	// caller removes it.
	Log string
	// LogLimit bounds the log in bytes; 0 is 64 MiB.
	LogLimit int64
	// Head and Tail are how many bytes of the output's beginning and end the Result
	// has; 0 is 16 KiB.
	Head, Tail int
	// Apart tells standard output and error apart, at the cost of a thread.
	Apart bool
	// Live, if set, is given the output before the command starts, to be read while it
	// runs.
	Live func(*Output)
	// Progress, if set, is called every second with the latest line while the command
	// runs; never concurrently, and never after Run has returned.
	Progress func(elapsed time.Duration, bytes int64, line string)
}

// Result is how a command ended.
type Result struct {
	Status   string
	ExitCode int // -1 if it did not exit by itself
	Signal   string
	Duration time.Duration
	// Output is the head and the tail of the output; between the two a line says how
	// much was left out.
	Output string
	// Pieces are the same by stream, in order; Stdout and Stderr are the head and tail of
	// each stream alone. Only if Spec.Apart.
	Pieces         []Piece
	Stdout, Stderr string
	// Gap is the part that Output and Pieces leave out.
	Gap Gap
	// Bytes is the length of the whole output; Truncated: Output is not all of it.
	Bytes     int64
	Truncated bool
	// LogTruncated: the log is not all of it either.
	LogTruncated bool
	// Message says what went wrong, for Status error; NotFound: the program is not there.
	Message  string
	NotFound bool
}

var runs atomic.Int64

// Run runs spec. An error concerns spec or the log file; a command that fails is a
// Result. It returns when the command and all its descendants are gone, at most a few
// seconds after ctx is done.
func Run(ctx context.Context, spec Spec) (*Result, error) {
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return nil, errors.New("no command given")
	}
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log of the command: %w", err)
	}
	defer log.Close()
	m := newMerger(log, spec)
	if spec.Live != nil {
		spec.Live(&Output{m})
	}
	mark := fmt.Sprintf("%s=%d-%d", marker, os.Getpid(), runs.Add(1))
	res := &Result{ExitCode: -1}
	program, err := lookPath(spec.Argv[0], spec.Env)
	if err != nil {
		res.Status, res.Message, res.NotFound = Error, startError(spec, err), errors.Is(err, exec.ErrNotFound)
		return res, nil
	}
	cmd := &exec.Cmd{Path: program, Args: spec.Argv}
	if len(spec.Behind) > 0 {
		cmd.Path, cmd.Args = spec.Behind[0], append(append([]string{}, spec.Behind...), spec.Argv...)
	}
	cmd.Dir, cmd.Env = spec.Dir, append(append([]string{}, spec.Env...), "PWD="+spec.Dir, mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 0
	started := time.Now()
	wait, err := start(cmd, m, spec.Apart)
	if err != nil {
		res.Status, res.Message = Error, startError(spec, err)
		return res, nil
	}
	why := supervise(ctx, cmd.Process.Pid, mark, spec, m, wait)
	res.Duration = time.Since(started)
	res.Status = why
	if state := cmd.ProcessState; state != nil {
		if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			res.Signal = ws.Signal().String()
		} else {
			res.ExitCode = state.ExitCode()
		}
		if why == "" {
			res.Status = Failed
			if state.Success() {
				res.Status = OK
			}
		}
	}
	m.finish(res)
	return res, m.err
}

// waiter signals the end of the command and the end of its output.
type waiter struct {
	exited, drained chan struct{}
	output          io.Closer
}

func start(cmd *exec.Cmd, m *merger, apart bool) (*waiter, error) {
	open := onePipe
	if apart {
		open = twoPipes
	}
	pipes, err := open(cmd, m)
	if err != nil {
		return nil, err
	}
	w := &waiter{exited: make(chan struct{}), drained: make(chan struct{}), output: pipes}
	listens := make(chan struct{})
	contain.Go(nil, func() { defer close(w.drained); pipes.copy(func() { close(listens) }) })
	<-listens // the order of a write before that would not be known
	err = cmd.Start()
	pipes.closeWriters()
	if err != nil {
		pipes.Close()
		<-w.drained
		return nil, err
	}
	setRunning(cmd.Process.Pid, true)
	// The error of Wait adds nothing to ProcessState.
	contain.Go(nil, func() {
		defer close(w.exited)
		_ = cmd.Wait()
		setRunning(cmd.Process.Pid, false)
	})
	return w, nil
}

// outputs are the pipes of a command that is to be started: copy reads them to their
// end, or until Close. It calls listens when the command may start.
type outputs struct {
	io.Closer
	writers []*os.File
	copy    func(listens func())
}

func (o *outputs) closeWriters() {
	for _, w := range o.writers {
		w.Close()
	}
}

func onePipe(cmd *exec.Cmd, m *merger) (*outputs, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	return &outputs{r, []*os.File{w}, func(listens func()) { listens(); m.copy(r) }}, nil
}

func twoPipes(cmd *exec.Cmd, m *merger) (*outputs, error) {
	both, err := newBothPipes()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = both.w[0], both.w[1]
	names := [2]string{Stdout, Stderr}
	return &outputs{both, both.w[:], func(listens func()) {
		both.copy(listens, func(i int, p []byte) { m.put(names[i], p) })
	}}, nil
}

// supervise waits for the end and enforces it when necessary; it returns the status
// unless the exit code decides it.
func supervise(ctx context.Context, pid int, mark string, spec Spec, m *merger, w *waiter) (why string) {
	var limit <-chan time.Time
	if spec.Timeout != 0 {
		t := time.NewTimer(spec.Timeout)
		defer t.Stop()
		limit = t.C
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	began := time.Now()
wait:
	for {
		select {
		case <-w.exited:
			break wait
		case <-ctx.Done():
			why = Cancelled
			break wait
		case <-limit:
			why = Timeout
			break wait
		case <-tick.C:
			if spec.Progress != nil {
				n, line := m.latest()
				spec.Progress(time.Since(began), n, line)
			}
		}
	}
	if why != "" {
		signalTree(pid, mark, syscall.SIGTERM)
		select {
		case <-w.exited:
		case <-time.After(grace):
		}
	} else { // wait for its last output before its descendants are killed
		select {
		case <-w.drained:
		case <-time.After(drain):
		}
	}
	killTree(pid, mark)
	<-w.exited
	select {
	case <-w.drained:
	case <-time.After(drain): // held open by a process that was not found
		w.output.Close()
		<-w.drained
	}
	return why
}

func startError(spec Spec, err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Sprintf("%s is not installed or not in PATH", spec.Argv[0])
	case errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("%s: the program or the directory %s does not exist", spec.Argv[0], spec.Dir)
	}
	return fmt.Sprintf("%s could not be started: %v", spec.Argv[0], err)
}
