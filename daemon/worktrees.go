package daemon

import (
	"context"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/worktrees"
)

// newWorktrees joins the work trees with paths, configuration and sessions.
func (d *daemon) newWorktrees() *worktrees.Keeper {
	return worktrees.New(worktrees.Options{
		State: d.o.Paths.Worktrees(), Home: d.o.Home, Sessions: d.worktreeSessions, Pause: d.o.Pause, Logger: d.log,
	})
}

// worktreeSessions are all sessions with the directories that they are in. A session that
// restarts counts as running.
func (d *daemon) worktreeSessions(ctx context.Context, deep bool) (list []worktrees.Session) {
	for _, s := range d.events.Sessions() {
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
