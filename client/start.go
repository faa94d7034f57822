package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/api/hint"
	"ccdir/client/service"
	"ccdir/internal/contain"
	"ccdir/internal/disk/logfile"
	"ccdir/internal/gitstatus"
	"ccdir/internal/proc"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timeslice"
	"ccdir/wire/ancestry"
)

// connectRetry bounds the retries of Connect with a daemon that hangs up because it is
// ending.
const connectRetry = 3 * time.Second

// Connect makes sure that a daemon of our version answers: it dials, and
// starts one if none runs.
func (c *Client) Connect(ctx context.Context) (api.Server, error) {
	if c.opts.Far != nil {
		return c.ready(ctx)
	}
	retry, began := backoff{}, time.Now()
	for {
		srv, err := c.healthInTime(ctx)
		switch {
		case err == nil:
			return srv, c.checkVersion(srv)
		case errors.Is(err, ErrNotRunning) && c.opts.Exe == "", !retryable(err), time.Since(began) > connectRetry:
			return srv, err
		case errors.Is(err, ErrNotRunning):
			if srv, err = c.start(ctx); err != nil {
				return srv, err
			}
			return srv, c.checkVersion(srv)
		}
		if err := retry.wait(ctx); err != nil {
			return srv, err
		}
	}
}

// Reconnect is Connect for a stream whose daemon ended: it starts another one only if the
// last one crashed. The next daemon may be of another version (an upgrade) with the same
// api.Revision.
func (c *Client) Reconnect(ctx context.Context) (api.Server, error) {
	if c.opts.Far != nil {
		return c.ready(ctx)
	}
	srv, err := c.Health(ctx)
	if errors.Is(err, errCrashed) && c.opts.Exe != "" {
		// It has the version that is installed now.
		if srv, err = c.launch(ctx); err != nil {
			err = startError{err}
		}
	}
	if err == nil && srv.Revision != api.Revision {
		err = c.checkVersion(srv)
	}
	return srv, err
}

func (c *Client) checkVersion(srv api.Server) error {
	if c.opts.Far != nil {
		return c.checkFar(srv)
	}
	if srv.Version != c.opts.Version {
		return &VersionError{Daemon: srv.Version, Client: c.opts.Version, PID: srv.PID}
	}
	return nil
}

// Start starts a daemon if none runs (started). It does not compare versions.
func (c *Client) Start(ctx context.Context) (srv api.Server, started bool, err error) {
	if c.opts.Far != nil {
		srv, err = c.ready(ctx) // the bridge starts it
		return srv, false, err
	}
	srv, err = c.settled(ctx)
	if err == nil || !errors.Is(err, ErrNotRunning) {
		return srv, false, err
	}
	srv, err = c.start(ctx)
	return srv, err == nil, err
}

// Stop asks the daemon to stop, and waits until its socket no longer answers and its
// process has ended.
func (c *Client) Stop(ctx context.Context, stop api.Stop) error {
	srv, err := c.settled(ctx)
	if err != nil {
		return err
	}
	if c.opts.Far != nil {
		return c.Shutdown(ctx, stop) // its process is out of sight
	}
	start, err := proc.StartTime(srv.PID)
	if err != nil {
		start = "" // it is ending: its pid alone identifies it
	}
	if err := c.Shutdown(ctx, stop); err != nil && !retryable(err) {
		return err
	}
	c.tr.CloseIdleConnections()
	err = poll(ctx, func() bool {
		now, err := c.Health(ctx)
		gone := errors.Is(err, ErrNotRunning) || err == nil && now.PID != srv.PID
		return gone && !proc.Alive(srv.PID, start)
	})
	if err != nil {
		return fmt.Errorf("the daemon (pid %d) was asked to stop and has not: see its log %s", srv.PID, c.opts.Paths.DaemonLog())
	}
	return nil
}

// settled is Health with retries while the answer breaks off: a daemon that was just killed
// accepts connections until the system has closed its sockets.
func (c *Client) settled(ctx context.Context) (srv api.Server, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectRetry)
	defer cancel()
	_ = poll(ctx, func() bool { // the last answer counts
		srv, err = c.Health(ctx)
		return !errors.Is(err, errBroken)
	})
	return srv, err
}

// exitGrace is how long to wait for the socket after the daemon that we started has ended:
// of two daemons that are started at the same time one serves, and the other one ends.
const exitGrace = time.Second

// start starts the daemon in a session of its own and waits until its socket answers.
func (c *Client) start(ctx context.Context) (api.Server, error) {
	if where, inside := ancestry.Inside(os.Getpid(), filepath.Dir(c.opts.Paths.SessionDir("x"))); inside {
		return api.Server{}, api.Errorf(api.CodeForbidden, "no daemon runs, and this process runs inside a session of ccdir (%s), which starts none: run ccdir in a terminal of your own", where)
	}
	shim, err := Shim(c.opts.Exe, c.opts.Linked, c.opts.Paths.State)
	if err != nil {
		return api.Server{}, err
	}
	if err := CheckShim(ctx, shim, c.opts.Version); err != nil {
		return api.Server{}, err
	}
	if !c.opts.Linked {
		if err := CheckDaemon(ctx, c.opts.Exe, c.opts.Version); err != nil {
			return api.Server{}, err
		}
	}
	return c.launch(ctx)
}

