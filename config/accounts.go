package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
)

// Account is one [accounts.NAME]: a sign-in of an agent besides the one that it uses by itself.
type Account struct {
	// Agent is the name of an entry of Config.Agents: agents of its kind can use the account.
	Agent string
	// Dir is the directory in which the agent keeps sign-in, settings and conversations of the
	// account, absolute; "": only Env tells the account from others.
	Dir string
	// Env is added to the environment of its sessions.
	Env map[string]string
	// Repositories are absolute directories in and below which the account is used unless another
	// one is named. Where no account has the directory, agents use their own sign-in.
	Repositories []string
	// Roles are those of sessions that use it unless another one is named; they win over repositories.
	Roles []string
}

// KindOf is the kind of an agent of the configuration, "" for an unknown one.
func (c Config) KindOf(agent string) string { return c.Agents[agent].Kind }

// AccountNames lists the accounts of agents of a kind, by name; kind "": all.
func (c Config) AccountNames(kind string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Accounts)) {
		if kind == "" || c.KindOf(c.Accounts[name].Agent) == kind {
			names = append(names, name)
		}
	}
	return names
}

// AccountsOf are the accounts for agents of a kind with a role, by name.
func (c Config) AccountsOf(kind, role string) []string {
	return slices.DeleteFunc(c.AccountNames(kind), func(name string) bool { return !slices.Contains(c.Accounts[name].Roles, role) })
}

// AccountsFor are the accounts that a directory's repository has for agents of a kind, by name:
// those that list the innermost directory around it. None: the agent's own sign-in.
func (c Config) AccountsFor(kind, dir string) (names []string) {
	depth := 0
	for _, name := range c.AccountNames(kind) {
		best := 0
		for _, repo := range c.Accounts[name].Repositories {
			if inside(dir, repo) {
				best = max(best, len(repo))
			}
		}
		switch {
		case best == 0 || best < depth:
		case best > depth:
			depth, names = best, []string{name}
		default:
			names = append(names, name)
		}
	}
	return names
}

// inside reports whether a path is a directory or below it.
func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// accounts reads [accounts.NAME], after the agents.
func (p *parser) accounts(v any) {
	t, _ := p.table(v, "accounts")
	p.l.Accounts = map[string]Account{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fields, ok := p.table(t[name], "accounts", name)
		if !ok {
			continue
		}
		if !validAgentName(name) || name == reservedAccount {
			p.problem(fmt.Sprintf("an account's name is 1 to 32 lower-case letters, digits, - and _, and not %q", reservedAccount), "accounts", name)
			continue
		}
		var a Account
		for field, v := range fields {
			if err := p.account(&a, field, v); err != nil {
				p.problem(err.Error(), "accounts", name, field)
			}
		}
		if _, known := p.l.Agents[a.Agent]; !known {
			p.problem("an account needs an agent: one of "+strings.Join(p.l.AgentNames(), ", "), "accounts", name)
			continue
		}
		p.l.Accounts[name] = a
	}
}

// reservedAccount is the word for the sign-in that an agent uses by itself.
const reservedAccount = "default"

// account takes one key of an account.
func (p *parser) account(a *Account, field string, v any) (err error) {
	switch field {
	case "agent", "dir":
		s, ok := v.(string)
		if !ok || s == "" {
			return fmt.Errorf("expected a string, found %s", show(v))
		}
		if field == "agent" {
			a.Agent = s
			return nil
		}
		if a.Dir = filepath.Clean(expandPath(s, p.home)); !filepath.IsAbs(a.Dir) {
			a.Dir = ""
			return fmt.Errorf("expected an absolute path or one that begins with ~, found %s", show(v))
		}
	case "env":
		a.Env, err = stringTable(v)
	case "roles":
		if a.Roles, err = stringList(v); err != nil {
			return err
		}
		for _, role := range a.Roles {
			if !api.ValidRole(role) {
				return errRole(role)
			}
		}
	case "repositories":
		var list []string
		if list, err = stringList(v); err != nil {
			return err
		}
		for _, dir := range list {
			if dir = filepath.Clean(expandPath(dir, p.home)); !filepath.IsAbs(dir) {
				return fmt.Errorf("expected absolute paths or ones that begin with ~, found %q", dir)
			}
			a.Repositories = append(a.Repositories, dir)
		}
	default:
		return fmt.Errorf("unknown key; an account has agent, dir, env, repositories and roles")
	}
	return err
}

// shown is the account as the file has it, its variables without their values.
func (a Account) shown() map[string]any {
	env := map[string]string{}
	for name := range a.Env {
		env[name] = "(set)"
	}
	repositories := a.Repositories
	if repositories == nil {
		repositories = []string{}
	}
	out := map[string]any{"agent": a.Agent, "dir": a.Dir, "env": env, "repositories": repositories}
	if len(a.Roles) > 0 {
		out["roles"] = a.Roles
	}
	return out
}
