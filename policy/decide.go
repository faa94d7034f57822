package policy

import (
	"fmt"
	"strings"
	"sync"

	"ccdir/internal/text/textsafe"
	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// certainty is how sure a match is.
type certainty uint8

const (
	no certainty = iota
	perhaps
	surely
)

// decider decides one request. It belongs to one call.
type decider struct {
	p       *Policy
	set     *ruleSet
	r       Request
	parts   []shell.Part
	kind    toolKind
	anchors anchors
	// locations caches where the files of parts lie, by index of the part.
	locations map[int][]location
	vars      variables
	// last is the file that concerns looked at last, lastPlaces where it lies: often the next
	// is the same one, to be changed.
	last       shell.Part
	lastPlaces []location
	filled     bool
	extra      Extra
	// moved are Request.Settings, folded and split, and where links in them lead; foundMoved: they
	// were looked for.
	moved      [][]string
	foundMoved bool
}

// maxSegments bounds the depth of a path. Deeper ones are not judged.
const maxSegments = 256

// Decide decides the request. See the package comment.
func (p *Policy) Decide(r Request) Decision { return p.DecideWith(r, Extra{}) }

// DecideWith is Decide with a person's grants to this session.
func (p *Policy) DecideWith(r Request, x Extra) (out Decision) {
	defer func() {
		if e := recover(); e != nil { // a bug must not become a permission
			out = Decision{Decision: Ask, Reason: textsafe.Line(fmt.Sprintf("the request can't be judged: %v", e))}
		}
	}()
	if p.broken != nil {
		return Decision{Decision: Ask, Reason: textsafe.Line("the policy can't be read: " + p.broken.Error())}
	}
	set := p.set(r.Role)
	if set == nil {
		defer func() {
			if out.Decision == None {
				out.Reason = textsafe.Line(fmt.Sprintf("the policy has no rules for the role %q", r.Role))
			}
		}()
		if x == (Extra{}) && (len(p.files) == 0 || r.Role == roleGuest || r.Role == "") {
			return Decision{Decision: None}
		}
		set = &ruleSet{} // files of the policy are asked about all the same
	}
	d := decider{p: p, set: set, r: r.withDefaults(), kind: knownTools[r.Tool], extra: x}
	buf := buffers.Get().(*[]shell.Part)
	parts, err := takeApart(&d.r, d.context(), *buf)
	d.parts = parts
	if err != nil {
		out = d.unreadable(err)
	} else {
		out = d.decide()
	}
	if clear(d.parts); cap(d.parts) <= maxKeptParts { // skipped after a panic
		*buf = d.parts[:0]
		buffers.Put(buf)
	}
	return out
}

// maxRefused bounds the parts of a refused command that are looked at, for a rule to name.
const maxRefused = 256

// maxKeptParts bounds the slices that are reused, in parts.
const maxKeptParts = 64

// buffers recycles slices of parts, which are most of a decision's memory.
var buffers = sync.Pool{New: func() any { b := make([]shell.Part, 0, 16); return &b }}

func (d *decider) decide() Decision {
	if rule, at := d.sure(&d.set.deny); rule != nil {
		return d.answer(Deny, rule, at, "")
	}
	if out, ok := d.granted(d.extra.Grants); ok {
		return out
	}
	if rule, at := d.sure(&d.set.ask); rule != nil {
		return d.answer(Ask, rule, at, "")
	}
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		if rule, at := d.maybe(list); rule != nil {
			return d.answer(Ask, rule, at, "could be")
		}
	}
	if at, ok := d.protected(); ok {
		return Decision{Decision: Ask, Reason: textsafe.Line(d.show(at) + " is a file of the policy, of ccdir or of the agent's settings: changing it is for you to allow")}
	}
	out := d.allow()
	if out.Decision == None && d.foreign() {
		return Decision{Decision: Ask, Reason: d.line("ccdir does not know what " + d.r.Tool + " does, and the policy has rules about files or commands")}
	}
	if out.Decision == None {
		if relaxed, ok := d.granted(d.extra.Relax); ok {
			return relaxed
		}
	}
	return out
}

// foreign reports whether the request is for a tool of an agent that ccdir does not know, and
// a rule denies or asks about what such a tool may do.
func (d *decider) foreign() bool {
	if Knows(d.r.Tool) {
		return false
	}
	return d.set.deny.touching() || d.set.ask.touching()
}

