package opencode

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"ccdir/agents"
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

// passed are the permissions of asked that rules allow, for some of their patterns at least. What is
// done in another folder is asked about by itself, so that folders do not count.
func passed(rules []rule) (names []string) {
	for _, name := range asked {
		for _, r := range slices.Backward(rules) {
			if name == folders || !matches(r.Permission, name) {
				continue
			}
			if r.Action == allow {
				names = append(names, name)
			}
			if r.Action == allow || r.Pattern == "*" {
				break
			}
		}
	}
	return names
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

// unguarded says which agents run tools about which nobody is asked; "" for none. Settings of one
// agent stand behind ours.
func unguarded(list []agent) string {
	var found []string
	for _, a := range list {
		if names := passed(a.Permission); len(names) > 0 {
			found = append(found, "agent "+a.Name+" allows "+strings.Join(names, ", "))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return agents.Visible("by opencode's settings "+strings.Join(found, "; ")+": it asks neither the policy nor people about that", agents.MaxField)
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
