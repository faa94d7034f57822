package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/tomltext"
)

// CommandAgent is the name of sessions of a bare command, and of their table.
const CommandAgent = "command"

// maxMatch bounds a pattern, in bytes.
const maxMatch = 1000

// CompileMatch compiles a screen rule's pattern: ^ and $ match at every line. The
// engine is RE2, so no pattern and no screen make it slow.
func CompileMatch(match string) (*regexp.Regexp, error) {
	if len(match) > maxMatch {
		return nil, fmt.Errorf("a pattern has at most %d bytes", maxMatch)
	}
	re, err := regexp.Compile("(?m)" + match)
	if err != nil {
		message := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return nil, fmt.Errorf("not a regular expression: %s", strings.Replace(message, "(?m)", "", 1))
	}
	return re, nil
}

// commandAgent reads [agents.command].
func (p *parser) commandAgent(fields map[string]any) {
	for field, v := range fields {
		var err error
		switch field {
		case "env":
			p.l.Command.Env, err = stringTable(v)
		case "screen":
			p.l.Command.Screen = p.screen(v, "agents", CommandAgent, "screen")
		default:
			err = errors.New("unknown key; [agents.command] is about `ccdir new -- CMD` and has env and screen")
		}
		if err != nil {
			p.problem(err.Error(), "agents", CommandAgent, field)
		}
	}
}

// screen reads the list of screen rules at path. Wrong rules are left out, the others
// apply.
func (p *parser) screen(v any, path ...string) []ScreenRule {
	list, ok := tomltext.Tables(v)
	if !ok {
		p.problem("write each rule as [["+strings.Join(path, ".")+"]] with state, match and lines", path...)
		return nil
	}
	if len(list) > maxScreenRules {
		p.problem(fmt.Sprintf("more than %d rules", maxScreenRules), path...)
		list = list[:maxScreenRules]
	}
	rules := []ScreenRule{}
	for i, fields := range list {
		at := append(slices.Clone(path), strconv.Itoa(i))
		rule := ScreenRule{Lines: defaultScreenLines}
		good := true
		for field, v := range fields {
			if err := rule.take(field, v); err != nil {
				p.problem(err.Error(), append(slices.Clone(at), field)...)
				good = false
			}
		}
		if good && (rule.State == "" || rule.Match == "") {
			p.problem("a screen rule needs state and match", at...)
			good = false
		}
		if good {
			rules = append(rules, rule)
		}
	}
	return rules
}

// take checks and stores one field of a rule.
func (r *ScreenRule) take(field string, v any) error {
	switch field {
	case "state":
		s, ok := v.(string)
		if !ok || !slices.Contains(ScreenStates, api.State(s)) {
			names := make([]string, len(ScreenStates))
			for i, s := range ScreenStates {
				names[i] = string(s)
			}
			return fmt.Errorf("expected one of %s, found %s", quoteAll(names), show(v))
		}
		r.State = api.State(s)
	case "match":
		s, ok := v.(string)
		if !ok || s == "" {
			return fmt.Errorf("expected a regular expression, found %s", show(v))
		}
		if _, err := CompileMatch(s); err != nil {
			return err
		}
		r.Match = s
	case "lines":
		n, ok := v.(int64)
		if !ok || n < 1 || n > maxScreenLines {
			return fmt.Errorf("expected a number from 1 to %d, found %s", maxScreenLines, show(v))
		}
		r.Lines = int(n)
	default:
		return errors.New("unknown key; a screen rule has state, match and lines")
	}
	return nil
}
