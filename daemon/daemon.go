package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/callers"
	"ccdir/daemon/conversations"
	"ccdir/daemon/history"
	"ccdir/daemon/intake"
	"ccdir/daemon/journal"
	"ccdir/daemon/limits"
	"ccdir/daemon/listen"
	"ccdir/daemon/mailbox"
	"ccdir/daemon/page"
	"ccdir/daemon/pending"
	"ccdir/daemon/queue"
	"ccdir/daemon/repositories"
	"ccdir/daemon/restore"
	"ccdir/daemon/reviews"
	"ccdir/daemon/store"
	"ccdir/daemon/tools"
	"ccdir/docslookup"
	"ccdir/internal/contain"
	"ccdir/internal/proc"
	"ccdir/internal/tune/timer"
	"ccdir/policy/enforce"
	"ccdir/sessions"
	"ccdir/sessions/launch"
)

// ErrRunning: another daemon holds the lock.
var ErrRunning = listen.ErrRunning

// daemon is one running daemon.
type daemon struct {
	o         Options
	log       *slog.Logger
	started   time.Time
	config    atomic.Pointer[config.Loaded]
	alarms    *timer.Clock
	store     *store.Store
	events    *journal.Log
	registry  *sessions.Registry
	tasks     *queue.Queue
	history   *history.History
	pending   *pending.Prompts
	schedules *intake.Schedules
	reactions *intake.Reactions
	watches   *intake.Watches
	// conversations has no state; said and indexer are nil if the index cannot be opened.
	conversations *conversations.Conversations
	repositories  *repositories.Repositories
	reviews       *reviews.Reviews
	docs          *docslookup.Library
	limits        *limits.Keeper
	costs         *costing
	said          *store.Said
	indexer       *conversations.Indexer
	// tools is nil until the queue runs; hooks may need it before.
	tools    atomic.Pointer[tools.Server]
	enforcer *enforce.Enforcer
	leads    *mailbox.Leads
	callers  *callers.Callers
	socket   *listen.Socket
	past     *restore.Restorer
	grid     *layoutStore
	page     *page.Page
	// tcpAddress is the address of the API over TCP; nil: it is not served there.
	tcpAddress atomic.Pointer[string]
	lock       *listen.LockFile
	// storeProblem is what the last look found wrong with the database, "": nothing;
	// stateError the last logged failure to write files again, of guardState.
	storeProblem atomic.Pointer[string]
	// aside is api.Server.Aside as of the last look.
	aside      atomic.Pointer[[]string]
	stateError string
	// stop gets the first request to stop; one slot.
	stop chan api.Stop
	// configChanged says that the file of the configuration has changed; one slot.
	configChanged chan struct{}
}

// Run runs a daemon until ctx ends, or a signal or a call asks it to stop. It returns
// ErrRunning if another one runs.
func Run(ctx context.Context, o Options) error {
	d := &daemon{o: o, log: o.Logger, started: time.Now().UTC(), stop: make(chan api.Stop, 1), configChanged: make(chan struct{}, 1)}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	signals := o.Signals
	if signals == nil {
		ch := make(chan os.Signal, 8)
		signal.Notify(ch, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1)
		defer signal.Stop(ch)
		signals = ch
	}
	unlock, err := d.prepare()
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.open(ctx); err != nil {
		return err
	}
	return d.serve(ctx, signals)
}

// prepare makes the directories and takes the lock.
func (d *daemon) prepare() (unlock func(), err error) {
	if err := os.MkdirAll(d.o.Paths.State, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the state directory: %w: make it writable or set CCDIR_HOME", err)
	}
	if d.lock, err = listen.Lock(d.o.Paths.LockFile()); err != nil {
		return nil, err
	}
	// Under the lock: a daemon that stops removes the directory under it.
	if err := listen.EnsureRuntime(d.o.Paths, d.o.UID); err != nil {
		d.lock.Release()
		return nil, err
	}
	// Left by daemons that were killed while they made their socket.
	left, _ := filepath.Glob(d.o.Paths.Socket() + ".*") // fails for bad patterns only
	for _, path := range left {
		_ = os.Remove(path)
	}
	return func() {
		d.tidyRuntime()
		d.lock.Release()
	}, nil
}