// launch is start without a comparison of versions.
func (c *Client) launch(ctx context.Context) (api.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	log, from, err := c.openLog()
	if err != nil {
		return api.Server{}, err
	}
	defer log.Close()
	if started, err := c.startService(ctx); err != nil {
		return api.Server{}, fmt.Errorf("the daemon's service does not start: %w%s; `ccdir service uninstall` removes it", err, after(": ", lastLine(log.Name(), from)))
	} else if started {
		return c.Health(ctx)
	}
	pid, exited, err := c.spawn(log)
	if err != nil {
		return api.Server{}, fmt.Errorf("cannot start the daemon: %w", err)
	}
	var srv api.Server
	var last error
	var deadAt time.Time
	err = poll(ctx, func() bool {
		if srv, last = c.Health(ctx); last == nil || !retryable(last) {
			return true
		}
		select {
		case <-exited:
			if deadAt.IsZero() {
				deadAt = time.Now()
			}
			return time.Since(deadAt) > exitGrace
		default:
			return false
		}
	})
	switch {
	case last == nil && err == nil:
		if srv.PID != pid {
			// The daemon of another client was quicker. Ours waits for the lock, and would
			// take over when that one is stopped.
			abandon(ctx, pid, exited)
		}
		return srv, nil
	case last != nil && !retryable(last) && api.CodeOf(last) != api.CodeTimeout: // a timeout is told below, with the reason
		return srv, last
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return srv, ctx.Err()
	}
	why := lastLine(log.Name(), from)
	if why == "" {
		why = silence(c.opts.Paths.State)
	}
	return srv, fmt.Errorf("the daemon did not start: %s (log: %s)", why, log.Name())
}

// openLog opens the log for a daemon and returns its present length.
func (c *Client) openLog() (*os.File, int64, error) {
	p := c.opts.Paths
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return nil, 0, fmt.Errorf("cannot make the state directory: %w: make it writable or set CCDIR_HOME", err)
	}
	if err := CheckState(p.State, c.opts.UID); err != nil {
		return nil, 0, err
	}
	f, err := logfile.Open(p.DaemonLog())
	if err != nil {
		return nil, 0, fmt.Errorf("cannot write the daemon's log: %w: make %s writable or set CCDIR_HOME", err, p.State)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// spawn starts the daemon and returns its pid and a channel that is closed when it has
// ended. A goroutine waits for the process, so that a daemon that dies before us does not
// remain as a zombie, which would look alive.
func (c *Client) spawn(log *os.File) (pid int, exited <-chan struct{}, err error) {
	if err := closeOnExec(); err != nil {
		return 0, nil, err
	}
	argv := DaemonCommand(c.opts.Exe, c.opts.Linked)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = daemonEnv(c.opts.Env)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = ownSession()
	timeslice.Normal(func() { err = cmd.Start() }) // also from the grid, which has short ones
	if err != nil {
		return 0, nil, err
	}
	ended := make(chan struct{})
	contain.Go(nil, func() {
		_ = cmd.Wait() // the log has the reason
		close(ended)
	})
	return cmd.Process.Pid, ended, nil
}

// startService starts the daemon by the service manager, if it is a service and the manager
// can be reached (over su or in a container it may not be: then the daemon is spawned).
func (c *Client) startService(ctx context.Context) (started bool, err error) {
	s, err := service.New(service.Options{Exe: c.opts.Exe, Paths: c.opts.Paths, Env: c.opts.Env, UID: c.opts.UID})
	if err != nil || !s.Installed() {
		return false, nil // there is no service manager, or no service
	}
	err = s.Start(ctx)
	if errors.Is(err, service.ErrNoManager) {
		return false, nil
	}
	return err == nil, err
}

// abandon ends a daemon that we started and that does not serve.
func abandon(ctx context.Context, pid int, exited <-chan struct{}) {
	select {
	case <-exited:
		return // another process may have its pid
	default:
	}
	_ = syscall.Kill(pid, syscall.SIGKILL) // fails if it has ended
	select {
	case <-exited:
	case <-ctx.Done():
	}
}

// daemonEnv returns env without the variables of the session in which ccdir may run, and
// without the repository of a git hook that may have called it.
func daemonEnv(env []string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if !slices.Contains([]string{api.EnvSession, api.EnvToken, api.EnvSocket, api.EnvDir}, key) && !gitstatus.Local(key) {
			out = append(out, kv)
		}
	}
	return out
}

// silence returns a reason why a daemon has logged nothing: its log cannot be written.
func silence(dir string) string {
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return err.Error() + hint.Of(err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("is there room?")
	if err = errors.Join(err, f.Close()); err != nil {
		return err.Error() + hint.Of(err)
	}
	return "it said nothing"
}

// lastLine returns the last line that was written to the log after from.
func lastLine(name string, from int64) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return ""
	}
	data, _ := io.ReadAll(io.LimitReader(f, 64<<10))
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return textsafe.Cut(textsafe.Line(string(lines[len(lines)-1])), 300)
}

// poll calls done until it reports true or ctx ends. For conditions of other
// processes, which send no event: every 2 ms at first, every 25 ms later.
func poll(ctx context.Context, done func() bool) error {
	for every := 2 * time.Millisecond; ; every = min(every*5/4, 25*time.Millisecond) {
		if done() {
			return nil
		}
		t := time.NewTimer(every)
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}

// after puts before in front of a text that is not empty.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
