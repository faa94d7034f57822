package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"ccdir/internal/text/textsafe"
)

// Effect is what a rule, and so a decision, does.
type Effect string

// Effects. None is a decision only: no rule of the policy answers.
const (
	None  Effect = "none"
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Names of the roles that ccdir knows, lowest first. A role of them that has no
// table in the policy has the rules of the next lower one that has.
const (
	RoleDev    = "dev"
	RoleLead   = "lead"
	RolePerson = "person"
)

// roleGuest is who calls from outside of all sessions (api.RoleGuest).
const roleGuest = "guest"

var hierarchy = []string{RoleDev, RoleLead, RolePerson}

// Hierarchy lists the roles that ccdir knows, lowest first.
func Hierarchy() []string { return slices.Clone(hierarchy) }

// Request is one use of a tool to be decided.
type Request struct {
	// Role of the session that asks, as the daemon knows it; never a name that
	// the session itself sent.
	Role string
	// Tool is the tool's name, such as Bash, Edit or mcp__server__tool.
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// Root is the absolute directory that "./" in rules means: that in which the
	// session was started. It must not follow the agent's own `cd`.
	Root string
	// Cwd is the absolute directory that relative paths in Input start from; ""
	// is Root.
	Cwd string
	// Home is the absolute home directory, for "~/".
	Home string
	// Facts are what conditions can ask about.
	Facts Facts
	// FS resolves symbolic links; nil is that of this machine.
	FS FS
}

// Facts are the values for conditions that don't come from the tool's input.
// What isn't known is the zero value.
type Facts struct {
	// Now is the time of the request in the person's time zone.
	Now time.Time
	// Branch is the git branch that is checked out in the working directory.
	Branch string
	// Agent is the kind of the agent, such as "claude".
	Agent string
	// Session is the name of the session.
	Session string
	// Labels are those of the session's task; none without a task.
	Labels []string
	// Cost is what the result of the session's task tells that it cost, in US
	// dollars; Tokens what the attempt has used so far.
	Cost   float64
	Tokens int64
}

// Decision says what happens and why.
type Decision struct {
	Decision Effect `json:"decision"`
	// Rule is the rule that decided, as it is written; "" if none did.
	Rule string `json:"rule"`
	// File and Line say where it is written; "" and 0 if nowhere.
	File string `json:"file"`
	Line int    `json:"line"`
	// Reason says why, in one line; control characters are made visible.
	Reason string `json:"reason"`
}

// rule is one compiled rule. Who makes one with newRule may set line, file, reason and
// when before it becomes part of a policy; after that it never changes.
type Rule struct {
	// text is the rule as it is written.
	Text string
	// file and line are where it is written; "" and 0 if nowhere.
	File   string
	Line   int
	Effect Effect
	// reason is what decisions by the rule say; "" for a text of ours.
	Reason string
	// when is the condition under which the rule holds; nil for always.
	When *Condition

	order int // its place in its list
	match matcher
}

// newRule compiles a rule string: Tool or Tool(argument).
func NewRule(text string, effect Effect) (Rule, error) {
	m, err := parseRule(text, effect)
	return Rule{Text: textsafe.Line(text), Effect: effect, match: m}, err
}

// Source is what a policy is made of.
type Source struct {
	// Rules are those of each role, in order, inherited ones included.
	Rules map[string][]*Rule
	// Files are the files that the rules come from. Changes of them are always asked about.
	Files []string
	// Protect are absolute directories in which changes are asked about, too.
	Protect []string
	// Trusted: the allow rules of the project's file count, and are in Rules.
	Trusted bool
	// OnLoss is what hooks answer while no daemon can be asked; "" is Ask.
	OnLoss Effect
}

// New compiles a policy.
func New(s Source) *Policy {
	p := &Policy{roles: map[string]*ruleSet{}, files: s.Files, trusted: s.Trusted, loss: s.OnLoss}
	for role, rules := range s.Rules {
		set := &ruleSet{}
		for _, r := range rules {
			set.add(r)
		}
		p.roles[role] = set
	}
	for _, dir := range s.Protect {
		p.protect = append(p.protect, newLocation(dir).folded)
	}
	return p
}

// Broken is the policy for files that can't be read when there is no earlier policy: it
// asks about everything, and says err.
func Broken(err error) *Policy { return &Policy{broken: err} }

// IsBroken reports whether Broken made the policy.
func (p *Policy) IsBroken() bool { return p.broken != nil }

// matcher is what a rule is about.
type matcher struct {
	tools   toolMatch
	whole   bool // the rule has no argument: it is about every use of the tool
	command *commandPattern
	path    *pathPattern
	domain  string
	name    string // pattern for the argument of Agent, Skill and SlashCommand
}

// Policy is a compiled policy. It is immutable and may be used by several
// goroutines at once.
type Policy struct {
	roles map[string]*ruleSet
	files []string
	// trusted: the project's allow rules count.
	trusted bool
	// broken is set where the policy couldn't be loaded and nothing earlier is
	// there: it asks about everything.
	broken error
	// loss is what happens while no daemon can be asked.
	loss Effect
	// protect are directories of which changes are asked about: those of ccdir.
	protect [][]string
}

// Empty is the policy without a file: it decides nothing.
func Empty() *Policy { return New(Source{}) }

// InForce reports whether there is a policy: a file, good or not.
func (p *Policy) InForce() bool { return p.broken != nil || len(p.files) > 0 }

// Files are the files that the policy was read from.
func (p *Policy) Files() []string { return slices.Clone(p.files) }

// Trusted reports whether the project's file is trusted by the user's.
func (p *Policy) Trusted() bool { return p.trusted }

// OnDaemonLoss is what hooks answer while no daemon can be asked: Ask, None or
// Deny. Without a policy it is None.
func (p *Policy) OnDaemonLoss() Effect {
	switch {
	case !p.InForce():
		return None
	case p.loss == "":
		return Ask
	}
	return p.loss
}

// Roles are the names of the roles that have rules, sorted.
func (p *Policy) Roles() []string {
	var names []string
	for name := range p.roles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// HasRole reports whether name is a role that the policy or ccdir knows.
func (p *Policy) HasRole(name string) bool {
	return p.roles[name] != nil || slices.Contains(hierarchy, name)
}

// set returns the rules of a role; nil if there are none. A session's role that the
// policy does not know (a misspelt one, one for tools alone) has a dev's: nobody gets
// past rules by its name. Who is no session has no rules.
func (p *Policy) set(role string) *ruleSet {
	if s := p.roles[role]; s != nil || role == roleGuest || role == "" {
		return s
	}
	return p.roles[RoleDev]
}

// ruleSet is what holds for one role: its own rules and the inherited ones, in
// three lists that are tried in this order.
type ruleSet struct {
	deny, ask, allow index
	// names are the programs that deny and ask rules are about.
	names map[string]bool
	// shell: some rule is about Bash.
	shell bool
	// home: some rule is about files below the home directory.
	home bool
}

func (s *ruleSet) add(r *Rule) {
	c := *r
	r = &c // its place differs from set to set
	s.shell = s.shell || r.match.tools.matches(kindShell, "Bash")
	s.home = s.home || r.match.path != nil && r.match.path.anchor == atHome
	if r.Effect != Allow && r.match.command != nil {
		if name, fixed := r.match.command.fixedName(); fixed {
			if s.names == nil {
				s.names = map[string]bool{}
			}
			s.names[name] = true
		}
	}
	switch r.Effect {
	case Deny:
		s.deny.add(r)
	case Ask:
		s.ask.add(r)
	case Allow:
		s.allow.add(r)
	}
}

// index finds the rules that can be about a part without trying all.
type index struct {
	all []*Rule
	// commands are Bash rules by the name that they begin with; anyCommand are
	// those where the name isn't fixed.
	commands   map[string][]*Rule
	anyCommand []*Rule
	whole      []*Rule
	paths      []*Rule
	others     []*Rule
}

func (x *index) add(r *Rule) {
	r.order = len(x.all)
	x.all = append(x.all, r)
	switch m := &r.match; {
	case m.whole:
		x.whole = append(x.whole, r)
	case m.command != nil:
		name, fixed := m.command.fixedName()
		if !fixed {
			x.anyCommand = append(x.anyCommand, r)
			return
		}
		if x.commands == nil {
			x.commands = map[string][]*Rule{}
		}
		x.commands[name] = append(x.commands[name], r)
	case m.path != nil:
		x.paths = append(x.paths, r)
	default:
		x.others = append(x.others, r)
	}
}

// shellRules are the rules about commands, in any order; named those that are
// about one program.
func (x *index) shellRules() []*Rule { return append(x.named(), x.anyCommand...) }

func (x *index) named() []*Rule {
	var out []*Rule
	for _, rules := range x.commands {
		out = append(out, rules...)
	}
	return out
}

// first returns the earlier of two rules of one list; nil is the latest.
func first(a, b *Rule) *Rule {
	if a == nil || b != nil && b.order < a.order {
		return b
	}
	return a
}

// withDefaults fills in what a request may leave out.
func (r Request) withDefaults() Request {
	if r.Cwd == "" {
		r.Cwd = r.Root
	}
	if r.Root == "" {
		r.Root = r.Cwd
	}
	if r.FS == nil {
		r.FS = osFS{}
	}
	r.Root = filepath.Clean(r.Root)
	return r
}
