package sessions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/contain"
	"ccdir/internal/disk/paths"
	"ccdir/internal/once"
	"ccdir/internal/tune/ratelimit"
	"ccdir/internal/tune/timer"
	"ccdir/sandbox"
	"ccdir/sessions/statusfile"
	"ccdir/wire"
)

// Journal makes changes durable and visible, in the order of Append.
type Journal interface {
	// Append queues a message. When it is durable and published, the channel receives one
	// value and is closed. record is the durable form of msg.Session (nil: publish only);
	// key is the event's idempotency key, which Store.Keys returns.
	Append(msg api.WatchMessage, record []byte, key string) <-chan error
}

// Store is the registry's read access to the past.
type Store interface {
	// Keys returns the newest idempotency keys of a session's events, newest first.
	Keys(ctx context.Context, session string) ([]string, error)
	// KnownID reports whether a session ever had the id.
	KnownID(ctx context.Context, id string) (bool, error)
	// UseDirectory records that a session was started in the directory.
	UseDirectory(path string, at time.Time) error
}

// Launcher starts hosts.
type Launcher interface {
	// Launch starts a host and waits until its process runs. The host leads a process
	// session of its own and outlives the launcher, which reaps it.
	Launch(ctx context.Context, spec wire.HostSpec) (wire.HostReady, error)
}

// Options configure a registry.
type Options struct {
	Paths paths.Paths
	// Config returns the configuration in force. It must not block.
	Config   func() config.Config
	Journal  Journal
	Store    Store
	Launcher Launcher
	// Policy decides what sessions may do; nil: the agents decide, and their panes answer
	// permission requests.
	Policy Policy
	// Limits learns what agents tell of their limits; nil: nobody does.
	Limits Limits
	// AtStop returns the text that an agent continues with when its turn ends; "" lets the
	// turn end. again is true if the turn was continued already and has not rested since.
	// AtStop must not wait for a session's actor. Nil lets every turn end.
	AtStop func(ctx context.Context, session string, again bool) string
	// Writes is told of a call before its tool runs; the hook's answer waits for what it returns, for a while. Once the hook has its
	// answer, answered is closed. Nil: nobody is told.
	Writes func(c api.Caller, u api.ToolUse, answered <-chan struct{}) (ready <-chan struct{})
	// Prepare completes a request before a session is made of it: directory and variables of
	// its work tree. Nil leaves it as it is.
	Prepare func(ctx context.Context, n *api.NewSession) error
	// TaskRuns reports whether the queue's task of a session has not ended. It must not wait for a
	// session's actor. Nil: none does.
	TaskRuns func(session string) bool
	// Env is the daemon's environment.
	Env []string
	// Shim is the absolute path of ccdir-shim.
	Shim string
	// Pause stops at the named points of a delivery (Pause… constants), for tests; nil in
	// programs.
	Pause func(point string)
	// Alarms runs waits of seconds and more; nil is ready.
	Alarms *timer.Clock
	// Now returns the time; nil is time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Registry holds the sessions. Make it with New, then call Start; end it with Close.
type Registry struct {
	o        Options
	log      *slog.Logger
	versions agents.Versions
	ctx      context.Context
	cancel   context.CancelFunc
	// wg counts actors and the goroutines that they started.
	wg contain.Group
	// rejected limits the rate of events about refused hook calls.
	rejected    ratelimit.Reports
	statusFiles statusfile.Watcher
	// steps are weighSteps; tests put them into other orders.
	steps []weighStep
	// outsideMu is held while the row of an agent outside is looked up or made. Lock order:
	// outsideMu, then mu.
	outsideMu sync.Mutex

	// ability is what this machine can hold of walls, guarded by ableMu, which is held while it
	// is tried.
	ableMu  sync.Mutex
	ability sandbox.Ability

	mu       sync.Mutex
	closed   bool
	sessions map[string]*session
	names    map[string]string // name → id
	// claimed are sessions that count for max_sessions before they run.
	claimed map[*session]bool
	// making are the idempotency keys (NewSession.Request) whose sessions are being made.
	making once.Flight[string]
	// requestNames has the ids of permission requests with their calls, guarded by mu.
	requestNames *once.Memory[string, string]
	// openRequests counts the permission requests that are not settled; ends are those whose
	// end is being recorded.
	openRequests atomic.Int64
	ends         sync.WaitGroup
}

// New makes a registry without sessions.
func New(o Options) *Registry {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Registry{o: o, log: o.Logger, wg: contain.Group{Log: o.Logger}, ctx: ctx, cancel: cancel, statusFiles: statusfile.Watcher{Clock: o.Alarms}, steps: weighSteps(),
		sessions: map[string]*session{}, names: map[string]string{}, claimed: map[*session]bool{},
		requestNames: once.NewMemory[string, string](namesKept)}
}

// Close ends all actors and connections and waits for them. Hosts keep running. Calls that
// wait for a request fail, and make it again with the next daemon.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.ends.Wait()
	r.cancel()
	r.wg.Wait()
	r.statusFiles.Close()
}

