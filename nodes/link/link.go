package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"ccdir/internal/disk/paths"
	"ccdir/nodes/mux"
)

// idleTime is how long a link lives after its last client.
const idleTime = 10 * time.Minute

// Config configures a link.
type Config struct {
	Node  Node
	Paths paths.Paths
	UID   int
	// Environ is the environment of ssh.
	Environ []string
	// Exe is the shim's path, which ssh runs as askpass.
	Exe string
}

// link is one link. Its loop owns the ssh; clients are served by a goroutine each.
type link struct {
	Config
	wg     sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
	again  chan struct{} // one slot: try now
	idle   *time.Timer

	mu       sync.Mutex
	status   Status
	mux      *mux.Mux // nil unless online or stale
	begun    int      // tries
	tries    int      // ended tries
	clients  int
	watchers map[chan struct{}]bool // one slot each: the status has changed
	answerer int                    // clients that take ssh's questions
	install  *Install               // the next try carries it out
	asking   bool                   // the try under way takes questions
	kill     context.CancelFunc     // ends the ssh that runs; set with mux
	question *asked                 // ssh's open question
	asks     int
}

// ErrRunning: another link runs for the node.
var ErrRunning = errors.New("a link runs for this node already")

// Run runs a link until it is ended or idle.
func Run(c Config) error {
	lock, l, err := listen(c)
	if err != nil {
		return err
	}
	defer lock.Close()
	k := &link{Config: c, again: make(chan struct{}, 1), watchers: map[chan struct{}]bool{}}
	k.ctx, k.cancel = signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer k.cancel()
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	k.status = Status{Node: c.Node.Name, Target: c.Node.Target, State: StateOffline, Reason: "connecting", Trying: true, PID: os.Getpid()}
	k.idle = time.AfterFunc(idleTime, k.cancel)
	k.wg.Go(func() { k.accept(l) })
	k.wg.Go(k.keep)
	<-k.ctx.Done()
	_ = os.Remove(c.Paths.NodeSocket(c.Node.Name)) // first, so that the next client starts another
	l.Close()
	k.wg.Wait()
	return nil
}

// listen takes the node's lock and makes its socket.
func listen(c Config) (*os.File, *net.UnixListener, error) {
	for _, dir := range c.Paths.RuntimeDirs() {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, nil, err
		}
		if err := closedDir(dir, c.UID); err != nil {
			return nil, nil, err
		}
	}
	lock, err := os.OpenFile(c.Paths.NodeLock(c.Node.Name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, nil, ErrRunning
	}
	socket := c.Paths.NodeSocket(c.Node.Name)
	_ = os.Remove(socket) // of a link that was killed
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err == nil {
		err = os.Chmod(socket, 0o600)
	}
	if err != nil {
		lock.Close()
		return nil, nil, err
	}
	return lock, l, nil
}

// change changes the status and tells the watchers.
func (k *link) change(f func(s *Status)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.changeLocked(f)
}

func (k *link) changeLocked(f func(s *Status)) {
	f(&k.status)
	for w := range k.watchers {
		wake(w)
	}
}

// wake fills a slot.
func wake(slot chan struct{}) {
	select {
	case slot <- struct{}{}:
	default:
	}
}

// keep connects again and again until the link ends.
func (k *link) keep() {
	pause := backoff{}
	select { // the client that started it says in a moment whether ssh may ask
	case <-k.again:
	case <-time.After(firstWait):
	case <-k.ctx.Done():
	}
	for k.ctx.Err() == nil {
		k.change(func(s *Status) { s.Trying, s.Next = true, time.Time{} })
		began := time.Now()
		end := k.connect()
		if end.online && time.Since(began) > steady {
			pause = backoff{}
		}
		// Counted from the beginning: who has lost a connection that held has another at once.
		next := began.Add(pause.next())
		k.mu.Lock()
		k.mux = nil
		k.tries++
		k.changeLocked(func(s *Status) {
			s.State, s.Reason, s.SSH, s.Question = end.state, end.reason, 0, nil
			if s.Trying = !end.person && !next.After(time.Now()); !end.person {
				s.Next = next
			}
		})
		k.mu.Unlock()
		k.pause(next, end.person)
	}
}

