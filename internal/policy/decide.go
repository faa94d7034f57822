package policy

import (
	"fmt"
	"strings"

	"ccdir/internal/textsafe"
)

// certainty is how sure it is that a rule is about a part.
type certainty uint8

const (
	no certainty = iota
	perhaps
	surely
)

// decider decides one request.
type decider struct {
	p     *Policy
	set   *ruleSet
	r     Request
	parts []part
	kind  toolKind
	spot  spot
	// places of the parts, by their index, found when first needed.
	places map[int][]place
	vars   variables
	filled bool
	extra  Extra
}

// maxSegments bounds the depth of a path; a deeper one can't be judged.
const maxSegments = 256

// Decide says what happens to the request. See the package comment.
func (p *Policy) Decide(r Request) Decision { return p.DecideWith(r, Extra{}) }

// DecideWith is Decide with what a person said about this session beside the
// policy.
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
	if set == nil && x != (Extra{}) {
		set = &ruleSet{}
	}
	if set == nil {
		return Decision{Decision: None, Reason: textsafe.Line(fmt.Sprintf("the policy has no rules for the role %q", r.Role))}
	}
	d := decider{p: p, set: set, r: r.withDefaults(), kind: knownTools[r.Tool], extra: x}
	parts, err := split(&d.r, set.names)
	d.parts = parts
	if err != nil {
		return d.unreadable(err)
	}
	return d.decide()
}

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
		return Decision{Decision: Ask, Reason: textsafe.Line(d.show(at) + " is a file of the policy or of ccdir: changing it is for you to allow")}
	}
	out := d.allow()
	if out.Decision == None {
		if relaxed, ok := d.granted(d.extra.Relax); ok {
			return relaxed
		}
	}
	return out
}

// unreadable decides about a request that can't be taken apart.
func (d *decider) unreadable(err error) Decision {
	reason := textsafe.Line(textsafe.Cut(err.Error(), 300))
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		if rule, at := d.sure(list); rule != nil {
			return d.answer(rule.effect, rule, at, "")
		}
	}
	if d.kind == kindShell && d.set.shell {
		return Decision{Decision: Deny, Reason: "the command " + strings.TrimPrefix(reason, "the command ") + "; write it another way"}
	}
	d.parts = append(d.parts, part{kind: partOpaque, text: "input that can't be read", hidden: true, never: reason})
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		if rule, at := d.maybe(list); rule != nil {
			return d.answer(Ask, rule, at, "could be")
		}
	}
	return Decision{Decision: None, Reason: reason}
}

