package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"ccdir/internal/once"
	"ccdir/internal/tune/timeslice"
	"ccdir/sandbox/proxy"
	"ccdir/sessions/host/child"
	"ccdir/sessions/screen"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// Options configure a host besides its spec.
type Options struct {
	// Ready is called once, when the process runs or why it does not. Required.
	Ready func(wire.HostReady)
	// Rebind receives when the host must create its socket again; nil: never.
	Rebind <-chan struct{}
	// Version is this program's, for Welcome and host.json.
	Version string
	// WriteTimeout disconnects a client that does not read; 0 is 5 seconds.
	WriteTimeout time.Duration
	// Orphans makes this process the parent of descendants whose own parents end, where the
	// system can (Linux). The process must have no other children.
	Orphans bool
	// Engine makes the terminal engine; nil is NewEngine.
	Engine func(name string, o screen.Options) screen.Engine
}

// Times and sizes.
const (
	// helloTimeout bounds the wait for a connection's Hello.
	helloTimeout = 5 * time.Second
	// writeTimeout is the default of Options.WriteTimeout.
	writeTimeout = 5 * time.Second
	// farewell bounds the sending to clients after the end.
	farewell = time.Second
	// syncLimit bounds a synchronized update (mode 2026).
	syncLimit = 150 * time.Millisecond
	// drainQuiet and drainLimit bound the reading after the process's end, if a process
	// that it left behind holds the terminal open.
	drainQuiet = 200 * time.Millisecond
	drainLimit = 2 * time.Second
	// silence is the time without output after which output counts as new activity.
	silence = time.Second

	maxClients     = 64
	inputQueue     = 64
	maxReplyBytes  = 256 << 10
	defaultRing    = 2 << 20
	evidenceRing   = 4096
	readBufferSize = 16 << 10
)

// host is one session. mu is its only lock, and guards all fields below it.
type host struct {
	// Constant once start has returned.

	spec    wire.HostSpec
	opts    Options
	started time.Time
	child   *child.Process // nil until it was started
	way     *proxy.Proxy   // of a network with a list of hosts; nil for none
	listen  *listener

	// Channels, and the count of goroutines.

	input     chan job       // queue of the PTY's writer, never closed
	over      chan struct{}  // closed once the PTY is drained after the process's end
	ended     chan struct{}  // closed when the process was reaped
	replyWake chan struct{}  // one slot: replies are pending
	changed   chan struct{}  // one slot: the screen changed, while watching
	wg        sync.WaitGroup // every goroutine except the clients'
	clientWG  sync.WaitGroup // the clients' goroutines

	mu sync.Mutex // guards all fields below

	// The screen.

	eng      screen.Engine
	engEpoch uint64 // counts engines: generations of two engines cannot be compared
	osc      oscListener
	colours  wire.Colours // see colour
	size     sizing
	alt      bool // the alternate screen is active
	titles   titles
	syncFrom time.Time // start of the current synchronized update; zero: none
	settled  time.Time // no frame before that time; zero: no limit. See settle
	bulkFrom time.Time // start of the current bulk read
	bulkAt   time.Time // time of the last bulk read; zero: none yet

	// Output.

	ring     ring        // the last bytes printed
	lastRead time.Time   // when the process printed last; zero: never
	evidence evidenceLog // the newest facts
	tidy     freeMemory
	clients  map[*client]struct{}
	rested   resting // of the last rest; zero: none
	greeted  uint64  // counts connections, for their ids
	frames   uint64  // counts frames sent

	// Input.

	replies  []byte                              // terminal replies for the PTY, in order
	wrote    uint64                              // bytes written to the PTY
	typed    uint64                              // counts clients' inputs: after one, frames are not paced
	person   typingState                         // a person's typing
	long     longWrite                           // the long text being written
	txs      *once.Memory[string, wire.TxResult] // outcomes of the newest transactions, by id
	watching bool                                // a transaction waits on changed
	direct   directline.Lines                    // closed while the application wants its keys encoded
	before   beforeEcho
	front    foreground

	// The end.

	reaped   bool            // the process is reaped: no signal may be sent any more
	exit     wire.ExitRecord // valid once reaped
	stopping bool            // farewell has begun
	timers   []*time.Timer   // of kills
	resume   *time.Timer     // of goOnAfter; nil: none yet
}

// Run hosts the session of spec until its process has ended. If ctx ends, Run ends the
// process (HUP, then KILL). It returns why the process could not start, which it also
// passes to Options.Ready, or what could not be saved at the end.
func Run(ctx context.Context, spec wire.HostSpec, opts Options) error {
	h := &host{
		spec:      spec,
		opts:      opts,
		input:     make(chan job, inputQueue),
		over:      make(chan struct{}),
		ended:     make(chan struct{}),
		replyWake: make(chan struct{}, 1),
		changed:   make(chan struct{}, 1),
		clients:   map[*client]struct{}{},
		txs:       once.NewMemory[string, wire.TxResult](rememberedTxs),
	}
	if err := h.start(); err != nil {
		opts.Ready(wire.HostReady{Error: err.Error()})
		return err
	}
	timeslice.Short() // after the fork, so that the agent does not inherit it
	opts.Ready(wire.HostReady{PID: h.child.PID, HostPID: os.Getpid(), Walled: h.spec.Wall != ""})
	return h.serve(ctx)
}

