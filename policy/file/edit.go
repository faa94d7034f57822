package file

import (
	"fmt"

	"ccdir/internal/text/tomltext"
	"ccdir/policy"
)

// AddRule adds a rule to a role's list. It returns the new text, with everything else
// unchanged, comments included, and the line of the rule. text must be a valid policy file;
// file is its name in errors.
func AddRule(text []byte, file, role string, effect policy.Effect, rule string) (out []byte, line int, err error) {
	if err := policy.CheckRule(rule, effect); err != nil {
		return nil, 0, err
	}
	doc, err := goodDocument(text, file)
	if err != nil {
		return nil, 0, err
	}
	e := tomltext.NewEditor(string(text))
	key := []string{"roles", role, string(effect)}
	switch {
	case e.Has(key...):
		err = e.Prepend(tomltext.Quote(rule), key...)
	case e.Header("roles", role):
		e.Below(fmt.Sprintf("%s = [%s]", effect, tomltext.Quote(rule)), "roles", role)
	default:
		table := fmt.Sprintf("[roles.%s]\n", tomltext.Key(role))
		if lower := doc.lower(role); lower != "" && doc.roles[role] == nil {
			table += fmt.Sprintf("inherits = %s\n", tomltext.Quote(lower)) // as it was without the table
		}
		e.AtEnd(table + fmt.Sprintf("%s = [%s]\n", effect, tomltext.Quote(rule)))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	return checkAdded([]byte(e.Text()), file, role, effect, rule)
}

// checkAdded verifies the result of an edit: a valid file that contains the rule.
func checkAdded(text []byte, file, role string, effect policy.Effect, rule string) ([]byte, int, error) {
	doc, err := goodDocument(text, file)
	if err != nil {
		return nil, 0, fmt.Errorf("the rule can't be added automatically, write it by hand: %w", err)
	}
	if line := doc.lineOf(role, effect, rule); line > 0 {
		return text, line, nil
	}
	return nil, 0, fmt.Errorf("%s: the rule can't be added automatically: write it by hand", file)
}

// HasRule reports whether a policy file has the rule for the role, without a condition.
func HasRule(text []byte, file, role string, effect policy.Effect, rule string) bool {
	doc, err := goodDocument(text, file)
	return err == nil && doc.lineOf(role, effect, rule) > 0
}

// lineOf returns the line of a rule without a condition, 0 if there is none.
func (d *document) lineOf(role string, effect policy.Effect, rule string) int {
	if r := d.roles[role]; r != nil {
		for _, have := range r.rules {
			if have.Text == rule && have.Effect == effect && have.When == nil {
				return have.Line
			}
		}
	}
	return 0
}

// SetTrust returns the text of the user's policy file (o.User) with the fingerprint of
// o.Project's file in [trust]. Everything else is unchanged.
func SetTrust(text []byte, o Options, fingerprint string) ([]byte, error) {
	file := o.User
	doc, err := goodDocument(text, file)
	if err != nil {
		return nil, err
	}
	dir := doc.trustKey(o)
	e := tomltext.NewEditor(string(text))
	entry := tomltext.Quote(dir) + " = " + tomltext.Quote(fingerprint)
	switch {
	case e.Has("trust", dir):
		err = e.Replace(tomltext.Quote(fingerprint), "trust", dir)
	case e.Header("trust"):
		e.Below(entry, "trust")
	default:
		e.AtEnd("[trust]\n" + entry + "\n")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	doc, err = goodDocument([]byte(e.Text()), file)
	if err != nil || doc.trust[dir] != fingerprint {
		return nil, fmt.Errorf("%s: the fingerprint can't be added automatically: write it by hand", file)
	}
	return []byte(e.Text()), nil
}

func goodDocument(text []byte, file string) (*document, error) {
	doc := readDocument(text, file)
	if len(doc.problems) > 0 {
		return nil, doc.sorted()
	}
	return doc, nil
}
