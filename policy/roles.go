package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/tomltext"
)

func (d *document) readRole(name string, v any) {
	r := &role{}
	d.roles[name] = r
	path := []string{"roles", name}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		d.problem("the name of a role can't be empty or contain spaces", path...)
	}
	d.table(v, func(key string, v any) {
		at := append(path[:2:2], key)
		switch key {
		case "allow", "ask", "deny":
			d.list(v, func(s string, i int) {
				d.addRules(r, s, rule{effect: Effect(key), at: d.pos.At(append(at, fmt.Sprint(i))...)})
			}, at...)
		case "inherits":
			s, ok := v.(string)
			if !ok {
				d.problem("expected the name of a role", at...)
			}
			r.inherits = s
		case "rule":
			items, ok := v.([]map[string]any)
			if !ok {
				d.problem(fmt.Sprintf("expected [[roles.%s.rule]]", name), at...)
			}
			for i, item := range items {
				d.readRule(r, item, append(at, fmt.Sprint(i)))
			}
		default:
			d.problem(fmt.Sprintf("unknown key %q; a role has allow, ask, deny, inherits and [[roles.%s.rule]]", key, name), at...)
		}
	}, path...)
}

// readRule reads one [[roles.NAME.rule]].
func (d *document) readRule(r *role, v map[string]any, path []string) {
	proto := rule{}
	var matches []string
	var places []tomltext.Position
	complete := true
	if _, ok := v["match"]; !ok {
		d.problem(`the rule has no match, such as match = "Bash(git push *)"`, path...)
		complete = false
	}
	if _, ok := v["effect"]; !ok {
		d.problem(`the rule has no effect: "allow", "ask" or "deny"`, path...)
		complete = false
	}
	d.table(v, func(key string, v any) {
		at := append(path[:len(path):len(path)], key)
		s, isText := v.(string)
		if !isText && key != "match" {
			d.problem("expected a text", at...)
			complete = false
			return
		}
		var err error
		switch key {
		case "match":
			if isText {
				matches, places = []string{s}, []tomltext.Position{d.pos.At(at...)}
				return
			}
			d.list(v, func(s string, i int) {
				matches = append(matches, s)
				places = append(places, d.pos.At(append(at, fmt.Sprint(i))...))
			}, at...)
		case "effect":
			proto.effect, err = parseEffect(s)
		case "when":
			proto.when, err = d.condition(s)
			if err != nil {
				d.problemAt("in the condition: "+err.Error(), d.inside(at, err))
				complete = false
				return
			}
		case "reason":
			proto.reason = s
		default:
			err = fmt.Errorf("unknown key %q; a rule has match, effect, when and reason", key)
		}
		if err != nil {
			d.problem(err.Error(), at...)
			complete = false
		}
	}, path...)
	if !complete {
		return
	}
	for i, m := range matches {
		proto.at = places[i]
		d.addRules(r, m, proto)
	}
}

func (d *document) condition(text string) (*condition, error) {
	if c := d.conditions[text]; c != nil {
		return c, nil
	}
	c, err := compileCondition(text, d.sets)
	if err == nil {
		d.conditions[text] = c
	}
	return c, err
}

// inside is the place of an error within a condition.
func (d *document) inside(path []string, err error) tomltext.Position {
	at := d.pos.At(path...)
	var c *conditionError
	if !errors.As(err, &c) {
		return at
	}
	line := d.text
	for range at.Line - 1 {
		_, line, _ = strings.Cut(line, "\n")
	}
	open := line[min(at.Col-1, len(line)):]
	switch {
	case strings.HasPrefix(open, `"""`), strings.HasPrefix(open, "'''"):
		if first, _, _ := strings.Cut(open[3:], "\n"); strings.TrimRight(first, "\r") == "" { // the first line break is dropped
			return tomltext.Position{Line: at.Line + 1 + c.line, Col: c.col + 1}
		}
		if c.line > 0 {
			return tomltext.Position{Line: at.Line + c.line, Col: c.col + 1}
		}
		return tomltext.Position{Line: at.Line, Col: at.Col + 3 + c.col}
	}
	return tomltext.Position{Line: at.Line, Col: at.Col + 1 + c.col}
}