// tidyRuntime removes the socket directory of a CCDIR_HOME, unless something still
// listens in it: there can be many such directories.
func (d *daemon) tidyRuntime() {
	if d.o.Paths.Home == "" {
		return
	}
	ofLogin := []string{d.o.Paths.SSHAgent(), d.o.Paths.Display()}
	entries, _ := os.ReadDir(d.o.Paths.Runtime)
	if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !slices.Contains(ofLogin, filepath.Join(d.o.Paths.Runtime, e.Name())) }) {
		for _, path := range ofLogin { // no session has them any more
			_ = os.Remove(path)
		}
	}
	_ = os.Remove(d.o.Paths.Runtime) // fails when it is not empty
}

// open opens the store, starts journal and registry, and adopts running sessions.
func (d *daemon) open(ctx context.Context) (err error) {
	loaded := config.Load(d.o.Paths.ConfigFile(), d.o.Home)
	d.config.Store(&loaded)
	var opened store.Opened
	if d.store, opened, err = store.Open(d.o.Paths.Database(), d.log); err != nil {
		return err
	}
	d.store.Kinds = adapters.HookKind
	d.alarms = timer.New()
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if err := d.openEvents(ctx); err != nil {
		return err
	}
	records, err := d.events.Records(ctx)
	if err != nil {
		return err
	}
	d.grid = &layoutStore{path: d.o.Paths.GridFile(), events: d.events, spent: d.spentSince}
	d.note(api.EventDaemonStarted, fmt.Sprintf("daemon %s started, pid %d", api.Version, os.Getpid()))
	if opened.Moved != "" {
		d.note(api.EventStoreMoved, fmt.Sprintf("the database was damaged (%v); it was moved to %s and a new one begun, with the %d rows that could be read", opened.Cause, opened.Moved, opened.Saved))
	}
	for _, kept := range d.lookAside() {
		d.note(api.EventStoreMoved, kept)
	}
	d.noteProblems(loaded)
	if d.enforcer, err = d.newEnforcer(ctx); err != nil {
		return err
	}
	if d.limits, err = limits.Open(ctx, limits.Options{Store: d.store, Now: time.Now, Changed: d.tellLimits, Alarms: d.alarms, Logger: d.log}); err != nil {
		return err
	}
	d.costs = d.newCosts()
	files := reviews.NewFiles(d.o.Paths.Named, d.log)
	d.registry = sessions.New(sessions.Options{
		Policy: d.enforcer, Limits: metering{d}, AtStop: d.atStop, Writes: files.Before, Prepare: func(ctx context.Context, n *api.NewSession) error { return d.repositories.Prepare(ctx, n) },
		Paths: d.o.Paths, Config: func() config.Config { return d.config.Load().Config }, TaskRuns: d.taskRuns,
		Alarms: d.alarms, Journal: d.events, Store: sessionStore{d.store, d.events}, Shim: d.o.Shim, Env: d.o.Env, Pause: d.o.Pause,
		Launcher: launch.ShimLauncher{Shim: d.o.Shim, Env: d.o.Env, Scope: d.o.Scope, Logger: d.log}, Logger: d.log,
	})
	d.enforcer.Attach(d.registry)
	d.repositories = repositories.New(repositories.Options{
		Journal: d.events, Sessions: d.registry, Policy: d.enforcer, Store: d.store, Config: d.config.Load,
		Trees: d.o.Paths.Worktrees(), Trash: d.o.Paths.Trash(), Home: d.o.Home, Env: d.o.Env, Note: d.note, Pause: d.o.Pause, Logger: d.log,
	})
	if err := d.registry.Start(ctx, records); err != nil {
		return err
	}
	d.past = restore.Open(restore.Options{
		Dir: d.o.Paths.Snapshots(), Boot: cmp.Or(d.o.Boot, proc.Boot()),
		Journal: d.events, Sessions: d.registry, Grid: d.grid, Config: d.config.Load, Env: d.o.Env, Logger: d.log,
	})
	d.registry.PolicyChanged()
	if d.tasks, err = d.openQueue(ctx); err != nil {
		return err
	}
	d.conversations = d.newConversations()
	d.openIndex()
	d.history = d.newHistory()
	d.pending = pending.New(pending.Options{Store: d.store, Sessions: d.registry, Journal: d.events, Now: time.Now, Pause: d.pause, Logger: d.log})
	if err := d.openIntake(ctx); err != nil {
		return err
	}
	d.reviews = reviews.New(reviews.Options{Journal: d.events, Sessions: d.registry, Store: d.store, Prompts: d.pending, Past: d.pastSession, HasRole: d.hasRole, Files: files, Note: d.note, Now: time.Now, Pause: d.pause, Logger: d.log})
	d.docs = docslookup.New(docslookup.Options{Dir: d.o.Paths.Docs(), Env: d.o.Env, Logger: d.log})
	if err := d.openTools(); err != nil {
		return err
	}
	d.page = d.newPage()
	return nil
}

