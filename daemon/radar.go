package daemon

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/worktrees"

	"golang.org/x/sys/unix"
)

// radarRest is how many times as long as a look took the radar rests after it, so that it
// takes a fifth of a processor at most.
const radarRest = 4

// childTime is the processor time that processes have taken which the daemon started and that have ended.
func childTime() time.Duration { return usedTime(unix.RUSAGE_CHILDREN) }

// ownTime is the processor time that the daemon has taken.
func ownTime() time.Duration { return usedTime(unix.RUSAGE_SELF) }

func usedTime(who int) time.Duration {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// radar keeps what sessions show of conflicts with others. A directory in which something
// happened is looked at by run; dirs is bounded, and a directory that finds no room is looked at
// when something happens there again.
type radar struct {
	*worktrees.Radar
	d    *daemon
	dirs chan string
	// shown are the sessions that show conflicts, by repository.
	shown map[string][]string
}

func (d *daemon) newRadar() *radar {
	return &radar{Radar: worktrees.NewRadar(d.worktrees), d: d, dirs: make(chan string, 64), shown: map[string][]string{}}
}

// note has a directory looked at.
func (r *radar) note(dir string) {
	select {
	case r.dirs <- dir:
	default:
	}
}

// run looks until ctx ends.
func (r *radar) run(ctx context.Context) {
	var due []string
	for {
		if len(due) == 0 {
			select {
			case <-ctx.Done():
				return
			case dir := <-r.dirs:
				due = append(due, dir)
			}
		}
		due = r.noted(due)
		dir := due[0]
		due = due[1:]
		if repoTop(dir) == "" {
			continue
		}
		began, used := time.Now(), childTime()
		r.look(ctx, dir)
		rest := time.NewTimer(radarRest * min(time.Since(began), childTime()-used)) // on a busy machine it waits more than it works
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
			return
		}
	}
}

// noted adds the directories noted meanwhile to those that are due, each once.
func (r *radar) noted(due []string) []string {
	for {
		select {
		case dir := <-r.dirs:
			if !slices.Contains(due, dir) {
				due = append(due, dir)
			}
		default:
			return due
		}
	}
}

// look sets what the sessions of the repository around dir show.
func (r *radar) look(ctx context.Context, dir string) {
	repo, list, err := r.Conflicts(ctx, dir, dir)
	if err != nil {
		r.d.log.Debug("conflicts cannot be found", "directory", dir, "error", err)
		return
	}
	by := map[string][]api.Clash{}
	add := func(a, b string, c api.Conflict) {
		other, _ := r.d.events.Session(b)
		clash := api.Clash{Session: b, Name: other.Name, Kind: c.Kind}
		if len(c.Paths) > 0 {
			clash.Path = c.Paths[0]
		}
		by[a] = append(by[a], clash)
	}
	for _, c := range list {
		add(c.A, c.B, c)
		add(c.B, c.A, c)
	}
	before := r.shown[repo]
	r.shown[repo] = nil
	for id, clashes := range by {
		r.shown[repo] = append(r.shown[repo], id)
		r.set(ctx, id, clashes)
	}
	for _, id := range before {
		if !slices.Contains(r.shown[repo], id) {
			r.set(ctx, id, nil)
		}
	}
}

func (r *radar) set(ctx context.Context, id string, clashes []api.Clash) {
	if err := r.d.registry.SetClashes(ctx, id, clashes); err != nil && ctx.Err() == nil {
		r.d.log.Warn("cannot set a session's conflicts", "session", id, "error", err)
	}
}

// Conflicts implements httpapi.Worktrees: of the repository around dir, or of all in which
// sessions run.
func (v worktreeView) Conflicts(ctx context.Context, dir string) ([]api.Conflict, error) {
	if dir != "" {
		_, list, err := v.d.radar.Conflicts(ctx, dir, "")
		return list, err
	}
	all, seen := []api.Conflict{}, map[string]bool{}
	for _, s := range v.d.events.Sessions() {
		top := repoTop(s.CWD)
		if top == "" || seen[top] {
			continue
		}
		seen[top] = true
		r, err := worktrees.Open(ctx, top)
		if err != nil || seen["repository "+r.Common] {
			continue // it was removed, or was looked at
		}
		seen["repository "+r.Common] = true
		_, list, err := v.d.radar.Conflicts(ctx, top, "")
		if err != nil {
			return all, err
		}
		all = append(all, list...)
	}
	return all, nil
}