// addRules compiles a rule string, one rule for each element of its set.
func (d *document) addRules(r *role, text string, proto rule) {
	texts := []string{text}
	if tool, name, ok := setName(text); ok {
		elements, known := d.sets[name]
		if !known {
			d.problemAt(fmt.Sprintf("there is no set %q", name), proto.at)
			return
		}
		texts = nil
		for _, e := range elements {
			if tool == "WebFetch" && !strings.HasPrefix(e, "domain:") {
				e = "domain:" + e
			}
			texts = append(texts, tool+"("+e+")")
		}
	}
	for _, t := range texts {
		if d.rules++; d.rules > maxRules {
			if d.rules == maxRules+1 {
				d.problemAt(fmt.Sprintf("the file has more than %d rules", maxRules), proto.at)
			}
			return
		}
		m, err := parseRule(t, proto.effect)
		if err != nil {
			d.problemAt(err.Error(), proto.at)
			return
		}
		one := proto
		one.text, one.file, one.match = textsafe.Line(t), d.file, m
		r.rules = append(r.rules, &one)
	}
}

// checkInherits finds roles that don't exist and roles that inherit themselves.
// other is a further document whose roles exist too, nil for none.
func (d *document) checkInherits(other *document) {
	for name, r := range d.roles {
		if r.inherits == "" {
			continue
		}
		if d.roles[r.inherits] == nil && !slices.Contains(hierarchy, r.inherits) && (other == nil || other.roles[r.inherits] == nil) {
			d.problem(fmt.Sprintf("there is no role %q", r.inherits), "roles", name, "inherits")
		}
		seen := map[string]bool{name: true}
		for at := d.roles[r.inherits]; at != nil && at.inherits != ""; at = d.roles[at.inherits] {
			if seen[at.inherits] {
				d.problem(fmt.Sprintf("the role %q inherits itself", name), "roles", name, "inherits")
				break
			}
			seen[at.inherits] = true
		}
	}
}

// rulesOf are the rules that hold for a role in one document: its own, then
// those that it inherits. A role of the hierarchy without a table has those of
// the next lower one that has.
func (d *document) rulesOf(name string) ([]*rule, bool) {
	return d.chain(name, map[*role]bool{})
}

func (d *document) chain(name string, seen map[*role]bool) ([]*rule, bool) {
	if d == nil {
		return nil, false
	}
	r := d.roles[name]
	if r == nil {
		for i := slices.Index(hierarchy, name) - 1; i >= 0 && r == nil; i-- {
			r = d.roles[hierarchy[i]]
		}
	}
	if r == nil || seen[r] { // seen: dev inherits lead, which has no table and so is dev
		return nil, false
	}
	seen[r] = true
	rules := slices.Clone(r.rules)
	if r.inherits != "" {
		inherited, _ := d.chain(r.inherits, seen)
		rules = append(rules, inherited...)
	}
	return rules, true
}

// inheritedFrom are the rules of the user's file for the roles that a role of the
// project's file inherits.
func (d *document) inheritedFrom(user *document, name string) (rules []*rule) {
	if d == nil || user == nil {
		return nil
	}
	seen := map[string]bool{name: true}
	for at := d.roles[name]; at != nil && at.inherits != "" && !seen[at.inherits]; at = d.roles[at.inherits] {
		seen[at.inherits] = true
		more, _ := user.rulesOf(at.inherits)
		rules = append(rules, more...)
	}
	return rules
}

// build puts the roles of the user's and the project's document together. The
// rules of a project that isn't trusted can only narrow: its allow rules are
// left out.
func build(user, project *document, trusted bool) *Policy {
	p := Empty()
	p.trusted = trusted
	names := slices.Clone(hierarchy)
	for _, d := range []*document{user, project} {
		if d == nil {
			continue
		}
		p.files = append(p.files, d.file)
		p.loss = stricter(p.loss, d.loss, trusted || d == user)
		for name := range d.roles {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if p.roles[name] != nil {
			continue
		}
		own, found := user.rulesOf(name)
		added, foundToo := project.rulesOf(name)
		added = append(added, project.inheritedFrom(user, name)...)
		if !found && !foundToo {
			continue
		}
		set := &ruleSet{}
		for _, r := range own {
			set.add(r)
		}
		for _, r := range added {
			if trusted || r.effect != Allow {
				set.add(r)
			}
		}
		p.roles[name] = set
	}
	return p
}

// stricter is on_daemon_loss of two files: the later one's counts if it is
// trusted, or if it narrows what holds without it.
func stricter(before, after Effect, trusted bool) Effect {
	rank := map[Effect]int{None: 1, "": 2, Ask: 2, Deny: 3}
	if after == "" || !trusted && rank[after] <= rank[before] {
		return before
	}
	return after
}
