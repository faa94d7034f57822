package sessions

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/sessions/delivery"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// newDelivery makes the session's delivery; before the actor runs.
func newDelivery(s *session) *delivery.Delivery {
	return delivery.New(typist{s}, delivery.Options{Session: s.id, Dir: s.dir, Adapter: s.adapter, Context: s.ctx, Go: s.r.wg.Go, Give: s.give,
		Timeout: func() time.Duration { return s.r.o.Config().SendTimeout }, Pause: s.r.pause, Now: s.r.now, Logger: s.r.log})
}

// Send types a prompt into a session and waits for its acknowledgement
// (delivery.Delivery.Send).
func (r *Registry) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.SendResult{}, err
	}
	return s.delivery.Send(ctx, p)
}

// SendClaimed is Send for a prompt that may be taken back until it is typed
// (delivery.Delivery.SendClaimed).
func (r *Registry) SendClaimed(ctx context.Context, ref string, p api.SendPrompt, claim func(context.Context) error) (api.SendResult, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.SendResult{}, err
	}
	return s.delivery.SendClaimed(ctx, p, claim)
}

// Input writes keys, a paste or bytes to the session's terminal. A retry with the same ID,
// unless that is "", writes nothing.
func (r *Registry) Input(ctx context.Context, ref string, in api.RawInput) error {
	s, err := r.paned(ref)
	if err != nil {
		return err
	}
	if err := s.needsInput(ctx); err != nil {
		return err
	}
	return s.delivery.Input(ctx, in)
}

// typist is the session as its delivery sees it (delivery.Session).
type typist struct{ *session }

func (t typist) Do(ctx context.Context, fn func()) error { return t.do(ctx, fn) }

func (t typist) Commit(ctx context.Context, fn func() (<-chan error, error)) (unsaved, err error) {
	return t.commitSaved(ctx, fn)
}

func (t typist) Await(ctx context.Context, cond func() bool) error { return t.await(ctx, cond) }

func (t typist) Request(ctx context.Context, method string, params, out any) error {
	return t.request(ctx, method, params, out)
}

func (t typist) Wake(ctx context.Context) error { return t.awaken(ctx) }

func (t typist) Done() <-chan struct{} { return t.box.Done() }
func (t typist) Gone() error           { return t.gone() }
func (t typist) Fold() *state.Fold     { return &t.fold }
func (t typist) Spec() *launch.Spec    { return &t.spec }
func (t typist) Value() *api.Session   { return &t.cur }
func (t typist) Restarting() bool      { return t.restarting > 0 }
func (t typist) Prompted() bool        { return t.prompted }
func (t typist) LacksTools() bool      { return t.lacksTools }
func (t typist) Resumed() bool         { return t.talked && !t.prompted }
func (t typist) Outside() bool         { return t.outside }
func (t typist) NotRunning() error     { return t.notRunning() }
func (t typist) Known(key string) bool { return t.seenKeys.has(key) }
func (t typist) Remember(key string)   { t.seenKeys.add(key) }

func (t typist) Publish(eventType, message, key string) <-chan error {
	c := change{always: true, key: key}
	if eventType != "" {
		c.event = t.plain(eventType, message).event
	}
	return t.publish(c, false)
}

// Points at which tests stop the daemon (Options.Pause), besides those of a delivery.
const (
	// PauseEnding: the end of a session is on disk; the process was not signalled yet.
	PauseEnding = "ending"
	// PausePrepared: the files of a new or restarted session exist, no process does.
	// PauseLaunched: its process runs, no record of that is on disk. PauseCreated (new
	// sessions only): the record is on disk, the caller has no answer yet.
	PausePrepared = "prepared"
	PauseLaunched = "launched"
	PauseCreated  = "created"
	// PauseSpool: spooled calls are durable, and their files still exist.
	PauseSpool = "spool"
)
