package restore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/daemon/restore/generations"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
)

// Journal publishes sessions and the arrangement of the grid: daemon/journal.
type Journal interface {
	Append(msg api.WatchMessage, record []byte, key string) <-chan error
	Sessions() []api.Session
	Session(id string) (api.Session, bool)
	Grid() api.Grid
	Watch() *journal.Watcher
}

// Sessions starts sessions: sessions.Registry.
type Sessions interface {
	Get(ctx context.Context, ref string) (api.Session, error)
	Restart(ctx context.Context, ref string) (api.Session, error)
	// CreateOnce starts a session unless its request has already started one.
	CreateOnce(ctx context.Context, n api.NewSession) (v api.Session, known bool, err error)
	// OfRequest returns the session that a request has started.
	OfRequest(ctx context.Context, request string) (v api.Session, known bool, err error)
}

// Grid keeps the arrangement of the grid.
type Grid interface {
	SetGrid(ctx context.Context, g api.Grid) error
}

// Options configure a Restorer.
type Options struct {
	// Dir is the directory of generations and offer, made when the first is written.
	Dir string
	// Boot is the machine's boot id.
	Boot     string
	Journal  Journal
	Sessions Sessions
	Grid     Grid
	// Config returns the configuration in force.
	Config func() *config.Loaded
	// Env is the environment of sessions whose caller gives none.
	Env    []string
	Logger *slog.Logger
}

// Restorer records the running sessions, offers those that no longer run, and restarts
// them. Make one with Open; its methods are safe for concurrent use.
type Restorer struct {
	o    Options
	file string // of the offer

	restoring sync.Mutex // one restores at a time: nobody starts a session twice

	mu          sync.Mutex // guards the rest
	generations *generations.Keeper
	offer       offer
}

// Open compares the sessions of before with those that run, and appends an event if there
// are new ones to restore. The registry has adopted the running sessions before.
func Open(o Options) *Restorer {
	r := &Restorer{o: o, generations: generations.New(o.Dir), file: filepath.Join(o.Dir, "offer.json")}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.findOffer() > 0 {
		<-r.announce()
	}
	return r
}

// commandAgent is the agent of bare commands.
const commandAgent = config.CommandAgent

// Offer returns the sessions of generation from that do not run now; 0: those of the
// offer.
func (r *Restorer) Offer(_ context.Context, from int) (api.RestoreOffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, err := r.generations.List()
	if err != nil {
		return api.RestoreOffer{}, err
	}
	out := api.RestoreOffer{Sessions: []api.OfferedSession{}, Kept: []api.KeptArrangement{}}
	for _, s := range list {
		names := []string{}
		for _, v := range s.Sessions {
			names = append(names, v.Name)
		}
		out.Kept = append(out.Kept, api.KeptArrangement{Number: s.Number, At: s.At, Sessions: names, Boot: s.Boot == r.o.Boot})
	}
	offered := r.all()
	chosen := offered.Sessions
	out.Reason, out.At = offered.Reason, offered.At
	if from != 0 {
		s, err := r.generations.Load(from)
		if err != nil {
			return out, err
		}
		out.Reason, out.At, chosen = api.RestoreAsked, s.At, s.Sessions
	}
	for _, s := range chosen {
		if o, wanted := r.offered(s); wanted {
			out.Sessions = append(out.Sessions, o)
		}
	}
	if len(out.Sessions) == 0 {
		out.Reason = ""
	}
	return out, nil
}

// offered returns a recorded session with its present state; wanted: it does not run.
func (r *Restorer) offered(s api.PastSession) (o api.OfferedSession, wanted bool) {
	o = api.OfferedSession{PastSession: s, Resume: s.Resumes()}
	if v, there := r.o.Journal.Session(s.ID); there {
		if !v.State.Ended() {
			return o, false
		}
		o.State = v.State
	}
	if info, err := os.Stat(s.CWD); err != nil || !info.IsDir() {
		o.Problem = "its directory is gone: " + s.CWD
	} else if _, known := r.o.Config().Agents[s.Agent]; !known && s.Agent != commandAgent {
		o.Problem = fmt.Sprintf("no agent is called %q any more", s.Agent)
	}
	return o, true
}

// abreast bounds the sessions that are being started at the same time.
const abreast = 4

// Restore restarts recorded sessions and returns when each runs or has failed. One that
// fails stops no other.
func (r *Restorer) Restore(ctx context.Context, q api.Restore) ([]api.Restored, error) {
	r.restoring.Lock()
	defer r.restoring.Unlock()
	offer, err := r.Offer(ctx, q.From)
	if err != nil {
		return nil, err
	}
	var before []api.Restored
	if q.Before != nil {
		before, offer.Sessions, err = r.begunBefore(ctx, q, offer.Sessions)
	}
	if err != nil {
		return nil, err
	}
	chosen, err := r.choose(ctx, offer.Sessions, q.Sessions)
	if q.Before != nil {
		chosen, err = offer.Sessions, nil // the first attempt has chosen them
	}
	if err != nil {
		return nil, err
	}
	out := make([]api.Restored, len(chosen))
	slots := make(chan struct{}, abreast)
	wg := contain.Group{Log: r.o.Logger}
	for i, s := range chosen {
		slots <- struct{}{} // in their order
		wg.Go(func() {
			defer func() { <-slots }()
			if err := contain.Call(r.o.Logger, func() error { out[i] = r.one(ctx, s, q); return nil }); err != nil {
				out[i] = api.Restored{ID: s.ID, Name: s.Name, Error: err.Error()}
			}
		})
	}
	wg.Wait()
	out = append(before, out...)
	return out, r.rearrange(ctx, q.From, out)
}

