package enforce

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/policy"
)

// Ledger keeps rows for ever (the store).
type Ledger interface {
	// AppendDecisions returns when the rows are durable.
	AppendDecisions(rows []api.LedgerRow) (api.LedgerHead, error)
	// Decisions reads rows, oldest first; with a limit the newest ones.
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
}

// Rules keeps what sessions were granted (the store).
type Rules interface {
	SaveSessionRules(session string, record []byte) error
}

// Sessions knows the sessions (the registry).
type Sessions interface {
	// Caller is the session as a user of tools. It may wait for the session's
	// actor.
	Caller(ctx context.Context, ref string) (api.Caller, error)
	// PolicyChanged: what the policy says was read again.
	PolicyChanged()
}

// Options of a Enforcer.
type Options struct {
	// User is the user's policy file, Home the user's directory, UID who must own
	// policy files, Protect directories that agents change only after asking.
	User, Home string
	UID        int
	Protect    []string
	Ledger     Ledger
	Rules      Rules
	// Granted are the saved rules of sessions, as Rules got them.
	Granted map[string][]byte
	// Redact makes the record of a tool's input, RedactText that of a text:
	// secrets replaced. Nil leaves them as they are.
	Redact     func(json.RawMessage) json.RawMessage
	RedactText func(string) string
	// Task returns a task of the queue as it is now; nil: there are none. It must
	// not wait.
	Task func(id string) (api.Task, bool)
	// Sessions may be set later by Attach.
	Sessions Sessions
	// Lead asks the lead; nil for none.
	Lead Lead
	// LeadTime bounds the wait for it; 0 is defaultLeadTime.
	LeadTime time.Duration
	// HeadFile is where the newest row's number and hash are kept beside the
	// database; "" for nowhere.
	HeadFile string
	// Changed is called when another problem of the policy files is found, or
	// with "" when all are well again.
	Changed func(problem string)
	// Pause is called at PauseRecorded, for tests; nil in programs.
	Pause  func(point string)
	Now    func() time.Time
	Logger *slog.Logger
}

// redact is Redact, with nothing for nothing.
func (o *Options) redact(input json.RawMessage) json.RawMessage {
	if len(input) == 0 || o.Redact == nil {
		return input
	}
	return o.Redact(input)
}

// Enforcer decides. Its methods may be called at the same time.
type Enforcer struct {
	o        Options
	log      *slog.Logger
	policies *policies
	head     *headKeeper

	// telling is held while a reload is told, and guards problem, told last.
	telling sync.Mutex
	problem string
	wg      sync.WaitGroup // what tells of reloads

	mu       sync.Mutex
	closed   bool
	sessions Sessions
	granted  map[string]*granted
	// granting is held while the rules of a session change, so that what is saved
	// is what holds; writing while a policy file is edited. mu is taken under both.
	granting, writing sync.Mutex
}

// New makes an enforcer.
func New(o Options) *Enforcer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.RedactText == nil {
		o.RedactText = func(s string) string { return s }
	}
	if o.LeadTime <= 0 {
		o.LeadTime = defaultLeadTime
	}
	e := &Enforcer{o: o, log: o.Logger, policies: newPolicies(o), sessions: o.Sessions, granted: map[string]*granted{}, head: newHeadKeeper(o.HeadFile)}
	e.policies.changed = e.reloaded
	for id, record := range o.Granted {
		if err := e.load(id, record); err != nil {
			e.log.Error("the rules of a session cannot be read", "session", id, "error", err)
		}
	}
	h, k := e.policies.of("") // loads the user's
	k.seen.Store(h.Loads())
	e.reloaded() // says what is wrong with it
	return e
}

// Attach tells the enforcer who knows the sessions.
func (e *Enforcer) Attach(s Sessions) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions = s
}

// Close ends what watches files and writes what is left to write.
func (e *Enforcer) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.policies.close()
	e.wg.Wait()
	e.head.close()
}

// Forget drops what a session was granted.
func (e *Enforcer) Forget(session string) {
	e.mu.Lock()
	_, known := e.granted[session]
	delete(e.granted, session)
	e.mu.Unlock()
	if known && e.o.Rules != nil {
		if err := e.o.Rules.SaveSessionRules(session, nil); err != nil {
			e.log.Error("the rules of a removed session stay in the database", "session", session, "error", err)
		}
	}
}

// reloaded tells of a policy that was read again, if that changed what is wrong.
func (e *Enforcer) reloaded() {
	e.telling.Lock()
	defer e.telling.Unlock()
	problem := e.Problem()
	if problem != e.problem && e.o.Changed != nil {
		e.o.Changed(problem)
	}
	e.problem = problem
	e.mu.Lock()
	s := e.sessions
	e.mu.Unlock()
	if s != nil {
		s.PolicyChanged()
	}
}

