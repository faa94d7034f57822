package file

import (
	"slices"

	"ccdir/policy"
)

// rulesOf returns the rules of a role in one document: its own, then the inherited ones. A
// role of the hierarchy without a table has those of the next lower role that has one.
func (d *document) rulesOf(name string) ([]*policy.Rule, bool) {
	return d.chain(name, map[*role]bool{})
}

func (d *document) chain(name string, seen map[*role]bool) ([]*policy.Rule, bool) {
	if d == nil {
		return nil, false
	}
	r := d.roles[name]
	if known := policy.Hierarchy(); r == nil {
		for i := slices.Index(known, name) - 1; i >= 0 && r == nil; i-- {
			r = d.roles[known[i]]
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

// inheritedFrom returns the rules of the user's file for the roles that a role of the
// project's file inherits.
func (d *document) inheritedFrom(user *document, name string) (rules []*policy.Rule) {
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

// build merges the documents of user and project; either may be nil. An untrusted project can
// only narrow: its allow rules are left out.
func build(user, project *document, trusted bool) policy.Source {
	s := policy.Source{Rules: map[string][]*policy.Rule{}, Trusted: trusted}
	names := policy.Hierarchy()
	for _, d := range []*document{user, project} {
		if d == nil {
			continue
		}
		s.Files = append(s.Files, d.file)
		s.OnLoss = stricter(s.OnLoss, d.loss, trusted || d == user)
		for name := range d.roles {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if s.Rules[name] != nil {
			continue
		}
		own, found := user.rulesOf(name)
		added, foundToo := project.rulesOf(name)
		added = append(added, project.inheritedFrom(user, name)...)
		if !found && !foundToo {
			continue
		}
		rules := append(make([]*policy.Rule, 0, len(own)+len(added)), own...) // not nil, because the role has a table
		for _, r := range added {
			if trusted || r.Effect != policy.Allow {
				rules = append(rules, r)
			}
		}
		s.Rules[name] = rules
	}
	return s
}

// stricter merges on_daemon_loss of two files. The later file's value counts if the file is
// trusted or the value is stricter.
func stricter(before, after policy.Effect, trusted bool) policy.Effect {
	rank := map[policy.Effect]int{policy.None: 1, "": 2, policy.Ask: 2, policy.Deny: 3}
	if after == "" || !trusted && rank[after] <= rank[before] {
		return before
	}
	return after
}

// lower returns the role whose rules a role without a table has; "" for none.
func (d *document) lower(role string) string {
	known := policy.Hierarchy()
	for i := slices.Index(known, role) - 1; i >= 0; i-- {
		if d.roles[known[i]] != nil {
			return known[i]
		}
	}
	return ""
}
