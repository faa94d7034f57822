package opencode

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// rule is one rule of an agent's permissions; the last that matches decides.
type rule struct {
	Permission string `json:"permission"` // a pattern of names
	Pattern    string `json:"pattern"`    // of commands, files
	Action     string `json:"action"`     // allow, ask, deny
}

// The actions of rules that matter here.
const allow, ask = "allow", "ask"

// agent is one of a server's agents: opencode's own, and those of the user's and the project's settings.
type agent struct {
	Name       string `json:"name"`
	Hidden     bool   `json:"hidden"`
	Permission []rule `json:"permission"`
}

// matches reports whether a pattern of opencode's fits a text.
func matches(pattern, text string) bool {
	p := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	if head, ok := strings.CutSuffix(p, " .*"); ok {
		p = head + "( .*)?"
	}
	ok, err := regexp.MatchString("(?s)^"+p+"$", text)
	return ok && err == nil
}

// agents are the server's; why says that it does not tell them, "" if it does.
func (c *client) agents(ctx context.Context) (list []agent, why string, err error) {
	err = c.call(ctx, http.MethodGet, "/agent", nil, &list)
	var status *statusError
	if errors.As(err, &status) {
		return nil, "opencode does not say what its agents may do (" + status.Error() + "), so nobody knows whether a policy holds", nil
	}
	return list, "", err
}

// unguarded says why no policy holds where a server does not have our plugin, so that it asks by its
// permissions alone; "" if it has it.
func unguarded(list []agent) string {
	for _, a := range list {
		if slices.ContainsFunc(a.Permission, func(r rule) bool { return r.Permission == gateMark }) {
			return ""
		}
	}
	return "opencode runs without ccdir's plugin (--pure, or it could not be loaded): the policy decides about what opencode asks, and about nothing else"
}

// unasked reports whether opencode asks about reading that for the policy's sake alone: by their rules
// without ours all agents may do it.
func unasked(list []agent, permission string, patterns []string) bool {
	list = slices.DeleteFunc(slices.Clone(list), func(a agent) bool { return a.Hidden })
	if len(list) == 0 || len(patterns) == 0 || !slices.Contains(reads, permission) {
		return false
	}
	for _, a := range list {
		for _, pattern := range patterns {
			if a.alone(permission, pattern) != allow {
				return false
			}
		}
	}
	return true
}

// alone is what the agent does about a call by its rules without ours.
func (a agent) alone(permission, pattern string) string {
	for _, r := range slices.Backward(a.Permission) {
		if r.Permission != lastKey(permission) && matches(r.Permission, permission) && matches(r.Pattern, pattern) {
			return r.Action
		}
	}
	return ask
}

// Unguarded implements agents.GuardedLine.
func (l *line) Unguarded() string { return l.unguarded }
