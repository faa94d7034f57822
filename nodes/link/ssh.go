package link

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"ccdir/nodes/mux"
)

// Times of a connection.
const (
	// loginTime bounds the time until the bridge speaks; personTime if ssh may ask.
	loginTime  = 40 * time.Second
	personTime = 5 * time.Minute
	// pingEvery is the pace of pings while there are clients.
	pingEvery = time.Second
	// staleAfter, plus four round trips, without a pong makes the node stale; lostAfter ends ssh.
	staleAfter = 2 * time.Second
	lostAfter  = 8 * time.Second
	// wokenAfter is lostAfter when the machine has slept.
	wokenAfter = 3 * time.Second
)

// connection is one ssh.
type connection struct {
	k    *link
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *tailWriter // standard error
	kill context.CancelFunc
}

// connect runs one ssh until it ends.
func (k *link) connect() ended {
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	asks, install := k.begin()
	c, err := k.dial(ctx, cancel, asks)
	if err != nil {
		return offline("ssh does not start: %v", err)
	}
	defer c.end()
	limit := loginTime
	if asks {
		limit = personTime
	}
	late := time.AfterFunc(limit, cancel)
	g, err := c.begin(install)
	late.Stop()
	if err != nil {
		return c.why(err, asks)
	}
	return c.serve(g)
}

// dial starts ssh.
func (k *link) dial(ctx context.Context, cancel context.CancelFunc, asks bool) (*connection, error) {
	argv := k.Node.Command(!asks)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = k.environ(asks)
	cmd.Dir = "/"
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	c := &connection{k: k, cmd: cmd, kill: cancel, said: &tailWriter{most: 4 << 10}}
	cmd.Stderr = c.said
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 64<<10)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	k.change(func(s *Status) { s.SSH = cmd.Process.Pid })
	return c, nil
}

// environ returns the environment of ssh, and with it of askpass.
func (k *link) environ(asks bool) []string {
	var env []string
	for _, kv := range k.Environ {
		if key, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(key, "SSH_ASKPASS") && key != EnvAsk {
			env = append(env, kv)
		}
	}
	if !asks {
		return env
	}
	return append(env, "SSH_ASKPASS="+k.Exe, "SSH_ASKPASS_REQUIRE=force", EnvAsk+"="+k.Paths.NodeSocket(k.Node.Name))
}

// end ends ssh and waits for it.
func (c *connection) end() {
	c.in.Close()
	c.kill()
	_ = c.cmd.Wait() // why it ended is known
}

// begin starts the bridge, after it has installed programs if there are none.
func (c *connection) begin(install *Install) (*Greeting, error) {
	nonce := rand.Text()
	always := install != nil && install.Always
	if _, err := io.WriteString(c.in, c.k.Node.script(nonce, always)); err != nil {
		return nil, err
	}
	h, err := readHello(c.out, nonce)
	if err != nil {
		return nil, err
	}
	if h.greeting == nil && install != nil {
		if err := c.install(nonce, h, *install); err != nil {
			return nil, installError{err}
		}
		if h, err = readHello(c.out, nonce); err != nil {
			return nil, err
		}
	}
	if h.greeting == nil {
		return nil, missingError{h}
	}
	return h.greeting, nil
}

// missingError: no program on the node fits.
type missingError struct{ hello }

func (e missingError) Error() string {
	if e.version != "" {
		return fmt.Sprintf("ccdir %s there has no protocol in common with this one", e.version)
	}
	return "ccdir is not installed there (" + e.system + " " + e.machine + ")"
}

// installError: the programs were not installed.
type installError struct{ error }

