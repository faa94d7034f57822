// Package upkeep follows the daemon itself for a person in the grid: which version it has, whether
// it saves changes, what it can restore, and whether an update is installed that it has not taken.
//
// Daemon is a part (ui.Part) that takes no input. It owns when to ask next, and what was said
// already; it asks by calls of its own, and says what it learns in the status line.
package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/restore"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// Daemon is what is known about the daemon beside its sessions. The zero value has asked nothing.
type Daemon struct {
	ui.NoInput
	// Replaced, if not nil, tells the version that was installed in place of this program; "" for
	// none. It may block.
	Replaced func(ctx context.Context) string

	offered int // pid of the daemon that was asked what can be restored
	// offerNews: that daemon has offered sessions since.
	offerNews bool
	store     storeWatch
	replaced  replacedWatch
}

// storeLook is how often the daemon is asked whether it saves changes again.
const storeLook = 10 * time.Second

// storeWatch says when to ask about the daemon's database.
type storeWatch struct {
	due    bool      // an event said that something has changed
	asking bool      // a call is under way
	asked  time.Time // when it was answered last
}

// replacedLook is how often an installation of another version is looked for, while there is
// something to do anyway.
const replacedLook = 30 * time.Second

// replacedWatch looks for an installation that has replaced this program.
type replacedWatch struct {
	asking bool
	next   time.Time // when to look again
	told   string    // the version that was announced last
}

// Answers to the calls.
type (
	offer struct {
		api.RestoreOffer
		wanted bool // a person has asked for it
		first  bool // the grid was just opened
	}
	stored    struct{ server *api.Server } // nil: unknown
	installed struct{ version string }     // "": none, or unknown
)

// health is the part of a client that can ask how the daemon is.
type health interface {
	Health(ctx context.Context) (api.Server, error)
}

// Snapshot says what an upgrade left behind: this grid, when the next daemon is of another
// version, and hosts, when the grid is opened; and of each daemon once that a database lies aside.
// before is the daemon as it was.
func (d *Daemon) Snapshot(before api.Server, s *api.Snapshot, keys *keymap.Map) (told []ui.Effect) {
	v := s.Server
	if v.PID == before.PID {
		return nil
	}
	if v.Version != "" {
		told = versions(before, s, keys)
	}
	if len(v.Aside) > 0 {
		told = append(told, ui.Warn{Text: textsafe.Line(v.Aside[0])})
	}
	return told
}

func versions(before api.Server, s *api.Snapshot, keys *keymap.Map) []ui.Effect {
	if v := s.Server.Version; v != api.Version {
		return []ui.Effect{ui.Warn{Text: fmt.Sprintf("the daemon is ccdir %s now, this grid %s: detach and open it again for what is new", textsafe.Line(v), api.Version)}}
	}
	old := 0
	for _, session := range s.Sessions {
		if ui.OlderHost(session) {
			old++
		}
	}
	switch {
	case old > 0:
		return []ui.Effect{ui.Say{Text: fmt.Sprintf("%s on hosts of another version than %s (%s tells): a restart of the session takes it",
			format.Plural(old, "session runs", "sessions run"), api.Version, keys.Hint(keymap.Daemon))}}
	case before.Version != "" && before.Version != api.Version: // replaces the older message, which is no longer true
		return []ui.Effect{ui.Say{Text: fmt.Sprintf("the daemon is ccdir %s again, as this grid", api.Version)}}
	}
	return nil
}

// Events notes what events say of the daemon.
func (d *Daemon) Events(all []api.Event) {
	for _, e := range all {
		d.offerNews = d.offerNews || e.Type == api.EventRestoreOffered
		d.store.due = d.store.due || e.Type == api.EventStoreHeld
	}
}

// Refresh asks what is due.
func (d *Daemon) Refresh(env ui.Env) []ui.Effect {
	return slices.Concat(d.followOffer(env), d.followStore(env), d.followReplaced(env))
}

// NextWake is when the daemon is asked again, the zero time never.
func (d *Daemon) NextWake(env ui.Env) time.Time {
	if env.Server.Unsaved == "" || d.store.asking {
		return time.Time{}
	}
	return d.store.asked.Add(storeLook)
}

