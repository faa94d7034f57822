package approvals

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"ccdir/api"
)

// Defaults of Options.
const (
	// defaultPerSession: an agent shows one dialog at a time, its subagents a
	// few more.
	defaultPerSession = 16
	defaultTotal      = 512
	defaultDecideTime = time.Second
	// defaultHangUp is far more than a hook process takes to dial again (250 ms).
	defaultHangUp = 5 * time.Second
	// defaultHold is a little less than what the hook process waits for.
	defaultHold = api.HookTimeoutPermission - 30*time.Second
)

const (
	// maxInput bounds a request's input, in bytes: nobody can judge more.
	maxInput = 1 << 20
	// endedKept bounds the ended requests that are remembered for retried calls.
	endedKept = 256
)

// Options of a Broker. Everything may be left out.
type Options struct {
	Decider  Decider
	Lead     LeadAsker
	Ledger   Ledger
	Observer Observer
	// Prepare checks a person's answer before it takes effect and may complete it. With an
	// error the request stays open. Nil accepts every answer.
	Prepare func(r api.Request, a api.Answer) (api.Answer, error)
	// PerSession and Total bound the open requests.
	PerSession, Total int
	// DecideTime bounds one call of Decider.
	DecideTime time.Duration
	// HangUp is how long a request stays open after its last hook process hung up.
	HangUp time.Duration
	// Now is the clock; nil is time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Broker holds the open requests. It is safe for concurrent use.
type Broker struct {
	o   Options
	log *slog.Logger
	// work counts goroutines that ask the lead or record ends.
	work sync.WaitGroup

	// mu guards the fields below. Nothing blocks while holding it, and no other lock is
	// taken.
	mu     sync.Mutex
	closed bool
	// calls has every request that is open or remembered.
	calls map[callKey]*held
	// open has the open requests by id, whether people see them yet or not.
	open map[string]*held
	// ended are the keys of remembered requests, oldest first.
	ended    []callKey
	sessions map[string]*memory
}

// callKey identifies a hook call.
type callKey struct{ session, call string }

// held is one request.
type held struct {
	key    callKey
	ctx    context.Context // cancelled at the end of the request
	cancel context.CancelFunc
	done   chan struct{} // closed when decision is set
	// telling is held while Ledger and Observer are called, so that they hear of the end
	// last. It is taken before mu.
	telling sync.Mutex

	// Guarded by Broker.mu.
	req      api.Request
	hash     inputHash
	visible  bool
	over     bool
	waiters  int
	hangUp   *time.Timer
	deadline *time.Timer
	// deliveries are closed once the waiting hook processes have the decision.
	deliveries []<-chan struct{}

	decision api.Decision // read after done
}

// errClosed is returned to waiting hook processes when the daemon stops. They retry with the
// next one.
var errClosed = api.Errorf(api.CodeUnavailable, "the daemon is stopping; ask again")

// New makes a broker without requests.
func New(o Options) *Broker {
	if o.PerSession <= 0 {
		o.PerSession = defaultPerSession
	}
	if o.Total <= 0 {
		o.Total = defaultTotal
	}
	if o.DecideTime <= 0 {
		o.DecideTime = defaultDecideTime
	}
	if o.HangUp <= 0 {
		o.HangUp = defaultHangUp
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Broker{o: o, log: o.Logger, calls: map[callKey]*held{}, open: map[string]*held{},
		sessions: map[string]*memory{}}
}

// Hold opens a request and blocks until it has ended, ctx ends (the hook process
// hung up) or the broker is closed; only then is the error not nil. call is the
// id of the hook call: made again with the same one, it joins the request that
// is there. r.ID, Stage and ToolUseID are filled in; so are Since and Deadline
// where they are zero. Without a call id every call is a request of its own.
func (b *Broker) Hold(ctx context.Context, call string, r api.Request) (api.Decision, error) {
	h, err := b.enter(call, r)
	if err != nil {
		return api.Decision{}, err
	}
	defer b.leave(h)
	b.promise(h, api.Delivery(ctx))
	select {
	case <-h.done:
		return h.decision, nil
	case <-ctx.Done():
		return api.Decision{}, ctx.Err()
	case <-h.ctx.Done():
	}
	// It has ended and its end is being recorded, or the broker was closed.
	if !b.ends(h) {
		return api.Decision{}, errClosed
	}
	select {
	case <-h.done:
		return h.decision, nil
	case <-ctx.Done():
		return api.Decision{}, ctx.Err()
	}
}

// enter joins the request of the call, or opens one.
func (b *Broker) enter(call string, r api.Request) (*held, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, errClosed
	}
	key := callKey{r.Session, call}
	if h := b.calls[key]; h != nil && call != "" {
		h.waiters++
		if h.hangUp != nil {
			h.hangUp.Stop()
			h.hangUp = nil
		}
		b.mu.Unlock()
		return h, nil
	}
	h, refusal := b.add(key, r)
	r = h.req
	b.mu.Unlock()
	if refusal != nil {
		b.finish(h, *refusal)
		return h, nil
	}
	b.pass(h, r)
	return h, nil
}

// add creates the request. refusal is the decision if it ends at once, else nil. mu is held.
func (b *Broker) add(key callKey, r api.Request) (h *held, refusal *api.Decision) {
	now := b.o.Now().UTC()
	if key.call == "" {
		key.call = "\x00" + randomID()
	}
	r.ID = b.newID(key)
	if r.Since.IsZero() {
		r.Since = now
	}
	if limit := now.Add(defaultHold); r.Deadline.IsZero() || r.Deadline.After(limit) {
		r.Deadline = limit
	}
	if r.Kind == "" {
		r.Kind = api.RequestPermission
	}
	h = &held{key: key, done: make(chan struct{}), waiters: 1}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	limit := func(why string) *api.Decision {
		return &api.Decision{Outcome: api.OutcomeLimit, Reason: why + ": answer in the pane"}
	}
	switch {
	case len(r.Input) > maxInput:
		refusal = limit("the tool's input is too large to be shown")
		r.Input = nil
	case b.count(r.Session) >= b.o.PerSession:
		refusal = limit("the session has too many open requests")
	case len(b.open) >= b.o.Total:
		refusal = limit("too many requests are open")
	}
	h.hash = hashInput(r.Input)
	if refusal == nil && r.Origin != api.OriginMCP {
		if why := b.memory(r.Session).claim(&r, h.hash); why != "" {
			refusal = &api.Decision{Outcome: api.OutcomeElsewhere, Reason: why}
		}
	}
	h.req = r
	b.calls[key], b.open[r.ID] = h, h
	if refusal == nil {
		h.deadline = time.AfterFunc(r.Deadline.Sub(now), func() {
			b.finish(h, api.Decision{Outcome: api.OutcomeDeadline, Reason: "nobody answered in time"})
		})
	}
	return h, refusal
}

// count is the number of open requests of a session. mu is held.
func (b *Broker) count(session string) (n int) {
	for _, h := range b.open {
		if h.req.Session == session {
			n++
		}
	}
	return n
}

// pass consults the policy first. If the policy has no answer, it makes the request visible
// and asks the lead. r is the request as it was made.
func (b *Broker) pass(h *held, r api.Request) {
	if b.o.Decider != nil {
		ctx, cancel := context.WithTimeout(h.ctx, b.o.DecideTime)
		answer, ok := b.ask("policy", func() (api.Answer, bool) { return b.o.Decider.Decide(ctx, r) })
		cancel()
		if ok && valid(answer, r) == nil {
			b.finish(h, answered(answer, api.ByPolicy))
			return
		}
	}
	h.telling.Lock()
	b.mu.Lock()
	if h.over || b.closed {
		b.mu.Unlock()
		h.telling.Unlock()
		return
	}
	h.visible = true
	h.req.Stage = api.StagePerson
	if b.o.Lead != nil {
		h.req.Stage = api.StageLead
		b.work.Add(1)
		go b.askLead(h, h.req)
	}
	req := h.req
	b.mu.Unlock()
	if b.o.Observer != nil {
		b.contain("observer", func() { b.o.Observer.RequestOpened(req) })
	}
	h.telling.Unlock()
}

// askLead asks the lead. Without an answer the request is left to people.
func (b *Broker) askLead(h *held, r api.Request) {
	defer b.work.Done()
	answer, ok := b.ask("lead", func() (api.Answer, bool) { return b.o.Lead.AskLead(h.ctx, r) })
	if ok && valid(answer, r) == nil {
		b.finish(h, answered(answer, api.ByLead))
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !h.over {
		h.req.Stage = api.StagePerson
	}
}

// Answer ends an open request with the answer of by (a word of
// api.Decision.By). ref is its id or a unique prefix of one. The error is
// CodeNotFound for a request that is not open (any more), CodeInvalid for an
// answer that it cannot have. Answer returns when the decision is recorded, and when the
// hook process that waits for it has it, so that what was acknowledged reaches the agent
// whatever becomes of the daemon; it waits for the second at most deliverTime.
func (b *Broker) Answer(ref, by string, a api.Answer) (api.Decision, error) {
	h, r, err := b.find(ref)
	if err != nil {
		return api.Decision{}, err
	}
	if err := valid(a, r); err != nil {
		return api.Decision{}, err
	}
	if b.o.Prepare != nil {
		if a, err = b.o.Prepare(r, a); err != nil {
			return api.Decision{}, err
		}
	}
	won := b.finish(h, answered(a, by))
	if !won && !b.ends(h) {
		return api.Decision{}, errClosed
	}
	<-h.done
	switch d := h.decision; {
	case !won:
		return d, api.Errorf(api.CodeConflict, "request %s is no longer open: %s", r.ID, describe(d))
	case d.Outcome == api.OutcomeUnrecorded:
		return d, api.Errorf(api.CodeInternal, "%s", d.Reason)
	default:
		b.delivered(h)
		return d, nil
	}
}

// ends reports whether the request has ended, even if its end is not recorded yet. False
// after Close: it never will.
func (b *Broker) ends(h *held) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return h.over
}

// Close releases every waiting hook process without an answer, so that it asks the next
// daemon, and waits for work in flight. Later calls fail.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	for _, h := range b.open {
		h.stop()
	}
	clear(b.open)
	clear(b.sessions)
	b.mu.Unlock()
	b.work.Wait()
}

// Forget drops the memory of a removed session.
func (b *Broker) Forget(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sessions, session)
}