// lost says that the connection has ended, before its ssh has: another follows. Who waits for it
// waits for the next one.
func (k *link) lost() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mux = nil
	k.changeLocked(func(s *Status) { s.State, s.Reason, s.Trying = StateOffline, "the connection ended", true })
}

// stale says that a connection does not answer, unless it has ended meanwhile.
func (k *link) stale(m *mux.Mux) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.mux == m {
		k.changeLocked(func(s *Status) { s.State, s.Reason = StateStale, "no answer at the moment" })
	}
}

// pause waits for the next try: until its time, a person's word or the end of a sleep. person:
// only for the last two.
func (k *link) pause(until time.Time, person bool) {
	watch := sleepWatch{}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-k.again:
			return
		case <-timer.C:
			if !person {
				return
			}
		case <-tick.C:
			if watch.slept() && !person {
				return
			}
		}
	}
}

// firstWait bounds the wait for the first request before the first try.
const firstWait = 300 * time.Millisecond

// steady is how long a connection must have lasted for the pauses to begin anew.
const steady = 10 * time.Second

// backoff are the times from one try's beginning to the next one's: 0.1 to 30 s, with jitter.
type backoff struct{ last time.Duration }

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, 100*time.Millisecond), 30*time.Second)
	return b.last + time.Duration(time.Now().UnixNano())%(b.last/4+1)
}

// sleepWatch finds that the machine slept: the wall clock went on, the monotonic one stood.
type sleepWatch struct {
	wall time.Time // zero: nothing is known
	ran  time.Duration
}

// started is the beginning of the monotonic clock.
var started = time.Now()

// slept reports whether the machine slept since the last call.
func (w *sleepWatch) slept() bool {
	now := time.Now()
	return w.sleptAt(now.Round(0), now.Sub(started))
}

func (w *sleepWatch) sleptAt(wall time.Time, ran time.Duration) bool {
	last := *w
	*w = sleepWatch{wall, ran}
	return !last.wall.IsZero() && wall.Sub(last.wall)-(ran-last.ran) > 3*time.Second
}

// reach waits until the node is online, or the try that is under way or begins now has failed;
// soon: none begins.
func (k *link) reach(ctx context.Context, soon bool) (*mux.Mux, Status) {
	changed, leave := k.watcher()
	defer leave()
	k.mu.Lock()
	target := k.tries + 1
	if soon && !k.status.Trying {
		target = k.tries
	}
	k.mu.Unlock()
	if !soon {
		wake(k.again)
	}
	for {
		k.mu.Lock()
		m, s, tries := k.mux, k.status, k.tries
		k.mu.Unlock()
		if m != nil || tries >= target && !s.Trying {
			return m, s
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, s
		case <-k.ctx.Done():
			return nil, s
		}
	}
}

// begin returns with what a try begins: whether a client takes ssh's questions, and what to
// install.
func (k *link) begin() (asks bool, install *Install) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.begun++
	k.asking, install, k.install = k.answerer > 0, k.install, nil
	return k.asking, install
}

// lastWords returns the last lines of a log or of what ssh said, without blanks.
func lastWords(text string, lines int) string {
	var out []string
	all := splitLines(text)
	for _, line := range slices.Backward(all) {
		if out = append(out, line); len(out) == lines {
			break
		}
	}
	slices.Reverse(out)
	return joinLines(out)
}

// ended is how a try or a connection ended.
type ended struct {
	state  State
	reason string
	online bool // it was online
	person bool // only a person can change it
}

func offline(format string, args ...any) ended {
	return ended{state: StateOffline, reason: fmt.Sprintf(format, args...)}
}
