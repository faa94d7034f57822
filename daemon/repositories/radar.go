package repositories

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/daemon/repositories/agenda"
	"ccdir/internal/proc"
	"ccdir/worktrees"
)

// radar keeps what sessions show of conflicts with others. A directory in which something
// happened is looked at by run: looks take a fifth of a processor, counted over time, and the
// end of a turn comes before other changes.
type radar struct {
	*worktrees.Radar
	o      *Options
	agenda *agenda.Agenda
}

// radarRest is how many times as long as a look took the radar rests. turnPatience is how much rest the
// end of a turn does not wait for: looks of 6 s, one after the other.
const (
	radarRest    = 4
	turnPatience = 24 * time.Second
)

func newRadar(o *Options, keeper *worktrees.Keeper) *radar {
	return &radar{Radar: worktrees.NewRadar(keeper), o: o, agenda: agenda.New(agenda.Options{Patience: turnPatience})}
}

// note has a directory looked at in which something happened last at a time, if it was not
// looked at since.
func (r *radar) note(dir string, at time.Time) {
	if at.After(r.agenda.Taken(dir)) {
		r.agenda.Plan(dir, time.Now())
	}
}

// follow watches the event log for the ends of turns until ctx ends. Nothing that takes long
// is done here, so that the look begins at once.
func (r *radar) follow(ctx context.Context) {
	w := r.o.Journal.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			if e := m.Event; e != nil && e.StateFrom == api.StateWorking && e.StateTo != api.StateWorking {
				if s, known := r.o.Journal.Session(e.Session); known && s.CWD != "" {
					r.agenda.Urge(s.CWD)
				}
			}
		}
	}
}

// run looks until ctx ends.
func (r *radar) run(ctx context.Context) {
	for {
		dir, ok := r.agenda.Wait(ctx)
		if !ok {
			return
		}
		if repoTop(dir) == "" {
			continue
		}
		began, used := time.Now(), proc.ChildTime()
		for _, tree := range r.look(ctx, dir) {
			r.note(tree, time.Now())
		}
		r.agenda.RestAll(radarRest * min(time.Since(began), proc.ChildTime()-used)) // on a busy machine it waits more than it works
	}
}

// look sets what the sessions of the repository around dir show, and returns the work trees
// there that were never looked at.
func (r *radar) look(ctx context.Context, dir string) (unseen []string) {
	v, err := r.Conflicts(ctx, dir, dir)
	if err != nil {
		r.o.Logger.Debug("conflicts cannot be found", "directory", dir, "error", err)
		return nil
	}
	r.show(ctx, v)
	return v.Unseen
}

// show sets what sessions show.
func (r *radar) show(ctx context.Context, v worktrees.Sight) {
	by := map[string][]api.Clash{}
	add := func(a, b string, c api.Conflict) {
		other, _ := r.o.Journal.Session(b)
		clash := api.Clash{Session: b, Name: other.Name, Kind: c.Kind}
		if len(c.Paths) > 0 {
			clash.Path = c.Paths[0]
		}
		by[a] = append(by[a], clash)
	}
	for _, c := range v.Conflicts {
		add(c.A, c.B, c)
		add(c.B, c.A, c)
	}
	for _, id := range v.Sessions {
		// What a session showed before a restart stays until all trees were looked at.
		if s, _ := r.o.Journal.Session(id); len(by[id]) > 0 || len(s.Clashes) > 0 && len(v.Unseen) == 0 {
			r.set(ctx, id, by[id])
		}
	}
}

func (r *radar) set(ctx context.Context, id string, clashes []api.Clash) {
	if err := r.o.Sessions.SetClashes(ctx, id, clashes); err != nil && ctx.Err() == nil {
		r.o.Logger.Warn("cannot set a session's conflicts", "session", id, "error", err)
	}
}

// Conflicts returns the pairs of sessions whose work would collide: in the repository around dir,
// or in all in which sessions run. Sessions show what was found.
func (r *Repositories) Conflicts(ctx context.Context, dir string) ([]api.Conflict, error) {
	if dir != "" {
		return r.conflictsAround(ctx, dir)
	}
	all, seen := []api.Conflict{}, map[string]bool{}
	for _, s := range r.o.Journal.Sessions() {
		top := repoTop(s.CWD)
		if top == "" || seen[top] {
			continue
		}
		seen[top] = true
		repo, err := worktrees.Open(ctx, top)
		if err != nil || seen["repository "+repo.Common] {
			continue // it was removed, or was looked at
		}
		seen["repository "+repo.Common] = true
		there, err := r.conflictsAround(ctx, top)
		if err != nil {
			return all, err
		}
		all = append(all, there...)
	}
	return all, nil
}

// conflictsAround looks at all work trees of a repository.
func (r *Repositories) conflictsAround(ctx context.Context, dir string) ([]api.Conflict, error) {
	seen, err := r.radar.Conflicts(ctx, dir, "")
	if err == nil {
		r.radar.show(context.WithoutCancel(ctx), seen)
	}
	return seen.Conflicts, err
}
