package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// Effect is the outcome of a rule or a decision.
type Effect string

// Effects. None is a decision only: no rule applies.
const (
	None  Effect = "none"
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Roles that ccdir knows, lowest first. One of them without a table in the policy has the
// rules of the next lower one that has a table.
const (
	RoleDev    = "dev"
	RoleLead   = "lead"
	RolePerson = "person"
)

// roleGuest is the role of callers outside of all sessions (api.RoleGuest).
const roleGuest = "guest"

var hierarchy = []string{RoleDev, RoleLead, RolePerson}

// Hierarchy returns the roles that ccdir knows, lowest first.
func Hierarchy() []string { return slices.Clone(hierarchy) }

// Request is one use of a tool that needs a decision.
type Request struct {
	// Role is the role of the session, from the daemon's own records. Never pass a name that
	// the session sent.
	Role string
	// Tool is the tool's name, such as Bash, Edit or mcp__server__tool.
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// Root is the absolute directory that "./" in rules means: the one in which the session
	// was started. It must not follow the agent's `cd`.
	Root string
	// Cwd is the absolute directory of relative paths in Input; "" is Root.
	Cwd string
	// Home is the absolute home directory, for "~/".
	Home string
	// Settings are files and folders, from the root, by which agents are set up here besides
	// those at the usual places: changing them asks, too.
	Settings []string
	// Facts are the values that conditions can test.
	Facts Facts
	// FS resolves symbolic links; nil is the file system of this machine.
	FS FS
}

// Facts are the values that conditions can test besides the tool's input. The zero value of a
// field means unknown.
type Facts struct {
	// Now is the time of the request, in the person's time zone.
	Now time.Time
	// Branch is the git branch checked out in the working directory.
	Branch string
	// Agent is the kind of the agent, such as "claude".
	Agent string
	// Session is the name of the session.
	Session string
	// Labels are the labels of the session's task; nil without a task.
	Labels []string
	// Cost is the cost of the session's task so far, in US dollars, as its result reports it.
	// Tokens is the number of tokens that the attempt has used.
	Cost   float64
	Tokens int64
}

// Decision is an effect and its reason.
type Decision struct {
	Decision Effect `json:"decision"`
	// Rule is the text of the rule that decided; "" if none did.
	Rule string `json:"rule"`
	// File and Line locate the rule; "" and 0 if no rule decided.
	File string `json:"file"`
	Line int    `json:"line"`
	// Reason explains the decision in one line. Control characters are escaped.
	Reason string `json:"reason"`
}

// Rule is one compiled rule. The caller of NewRule may set File, Line, Reason and When before
// the rule becomes part of a policy; then it never changes.
type Rule struct {
	// Text is the rule as it is written.
	Text string
	// File and Line locate the rule; "" and 0 if it stands in no file.
	File   string
	Line   int
	Effect Effect
	// Reason is the reason given in decisions by the rule; "" for a standard text.
	Reason string
	// When is the condition under which the rule holds; nil means always.
	When *Condition

	order int // position in its list
	match matcher
}

// NewRule compiles a rule string: Tool or Tool(argument).
func NewRule(text string, effect Effect) (Rule, error) {
	m, err := parseRule(text, effect)
	return Rule{Text: textsafe.Line(text), Effect: effect, match: m}, err
}

// Source is the input of New.
type Source struct {
	// Rules are the rules of each role, in order, inherited ones included.
	Rules map[string][]*Rule
	// Files are the files that the rules come from. Changing one always asks.
	Files []string
	// Protect are absolute directories. Changing a file below one always asks.
	Protect []string
	// Trees are absolute directories below Protect with git work trees in them, as
	// TREES/REPOSITORY/BRANCH. Files inside of one are like those of any project.
	Trees []string
	// Trusted: the user trusts the project's file, so its allow rules are in Rules.
	Trusted bool
	// OnLoss is the answer of hooks while the daemon is unreachable; "" is Ask.
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
	for _, dir := range s.Trees {
		p.trees = append(p.trees, newLocation(dir).folded)
	}
	return p
}

// Broken returns the policy in force when files cannot be loaded and no earlier policy
// exists: it asks about everything and gives err as the reason.
func Broken(err error) *Policy { return &Policy{broken: err} }

// IsBroken reports whether the policy comes from Broken.
func (p *Policy) IsBroken() bool { return p.broken != nil }

// matcher is the compiled text of a rule. At most one of command, path, domain and name is
// set.
type matcher struct {
	tools   toolMatch
	whole   bool // no argument: matches every use of the tool
	command *commandPattern
	path    *pathPattern
	domain  string
	name    string // pattern for the argument of Agent, Skill and SlashCommand; "" if unused
}

// Policy is a compiled policy. It is immutable and safe for concurrent use.
type Policy struct {
	roles map[string]*ruleSet
	files []string
	// trusted: the allow rules of the project's file count.
	trusted bool
	// broken is the load error if there is no policy to apply; nil otherwise. A broken policy
	// asks about everything.
	broken error
	// loss is the answer of hooks while the daemon is unreachable; "" is Ask.
	loss Effect
	// protect are ccdir's own directories, folded and split. Changes below them ask.
	protect [][]string
	// trees are the directories of Source.Trees in the same form.
	trees [][]string
}

// Empty is the policy of a user without policy files. It decides nothing.
func Empty() *Policy { return New(Source{}) }

// InForce reports whether there is a policy file, valid or not.
func (p *Policy) InForce() bool { return p.broken != nil || len(p.files) > 0 }

// Files returns the files that the policy was read from.
func (p *Policy) Files() []string { return slices.Clone(p.files) }

// Trusted reports whether the user's file trusts the project's.
func (p *Policy) Trusted() bool { return p.trusted }

// OnDaemonLoss is the answer of hooks while the daemon is unreachable: Ask, None or Deny.
// Without a policy it is None.
func (p *Policy) OnDaemonLoss() Effect {
	switch {
	case !p.InForce():
		return None
	case p.loss == "":
		return Ask
	}
	return p.loss
}

// Roles returns the names of the roles that have rules, sorted.
func (p *Policy) Roles() []string {
	var names []string
	for name := range p.roles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// HasRole reports whether the policy or ccdir knows the role.
func (p *Policy) HasRole(name string) bool {
	return p.roles[name] != nil || slices.Contains(hierarchy, name)
}

// set returns the rules of a role, nil for none. A session whose role has no table (a typo,
// or a role that exists for tools only) gets the rules of dev, so that no role name bypasses
// the policy. Callers outside of sessions have no rules.
func (p *Policy) set(role string) *ruleSet {
	if s := p.roles[role]; s != nil || role == roleGuest || role == "" {
		return s
	}
	return p.roles[RoleDev]
}

// ruleSet holds the rules of one role, own and inherited.
type ruleSet struct {
	deny, ask, allow index
	// names are the programs that deny and ask rules name; nil for none.
	names map[string]bool
	// shell: at least one rule is about Bash.
	shell bool
	// home: at least one rule is about files below the home directory.
	home bool
}

func (s *ruleSet) add(r *Rule) {
	c := *r
	r = &c // its position differs between sets
	s.shell = s.shell || r.match.tools.matches(kindShell, api.ToolBash)
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

// index narrows the search for rules that can match a part.
type index struct {
	all []*Rule
	// commands are Bash rules by program name; anyCommand are those that can match several
	// programs.
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

// touching reports whether a rule is about files or commands.
func (x *index) touching() bool {
	if len(x.paths)+len(x.commands)+len(x.anyCommand) > 0 {
		return true
	}
	return slices.ContainsFunc(x.whole, func(r *Rule) bool { return r.match.tools.kind != kindOther })
}

// shellRules returns all rules about commands, in no particular order; named returns those
// about one program.
func (x *index) shellRules() []*Rule { return append(x.named(), x.anyCommand...) }

func (x *index) named() []*Rule {
	var out []*Rule
	for _, rules := range x.commands {
		out = append(out, rules...)
	}
	return out
}

// first returns the rule that stands earlier in its list. nil stands after all rules.
func first(a, b *Rule) *Rule {
	if a == nil || b != nil && b.order < a.order {
		return b
	}
	return a
}

// withDefaults fills in optional fields.
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
	r.FS = &linkCache{of: r.FS}
	r.Root = filepath.Clean(r.Root)
	return r
}