// sure finds a rule that surely is about a part.
func (d *decider) sure(list *index) (*rule, int) {
	if len(list.all) == 0 {
		return nil, 0
	}
	for i := range d.parts {
		if d.parts[i].guess {
			continue
		}
		var best *rule
		d.candidates(list, i, func(r *rule) bool {
			if d.catches(r, i) == surely && d.holds(r, i) {
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

// maybe finds a rule that could be about a part.
func (d *decider) maybe(list *index) (*rule, int) {
	if len(list.all) == 0 {
		return nil, 0
	}
	for i := range d.parts {
		p := &d.parts[i]
		if !p.guess && !p.hidden && p.pinned == "" && p.kind != partRead && p.kind != partEdit {
			continue
		}
		if p.pinned != "" && d.allowed(i) != nil {
			continue
		}
		var best *rule
		d.candidates(list, i, func(r *rule) bool {
			if (p.pinned != "" || p.kind == partOpaque || d.catches(r, i) != no) && d.holds(r, i) {
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

// candidates calls f with the rules of list that can be about a part until it
// returns false.
func (d *decider) candidates(list *index, i int, f func(*rule) bool) {
	p := &d.parts[i]
	lists := [4][]*rule{list.whole}
	switch p.kind {
	case partCommand:
		lists[1] = list.anyCommand
		switch {
		case p.pinned != "":
			lists[1], lists[2] = list.shellRules(), list.paths
		case p.words[0].known():
			lists[2] = list.commands[programName(p.words[0].s)]
		default:
			lists[2] = list.named()
		}
	case partOpaque:
		lists[1], lists[2], lists[3] = list.shellRules(), list.paths, list.others
		if d.kind == kindRead || d.kind == kindEdit {
			lists[1], lists[3] = nil, nil
		}
		if d.kind == kindShell {
			lists[3] = nil
		}
	case partRead, partEdit:
		lists[1] = list.paths
	case partFetch, partNamed:
		lists[1] = list.others
	}
	for _, rules := range lists {
		for _, r := range rules {
			if !f(r) {
				return
			}
		}
	}
}

// family is the kind of tool that a part belongs to.
func (d *decider) family(p *part) toolKind {
	switch p.kind {
	case partRead:
		return kindRead
	case partEdit:
		return kindEdit
	case partCommand, partOpaque:
		return kindShell
	}
	return d.kind
}

// catches is how deny and ask rules match a part.
func (d *decider) catches(r *rule, i int) certainty {
	p := &d.parts[i]
	m := &r.match
	if p.kind == partOpaque && !m.whole {
		return perhaps
	}
	if !m.tools.matches(d.family(p), d.r.Tool) {
		return no
	}
	found := no
	switch {
	case m.whole && (p.kind == partRead || p.kind == partEdit) && d.kind == kindShell && p.needless:
		return no // a rule for every Read isn't about `cat`
	case m.whole:
		found = surely
	case m.command != nil && p.kind == partCommand:
		found = m.command.catches(p)
	case m.path != nil && (p.kind == partRead || p.kind == partEdit):
		found = d.catchesPath(m.path, i)
	case m.domain != "" && p.kind == partFetch:
		found = catchesDomain(m.domain, p)
	case m.name != "" && p.kind == partNamed:
		if p.hidden {
			found = perhaps
		} else if matchText(m.name, p.text) {
			found = surely
		}
	}
	if found == surely && p.guess {
		return perhaps
	}
	return found
}

func catchesDomain(domain string, p *part) certainty {
	if p.hidden {
		return perhaps
	}
	if matchText(domain, p.text) {
		return surely
	}
	return no
}

func (d *decider) catchesPath(r *pathRule, i int) certainty {
	p := &d.parts[i]
	places := d.placesOf(i)
	for j := range places {
		if r.catches(&d.spot, &places[j]) {
			if p.hidden {
				return perhaps
			}
			return surely
		}
	}
	if p.anyPath {
		return perhaps
	}
	return no
}

// allowed finds the rule that allows a part; nil if none does.
func (d *decider) allowed(i int) *rule {
	var best *rule
	d.candidates(&d.set.allow, i, func(r *rule) bool {
		if (best == nil || r.order < best.order) && d.permits(r, i) && d.holds(r, i) {
			best = r
		}
		return true
	})
	return best
}

// permits is how allow rules match a part.
func (d *decider) permits(r *rule, i int) bool {
	p := &d.parts[i]
	m := &r.match
	if !m.tools.matches(d.family(p), d.r.Tool) {
		return false
	}
	switch {
	case p.kind == partCommand && p.pinned != "" && (m.command == nil || !m.command.pins(p.pinned)):
		return false
	case m.whole:
		return p.unsafe == ""
	case m.command != nil && p.kind == partCommand:
		return m.command.allows(p) || p.also != "" && d.inside(p) && m.command.matches(p.also)
	case m.path != nil && (p.kind == partRead || p.kind == partEdit):
		places := d.placesOf(i)
		for _, pl := range places {
			if !m.path.allows(&d.spot, pl) && !d.otherEnd(m, pl, i) {
				return false
			}
		}
		return len(places) > 0
	case m.domain != "" && p.kind == partFetch:
		return matchText(m.domain, p.text)
	case m.name != "" && p.kind == partNamed:
		return matchText(m.name, p.text)
	}
	return false
}

// otherEnd reports whether another rule allows the other end of a link.
func (d *decider) otherEnd(m *matcher, pl place, i int) bool {
	for _, r := range d.set.allow.paths {
		if r.match.tools == m.tools && r.match.path.allows(&d.spot, pl) && d.holds(r, i) {
			return true
		}
	}
	for _, r := range d.set.allow.whole {
		if r.match.tools.matches(d.family(&d.parts[i]), d.r.Tool) && d.holds(r, i) {
			return true
		}
	}
	return false
}

// allow decides a request that nothing denies or asks about.
func (d *decider) allow() Decision {
	var rule *rule
	at := 0
	for i := range d.parts {
		p := &d.parts[i]
		if p.guess {
			continue
		}
		if !p.needless {
			r := d.allowed(i)
			if r == nil {
				why := "no rule is about "
				if p.never != "" {
					return Decision{Decision: None, Reason: d.line(d.show(i) + " isn't allowed automatically: " + p.never)}
				}
				return Decision{Decision: None, Reason: d.line(why + d.show(i))}
			}
			if rule == nil || d.parts[at].kind != partCommand && p.kind == partCommand {
				rule, at = r, i
			}
		}
	}
	for i := range d.parts {
		if p := &d.parts[i]; p.never != "" && !p.guess {
			return Decision{Decision: None, Reason: d.line(d.show(i) + " isn't allowed automatically: " + p.never)}
		}
		if why := d.reachesBelow(i); why != "" && rule != nil {
			return Decision{Decision: None, Reason: d.line(why)}
		}
	}
	if rule == nil {
		return Decision{Decision: None, Reason: "nothing in it is about a rule"}
	}
	return d.answer(Allow, rule, at, "")
}

// holds evaluates a rule's condition for a part.
func (d *decider) holds(r *rule, i int) bool {
	if r.when == nil {
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
	switch p.kind {
	case partRead, partEdit:
		if places := d.placesOf(i); len(places) > 0 {
			v.Path = places[0].path
		}
		if p.hidden || p.anyPath {
			// What isn't known can't speak for the request.
			if r.when.variables["path"] {
				return r.effect != Allow
			}
		}
	case partFetch:
		v.Path = p.text
	default:
		v.Command = p.text
		if p.hidden && r.when.variables["command"] {
			return r.effect != Allow
		}
	}
	return r.when.holds(v, r.effect)
}

// answer makes a decision from a rule and the part that it is about.
func (d *decider) answer(effect Effect, r *rule, i int, could string) Decision {
	reason := r.reason
	if reason == "" || could != "" {
		verb := "is"
		if could != "" {
			verb = could
		}
		why := d.show(i) + " " + verb + " what the rule is about"
		if could != "" && d.parts[i].never != "" {
			why += ": " + d.parts[i].never
		}
		if reason != "" {
			why = reason + " (" + why + ")"
		}
		reason = why
	}
	return Decision{Decision: effect, Rule: r.text, File: r.file, Line: r.at.Line, Reason: d.line(reason)}
}

func (d *decider) line(s string) string { return textsafe.Line(strings.ReplaceAll(s, wild, "…")) }

// show names a part in a reason.
func (d *decider) show(i int) string {
	p := &d.parts[i]
	s := p.text
	if s == "" {
		s = d.r.Tool
	}
	if p.kind == partOpaque {
		return s
	}
	return fmt.Sprintf("%q", textsafe.Cut(strings.ReplaceAll(s, wild, "…"), 80))
}
