package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timeslice"
	"ccdir/nodes/link"
	"ccdir/wire/ancestry"
)

// startTimeout bounds the wait for the socket of a link that was started.
const startTimeout = 10 * time.Second

// Options say how links are started.
type Options struct {
	Paths paths.Paths
	// Shim returns the path of ccdir-shim.
	Shim func(ctx context.Context) (string, error)
	// Env is the environment of ssh.
	Env []string
	// Background: a node that the person took down stays down, and is not tried again at once.
	Background bool
}

// Remote is one node.
type Remote struct {
	node link.Node
	o    Options
}

// New returns the node. It does no I/O.
func New(node link.Node, o Options) *Remote { return &Remote{node, o} }

// Node returns the node's name.
func (r *Remote) Node() string { return r.node.Name }

// Target is ssh's destination.
func (r *Remote) Target() string { return r.node.Target }

func (r *Remote) socket() string { return r.o.Paths.NodeSocket(r.node.Name) }

// Ready waits until the node can be reached, and returns its daemon as it was when the
// connection began.
func (r *Remote) Ready(ctx context.Context) (api.Server, error) {
	_, s, err := r.call(ctx, link.Request{Ready: true, Soon: r.o.Background})
	if err != nil {
		return api.Server{}, err
	}
	return r.server(s)
}

// Dial connects to a socket of the node.
func (r *Remote) Dial(ctx context.Context, socket string) (net.Conn, error) {
	conn, s, err := r.call(ctx, link.Request{Open: socket, Soon: r.o.Background})
	if err == nil && conn == nil {
		err = r.away(s)
	}
	return conn, err
}

// server returns the daemon that a status tells of.
func (r *Remote) server(s link.Status) (api.Server, error) {
	switch {
	case s.State != link.StateOnline && s.State != link.StateStale, s.Greeting == nil:
		return api.Server{}, r.away(s)
	case s.Greeting.Server == nil:
		return api.Server{}, api.Errorf(api.CodeInternal, "node %s: %s", r.node.Name, textsafe.Line(s.Greeting.Problem))
	}
	return *s.Greeting.Server, nil
}

// away is the error for a node that cannot be reached.
func (r *Remote) away(s link.Status) error {
	code := api.CodeUnavailable
	if s.Next.IsZero() {
		code = api.CodeForbidden // only the person can change it
	}
	words := map[link.State]string{link.StateAsks: "asks you", link.StateOld: "has no ccdir that fits"}[s.State]
	if words == "" {
		words = "is offline"
	}
	return api.Errorf(code, "node %s %s: %s", r.node.Name, words, textsafe.Line(s.Reason))
}

// call makes a request of the link, which is started if none runs.
func (r *Remote) call(ctx context.Context, q link.Request) (net.Conn, link.Status, error) {
	for began := time.Now(); ; {
		conn, s, err := link.Call(ctx, r.socket(), q)
		if err == nil && s.Target != r.node.Target && s.Target != "" {
			if conn != nil {
				conn.Close()
			}
			if err := r.end(ctx); err != nil { // it was started for another destination
				return nil, s, err
			}
			err = link.ErrNone
		}
		switch {
		case !errors.Is(err, link.ErrNone):
			return conn, s, err
		case time.Since(began) > startTimeout:
			return nil, s, api.Errorf(api.CodeUnavailable, "the link with node %s ends again and again: `ccdir node doctor %[1]s`", r.node.Name)
		}
		if err := r.Start(ctx); err != nil {
			return nil, s, err
		}
	}
}

// Down reports whether the person took the node down.
func (r *Remote) Down() bool {
	_, err := os.Stat(r.o.Paths.NodeDown(r.node.Name))
	return err == nil
}

// TakeDown ends the link and keeps others from being started by the way.
func (r *Remote) TakeDown(ctx context.Context) error {
	mark := r.o.Paths.NodeDown(r.node.Name)
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	return r.end(ctx)
}

// Forget ends the link and removes what is kept of the node here, but for the mark of TakeDown:
// a grid that has not yet read the changed configuration would start another link. Adding the
// node again removes it.
func (r *Remote) Forget(ctx context.Context) error {
	err := r.TakeDown(ctx)
	_ = os.Remove(r.o.Paths.NodeLog(r.node.Name))
	return err
}

// end ends the link, and waits until its socket is gone.
func (r *Remote) end(ctx context.Context) error {
	_, _, err := link.Call(ctx, r.socket(), link.Request{Down: true})
	if errors.Is(err, link.ErrNone) {
		return nil
	}
	return errors.Join(err, poll(ctx, func() bool { return !r.locked() }))
}

