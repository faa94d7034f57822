package file

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/tomltext"
	"ccdir/policy"
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
				d.addRules(r, s, ruleHead{effect: policy.Effect(key), at: d.pos.At(append(at, fmt.Sprint(i))...)})
			}, at...)
		case "inherits":
			s, ok := v.(string)
			if !ok {
				d.problem("expected the name of a role", at...)
			}
			r.inherits = s
		case "rule":
			items, ok := tomltext.Tables(v)
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

// ruleHead is the common part of the rules from one place in a file.
type ruleHead struct {
	effect policy.Effect
	reason string
	when   *policy.Condition
	at     tomltext.Position
}

func parseEffect(s string) (policy.Effect, error) {
	if e := policy.Effect(s); e == policy.Allow || e == policy.Ask || e == policy.Deny {
		return e, nil
	}
	return policy.None, fmt.Errorf("expected allow, ask or deny, found %q", s)
}

// readRule reads one [[roles.NAME.rule]].
func (d *document) readRule(r *role, v map[string]any, path []string) {
	head := ruleHead{}
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
			head.effect, err = parseEffect(s)
		case "when":
			head.when, err = d.condition(s)
			if err != nil {
				d.problemAt("in the condition: "+err.Error(), d.inside(at, err))
				complete = false
				return
			}
		case "reason":
			head.reason = s
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
		head.at = places[i]
		d.addRules(r, m, head)
	}
}

func (d *document) condition(text string) (*policy.Condition, error) {
	if c := d.conditions[text]; c != nil {
		return c, nil
	}
	c, err := policy.CompileCondition(text, d.sets)
	if err == nil {
		d.conditions[text] = c
	}
	return c, err
}

// inside returns the position in the file of an error in a condition.
func (d *document) inside(path []string, err error) tomltext.Position {
	at := d.pos.At(path...)
	var c *policy.ConditionError
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
			return tomltext.Position{Line: at.Line + 1 + c.Line, Col: c.Col + 1}
		}
		if c.Line > 0 {
			return tomltext.Position{Line: at.Line + c.Line, Col: c.Col + 1}
		}
		return tomltext.Position{Line: at.Line, Col: at.Col + 3 + c.Col}
	}
	return tomltext.Position{Line: at.Line, Col: at.Col + 1 + c.Col}
}

// addRules compiles a rule string; a reference to a set becomes one rule for each element.
func (d *document) addRules(r *role, text string, head ruleHead) {
	texts := []string{text}
	if tool, name, ok := policy.SetName(text); ok {
		elements, known := d.sets[name]
		if !known {
			d.problemAt(fmt.Sprintf("there is no set %q", name), head.at)
			return
		}
		texts = nil
		for _, e := range elements {
			if tool == api.ToolWebFetch && !strings.HasPrefix(e, "domain:") {
				e = "domain:" + e
			}
			texts = append(texts, tool+"("+e+")")
		}
	}
	for _, t := range texts {
		if d.rules++; d.rules > maxRules {
			if d.rules == maxRules+1 {
				d.problemAt(fmt.Sprintf("the file has more than %d rules", maxRules), head.at)
			}
			return
		}
		one, err := policy.NewRule(t, head.effect)
		if err != nil {
			d.problemAt(err.Error(), head.at)
			return
		}
		one.File, one.Line, one.Reason, one.When = d.file, head.at.Line, head.reason, head.when
		r.rules = append(r.rules, &one)
	}
}

// checkInherits reports roles that do not exist and roles that inherit themselves. other is a
// second document whose roles exist too; nil for none.
func (d *document) checkInherits(other *document) {
	for name, r := range d.roles {
		if r.inherits == "" {
			continue
		}
		if d.roles[r.inherits] == nil && !slices.Contains(policy.Hierarchy(), r.inherits) && (other == nil || other.roles[r.inherits] == nil) {
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
