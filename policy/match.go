package policy

import (
	"strings"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// candidates calls f with the rules of list that can match part i, until f returns false.
func (d *decider) candidates(list *index, i int, f func(*Rule) bool) {
	p := &d.parts[i]
	lists := [4][]*Rule{list.whole}
	switch p.Kind {
	case shell.KindCommand:
		lists[1] = list.anyCommand
		switch {
		case p.Command.Script != "":
			lists[1], lists[2] = list.shellRules(), list.paths
		case p.Command.Words[0].Known():
			lists[2] = list.commands[shell.ProgramName(p.Command.Words[0].Text)]
		default:
			lists[2] = list.named()
		}
	case shell.KindOpaque:
		lists[1], lists[2], lists[3] = list.shellRules(), list.paths, list.others
		if d.kind == kindRead || d.kind == kindEdit {
			lists[1], lists[3] = nil, nil
		}
		if d.kind == kindShell {
			lists[3] = nil
		}
	case shell.KindRead, shell.KindEdit:
		lists[1] = list.paths
	case shell.KindFetch, shell.KindNamed:
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

// family returns the kind of tools whose rules apply to the part.
func (d *decider) family(p *shell.Part) toolKind {
	switch p.Kind {
	case shell.KindRead:
		return kindRead
	case shell.KindEdit:
		return kindEdit
	case shell.KindCommand, shell.KindOpaque:
		return kindShell
	}
	return d.kind
}

// catches matches a deny or ask rule with part i. Without loose only certain matches are
// looked for, which is much faster.
func (d *decider) catches(r *Rule, i int, loose bool) certainty {
	p := &d.parts[i]
	m := &r.match
	if p.Kind == shell.KindOpaque && !m.whole {
		return perhaps
	}
	if !m.tools.matches(d.family(p), d.r.Tool) {
		return no
	}
	found := no
	switch {
	case m.whole && (p.Kind == shell.KindRead || p.Kind == shell.KindEdit) && d.kind == kindShell && p.Covered:
		return no // a rule for every Read isn't about `cat`
	case m.whole:
		found = surely
	case m.command != nil && p.Kind == shell.KindCommand:
		found = m.command.catches(p, loose)
	case m.path != nil && (p.Kind == shell.KindRead || p.Kind == shell.KindEdit):
		found = d.catchesPath(m.path, i)
	case m.domain != "" && p.Kind == shell.KindFetch:
		found = catchesDomain(m.domain, p)
	case m.name != "" && p.Kind == shell.KindNamed:
		if p.Unclear {
			found = perhaps
		} else if glob.Match(m.name, p.Text) {
			found = surely
		}
	}
	if found == surely && p.Possible {
		return perhaps
	}
	return found
}

func catchesDomain(domain string, p *shell.Part) certainty {
	if p.Unclear {
		return perhaps
	}
	if glob.Match(domain, p.Text) {
		return surely
	}
	return no
}

func (d *decider) catchesPath(r *pathPattern, i int) certainty {
	p := &d.parts[i]
	if p.File.NamePattern != "" && !r.isVague(p.File.NamePattern) {
		if found := r.catchesLeaf(p.File.NamePattern); found != no {
			return found
		}
	}
	places := d.locationsOf(i)
	for j := range places {
		if r.catchesFile(&d.anchors, p, &places[j]) {
			if p.Unclear && r.vague(&places[j]) {
				continue // reachesBelow keeps it from being allowed
			}
			if p.Unclear {
				return perhaps
			}
			return surely
		}
	}
	if p.File.Anything {
		return perhaps
	}
	return no
}

// context returns what shell.Split has to know of the request.
func (d *decider) context() shell.Context {
	c := shell.Context{Home: d.r.Home, Dir: d.r.Cwd, Away: d.r.Cwd != d.r.Root, Watched: d.set.names, Repository: d.bareRepository}
	if len(d.set.deny.paths)+len(d.set.ask.paths)+len(d.p.files) > 0 {
		c.Concerns = d.concerns
	}
	return c
}

// concerns reports whether a deny or ask rule is, or may be, about a file, or whether
// changing it always asks.
func (d *decider) concerns(p *shell.Part) bool {
	d.findAnchors()
	places := d.lastPlaces
	if l := &d.last; l.Text != p.Text || len(l.File.From) != len(p.File.From) || len(p.File.From) > 0 && &l.File.From[0] != &p.File.From[0] || l.Barred != "" || l.File.Anything != p.File.Anything || l.File.Literal != p.File.Literal {
		places = d.locate(p)
		d.last, d.lastPlaces = *p, places
	}
	if p.Barred != "" || p.File.Anything {
		return true
	}
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		for _, r := range list.paths {
			if r.match.tools.kind == d.family(p) && r.match.path.concerns(&d.anchors, p, places) {
				return true
			}
		}
	}
	return p.Kind == shell.KindEdit && d.changesProtected(p, places)
}

// allowed returns the first rule that allows part i; nil if none does.
func (d *decider) allowed(i int) *Rule {
	var best *Rule
	d.candidates(&d.set.allow, i, func(r *Rule) bool {
		if (best == nil || r.order < best.order) && d.permits(r, i) && d.holds(r, i) {
			best = r
		}
		return true
	})
	return best
}

// permits matches an allow rule with part i.
func (d *decider) permits(r *Rule, i int) bool {
	p := &d.parts[i]
	m := &r.match
	if !m.tools.matches(d.family(p), d.r.Tool) {
		return false
	}
	switch {
	case p.Kind == shell.KindCommand && p.Command.Script != "" && (m.command == nil || !m.command.pins(p.Command.Script)):
		return false
	case m.whole:
		return p.Command.UnsafeVar == ""
	case m.command != nil && p.Kind == shell.KindCommand:
		return m.command.allows(p) || p.Command.WithoutOptions != "" && d.inside(p) && m.command.matches(p.Command.WithoutOptions)
	case m.path != nil && (p.Kind == shell.KindRead || p.Kind == shell.KindEdit):
		places := d.locationsOf(i)
		for _, pl := range places {
			if !m.path.allows(&d.anchors, pl) && !d.otherEnd(m, pl, i) {
				return false
			}
		}
		return len(places) > 0
	case m.domain != "" && p.Kind == shell.KindFetch:
		return glob.Match(m.domain, p.Text)
	case m.name != "" && p.Kind == shell.KindNamed:
		return glob.Match(m.name, p.Text)
	}
	return false
}

// otherEnd reports whether another rule allows the target of a link (or the link, if m allows
// its target).
func (d *decider) otherEnd(m *matcher, pl location, i int) bool {
	for _, r := range d.set.allow.paths {
		if r.match.tools == m.tools && r.match.path.allows(&d.anchors, pl) && d.holds(r, i) {
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

// exactly returns an allow rule whose text is the whole command line, character by character.
// Such a line is allowed although parts of it could not be allowed alone.
func (d *decider) exactly() *Rule {
	if d.kind != kindShell {
		return nil
	}
	for _, r := range d.set.allow.all {
		if c := r.match.command; c != nil && c.exact && c.text == d.parts[0].Text && !strings.Contains(c.text, "*") && d.holds(r, 0) {
			return r
		}
	}
	return nil
}

// allow decides a request that no deny or ask rule is about.
func (d *decider) allow() Decision {
	var rule *Rule
	at := 0
	for i := range d.parts {
		p := &d.parts[i]
		if p.Possible {
			continue
		}
		if !p.Covered {
			r := d.allowed(i)
			if r == nil && p.Barred == "" {
				r = d.exactly()
			}
			if r == nil {
				why := "no rule is about "
				if p.Barred != "" {
					return Decision{Decision: None, Reason: d.line(d.show(i) + " isn't allowed automatically: " + p.Barred)}
				}
				return Decision{Decision: None, Reason: d.line(why + d.show(i))}
			}
			if rule == nil || d.parts[at].Kind != shell.KindCommand && p.Kind == shell.KindCommand {
				rule, at = r, i
			}
		}
	}
	for i := range d.parts {
		if p := &d.parts[i]; p.Barred != "" && !p.Possible {
			return Decision{Decision: None, Reason: d.line(d.show(i) + " isn't allowed automatically: " + p.Barred)}
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