// unreadable decides a request that cannot be split into parts.
func (d *decider) unreadable(err error) Decision {
	d.parts = d.parts[:min(len(d.parts), maxRefused)]
	reason := textsafe.Line(textsafe.Cut(err.Error(), 300))
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		if rule, at := d.sure(list); rule != nil {
			return d.answer(rule.Effect, rule, at, "")
		}
	}
	if d.kind == kindShell && d.set.shell {
		if !strings.HasPrefix(reason, "the tool's") {
			reason = "the command " + strings.TrimPrefix(reason, "the command ")
		}
		return Decision{Decision: Deny, Reason: reason + "; write it another way"}
	}
	d.parts = append(d.parts, shell.Part{Kind: shell.KindOpaque, Text: "input that can't be read", Unclear: true, Barred: reason})
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		if rule, at := d.maybe(list); rule != nil {
			return d.answer(Ask, rule, at, "could be")
		}
	}
	return Decision{Decision: None, Reason: reason}
}

// sure returns the first rule of list that certainly matches a part, and the part's index.
func (d *decider) sure(list *index) (*Rule, int) {
	if len(list.all) == 0 {
		return nil, 0
	}
	for i := range d.parts {
		if d.parts[i].Possible {
			continue
		}
		var best *Rule
		d.candidates(list, i, func(r *Rule) bool {
			if d.catches(r, i, false) == surely && d.holds(r, i) {
				best = first(best, r)
			}
			return true
		})
		if best != nil {
			return best, i
		}
	}
	return nil, 0
}

// maybe returns the first rule of list that may match a part, and the part's index.
func (d *decider) maybe(list *index) (*Rule, int) {
	if len(list.all) == 0 {
		return nil, 0
	}
	for i := range d.parts {
		p := &d.parts[i]
		if !p.Possible && !p.Unclear && p.Command.Script == "" && p.Kind != shell.KindRead && p.Kind != shell.KindEdit {
			continue
		}
		if p.Command.Script != "" && d.allowed(i) != nil {
			continue
		}
		var best *Rule
		d.candidates(list, i, func(r *Rule) bool {
			if (p.Command.Script != "" || p.Kind == shell.KindOpaque || d.catches(r, i, true) != no) && d.holds(r, i) {
				best = first(best, r)
			}
			return true
		})
		if best != nil {
			return best, i
		}
	}
	return nil, 0
}

// holds evaluates the condition of a rule for part i.
func (d *decider) holds(r *Rule, i int) bool {
	if r.When == nil {
		return true
	}
	if !d.filled {
		d.filled = true
		f := d.r.Facts
		d.vars = variables{Tool: d.r.Tool, Role: d.r.Role, Cwd: d.r.Cwd, Branch: f.Branch, Agent: f.Agent, Session: f.Session, Labels: f.Labels, Cost: f.Cost, Tokens: int(f.Tokens)}
		if len(f.Labels) > 0 {
			d.vars.Label = f.Labels[0]
		}
		d.vars.fill(f.Now)
	}
	v := d.vars
	p := &d.parts[i]
	switch p.Kind {
	case shell.KindRead, shell.KindEdit:
		if places := d.locationsOf(i); len(places) > 0 {
			v.Path = places[0].path
		}
		if p.Unclear || p.File.Anything {
			// An unknown value never helps the request.
			if r.When.variables["path"] {
				return r.Effect != Allow
			}
		}
	case shell.KindFetch:
		v.Path = p.Text
	default:
		v.Command = p.Text
		if p.Unclear && r.When.variables["command"] {
			return r.Effect != Allow
		}
	}
	return r.When.holds(v, r.Effect)
}

// answer builds a decision from a rule and the part that it matches. could is the verb for an
// uncertain match; "" for a certain one.
func (d *decider) answer(effect Effect, r *Rule, i int, could string) Decision {
	reason := r.Reason
	if reason == "" || could != "" {
		verb := "is"
		if could != "" {
			verb = could
		}
		why := d.show(i) + " " + verb + " what the rule is about"
		if could != "" && d.parts[i].Barred != "" {
			why += ": " + d.parts[i].Barred
		}
		if reason != "" {
			why = reason + " (" + why + ")"
		}
		reason = why
	}
	return Decision{Decision: effect, Rule: r.Text, File: r.File, Line: r.Line, Reason: d.line(reason)}
}

func (d *decider) line(s string) string {
	return textsafe.Line(strings.ReplaceAll(s, glob.Wild, "…"))
}

// show renders a part for a reason.
func (d *decider) show(i int) string {
	p := &d.parts[i]
	s := p.Text
	if s == "" {
		s = d.r.Tool
	}
	if p.Kind == shell.KindOpaque {
		return s
	}
	return fmt.Sprintf("%q", textsafe.Cut(strings.ReplaceAll(s, glob.Wild, "…"), 80))
}