// pause calls Options.Pause.
func (d *daemon) pause(point string) {
	if d.o.Pause != nil {
		d.o.Pause(point)
	}
}

// serve accepts calls until a stop is requested, and then ends everything.
func (d *daemon) serve(ctx context.Context, signals <-chan os.Signal) error {
	defer d.close()
	var err error
	if d.socket, err = listen.Open(d.o.Paths.Socket()); err != nil {
		return err
	}
	handler := d.handler()
	server := listen.NewServer(handler, d.o.UID, d.log)
	server.Refused = func(uid int) {
		d.enforcer.Refused("", "connection", fmt.Sprintf("a process of another user (uid %d) called", uid))
	}
	// Before the first answer: a client may check which daemon gave it.
	if err := d.writeServerFile(); err != nil { // a full disk: the file only helps when the socket is removed
		d.log.Error("cannot write down which daemon runs", "error", err)
	}
	// Before the first answer, too: who started it may look into the log.
	d.log.Info("the daemon accepts calls", "socket", d.o.Paths.Socket(), "pid", os.Getpid(), "version", api.Version)
	if d.o.Self == 0 { // from here on they are reaped as well
		proc.AdoptOrphans()
	}
	server.Serve(d.socket.Listener(), d.callers)
	overTCP := d.serveTCP(handler)
	defer overTCP.End()
	d.page.Begin()
	defer d.page.End()
	// Hook calls during the adoption found no socket and were spooled.
	d.registry.DrainSpools()
	background, endBackground := context.WithCancel(ctx)
	running := contain.Group{Log: d.log}
	running.Keep(background, d.prune)
	running.Keep(background, d.history.Run)
	running.Keep(background, d.guardState)
	running.Keep(background, d.followConfig)
	if d.o.Self == 0 {
		running.Keep(background, func(ctx context.Context) { callers.Reap(ctx, d.alarms) })
	}
	running.Keep(background, d.limits.Run)
	running.Keep(background, d.costs.run)
	running.Keep(background, func(ctx context.Context) { d.limits.Probe(ctx, prober{d}) })
	running.Go(func() { d.idle().Run(background) })
	running.Keep(background, d.past.Run)
	running.Go(func() { d.repositories.Run(background) })
	running.Keep(background, d.reviews.Run)
	running.Keep(background, d.pending.Run)
	running.Go(func() { d.runIntake(background) })
	if d.indexer != nil {
		running.Keep(background, d.indexer.Run)
		d.costs.indexer.Store(d.indexer)
	}
	if d.o.Ready != nil {
		d.o.Ready(d.events.Server())
	}
	stop := d.await(ctx, signals, server)
	if stop.KillSessions {
		d.tasks.Close() // or the queue would start further sessions
		killCtx, cancel := context.WithTimeout(context.Background(), d.config.Load().KillGrace+2*listen.StopTime)
		d.registry.KillAll(killCtx)
		cancel()
	}
	d.note(api.EventDaemonStopped, "daemon stopped")
	endBackground()
	running.Wait()
	// The socket's name goes first: a caller from now on starts another daemon, which
	// waits for the lock.
	err = errors.Join(d.socket.Close(), removeServerFile(d.o.Paths.ServerFile()))
	return errors.Join(err, server.Close())
}

