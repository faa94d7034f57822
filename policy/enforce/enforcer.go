package enforce

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/policy"
)

// Ledger stores rows permanently (daemon/store).
type Ledger interface {
	// AppendDecisions returns when the rows are durable.
	AppendDecisions(rows []api.LedgerRow) (api.LedgerHead, error)
	// Decisions reads rows, oldest first. A limit selects the newest ones.
	Decisions(ctx context.Context, f api.LedgerFilter) ([]api.LedgerRow, error)
}

// Rules stores the rules granted to sessions (daemon/store).
type Rules interface {
	SaveSessionRules(session string, record []byte) error
}

// Sessions looks up sessions (the registry).
type Sessions interface {
	// Caller returns the session as a user of tools. It may wait for the session's actor.
	Caller(ctx context.Context, ref string) (api.Caller, error)
	// PolicyChanged is called after a policy was loaded again.
	PolicyChanged()
}

// Options of New.
type Options struct {
	// User is the user's policy file, Home the home directory, UID the required owner of
	// policy files. Protect are directories whose files agents change only after asking.
	User, Home string
	UID        int
	Protect    []string
	// Trees are directories of git work trees below Protect (policy.Source.Trees).
	Trees  []string
	Ledger Ledger
	Rules  Rules
	// Granted are the saved rules by session id, in the form that Rules got.
	Granted map[string][]byte
	// Redact replaces secrets in a tool's input, RedactText in a text, before they are
	// recorded. Nil changes nothing.
	Redact     func(json.RawMessage) json.RawMessage
	RedactText func(string) string
	// Task returns the current state of a task; nil if there is no queue. It must not wait.
	Task func(id string) (api.Task, bool)
	// Sessions can be set later by Attach.
	Sessions Sessions
	// Lead forwards requests to leads; nil for none.
	Lead Lead
	// LeadTime bounds the wait for a lead; 0 is defaultLeadTime.
	LeadTime time.Duration
	// LeadByPolicy reports whether what the policy allows to a lead's role is allowed without
	// asking the lead; nil: the lead is asked.
	LeadByPolicy func() bool
	// HeadFile is the file for number and hash of the newest row; "" for none.
	HeadFile string
	// Changed is called when the error of the policy files changes; "" means no error.
	Changed func(problem string)
	// Pause is called at PauseRecorded by tests; nil in programs.
	Pause  func(point string)
	Now    func() time.Time
	Logger *slog.Logger
}

// redact is Redact for inputs that may be empty.
func (o *Options) redact(input json.RawMessage) json.RawMessage {
	if len(input) == 0 || o.Redact == nil {
		return input
	}
	return o.Redact(input)
}

// Enforcer decides uses of tools. It is safe for concurrent use.
type Enforcer struct {
	o        Options
	log      *slog.Logger
	policies *policies
	head     *headKeeper

	// telling serialises reloaded and guards problem, the error reported last.
	telling sync.Mutex
	problem string
	wg      contain.Group // goroutines that run reloaded

	mu       sync.Mutex
	closed   bool
	sessions Sessions
	granted  map[string]*granted
	// granting serialises changes of a session's rules, so that the saved rules are those in
	// force. writing serialises edits of policy files. Both are taken before mu.
	granting, writing sync.Mutex
}

// New returns an enforcer with the user's policy loaded.
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
	h, k := e.policies.of("") // loads the user's file
	k.seen.Store(h.Loads())
	e.reloaded() // reports its error, if any
	return e
}

// Attach sets Options.Sessions.
func (e *Enforcer) Attach(s Sessions) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions = s
}

// Close stops watching files and writes the pending head.
func (e *Enforcer) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.policies.close()
	e.wg.Wait()
	e.head.close()
}

// Forget drops the rules of a removed session.
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

// reloaded reports a change of the policies' error, and that policies were loaded again.
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

// Problem returns the error of the policy files, "" if there is none.
func (e *Enforcer) Problem() string {
	for _, h := range e.policies.all() {
		if err := h.Err(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// OnLoss is the answer of hooks of sessions started in root while the daemon is unreachable:
// an Effect constant other than EffectAllow.
func (e *Enforcer) OnLoss(root string) string {
	h, _ := e.policies.of(root)
	return string(h.Policy().OnDaemonLoss())
}

// Use decides one use of a tool and records the decision, unless it is EffectNone. It waits
// only for the record to become durable.
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

// Unread decides a use of a tool whose input cannot be read. Rules cannot be applied to it,
// so it is denied where a policy is in force. why is the reason that is recorded.
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

// Reads returns a filter for the files that a search by the caller may show: files that no
// deny rule matches, and no ask rule unless asked. It records nothing. Nil where no policy is
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
		v := e.decide(c, api.ToolRead, input)
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
	alone := !p.InForce() && mode == "" // but for what was allowed for the session
	if alone && extra.Grants == nil {
		return api.Verdict{Effect: api.EffectNone}
	}
	d := p.DecideWith(policy.Request{Role: c.Role, Tool: tool, Input: input, Root: c.Root, Cwd: c.CWD, Home: e.o.Home,
		Settings: c.Settings, Facts: e.facts(c)}, extra)
	if alone && d.Decision != policy.Allow {
		return api.Verdict{Effect: api.EffectNone}
	}
	v := api.Verdict{Effect: string(d.Decision), Rule: d.Rule, File: d.File, Line: d.Line, Reason: d.Reason}
	return overridden(v, mode, tool)
}

// facts returns the values that conditions can test.
func (e *Enforcer) facts(c api.Caller) policy.Facts {
	f := policy.Facts{Now: e.o.Now(), Branch: Branch(c.CWD), Agent: c.Agent, Session: c.Name}
	if c.Task != "" && e.o.Task != nil {
		if t, ok := e.o.Task(c.Task); ok {
			f.Labels, f.Cost, f.Tokens = t.Labels, t.Result.Cost, t.Result.Tokens
		}
	}
	return f
}

// asksPerson are tools whose purpose is to ask a person. An allow rule would answer in the
// person's place.
var asksPerson = map[string]bool{api.ToolAsk: true, api.ToolPlan: true}

// overridden applies a person's override of the session, and asksPerson.
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

// policy returns the policy in force in root. If this call loaded it again, reloaded runs in
// a goroutine.
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

// relaxations are what overrides allow where no rule applies.
var relaxations = map[api.OverrideMode]*policy.Grants{
	api.OverrideReads: mustGrants(api.ToolRead, api.ToolGrep, api.ToolGlob, api.ToolLS, api.ToolNotebookRead),
	api.OverrideEdits: mustGrants(api.ToolRead, api.ToolGrep, api.ToolGlob, api.ToolLS, api.ToolNotebookRead, api.ToolEdit+"(./**)"),
}

func mustGrants(rules ...string) *policy.Grants {
	grants, err := policy.NewGrants(rules, "override")
	if err != nil {
		panic(err)
	}
	return grants
}

// mode returns the override in force; "" for none.
func (e *Enforcer) mode(c api.Caller) api.OverrideMode {
	if c.Override == nil {
		return ""
	}
	// More than the most that can be left: the clock was set back while no daemon ran.
	if left := c.Override.Until.Sub(e.o.Now()); left <= 0 || left > api.MaxOverride {
		return ""
	}
	return c.Override.Mode
}

// caller looks up a session.
func (e *Enforcer) caller(ctx context.Context, ref string) (api.Caller, error) {
	e.mu.Lock()
	s := e.sessions
	e.mu.Unlock()
	if s == nil {
		return api.Caller{}, fmt.Errorf("the sessions are not known yet")
	}
	return s.Caller(ctx, ref)
}
