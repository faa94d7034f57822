package repositories

import (
	"context"
	"reflect"
	"time"

	"ccdir/api"
	"ccdir/daemon/repositories/agenda"
	"ccdir/worktrees"
	"ccdir/worktrees/forge"
)

// How often the forge is asked about a branch: after something happened there, while its pull
// request is open (checks end by themselves), and while there is none. Without a forge's program
// that is signed in, it is looked for again after forgeAgain.
const (
	pullsSettle = 30 * time.Second
	pullsOpen   = time.Minute
	pullsNone   = 5 * time.Minute
	forgeAgain  = 10 * time.Minute
	pullsWithin = 20 * time.Second
)

// pulls keeps the pull requests that sessions show. One goroutine, run, asks the forge, about one
// branch after the other; only about branches that were pushed.
type pulls struct {
	o      *Options
	keeper *worktrees.Keeper
	// agenda has the tops of work trees.
	agenda *agenda.Agenda
	// tops is what run knows of work trees with sessions, by their tops.
	tops map[string]*pulled
}

// pulled is what is known of one work tree.
type pulled struct {
	forge *forge.Forge
	// without is until when no forge's program is looked for.
	without time.Time
	pr      *api.PullRequest
}

func newPulls(o *Options, keeper *worktrees.Keeper) *pulls {
	return &pulls{o: o, keeper: keeper, agenda: agenda.New(agenda.Options{Patience: pullsSettle}), tops: map[string]*pulled{}}
}

// note has the pull request of a directory's branch looked at soon, at once if it was made or
// pushed to just now.
func (p *pulls) note(dir string, pushed bool) {
	switch top := repoTop(dir); {
	case top == "":
	case pushed:
		p.agenda.Urge(top)
	default:
		p.agenda.Plan(top, time.Now())
	}
}

// run asks until ctx ends.
func (p *pulls) run(ctx context.Context) {
	for {
		top, ok := p.agenda.Wait(ctx)
		if !ok {
			return
		}
		p.ask(ctx, top)
	}
}

// ask asks about a work tree, and sets what its sessions show. One without sessions is forgotten.
func (p *pulls) ask(ctx context.Context, top string) {
	var in []string
	for _, s := range p.o.Journal.Sessions() {
		if !s.State.Ended() && repoTop(s.CWD) == top {
			in = append(in, s.ID)
		}
	}
	if len(in) == 0 {
		delete(p.tops, top)
		return
	}
	t := p.tops[top]
	if t == nil {
		t = &pulled{}
		p.tops[top] = t
	}
	again, err := p.look(ctx, top, t)
	if err != nil {
		p.o.Logger.Debug("the forge does not say", "work tree", top, "error", err)
	}
	asked := time.Now()
	p.agenda.Rest(top, asked.Add(pullsSettle))
	p.agenda.Plan(top, asked.Add(again))
	for _, id := range in {
		if err := p.o.Sessions.SetPullRequest(ctx, id, t.pr); err != nil && ctx.Err() == nil {
			p.o.Logger.Warn("cannot set a session's pull request", "session", id, "error", err)
		}
	}
}

// look asks the forge about a work tree, and returns when to ask again.
func (p *pulls) look(ctx context.Context, top string, t *pulled) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, pullsWithin)
	defer cancel()
	if !p.o.Config().PullRequests {
		t.pr = nil
		return pullsNone, nil
	}
	b, err := p.keeper.Branch(ctx, top, top)
	if err != nil || !b.Pushed { // the default branch, none, or one that no forge knows
		t.pr = nil
		return pullsNone, err
	}
	if t.forge == nil {
		if left := time.Until(t.without); left > 0 {
			return left, nil
		}
		if t.forge, err = forge.Find(ctx, top, p.o.Env); err != nil {
			t.without = time.Now().Add(forgeAgain)
			return forgeAgain, err
		}
	}
	pr, known, err := t.forge.View(ctx, b.Name)
	switch {
	case err != nil:
		t.forge, t.without = nil, time.Now().Add(forgeAgain) // it may have been signed out
		return forgeAgain, err
	case !known:
		t.pr = nil
		return pullsNone, nil
	}
	if t.pr == nil || !reflect.DeepEqual(*t.pr, pr) {
		t.pr = &pr
	}
	if pr.State == api.PullRequestOpen {
		return pullsOpen, nil
	}
	return pullsNone, nil
}