// await handles signals until a stop is requested.
func (d *daemon) await(ctx context.Context, signals <-chan os.Signal, server *listen.Server) api.Stop {
	for {
		select {
		case <-ctx.Done():
			return api.Stop{}
		case stop := <-d.stop:
			return stop
		case <-d.configChanged:
			d.reload()
		case sig := <-signals:
			switch sig {
			case syscall.SIGHUP:
				d.reload()
			case syscall.SIGUSR1:
				d.remake(server)
			default:
				d.log.Info("stopping", "signal", sig.String())
				return api.Stop{}
			}
		}
	}
}

// remake makes the socket again if it was removed. Existing connections stay.
func (d *daemon) remake(server *listen.Server) {
	if d.socket.Ours() {
		return
	}
	if err := listen.EnsureRuntime(d.o.Paths, d.o.UID); err != nil {
		d.log.Error("cannot make the socket again", "error", err)
		return
	}
	s, err := listen.Open(d.o.Paths.Socket())
	if err != nil {
		d.log.Error("cannot make the socket again", "error", err)
		return
	}
	old := d.socket
	d.socket = s
	server.Serve(s.Listener(), d.callers)
	old.Listener().Close()
	d.registry.DrainSpools()
	d.log.Info("the socket was made again", "socket", d.o.Paths.Socket())
}

// followConfig has the configuration read again when its file changes, until ctx ends.
func (d *daemon) followConfig(ctx context.Context) {
	err := config.Follow(ctx, *d.config.Load(), d.o.Home, func(config.Loaded) {
		select {
		case d.configChanged <- struct{}{}:
		default: // it will be read
		}
	})
	if err != nil {
		d.log.Error("config.toml is not watched any more", "error", err)
		d.note(api.EventConfigError, fmt.Sprintf("the daemon does not notice changes of config.toml (%v): `ccdir daemon restart` reads it", err))
	}
}

// reload reads the configuration again. A file with a syntax error is ignored.
func (d *daemon) reload() {
	loaded := config.Load(d.o.Paths.ConfigFile(), d.o.Home)
	d.noteProblems(loaded)
	if loaded.Broken() {
		return
	}
	for _, key := range config.AtStart(d.config.Load().Config, loaded.Config) {
		d.note(api.EventConfigError, key+" is read at the daemon's start: `ccdir daemon restart`")
	}
	d.config.Store(&loaded)
	d.page.Follow()
	d.workChanged()
	d.log.Info("the configuration was read again", "file", loaded.File)
}

// close ends the parts in the opposite order of open.
func (d *daemon) close() {
	if t := d.tools.Load(); t != nil {
		t.Close()
	}
	if d.docs != nil {
		d.docs.Close()
	}
	if d.tasks != nil {
		d.tasks.Close()
	}
	if d.registry != nil {
		d.registry.Close()
	}
	if d.enforcer != nil {
		d.enforcer.Close()
	}
	if d.events != nil {
		d.events.Close()
	}
	if d.said != nil {
		if err := d.said.Close(); err != nil {
			d.log.Error("the index of conversations was not closed well", "error", err)
		}
	}
	if d.store != nil {
		if err := d.store.Close(); err != nil {
			d.log.Error("the database was not closed well", "error", err)
		}
	}
	d.alarms.Close()
}
