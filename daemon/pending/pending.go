// Package pending keeps prompts until their sessions can take them.
//
// Contract: a prompt is on disk before Add returns, and is delivered once: under a fixed id,
// by which the session and its host know what an earlier attempt did, also one of a daemon
// that was killed. Prompts of a session are delivered in the order in which they were made;
// they wait while it shows a dialog, starts, or has ended, and fail when it is removed. A
// prompt can be changed and taken back until it is being typed, which is recorded before the
// first key. Every change is an event (api.EventPending).
package pending

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/sessions/launch"
)

const (
	// MaxOpen bounds the pending prompts of a session.
	MaxOpen = 100
	// kept bounds the prompts that are kept after they were delivered or failed.
	kept = 500
	// lookAgain is when to try again after an error that may pass.
	lookAgain = 5 * time.Second
)

// Store keeps the prompts: daemon/store.
type Store interface {
	AddPending(p api.PendingPrompt, request string, most int) (api.PendingPrompt, error)
	Pending(ctx context.Context, session string, limit int) ([]api.PendingPrompt, error)
	NextPending(ctx context.Context, session string) (p api.PendingPrompt, found bool, err error)
	CountPending(ctx context.Context, session string) (int, error)
	PendingSessions(ctx context.Context) ([]string, error)
	ChangePending(id string, change func(*api.PendingPrompt) error) (api.PendingPrompt, error)
	DropPending(id string, check func(api.PendingPrompt) error) (api.PendingPrompt, error)
	PrunePending(kept int) error
}

// Sessions are the sessions: sessions.Registry.
type Sessions interface {
	Get(ctx context.Context, ref string) (api.Session, error)
	// SendClaimed types a prompt, at most once for its id, when the session takes input and
	// claim does not fail.
	SendClaimed(ctx context.Context, ref string, p api.SendPrompt, claim func(context.Context) error) (api.SendResult, error)
	// SetPending shows how many prompts a session has.
	SetPending(ctx context.Context, id string, n int) error
}

// Options join the prompts with the daemon. All are needed.
type Options struct {
	Store    Store
	Sessions Sessions
	Journal  *journal.Log
	Now      func() time.Time
	// Pause is called at the points of a delivery (PauseClaimed …), for tests.
	Pause  func(point string)
	Logger *slog.Logger
}

// Points of a delivery at which tests stop the daemon (Options.Pause).
const (
	PauseClaimed = "pending-claimed" // it is recorded that the prompt is about to be typed
	PauseDone    = "pending-done"    // it was delivered, which is not recorded
)

// Prompts are the pending prompts. Its methods are safe for concurrent use; Run delivers.
type Prompts struct {
	o Options

	mu    sync.Mutex
	open  map[string]bool // sessions that may have pending prompts, by id
	due   map[string]bool // of these: to look at
	busy  map[string]bool // being looked at
	timer map[string]*time.Timer
	wake  chan struct{} // one slot

	counting sync.Mutex // a count is shown before the next one is read
}

// New makes Prompts.
func New(o Options) *Prompts {
	return &Prompts{o: o, open: map[string]bool{}, due: map[string]bool{}, busy: map[string]bool{}, timer: map[string]*time.Timer{}, wake: make(chan struct{}, 1)}
}

// Add keeps a prompt for a session.
func (p *Prompts) Add(ctx context.Context, ref string, n api.NewPending) (api.PendingPrompt, error) {
	if err := checkText(n.Text); err != nil {
		return api.PendingPrompt{}, err
	}
	s, err := p.o.Sessions.Get(ctx, ref)
	switch {
	case err != nil:
		return api.PendingPrompt{}, err
	case s.External:
		return api.PendingPrompt{}, api.Errorf(api.CodeConflict, "session %s has no pane, so nothing can be typed into it", s.Name)
	}
	made, err := p.o.Store.AddPending(api.PendingPrompt{Session: s.ID, Name: s.Name, Text: n.Text, At: p.o.Now().UTC()}, n.Request, MaxOpen)
	if err != nil {
		return made, err
	}
	p.Made(made)
	return made, nil
}

// Made has a prompt delivered that is in the store.
func (p *Prompts) Made(made api.PendingPrompt) {
	if made.State == api.PendingWaits {
		p.tell(made, "kept for later: "+firstLine(made.Text))
		p.watch(made.Session)
	}
}

