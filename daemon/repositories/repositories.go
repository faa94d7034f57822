package repositories

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/internal/contain"
	"ccdir/internal/gitstatus"
	"ccdir/internal/proc"
	"ccdir/internal/text/textsafe"
	"ccdir/worktrees"
)

// Journal is the event log: journal.Log.
type Journal interface {
	Sessions() []api.Session
	Session(id string) (api.Session, bool)
	Watch() *journal.Watcher
}

// Sessions are the sessions: sessions.Registry.
type Sessions interface {
	Create(ctx context.Context, n api.NewSession) (api.Session, error)
	Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error)
	// Caller describes a session for the policy.
	Caller(ctx context.Context, ref string) (api.Caller, error)
	// What a session shows; one that is gone is no error.
	SetTree(ctx context.Context, id string, v api.TreeState) error
	SetClashes(ctx context.Context, id string, clashes []api.Clash) error
	SetPullRequest(ctx context.Context, id string, p *api.PullRequest) error
}

// Policy decides what sessions may do, and has what the person agreed to: enforce.Enforcer.
type Policy interface {
	Use(c api.Caller, u api.ToolUse) api.Verdict
	Consented(ctx context.Context, what, command string) (bool, error)
	Consent(what, command, client string, call api.Call) error
}

// Store has the recently used directories, newest first: store.Store.
type Store interface {
	Directories(ctx context.Context, limit int) ([]string, error)
}

// Options join the repositories with the daemon. All but Pause are needed.
type Options struct {
	Journal  Journal
	Sessions Sessions
	Policy   Policy
	Store    Store
	// Config is the configuration as it is now.
	Config func() *config.Loaded
	// Trees is the directory of work trees, unless a place is configured; Trash that of removed
	// ones; Home replaces ~ in a configured place.
	Trees, Trash, Home string
	// Env is the environment in which the forge's program is looked for and runs, unless a caller
	// sends one.
	Env []string
	// Note appends an event that is no session's.
	Note func(eventType, message string)
	// Pause is called at named points of worktrees, for tests; nil: never.
	Pause  func(point string)
	Logger *slog.Logger
}

// Repositories are the git repositories around sessions, and their work trees. Make one with
// New.
type Repositories struct {
	*worktrees.Keeper
	o        Options
	branches *branches
	radar    *radar
	pulls    *pulls
}

// New makes the repositories. Nothing runs before Run.
func New(o Options) *Repositories {
	r := &Repositories{o: o}
	r.Keeper = worktrees.New(worktrees.Options{
		Trees: o.Trees, Trash: o.Trash, Home: o.Home, Place: func() string { return o.Config().WorktreePlace },
		Sessions: r.o.worktreeSessions, Pause: o.Pause, Logger: o.Logger,
		Finished: func(did string) { o.Note(api.EventWorktree, textsafe.Line(did)) },
	})
	r.radar, r.pulls = newRadar(&r.o, r.Keeper), newPulls(&r.o, r.Keeper)
	r.branches = newBranches(branchOptions{
		Logger: o.Logger, Watch: o.Journal.Watch, Top: repoTop, Read: r.readTree, Used: proc.ChildTime,
		Asked: func(dir string, at time.Time) { r.radar.note(dir, at); r.pulls.note(dir, false) },
		Set:   o.Sessions.SetTree,
	})
	return r
}

// Run finishes what an earlier daemon's end interrupted, and keeps what sessions show up to date,
// until ctx ends. All that it started has ended when it returns.
func (r *Repositories) Run(ctx context.Context) {
	running := contain.Group{Log: r.o.Logger}
	running.Go(func() { r.recoverTrees(ctx) })
	for _, run := range []func(context.Context){r.branches.run, r.radar.follow, r.radar.run, r.pulls.run} {
		running.Keep(ctx, run)
	}
	running.Wait()
}

// recoverTrees finishes what an earlier daemon's end interrupted where sessions are or were.
func (r *Repositories) recoverTrees(ctx context.Context) {
	var tops []string
	for _, s := range r.o.Journal.Sessions() {
		if top := repoTop(s.CWD); top != "" && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	r.Recover(ctx, tops)
}

// readTree asks git about a work tree. A branch that follows none is compared with the one that
// it was made from, or the default branch.
func (r *Repositories) readTree(ctx context.Context, dir string) (gitstatus.Status, error) {
	s, err := gitstatus.ReadLines(ctx, dir)
	if err == nil && s.Upstream == "" {
		s.Ahead, s.Behind = r.Apart(ctx, dir)
	}
	return s, err
}

// worktreeSessions are all sessions with the directories that they are in. A session that
// restarts counts as running.
func (o *Options) worktreeSessions(ctx context.Context, deep bool) (list []worktrees.Session) {
	for _, s := range o.Journal.Sessions() {
		one := worktrees.Session{ID: s.ID, Name: s.Name, Live: !s.State.Ended() || s.Restarting}
		if s.CWD != "" {
			one.Dirs = append(one.Dirs, s.CWD)
		}
		if one.Live {
			one.Dirs = append(one.Dirs, processDirs(ctx, s, deep)...)
		}
		list = append(list, one)
	}
	return list
}

// processDirs are the working directories of a session's process, with deep of all below
// it. An agent may have moved on from where it was started.
func processDirs(ctx context.Context, s api.Session, deep bool) (dirs []string) {
	if s.PID == 0 {
		return nil
	}
	pids := []int{s.PID}
	if deep {
		tree, _ := proc.Tree(ctx, s.PID) // it has just ended if this fails
		for _, p := range tree {
			pids = append(pids, p.PID)
		}
	}
	for _, pid := range pids {
		if dir, err := proc.CWD(pid); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
