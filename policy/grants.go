package policy

import "errors"

// Grants are allow rules that a person gave to one session. They are immutable.
type Grants struct{ set ruleSet }

// Extra are a person's grants to one session besides the policy. It never allows a part
// that a deny rule matches or may match, a part that is not fully known, or a change of a
// policy file.
type Extra struct {
	// Grants also allow parts that ask rules match, since the person was asked. Nil for none.
	Grants *Grants
	// Relax allows parts that no rule is about. Nil for none.
	Relax *Grants
}

// NewGrants compiles rules in the notation of policy files. where is the file name that
// decisions report.
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

// granted decides by grants alone; ok is false if they do not cover the request.
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

// CheckRule returns the syntax error of a rule string, nil if it is valid.
func CheckRule(text string, effect Effect) error {
	_, err := parseRule(text, effect)
	return err
}