// List lists prompts, oldest first; session "": of all.
func (p *Prompts) List(ctx context.Context, session string) ([]api.PendingPrompt, error) {
	return p.o.Store.Pending(ctx, session, kept)
}

// Edit gives a pending prompt another text.
func (p *Prompts) Edit(_ context.Context, id string, n api.NewPending) (api.PendingPrompt, error) {
	if err := checkText(n.Text); err != nil {
		return api.PendingPrompt{}, err
	}
	changed, err := p.o.Store.ChangePending(id, func(now *api.PendingPrompt) error {
		if err := waits(*now); err != nil {
			return err
		}
		now.Text = n.Text
		return nil
	})
	if err == nil {
		p.tell(changed, "changed: "+firstLine(changed.Text))
		p.mark(changed.Session)
	}
	return changed, err
}

// Cancel takes a pending prompt back, and one that was delivered or failed out of the list.
func (p *Prompts) Cancel(_ context.Context, id string) error {
	gone, err := p.o.Store.DropPending(id, func(now api.PendingPrompt) error {
		if now.State == api.PendingWaits {
			return waits(now)
		}
		return nil
	})
	if err == nil && gone.State == api.PendingWaits {
		p.tell(gone, "cancelled: "+firstLine(gone.Text))
	}
	return err
}

// waits returns why a prompt cannot be changed any more.
func waits(now api.PendingPrompt) error {
	switch {
	case now.State != api.PendingWaits:
		return api.Errorf(api.CodeConflict, "the prompt %s is %s already: `ccdir send --later` makes another", now.ID, now.State)
	case now.Typing:
		return api.Errorf(api.CodeConflict, "the prompt %s is being typed into session %s: it cannot be changed any more", now.ID, now.Name)
	}
	return nil
}

func checkText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return api.Errorf(api.CodeInvalid, "the prompt is empty")
	case len(text) > launch.MaxPrompt:
		return api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", launch.MaxPrompt)
	}
	return nil
}

// tell publishes an event and waits until it is visible.
func (p *Prompts) tell(now api.PendingPrompt, message string) {
	data, _ := json.Marshal(now) // cannot fail
	e := &api.Event{At: p.o.Now().UTC(), Session: now.Session, Type: api.EventPending, Source: "daemon", Message: now.ID + " " + message, Data: data}
	if s, ok := p.o.Journal.Session(now.Session); ok {
		e.StateFrom, e.StateTo = s.State, s.State
	}
	<-p.o.Journal.Append(api.WatchMessage{Event: e}, nil, "")
	p.count(now.Session)
}

// count has a session show how many prompts it has.
func (p *Prompts) count(session string) {
	p.counting.Lock()
	defer p.counting.Unlock()
	ctx := context.Background()
	n, err := p.o.Store.CountPending(ctx, session)
	if err == nil {
		err = p.o.Sessions.SetPending(ctx, session, n)
	}
	if err != nil {
		p.o.Logger.Warn("how many prompts a session has is not shown", "session", session, "error", err)
	}
}

// shownText bounds the text in an event's message, in runes.
const shownText = 200

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > shownText {
		line, more = string(runes[:shownText]), true
	}
	if more {
		line += "…"
	}
	return strconv.Quote(line)
}

// errChanged: the prompt was changed while its delivery waited.
var errChanged = errors.New("the prompt has changed")

// claim records that a prompt is about to be typed: from then on it cannot be changed.
func (p *Prompts) claim(now api.PendingPrompt) error {
	_, err := p.o.Store.ChangePending(now.ID, func(row *api.PendingPrompt) error {
		if row.State != api.PendingWaits || row.Text != now.Text {
			return errChanged
		}
		row.Typing = true
		return nil
	})
	return err
}

// end records the outcome of a prompt.
func (p *Prompts) end(id string, state api.PendingState, reason string) error {
	changed, err := p.o.Store.ChangePending(id, func(row *api.PendingPrompt) error {
		row.State, row.Ended, row.Reason, row.Typing = state, p.o.Now().UTC(), reason, false
		return nil
	})
	if err != nil {
		return err
	}
	message := string(state) + ": " + firstLine(changed.Text)
	if reason != "" {
		message += ": " + reason
	}
	p.tell(changed, message)
	return p.o.Store.PrunePending(kept)
}