// locked reports whether a link holds the node's lock.
func (r *Remote) locked() bool {
	f, err := os.OpenFile(r.o.Paths.NodeLock(r.node.Name), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// Status returns the status of the link that runs; link.ErrNone: none does.
func (r *Remote) Status(ctx context.Context) (link.Status, error) {
	_, s, err := link.Call(ctx, r.socket(), link.Request{})
	return s, err
}

// Up connects as a person who can answer: see link.Ask.
func (r *Remote) Up(ctx context.Context, install *link.Install, answer func(string) (string, bool), progress func(link.Status)) (link.Status, error) {
	if err := os.Remove(r.o.Paths.NodeDown(r.node.Name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return link.Status{}, err
	}
	for began := time.Now(); ; {
		s, err := link.Ask(ctx, r.socket(), link.Request{Install: install}, answer, progress)
		if !errors.Is(err, link.ErrNone) || time.Since(began) > startTimeout {
			return s, err
		}
		if err := r.Start(ctx); err != nil {
			return s, err
		}
	}
}

// Watch calls changed with the status of the node whenever it changes, until ctx ends. It keeps
// a link running unless the person took the node down.
func (r *Remote) Watch(ctx context.Context, changed func(link.Status)) {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := link.Watch(ctx, r.socket(), link.Request{}, func(s link.Status) {
			pause = 50 * time.Millisecond
			changed(s)
		})
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, link.ErrNone) {
			err = r.Start(ctx)
		}
		if err != nil {
			changed(link.Status{Node: r.node.Name, Target: r.node.Target, State: link.StateOffline, Reason: textsafe.Line(err.Error())})
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// Start starts a link and waits until it serves.
func (r *Remote) Start(ctx context.Context) error {
	if where, inside := ancestry.Inside(os.Getpid(), filepath.Dir(r.o.Paths.SessionDir("x"))); inside {
		return api.Errorf(api.CodeForbidden, "this process runs inside a session of ccdir (%s), which may not act on other machines", where)
	}
	if r.Down() {
		if r.o.Background {
			return api.Errorf(api.CodeForbidden, "node %s was taken down: `ccdir node up %[1]s` connects it again", r.node.Name)
		}
		_ = os.Remove(r.o.Paths.NodeDown(r.node.Name)) // if not, it says so the next time
	}
	shim, err := r.o.Shim(ctx)
	if err != nil {
		return err
	}
	log, err := r.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	exited, err := r.spawn(shim, log)
	if err != nil {
		return fmt.Errorf("the link with node %s does not start: %w", r.node.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err = poll(ctx, func() bool {
		select {
		case <-exited:
			return true // another one may serve
		default:
		}
		_, err := r.Status(ctx)
		return err == nil
	})
	if err != nil {
		return err
	}
	if _, err := r.Status(ctx); errors.Is(err, link.ErrNone) {
		said, _ := os.ReadFile(log.Name())
		if text := strings.TrimSpace(string(said)); text != "" && !strings.Contains(text, link.ErrRunning.Error()) {
			return fmt.Errorf("the link with node %s does not start: %s", r.node.Name, textsafe.Cut(textsafe.Line(text), 300))
		}
	}
	return nil // or it has ended, and the caller tries again
}

// openLog truncates and opens the log of the link, which has its output before it serves.
func (r *Remote) openLog() (*os.File, error) {
	name := r.o.Paths.NodeLog(r.node.Name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// spawn starts the link's process; exited is closed when it has ended.
func (r *Remote) spawn(shim string, log *os.File) (exited <-chan struct{}, err error) {
	what, err := json.Marshal(r.node)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(shim, "link", string(what))
	cmd.Dir, cmd.Env = "/", r.o.Env
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	timeslice.Normal(func() { err = cmd.Start() })
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	contain.Go(nil, func() {
		_ = cmd.Wait() // the log has the reason
		close(ended)
	})
	return ended, nil
}

// poll calls done until it reports true or ctx ends.
func poll(ctx context.Context, done func() bool) error {
	for every := 2 * time.Millisecond; !done(); every = min(every*5/4, 25*time.Millisecond) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
	return nil
}

// Reconnect ends the link, so that the next call begins with another greeting of the node.
func (r *Remote) Reconnect(ctx context.Context) error { return r.end(ctx) }
