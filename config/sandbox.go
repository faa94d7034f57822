package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ccdir/api"
	"ccdir/sandbox"
)

// Sandbox is the table [sandbox].
type Sandbox struct {
	// Default is the profile of a session when none is named; Tasks is that of a task's, "" is Default. Roles are those
	// of sessions by their roles, which win over those of repositories. api.NoSandbox is no walls; where all are "", walls
	// are tried around tasks and reviewers (launch.SandboxFor).
	Default, Tasks string
	Roles          map[string]string
	// Strict refuses every session whose profile this machine cannot hold; without it only
	// tasks and reviewers are refused.
	Strict bool
	// Profiles are the person's own, by name.
	Profiles map[string]sandbox.Profile
}

// Names are what a session can have as its profile: the person's own ones, sorted, the ready ones, and
// api.NoSandbox.
func (s Sandbox) Names() []string {
	names := slices.Sorted(maps.Keys(s.Profiles))
	for _, p := range sandbox.Ready() {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return append(names, api.NoSandbox)
}

// Known fails if there is no profile of that name; "" and none are no names.
func (s Sandbox) Known(name string) error {
	if name == "" || name == api.NoSandbox {
		return nil
	}
	_, err := sandbox.Find(name, s.Profiles)
	return err
}

// reservedProfiles are keys of [sandbox], and the word for none: no profile has these names.
var reservedProfiles = []string{"default", "tasks", "roles", "strict", api.NoSandbox}

// sandbox reads the table, or the name of the default profile alone.
func (p *parser) sandbox(v any) {
	if name, ok := v.(string); ok {
		v = map[string]any{"default": name}
	}
	t, _ := p.table(v, "sandbox")
	own := map[string]sandbox.Profile{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		switch v := t[name]; name {
		case "default", "tasks", "strict":
			p.sandboxKey(name, v)
		case "roles":
			p.sandboxRoles(v)
		default:
			if fields, ok := p.table(v, "sandbox", name); ok {
				p.profile(name, fields, own)
			}
		}
	}
	for name := range own {
		if _, err := sandbox.Find(name, own); err != nil {
			p.problem(err.Error(), "sandbox", name)
		}
	}
	p.l.Sandbox.Profiles = own
	p.named(p.l.Sandbox.Default, "no session starts without --sandbox", "default")
	p.named(p.l.Sandbox.Tasks, "no task starts without a sandbox of its own", "tasks")
	for role, name := range p.l.Sandbox.Roles {
		p.named(name, "no session of that role starts without --sandbox", "roles", role)
	}
}

// named reports a profile that there is not, and what follows from that.
func (p *parser) named(name, follows string, path ...string) {
	if name == "" || name == api.NoSandbox {
		return
	}
	if _, err := sandbox.Find(name, p.l.Sandbox.Profiles); err != nil {
		p.problem(err.Error()+"; until it is corrected "+follows, append([]string{"sandbox"}, path...)...)
	}
}

// sandboxRoles reads [sandbox.roles]. A role with a mistake has a profile that there is not, so that
// its sessions are refused.
func (p *parser) sandboxRoles(v any) {
	t, _ := p.table(v, "sandbox", "roles")
	p.l.Sandbox.Roles = map[string]string{}
	for role, v := range t {
		name, ok := v.(string)
		if !ok {
			p.problem("expected the name of a profile, found "+typeName(v), "sandbox", "roles", role)
		}
		if !api.ValidRole(role) {
			p.problem("no role can have that name", "sandbox", "roles", role)
		}
		p.l.Sandbox.Roles[role] = cmp.Or(name, "?")
	}
}

func (p *parser) sandboxKey(name string, v any) {
	text, isText := v.(string)
	flag, isBool := v.(bool)
	switch {
	case name == "default" && isText:
		p.l.Sandbox.Default = text
	case name == "tasks" && isText:
		p.l.Sandbox.Tasks = text
	case name == "strict" && isBool:
		p.l.Sandbox.Strict = flag
	default:
		if name == "tasks" {
			p.l.Sandbox.Tasks = "?" // no profile: they are refused
		}
		p.problem("expected "+map[string]string{"default": "the name of a profile", "tasks": "the name of a profile", "strict": "true or false"}[name]+", found "+typeName(v), "sandbox", name)
	}
}

// profile reads one [sandbox.NAME]. A session that asks for one with a mistake is refused.
func (p *parser) profile(name string, fields map[string]any, own map[string]sandbox.Profile) {
	profile := sandbox.Profile{Name: name}
	if slices.Contains(reservedProfiles, name) {
		p.problem("no profile can have that name", "sandbox", name)
		return
	}
	for field, v := range fields {
		var err error
		text, isText := v.(string)
		switch field {
		case "base":
			if profile.Base = text; !isText {
				err = fmt.Errorf("expected a string, found %s", typeName(v))
			}
		case "network":
			if profile.Network = text; !isText {
				profile.Network = sandbox.NetworkHosts
				profile.Hosts, err = stringList(v)
			} else if text == sandbox.NetworkHosts {
				err = errors.New("write the list of hosts itself")
			}
		case "write", "read", "hide":
			var list []string
			list, err = stringList(v)
			*map[string]*[]string{"write": &profile.Write, "read": &profile.Read, "hide": &profile.Hide}[field] = list
		default:
			err = fmt.Errorf("unknown key; a profile has base, write, read, hide and network")
		}
		if err != nil {
			p.problem(err.Error(), "sandbox", name, field)
			profile.Wrong = err.Error()
		}
	}
	if err := profile.Check(); err != nil && profile.Wrong == "" {
		profile.Wrong = err.Error()
	}
	own[name] = profile
}

// shownProfile is a profile as the file has it.
func shownProfile(p sandbox.Profile) map[string]any {
	out := map[string]any{"base": p.Base, "write": p.Write, "read": p.Read, "hide": p.Hide, "network": p.Network}
	if len(p.Hosts) > 0 {
		out["network"] = p.Hosts
	}
	maps.DeleteFunc(out, func(_ string, v any) bool {
		list, isList := v.([]string)
		return v == "" || isList && len(list) == 0
	})
	return out
}

// explainSandbox lists the keys of [sandbox].
func (l Loaded) explainSandbox() (entries []Entry) {
	entries = append(entries,
		Entry{Key: "sandbox.default", Value: cmp.Or(l.Sandbox.Default, api.NoSandbox), Default: api.NoSandbox, Source: l.source("sandbox", "default"), Doc: "sandbox profile of a session when none is named"},
		Entry{Key: "sandbox.strict", Value: l.Sandbox.Strict, Default: false, Source: l.source("sandbox", "strict"), Doc: "refuse every session whose sandbox this machine cannot hold, not only tasks and reviewers"},
		Entry{Key: "sandbox.tasks", Value: cmp.Or(l.Sandbox.Tasks, l.Sandbox.Default, sandbox.Worktree), Default: cmp.Or(l.Sandbox.Default, sandbox.Worktree), Source: l.source("sandbox", "tasks"), Doc: "sandbox profile of a task's session when none is named; worktree by itself only in linked work trees, where this machine can hold it whole (none: no walls)"})
	for _, role := range slices.Sorted(maps.Keys(l.Sandbox.Roles)) {
		entries = append(entries, Entry{Key: "sandbox.roles." + role, Value: l.Sandbox.Roles[role], Source: l.source("sandbox", "roles", role), Doc: "sandbox profile of sessions with the role " + role})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Sandbox.Profiles)) {
		entries = append(entries, Entry{Key: "sandbox." + name, Value: shownProfile(l.Sandbox.Profiles[name]), Source: l.source("sandbox", name), Doc: "sandbox profile " + name})
	}
	return entries
}