// errClosing is the error of calls while the daemon stops.
var errClosing = api.Errorf(api.CodeUnavailable, "the daemon is stopping; try again")

// pause stops at a point for a test.
func (r *Registry) pause(point string) {
	if r.o.Pause != nil {
		r.o.Pause(point)
	}
}

// now is the current time in UTC, as the API reports times.
func (r *Registry) now() time.Time { return r.o.Now().UTC() }

// find resolves an id, a name, or a unique prefix of an id, in that order.
func (r *Registry) find(ref string) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.sessions[ref]; ok {
		return s, nil
	}
	if id, ok := r.names[ref]; ok && r.sessions[id] != nil {
		return r.sessions[id], nil
	}
	var found []string
	for id := range r.sessions {
		if ref != "" && strings.HasPrefix(id, ref) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return nil, api.Errorf(api.CodeNotFound, "no session %q: `ccdir ls` lists them, `ccdir history` those that were removed", agents.Cut(ref, 64))
	case 1:
		return r.sessions[found[0]], nil
	}
	return nil, api.Errorf(api.CodeAmbiguous, "%q fits %d sessions: give more of the id, or the name", ref, len(found))
}

// Resolve returns the id of a session, given an id, a name or a unique prefix.
func (r *Registry) Resolve(ref string) (string, error) {
	s, err := r.find(ref)
	if err != nil {
		return "", err
	}
	return s.id, nil
}

// all returns every session.
func (r *Registry) all() []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*session, 0, len(r.sessions))
	for _, s := range r.sessions {
		list = append(list, s)
	}
	return list
}

// add registers a session under its id and a free name, and starts its actor.
func (r *Registry) add(s *session, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosing
	}
	if err := r.nameFree(name, s.id); err != nil {
		return err
	}
	r.sessions[s.id], r.names[name] = s, s.id
	r.wg.Go(s.run)
	return nil
}

// drop removes a session and its name from the registry.
func (r *Registry) drop(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sessions, id)
	for name, owner := range r.names {
		if owner == id {
			delete(r.names, name)
		}
	}
}

// nameFree returns why a session cannot have a name: another session has it as its name, or
// as its id, which find would prefer. The caller holds mu.
func (r *Registry) nameFree(name, id string) error {
	if owner, taken := r.names[name]; taken && owner != id {
		return r.nameTaken(name)
	}
	if other := r.sessions[name]; other != nil && name != id {
		return api.Errorf(api.CodeConflict, "the name %q is the id of another session: choose another", name)
	}
	return nil
}

// rename gives a session another name.
func (r *Registry) rename(id, from, to string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.nameFree(to, id); err != nil {
		return err
	}
	delete(r.names, from)
	r.names[to] = id
	return nil
}

// freeName returns the first free "<agent>-N".
func (r *Registry) freeName(agent string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", agent, n)
		if _, taken := r.names[name]; !taken {
			return name
		}
	}
}

const (
	idLetters = "abcdefghijklmnopqrstuvwxyz"
	idSymbols = idLetters + "0123456789"
	idLen     = 8
)

// newID makes an id that no session has had.
func (r *Registry) newID(ctx context.Context) (string, error) {
	for range 100 {
		id := randomID()
		if _, err := os.Lstat(r.o.Paths.SessionDir(id)); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		known, err := r.o.Store.KnownID(ctx, id)
		if err != nil {
			return "", err
		}
		if !known {
			return id, nil
		}
	}
	return "", errors.New("no free session id")
}

func randomID() string { return idOf(func(_, n int) int { return randomBelow(n) }) }

// idOf makes an id of a letter and seven letters or digits; choose picks one of n at place
// i.
func idOf(choose func(i, n int) int) string {
	id := make([]byte, idLen)
	for i := range id {
		symbols := idSymbols
		if i == 0 {
			symbols = idLetters
		}
		id[i] = symbols[choose(i, len(symbols))]
	}
	return string(id)
}

// randomBelow is uniform below n, which is at most 256.
func randomBelow(n int) int {
	var b [1]byte
	for {
		_, _ = rand.Read(b[:]) // never fails
		if limit := 256 - 256%n; int(b[0]) < limit {
			return int(b[0]) % n
		}
	}
}

// validID reports whether a directory name can be a session's id.
func validID(id string) bool {
	if len(id) != idLen || id[0] < 'a' || id[0] > 'z' {
		return false
	}
	return strings.Trim(id, idSymbols) == ""
}
