package daemon

import (
	"context"
	"reflect"
	"time"

	"ccdir/api"
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
	d    *daemon
	dirs chan happened
	tops map[string]*pulled
}

// happened is a directory in which something happened; pushed: its pull request was made or
// pushed to just now.
type happened struct {
	dir    string
	pushed bool
}

// pulled is what is known of one work tree.
type pulled struct {
	forge *forge.Forge
	// without is until when no forge's program is looked for.
	without time.Time
	// asked is when the forge was asked last, next when it is again; zero: when something happens.
	asked, next time.Time
	pr          *api.PullRequest
}

func (d *daemon) newPulls() *pulls {
	return &pulls{d: d, dirs: make(chan happened, 64), tops: map[string]*pulled{}}
}

// note has the pull request of a directory's branch looked at soon.
func (p *pulls) note(at happened) {
	select {
	case p.dirs <- at:
	default: // it is looked at when something happens there again
	}
}

// run asks until ctx ends.
func (p *pulls) run(ctx context.Context) {
	for {
		var due <-chan time.Time
		var timer *time.Timer
		if at := p.next(); !at.IsZero() {
			timer = time.NewTimer(time.Until(at))
			due = timer.C
		}
		select {
		case <-ctx.Done():
		case at := <-p.dirs:
			p.touch(at)
		case <-due:
			p.ask(ctx)
		}
		if timer != nil {
			timer.Stop()
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// touch plans a look after something happened in a directory.
func (p *pulls) touch(h happened) {
	top := repoTop(h.dir)
	if top == "" {
		return
	}
	t := p.tops[top]
	if t == nil {
		t = &pulled{}
		p.tops[top] = t
	}
	at := time.Now()
	if soonest := t.asked.Add(pullsSettle); at.Before(soonest) && !h.pushed {
		at = soonest
	}
	if t.next.IsZero() || at.Before(t.next) {
		t.next = at
	}
}

func (p *pulls) next() (at time.Time) {
	for _, t := range p.tops {
		if !t.next.IsZero() && (at.IsZero() || t.next.Before(at)) {
			at = t.next
		}
	}
	return at
}

// ask asks about the work trees that are due, and sets what their sessions show.
func (p *pulls) ask(ctx context.Context) {
	for top, t := range p.tops {
		if t.next.IsZero() || time.Now().Before(t.next) || ctx.Err() != nil {
			continue
		}
		var in []string
		for _, s := range p.d.events.Sessions() {
			if !s.State.Ended() && repoTop(s.CWD) == top {
				in = append(in, s.ID)
			}
		}
		if len(in) == 0 {
			delete(p.tops, top)
			continue
		}
		again, err := p.look(ctx, top, t)
		if err != nil {
			p.d.log.Debug("the forge does not say", "work tree", top, "error", err)
		}
		t.asked = time.Now()
		t.next = t.asked.Add(again)
		for _, id := range in {
			if err := p.d.registry.SetPullRequest(ctx, id, t.pr); err != nil && ctx.Err() == nil {
				p.d.log.Warn("cannot set a session's pull request", "session", id, "error", err)
			}
		}
	}
}

// look asks the forge about a work tree, and returns when to ask again.
func (p *pulls) look(ctx context.Context, top string, t *pulled) (again time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, pullsWithin)
	defer cancel()
	if !p.d.config.Load().PullRequests {
		t.pr = nil
		return pullsNone, nil
	}
	b, err := p.d.worktrees.Branch(ctx, top, top)
	if err != nil || !b.Pushed { // the default branch, none, or one that no forge knows
		t.pr = nil
		return pullsNone, err
	}
	if t.forge == nil {
		if left := time.Until(t.without); left > 0 {
			return left, nil
		}
		if t.forge, err = forge.Find(ctx, top, p.d.o.Env); err != nil {
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