// Problem is what is wrong with policy files, "" if nothing is.
func (e *Enforcer) Problem() string {
	for _, h := range e.policies.all() {
		if err := h.Err(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// OnLoss is what hooks of sessions started in root answer while there is no
// daemon: one of the Effect constants; EffectAllow is never.
func (e *Enforcer) OnLoss(root string) string {
	h, _ := e.policies.of(root)
	return string(h.Policy().OnDaemonLoss())
}

// Use decides about one use of a tool and records the decision; EffectNone is
// not recorded. It waits for nobody, except that the record becomes durable.
func (e *Enforcer) Use(c api.Caller, u api.ToolUse) api.Verdict {
	v := e.decide(c, u.Tool, u.Input)
	if v.Effect == api.EffectNone {
		return v
	}
	row := e.row(c, u)
	row.fill(v, e.o.RedactText)
	if err := e.append(row.LedgerRow); err != nil && v.Effect == api.EffectAllow {
		v.Effect, v.Reason = api.EffectAsk, "the approval could not be recorded: answer in the pane"
	}
	return v
}

// Unread is Use for a use of a tool that cannot be read, as why tells: no rule can be
// asked about it, so where a policy is in force it is denied.
func (e *Enforcer) Unread(c api.Caller, u api.ToolUse, why string) api.Verdict {
	if !e.policy(c.Root).InForce() && e.mode(c) == "" {
		return api.Verdict{Effect: api.EffectNone}
	}
	v := api.Verdict{Effect: api.EffectDeny, Reason: "no rule can be asked about it: " + why}
	row := e.row(c, u)
	row.fill(v, e.o.RedactText)
	_ = e.append(row.LedgerRow) // it is denied either way
	return v
}

// Reads tells, without a record, what a search by the caller may show: files that no deny
// rule is about, nor an ask rule unless a person was asked. It is nil where no policy is
// in force.
func (e *Enforcer) Reads(c api.Caller, asked bool) func(path string) bool {
	if !e.policy(c.Root).InForce() {
		return nil
	}
	return func(path string) bool {
		input, err := json.Marshal(map[string]string{"file_path": path})
		if err != nil {
			return false
		}
		v := e.decide(c, "Read", input)
		return v.Effect != api.EffectDeny && (asked || v.Effect != api.EffectAsk)
	}
}

// decide is Use without the record.
func (e *Enforcer) decide(c api.Caller, tool string, input json.RawMessage) api.Verdict {
	p := e.policy(c.Root)
	extra := policy.Extra{Grants: e.grantsOf(c.Session)}
	mode := e.mode(c)
	if relax := relaxations[mode]; relax != nil {
		extra.Relax = relax
	}
	if !p.InForce() && mode == "" {
		return api.Verdict{Effect: api.EffectNone}
	}
	d := p.DecideWith(policy.Request{Role: c.Role, Tool: tool, Input: input, Root: c.Root, Cwd: c.CWD, Home: e.o.Home,
		Facts: e.facts(c)}, extra)
	v := api.Verdict{Effect: string(d.Decision), Rule: d.Rule, File: d.File, Line: d.Line, Reason: d.Reason}
	return overridden(v, mode, tool)
}

// facts are what conditions can ask about the caller.
func (e *Enforcer) facts(c api.Caller) policy.Facts {
	f := policy.Facts{Now: e.o.Now(), Branch: Branch(c.CWD), Agent: c.Agent, Session: c.Name}
	if c.Task != "" && e.o.Task != nil {
		if t, ok := e.o.Task(c.Task); ok {
			f.Labels, f.Cost, f.Tokens = t.Labels, t.Result.Cost, t.Result.Tokens
		}
	}
	return f
}

// asksPerson are tools that exist to ask a person: allowing them by rule would
// answer for the person.
var asksPerson = map[string]bool{"AskUserQuestion": true, "ExitPlanMode": true}

// overridden applies what a person said about the session, and what holds for
// certain tools.
func overridden(v api.Verdict, mode api.OverrideMode, tool string) api.Verdict {
	switch {
	case v.Effect == api.EffectDeny:
	case mode == api.OverrideAsk:
		return api.Verdict{Effect: api.EffectAsk, Rule: v.Rule, File: v.File, Line: v.Line, Reason: "everything of this session is asked about"}
	case mode == api.OverrideHandsOff:
		return api.Verdict{Effect: api.EffectNone, Reason: "this session is left to the agent's own permission mode"}
	case v.Effect == api.EffectAllow && asksPerson[tool]:
		return api.Verdict{Effect: api.EffectNone, Reason: tool + " is for a person to answer"}
	}
	return v
}

// policy is the one in force in root. One that was not seen before is told of
// beside: that a file changed may have been found by the check of its time.
func (e *Enforcer) policy(root string) *policy.Policy {
	h, k := e.policies.of(root)
	p := h.Policy()
	if n := h.Loads(); k.seen.Swap(n) != n {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.closed {
			e.wg.Go(e.reloaded)
		}
	}
	return p
}

// relaxations are what modes allow where no rule is about it.
var relaxations = map[api.OverrideMode]*policy.Grants{
	api.OverrideReads: mustGrants("Read", "Grep", "Glob", "LS", "NotebookRead"),
	api.OverrideEdits: mustGrants("Read", "Grep", "Glob", "LS", "NotebookRead", "Edit(./**)"),
}

func mustGrants(rules ...string) *policy.Grants {
	grants, err := policy.NewGrants(rules, "override")
	if err != nil {
		panic(err)
	}
	return grants
}

// mode is the override that holds for the caller now.
func (e *Enforcer) mode(c api.Caller) api.OverrideMode {
	if c.Override == nil || !c.Override.Until.After(e.o.Now()) {
		return ""
	}
	return c.Override.Mode
}

// caller asks who knows the sessions.
func (e *Enforcer) caller(ctx context.Context, ref string) (api.Caller, error) {
	e.mu.Lock()
	s := e.sessions
	e.mu.Unlock()
	if s == nil {
		return api.Caller{}, fmt.Errorf("the sessions are not known yet")
	}
	return s.Caller(ctx, ref)
}