// Receive takes what was asked.
func (d *Daemon) Receive(env ui.Env, value any, _ error) []ui.Effect {
	switch v := value.(type) {
	case offer:
		return v.show(env)
	case stored:
		d.store.asking, d.store.asked = false, env.Now
		if v.server != nil {
			return []ui.Effect{ui.Learn{Server: v.server}}
		}
	case installed:
		return d.update(env, v.version)
	}
	return nil
}

// followStore asks whether the daemon saves changes: when an event says that this has
// changed, and again as long as it does not.
func (d *Daemon) followStore(env ui.Env) []ui.Effect {
	s := &d.store
	if s.asking || env.Offline != "" || !s.due && (env.Server.Unsaved == "" || env.Now.Sub(s.asked) < storeLook) {
		return nil
	}
	s.due, s.asking = false, true
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		asks, err := ui.As[health](c)
		if err != nil {
			return ui.Result{}, err
		}
		server, err := asks.Health(ctx)
		return ui.Result{Value: stored{&server}}, err
	}, Failed: unknown(stored{})}}
}

// unknown has the Daemon told that a call has failed.
func unknown(answer any) func(ui.Env, error) []ui.Effect {
	return func(ui.Env, error) []ui.Effect { return []ui.Effect{ui.Tell{To: ui.Daemon, Value: answer}} }
}

// followOffer asks what can be restored: each daemon once, and when sessions were lost.
func (d *Daemon) followOffer(env ui.Env) []ui.Effect {
	if !env.Loaded || env.Unseen || env.Offline != "" || env.ReadOnly || env.Server.PID == 0 || env.Server.PID == d.offered && !d.offerNews {
		return nil
	}
	first := d.offered == 0
	d.offered, d.offerNews = env.Server.PID, false
	return ask(offer{first: first})
}

// Restore asks for the offer, for a person who wants it.
func (d *Daemon) Restore() []ui.Effect { return ask(offer{wanted: true}) }

func ask(o offer) []ui.Effect {
	return []ui.Effect{ui.Call{What: "asking what can be restored", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		r, can := c.(restore.Restorer)
		if !can {
			return ui.Result{}, nil
		}
		var err error
		o.RestoreOffer, err = r.RestoreOffer(ctx, 0)
		if err != nil {
			return ui.Result{}, err
		}
		return ui.Result{Value: o}, nil
	}}}
}

// show shows the offer to who has asked for it, in a grid that was just opened, or in which nothing
// runs any more; one that somebody works in says that there is one.
func (o offer) show(env ui.Env) []ui.Effect {
	runs := slices.ContainsFunc(env.Sessions, func(v api.Session) bool { return !v.State.Ended() })
	switch {
	case len(o.Sessions) == 0 && o.wanted:
		return []ui.Effect{ui.Say{Text: "nothing to restore: all that ran goes on, or was ended (`ccdir restore --kept` lists what ran before)"}}
	case len(o.Sessions) == 0:
		return nil
	case o.wanted, (o.first || !runs) && env.Clear:
		return []ui.Effect{ui.Open{Component: restore.New(o.RestoreOffer, env.Environ)}}
	}
	return []ui.Effect{ui.Warn{Text: fmt.Sprintf("%s can be begun again: %s", format.Plural(len(o.Sessions), "session", "sessions"), env.Keys.Hint(keymap.Restore))}}
}

// followReplaced looks for an update that is installed.
func (d *Daemon) followReplaced(env ui.Env) []ui.Effect {
	r := &d.replaced
	if d.Replaced == nil || r.asking || env.Now.Before(r.next) {
		return nil
	}
	if r.next.IsZero() { // it was just started
		r.next = env.Now.Add(replacedLook)
		return nil
	}
	r.asking = true
	look := d.Replaced
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		return ui.Result{Value: installed{look(ctx)}}, nil
	}, Failed: unknown(installed{})}}
}

// update tells of an update, how the daemon takes it, and that it may. If the daemon already runs
// another version, Snapshot has told the person to open the grid again.
func (d *Daemon) update(env ui.Env, version string) []ui.Effect {
	d.replaced.asking, d.replaced.next = false, env.Now.Add(replacedLook)
	if version == "" || version == d.replaced.told || env.Server.Version != api.Version {
		return nil
	}
	d.replaced.told = version
	return []ui.Effect{ui.Warn{Text: fmt.Sprintf("ccdir %s is installed: `ccdir daemon restart` takes it; no agent is interrupted", textsafe.Line(version))}}
}