// why describes a try that failed.
func (c *connection) why(err error, asked bool) ended {
	name := c.k.Node.Name
	var missing missingError
	if errors.As(err, &missing) {
		return ended{state: StateOld, reason: fmt.Sprintf("%s: `ccdir node update %s` installs this version", missing, name), person: true}
	}
	var install installError
	if errors.As(err, &install) {
		return ended{state: StateOld, reason: "not installed: " + install.Error(), person: true}
	}
	c.end() // then ssh's last words are complete
	said := c.said.String()
	words := lastWords(said, 1)
	var silent errSilent
	if strings.HasPrefix(words, "Warning: ") || errors.As(err, &silent) && silent.noise != "" {
		words = "" // the login's own words say more
	}
	switch {
	case strings.Contains(said, "IDENTIFICATION HAS CHANGED"):
		return ended{state: StateOffline, person: true, reason: fmt.Sprintf("the host key of %s has changed, so ssh refuses it: if that is expected, remove the old one (`ssh-keygen -R HOST`), then `ccdir node up %s`", c.k.Node.Target, name)}
	case strings.Contains(said, "Permission denied"), strings.Contains(said, "Host key verification failed"), strings.Contains(said, "Too many authentication failures"):
		hint := "`ccdir node up " + name + "` lets it ask you"
		if asked {
			hint = "`ssh " + c.k.Node.Target + "` shows why"
		}
		return ended{state: StateAsks, reason: words + ": " + hint, person: true}
	case words != "":
		return offline("%s", words)
	case c.k.ctx.Err() != nil:
		return offline("the link was taken down")
	}
	return offline("%v: `ccdir node doctor %s` shows what was run", err, name)
}

// serve runs the connection until it ends.
func (c *connection) serve(g *Greeting) ended {
	k := c.k
	h := &heart{k: k, woken: make(chan struct{}, 1), last: time.Now()}
	m := mux.New(c.out, c.in, mux.Options{
		First: hostSocket,
		Pong:  h.pong,
		Ended: func() { k.lost(); c.in.Close(); c.kill() },
	})
	k.mu.Lock()
	k.mux, k.kill = m, c.kill
	k.changeLocked(func(s *Status) {
		s.State, s.Reason, s.Trying, s.Greeting, s.Seen, s.Question = StateOnline, g.Problem, false, g, time.Now(), nil
	})
	k.mu.Unlock()
	m.Ping()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if h.beat(m, stop) {
			c.kill()
		}
	})
	err := m.Run()
	close(stop)
	wg.Wait()
	end := offline("the connection ended: %v", err)
	switch words := lastWords(c.said.String(), 1); {
	case k.ctx.Err() != nil:
		end = offline("the link was taken down")
	case h.lost:
		end = offline("no answer for %d s", int(lostAfter/time.Second))
	case words != "":
		end = offline("%s", words)
	case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
		end = offline("ssh ended")
	}
	end.online = true
	return end
}

// heart measures round trips and finds that the other end does not answer.
type heart struct {
	k     *link
	woken chan struct{}

	mu    sync.Mutex
	last  time.Time // of the last pong
	round time.Duration
	lost  bool
}

// pong takes one pong.
func (h *heart) pong(round time.Duration) {
	h.mu.Lock()
	h.last, h.round = time.Now(), round
	h.mu.Unlock()
	h.k.change(func(s *Status) { s.State, s.Round, s.Seen = StateOnline, round, time.Now() })
}

// beat pings until stop closes; true: the other end is lost.
func (h *heart) beat(m *mux.Mux, stop chan struct{}) bool {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	limit, slept := lostAfter, sleepWatch{}
	for n := 1; ; n++ {
		select {
		case <-stop:
			return false
		case <-tick.C:
		}
		h.mu.Lock()
		silent, stale := time.Since(h.last), staleAfter+4*h.round
		h.mu.Unlock()
		if slept.slept() {
			limit = silent + wokenAfter
		} else if silent < pingEvery*2 {
			limit = lostAfter
		}
		if silent > limit {
			h.lost = true
			return true
		}
		if silent > stale {
			h.k.stale(m)
		}
		m.Ping()
	}
}

// tailWriter keeps the end of what is written.
type tailWriter struct {
	mu   sync.Mutex
	most int
	buf  []byte
}

func (w *tailWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, p...)
	if over := len(w.buf) - w.most; over > 0 {
		w.buf = append(w.buf[:0], w.buf[over:]...)
	}
	return len(p), nil
}

func (w *tailWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.buf)
}

// splitLines returns the lines of a text that have something in them.
func splitLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func joinLines(lines []string) string { return strings.Join(lines, "; ") }
