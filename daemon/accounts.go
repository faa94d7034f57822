package daemon

import (
	"cmp"
	"slices"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
)

// accounts lists the accounts of the configuration, and before them the sign-ins that agents have by
// themselves: of the kinds that have accounts, or sessions that run.
func (d *daemon) accounts() []api.Account {
	cfg := d.config.Load()
	running := map[string][]string{} // ids by kind and account
	for _, s := range d.events.Sessions() {
		if kind := cfg.KindOf(s.Agent); !s.State.Ended() && s.Plain == "" && ownSignIn(kind) {
			key := kind + "/" + cmp.Or(s.Account, api.AccountDefault)
			running[key] = append(running[key], s.ID)
		}
	}
	windows := d.limits.Windows()
	var list []api.Account
	add := func(a api.Account, kind string) {
		a.Sessions = append([]string{}, running[kind+"/"+a.Name]...)
		a.Default = append([]string{}, a.Default...)
		a.Windows = []api.UsageWindow{}
		for _, w := range windows {
			if w.Account == a.Name && cmp.Or(cfg.KindOf(w.Agent), w.Agent) == kind {
				a.Windows = append(a.Windows, w)
			}
		}
		a.Probe = d.probe(kind, a.Name)
		list = append(list, a)
	}
	var kinds []string
	for _, name := range cfg.AgentNames() {
		kind := cfg.KindOf(name)
		own := api.Account{Name: api.AccountDefault, Agent: kind}
		if ownSignIn(kind) && !slices.Contains(kinds, kind) && (len(cfg.AccountNames(kind)) > 0 || running[kind+"/"+own.Name] != nil) {
			kinds = append(kinds, kind)
			add(own, kind)
		}
	}
	for _, name := range cfg.AccountNames("") {
		a := cfg.Accounts[name]
		add(api.Account{Name: name, Agent: a.Agent, Dir: a.Dir, Default: a.Repositories, Roles: a.Roles}, cfg.KindOf(a.Agent))
	}
	return list
}

// ownSignIn reports whether agents of a kind sign in anywhere.
func ownSignIn(kind string) bool {
	adapter, _ := adapters.Lookup(kind)
	_, ok := adapter.(agents.Housed)
	return ok
}
