package policy

import "errors"

// Grants are allow rules that a person gave one session. They are immutable.
type Grants struct{ set ruleSet }

// Extra is what a person said about one session beside the policy. Neither part
// allows what a deny rule is about or could be about, what can't be seen
// through, or a change of a policy file.
type Extra struct {
	// Grants allow also what ask rules are about: the person was asked.
	Grants *Grants
	// Relax allows what no rule is about.
	Relax *Grants
}

// NewGrants compiles rules in the notation of policy files. where is named as
// their file in decisions.
func NewGrants(rules []string, where string) (*Grants, error) {
	g := &Grants{}
	for i, text := range rules {
		if _, _, isSet := SetName(text); isSet {
			return nil, errors.New("a rule for a session can't name a set")
		}
		r, err := NewRule(text, Allow)
		if err != nil {
			return nil, err
		}
		r.Text, r.File, r.Line = text, where, i+1
		g.set.add(&r)
	}
	return g, nil
}

// granted decides by grants alone; ok is false where they don't cover the
// request.
func (d *decider) granted(g *Grants) (out Decision, ok bool) {
	if g == nil || len(g.set.allow.all) == 0 {
		return out, false
	}
	if rule, _ := d.maybe(&d.set.deny); rule != nil {
		return out, false
	}
	if _, touches := d.protected(); touches {
		return out, false
	}
	set := d.set
	d.set = &g.set
	out = d.allow()
	d.set = set
	for i := range d.parts {
		if d.reachesBelow(i) != "" {
			return out, false
		}
	}
	return out, out.Decision == Allow
}

// CheckRule says what is wrong with a rule string.
func CheckRule(text string, effect Effect) error {
	_, err := parseRule(text, effect)
	return err
}