// choose selects sessions by id or name; no refs: all.
func (r *Restorer) choose(ctx context.Context, all []api.OfferedSession, refs []string) (out []api.OfferedSession, err error) {
	if len(refs) == 0 {
		return all, nil
	}
	for _, ref := range refs {
		i := slices.IndexFunc(all, func(s api.OfferedSession) bool { return s.ID == ref })
		if i < 0 {
			i = slices.IndexFunc(all, func(s api.OfferedSession) bool { return s.Name == ref })
		}
		if i < 0 {
			return nil, r.notOffered(ctx, ref)
		}
		if !slices.ContainsFunc(out, func(s api.OfferedSession) bool { return s.ID == all[i].ID }) {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// notOffered says why a session is not among those that can be restored.
func (r *Restorer) notOffered(ctx context.Context, ref string) error {
	v, err := r.o.Sessions.Get(ctx, ref)
	ref = textsafe.Cut(ref, 64)
	switch {
	case err != nil || v.External:
		return api.Errorf(api.CodeNotFound, "%q is not among what can be restored: `ccdir restore` lists it", ref)
	case !v.State.Ended():
		return api.Errorf(api.CodeNotFound, "session %s runs: there is nothing to restore", ref)
	}
	return api.Errorf(api.CodeNotFound, "%q is not among what can be restored; `ccdir restart %[1]s` starts it again", ref)
}

// one restarts one session. If the registry no longer knows it, a new session resumes its
// conversation with the caller's environment.
func (r *Restorer) one(ctx context.Context, s api.OfferedSession, q api.Restore) api.Restored {
	out := api.Restored{ID: s.ID, Name: s.Name}
	var v api.Session
	var err error
	if s.State != "" {
		v, err = r.o.Sessions.Restart(ctx, s.ID)
	} else {
		v, err = r.anew(ctx, s, q)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Session = &v
	r.forget(s.ID)
	return out
}

// maxNames bounds the names that are tried for a session whose own is taken.
const maxNames = 20

func (r *Restorer) anew(ctx context.Context, s api.OfferedSession, q api.Restore) (v api.Session, err error) {
	env := q.Env
	if len(env) == 0 {
		env = r.o.Env
	}
	n := api.NewSession{Name: s.Name, Agent: s.Agent, Role: s.Role, Sandbox: s.Sandbox, Args: s.Args, Model: s.Model, CWD: s.CWD, Env: agents.CleanEnv(env), Cols: s.Cols, Rows: s.Rows}
	if s.Agent == commandAgent {
		n.Agent, n.Argv = "", s.Argv
	} else {
		n.Account = cmp.Or(s.Account, api.AccountDefault) // its conversation is there, wherever new ones go
	}
	if s.Resume {
		n.Resume = s.Conversation
	}
	n.Request = requestOf(q, s.ID)
	for i := 2; ; i++ {
		v, _, err = r.o.Sessions.CreateOnce(ctx, n)
		if api.CodeOf(err) != api.CodeConflict || i > maxNames {
			return v, err
		}
		n.Name = fmt.Sprintf("%s-%d", s.Name, i)
	}
}

// rearrange replaces the ids of sessions that got new ones in the layout. If there is no
// layout now, that of a generation is used.
func (r *Restorer) rearrange(ctx context.Context, from int, all []api.Restored) error {
	ids := map[string]string{}
	for _, s := range all {
		if s.Session != nil && s.Session.ID != s.ID {
			ids[s.ID] = s.Session.ID
		}
	}
	if len(ids) == 0 {
		return nil
	}
	g := r.o.Journal.Grid()
	if len(g.Order) == 0 && g.Layout == "" {
		if s, err := r.arrangement(from, ids); err == nil {
			g = s.Grid
		}
	}
	swap := func(list []string) []string {
		list = slices.Clone(list)
		for i, id := range list {
			list[i] = cmp.Or(ids[id], id)
		}
		return list
	}
	g.Order, g.Hidden = swap(g.Order), swap(g.Hidden)
	g.Zoom, g.Focus = cmp.Or(ids[g.Zoom], g.Zoom), cmp.Or(ids[g.Focus], g.Focus)
	return r.o.Grid.SetGrid(ctx, g)
}

// arrangement returns the generation from; 0: the newest one with one of the ids.
func (r *Restorer) arrangement(from int, ids map[string]string) (generations.Generation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if from != 0 {
		return r.generations.Load(from)
	}
	list, err := r.generations.List()
	for _, s := range list {
		for _, v := range s.Sessions {
			if ids[v.ID] != "" {
				return s, nil
			}
		}
	}
	return generations.Generation{}, errors.Join(err, os.ErrNotExist)
}

// announce appends an event that there is something to restore; the channel tells when it
// is saved. The caller holds mu.
func (r *Restorer) announce() <-chan error {
	all := r.all()
	var names []string
	for _, s := range all.Sessions {
		names = append(names, s.Name)
	}
	why := "their hosts died"
	if all.Reason == api.RestoreReboot {
		why = "the machine was restarted"
	}
	message := fmt.Sprintf("%s: %d can be begun again with `ccdir restore` (%s)", why, len(names), textsafe.Cut(strings.Join(names, ", "), 300))
	return r.o.Journal.Append(api.WatchMessage{Event: &api.Event{At: time.Now().UTC(), Type: api.EventRestoreOffered, Source: "daemon", Message: message}}, nil, "")
}
