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
	// Default is the profile of a session when none is named, "" for none.
	Default string
	// Strict refuses every session whose profile this machine cannot hold; without it only
	// tasks are refused.
	Strict bool
	// Profiles are the person's own, by name.
	Profiles map[string]sandbox.Profile
}

// reservedProfiles are keys of [sandbox], and the word for none: no profile has these names.
var reservedProfiles = []string{"default", "strict", api.NoSandbox}

// sandbox reads the table, or the name of the default profile alone.
func (p *parser) sandbox(v any) {
	if name, ok := v.(string); ok {
		v = map[string]any{"default": name}
	}
	t, _ := p.table(v, "sandbox")
	own := map[string]sandbox.Profile{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		switch v := t[name]; name {
		case "default", "strict":
			p.sandboxKey(name, v)
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
	if name := p.l.Sandbox.Default; name != "" {
		if _, err := sandbox.Find(name, own); err != nil {
			p.problem(err.Error()+"; until it is corrected no session starts without --sandbox", "sandbox", "default")
		}
	}
}

func (p *parser) sandboxKey(name string, v any) {
	text, isText := v.(string)
	flag, isBool := v.(bool)
	switch {
	case name == "default" && isText && text == api.NoSandbox:
		p.l.Sandbox.Default = ""
	case name == "default" && isText:
		p.l.Sandbox.Default = text
	case name == "strict" && isBool:
		p.l.Sandbox.Strict = flag
	default:
		p.problem("expected "+map[string]string{"default": "the name of a profile", "strict": "true or false"}[name]+", found "+typeName(v), "sandbox", name)
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
		Entry{Key: "sandbox.strict", Value: l.Sandbox.Strict, Default: false, Source: l.source("sandbox", "strict"), Doc: "refuse every session whose sandbox this machine cannot hold, not only tasks"})
	for _, name := range slices.Sorted(maps.Keys(l.Sandbox.Profiles)) {
		entries = append(entries, Entry{Key: "sandbox." + name, Value: shownProfile(l.Sandbox.Profiles[name]), Source: l.source("sandbox", name), Doc: "sandbox profile " + name})
	}
	return entries
}
