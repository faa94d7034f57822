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

// Options of a Gate.
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

// Gate decides. Its methods may be called at the same time.
type Gate struct {
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

// New makes a gate.
func New(o Options) *Gate {
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
	g := &Gate{o: o, log: o.Logger, policies: newPolicies(o), sessions: o.Sessions, granted: map[string]*granted{}, head: newHeadKeeper(o.HeadFile)}
	g.policies.changed = g.reloaded
	for id, record := range o.Granted {
		if err := g.load(id, record); err != nil {
			g.log.Error("the rules of a session cannot be read", "session", id, "error", err)
		}
	}
	h, k := g.policies.of("") // loads the user's
	k.seen.Store(h.Loads())
	g.reloaded() // says what is wrong with it
	return g
}

// Attach tells the gate who knows the sessions.
func (g *Gate) Attach(s Sessions) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sessions = s
}

// Close ends what watches files and writes what is left to write.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.policies.close()
	g.wg.Wait()
	g.head.close()
}

// Forget drops what a session was granted.
func (g *Gate) Forget(session string) {
	g.mu.Lock()
	_, known := g.granted[session]
	delete(g.granted, session)
	g.mu.Unlock()
	if known && g.o.Rules != nil {
		if err := g.o.Rules.SaveSessionRules(session, nil); err != nil {
			g.log.Error("the rules of a removed session stay in the database", "session", session, "error", err)
		}
	}
}

// reloaded tells of a policy that was read again, if that changed what is wrong.
func (g *Gate) reloaded() {
	g.telling.Lock()
	defer g.telling.Unlock()
	problem := g.Problem()
	if problem != g.problem && g.o.Changed != nil {
		g.o.Changed(problem)
	}
	g.problem = problem
	g.mu.Lock()
	s := g.sessions
	g.mu.Unlock()
	if s != nil {
		s.PolicyChanged()
	}
}

// Problem is what is wrong with policy files, "" if nothing is.
func (g *Gate) Problem() string {
	for _, h := range g.policies.all() {
		if err := h.Err(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// OnLoss is what hooks of sessions started in root answer while there is no
// daemon: one of the Effect constants; EffectAllow is never.
func (g *Gate) OnLoss(root string) string {
	h, _ := g.policies.of(root)
	return string(h.Policy().OnDaemonLoss())
}

// Use decides about one use of a tool and records the decision; EffectNone is
// not recorded. It waits for nobody, except that the record becomes durable.
func (g *Gate) Use(c api.Caller, u api.ToolUse) api.Verdict {
	v := g.decide(c, u.Tool, u.Input)
	if v.Effect == api.EffectNone {
		return v
	}
	row := g.row(c, u)
	row.fill(v, g.o.RedactText)
	if err := g.append(row.LedgerRow); err != nil && v.Effect == api.EffectAllow {
		v.Effect, v.Reason = api.EffectAsk, "the approval could not be recorded: answer in the pane"
	}
	return v
}

// Unread is Use for a use of a tool that cannot be read, as why tells: no rule can be
// asked about it, so where a policy is in force it is denied.
func (g *Gate) Unread(c api.Caller, u api.ToolUse, why string) api.Verdict {
	if !g.policy(c.Root).InForce() && g.mode(c) == "" {
		return api.Verdict{Effect: api.EffectNone}
	}
	v := api.Verdict{Effect: api.EffectDeny, Reason: "no rule can be asked about it: " + why}
	row := g.row(c, u)
	row.fill(v, g.o.RedactText)
	_ = g.append(row.LedgerRow) // it is denied either way
	return v
}

// Reads tells, without a record, what a search by the caller may show: files that no deny
// rule is about, nor an ask rule unless a person was asked. It is nil where no policy is
// in force.
func (g *Gate) Reads(c api.Caller, asked bool) func(path string) bool {
	if !g.policy(c.Root).InForce() {
		return nil
	}
	return func(path string) bool {
		input, err := json.Marshal(map[string]string{"file_path": path})
		if err != nil {
			return false
		}
		v := g.decide(c, "Read", input)
		return v.Effect != api.EffectDeny && (asked || v.Effect != api.EffectAsk)
	}
}

// decide is Use without the record.
func (g *Gate) decide(c api.Caller, tool string, input json.RawMessage) api.Verdict {
	p := g.policy(c.Root)
	extra := policy.Extra{Grants: g.grantsOf(c.Session)}
	mode := g.mode(c)
	if relax := relaxations[mode]; relax != nil {
		extra.Relax = relax
	}
	if !p.InForce() && mode == "" {
		return api.Verdict{Effect: api.EffectNone}
	}
	d := p.DecideWith(policy.Request{Role: c.Role, Tool: tool, Input: input, Root: c.Root, Cwd: c.CWD, Home: g.o.Home,
		Facts: g.facts(c)}, extra)
	v := api.Verdict{Effect: string(d.Decision), Rule: d.Rule, File: d.File, Line: d.Line, Reason: d.Reason}
	return overridden(v, mode, tool)
}

// facts are what conditions can ask about the caller.
func (g *Gate) facts(c api.Caller) policy.Facts {
	f := policy.Facts{Now: g.o.Now(), Branch: Branch(c.CWD), Agent: c.Agent, Session: c.Name}
	if c.Task != "" && g.o.Task != nil {
		if t, ok := g.o.Task(c.Task); ok {
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
func (g *Gate) policy(root string) *policy.Policy {
	h, k := g.policies.of(root)
	p := h.Policy()
	if n := h.Loads(); k.seen.Swap(n) != n {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.closed {
			g.wg.Go(g.reloaded)
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
func (g *Gate) mode(c api.Caller) api.OverrideMode {
	if c.Override == nil || !c.Override.Until.After(g.o.Now()) {
		return ""
	}
	return c.Override.Mode
}

// caller asks who knows the sessions.
func (g *Gate) caller(ctx context.Context, ref string) (api.Caller, error) {
	g.mu.Lock()
	s := g.sessions
	g.mu.Unlock()
	if s == nil {
		return api.Caller{}, fmt.Errorf("the sessions are not known yet")
	}
	return s.Caller(ctx, ref)
}