// start sets up everything, up to the running process.
func (h *host) start() error {
	if !filepath.IsAbs(h.spec.Dir) || !filepath.IsAbs(h.spec.Socket) || h.spec.Ticket == "" {
		return errors.New("the host spec lacks an absolute dir, an absolute socket, or a ticket")
	}
	if h.opts.WriteTimeout <= 0 {
		h.opts.WriteTimeout = writeTimeout
	}
	if h.opts.Engine == nil {
		if err := checkEngine(h.spec.Engine); err != nil {
			return err
		}
		h.opts.Engine = NewEngine
	}
	h.spec.Cols = clampSize(h.spec.Cols, screen.MaxCols, 80)
	h.spec.Rows = clampSize(h.spec.Rows, screen.MaxRows, 24)
	ringBytes := h.spec.RingBytes
	if ringBytes <= 0 {
		ringBytes = defaultRing
	}
	h.ring.limit = ringBytes
	h.evidence.init(evidenceRing)
	h.osc.h = h
	h.size.init(h)
	h.tidy.init(h)
	h.titles.h = h
	h.newEngine(h.spec.Cols, h.spec.Rows)

	l, err := listen(h.spec.Socket)
	if err != nil {
		return err
	}
	h.listen = l
	h.started = time.Now()
	// A daemon that finds no host.json gives the directory up, and a retry starts the
	// session once more: the file names this host before the process can do anything.
	if err := h.writeHostFile(); err != nil {
		l.close()
		return err
	}
	if err = h.openWay(); err == nil {
		h.child, err = child.Start(h.spec, h.opts.Orphans)
	}
	if err != nil {
		h.closeWay()
		_ = os.Remove(h.hostFile()) // the daemon removes the directory
		l.close()
		return err
	}
	h.mu.Lock()
	h.record(wire.EvidenceStarted, field{"pid", itoa(h.child.PID)})
	h.mu.Unlock()
	if err := h.completeHostFile(); err != nil {
		h.child.Abandon()
		h.closeWay()
		l.close()
		return err
	}
	return nil
}

// serve runs the goroutines until the process has ended, and shuts down.
func (h *host) serve(ctx context.Context) error {
	h.wg.Go(h.acceptLoop)
	h.wg.Go(h.writePTY)
	readerDone := make(chan struct{})
	h.wg.Go(func() {
		defer close(readerDone)
		h.readPTY()
	})
	stopRebind := make(chan struct{})
	h.wg.Go(func() { h.rebindLoop(stopRebind) })
	stopKill := context.AfterFunc(ctx, func() {
		h.kill(wire.KillParams{Signal: "HUP", GraceMS: int(killGrace.Milliseconds())})
	})
	defer stopKill()

	h.awaitChild(ctx)
	h.drain(readerDone)
	close(h.over)
	close(stopRebind)
	h.closeWay()
	err := h.writeFinal()
	h.farewell()
	h.listen.close()
	tidyDir(h.spec)
	h.child.Close()
	h.wg.Wait()
	h.stopTimers()
	return err
}

// killGrace is the time between HUP and KILL when ctx ends.
const killGrace = 5 * time.Second

// stopLag is how much later than its process a host may learn that the system ends both.
const stopLag = 100 * time.Millisecond

// awaitChild waits for the process and records how it ended. ctx has ended if the system
// told the host to end.
func (h *host) awaitChild(ctx context.Context) {
	h.child.WaitExited()
	h.mu.Lock()
	h.exit = h.child.Reap()
	h.reaped = true
	if h.exit.Code == 128+int(syscall.SIGTERM) {
		h.mu.Unlock()
		lag := time.NewTimer(stopLag)
		select {
		case <-ctx.Done():
		case <-lag.C:
		}
		lag.Stop()
		h.mu.Lock()
	}
	h.exit.Stopped = ctx.Err() != nil
	fields := []field{{"code", itoa(h.exit.Code)}}
	if h.exit.Signal != "" {
		fields = append(fields, field{"signal", h.exit.Signal})
	}
	if h.exit.Stopped {
		fields = append(fields, field{"stopped", "1"})
	}
	h.record(wire.EvidenceExit, fields...)
	h.mu.Unlock()
	close(h.ended)
}

// drain waits until the reader has taken the rest of the PTY. The kernel ends the stream
// when no process has the terminal open, which may be never.
func (h *host) drain(readerDone <-chan struct{}) {
	end := time.NewTimer(drainLimit)
	defer end.Stop()
	last := h.position()
	for {
		select {
		case <-readerDone:
			return
		case <-end.C:
		case <-time.After(drainQuiet):
			if now := h.position(); now != last {
				last = now
				continue
			}
		}
		h.child.StopReading()
		<-readerDone
		return
	}
}

// position is the number of bytes that the PTY has printed.
func (h *host) position() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ring.end
}

// farewell sends every client the rest and the exit, and waits for them.
func (h *host) farewell() {
	h.mu.Lock()
	h.titles.tell(time.Now())
	h.stopping = true
	for c := range h.clients {
		c.wakeUp()
	}
	h.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		h.clientWG.Wait()
		close(gone)
	}()
	t := time.NewTimer(farewell)
	defer t.Stop()
	select {
	case <-gone:
		return
	case <-t.C:
	}
	h.mu.Lock()
	for c := range h.clients {
		c.conn.Close()
	}
	h.mu.Unlock()
	<-gone
}

func clampSize(n, most, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return min(n, most)
}

// errEnded is the error of calls that need the process.
var errEnded = errors.New("the process has ended")
