package launch

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/config"
	"ccdir/internal/text/textsafe"
)

// ChooseAccount fills in what a request for a new session leaves open about its account: the
// agent, by the account, and the account, by its role or the repository around its directory (AccountsFor). A resumed
// conversation is where the caller says.
func ChooseAccount(ctx context.Context, cfg config.Config, n *api.NewSession) {
	if a, known := cfg.Accounts[n.Account]; known && n.Agent == "" && len(n.Argv) == 0 {
		n.Agent = a.Agent
	}
	if n.Account != "" || n.Agent == "" && len(n.Argv) > 0 {
		return
	}
	if list := AccountsFor(ctx, cfg, cfg.KindOf(cmp.Or(n.Agent, cfg.DefaultAgent)), n.Role, n.CWD); len(list) > 0 {
		n.Account = list[0]
	}
}

// EnvOf is the environment of a process of the agent's that is no session, made of the daemon's own.
func EnvOf(cfg config.Config, adapter agents.Adapter, account string, env []string) ([]string, error) {
	own, err := accountEnv(cfg, adapter, account)
	return agents.CleanEnv(append(slices.Clone(env), own...)), err
}

// CheckAccount returns why agents of a kind cannot have an account; "" and AccountDefault can be had
// always.
func CheckAccount(cfg config.Config, kind, name string) error {
	if name == "" || name == api.AccountDefault {
		return nil
	}
	a, known := cfg.Accounts[name]
	switch {
	case !known:
		names := strings.Join(append(cfg.AccountNames(kind), api.AccountDefault), ", ")
		return api.Errorf(api.CodeInvalid, "no account is called %q: there are %s; add it to config.toml as [accounts.NAME]", textsafe.Cut(name, 64), names)
	case cfg.KindOf(a.Agent) != kind:
		return api.Errorf(api.CodeInvalid, "the account %s is one of %s, and the session runs %s", name, cfg.KindOf(a.Agent), cmp.Or(kind, "a command"))
	case a.Dir != "" && !housed(kind):
		return api.Errorf(api.CodeInvalid, "the account %s has a dir, which ccdir cannot set for %s: use env in config.toml", name, kind)
	}
	return nil
}

func housed(kind string) bool {
	adapter, _ := adapters.Lookup(kind)
	_, ok := adapter.(agents.Housed)
	return ok
}

// accountEnv are the K=V pairs of an account.
func accountEnv(cfg config.Config, adapter agents.Adapter, name string) (env []string, err error) {
	if err := CheckAccount(cfg, adapter.Kind(), name); err != nil {
		return nil, err
	}
	a := cfg.Accounts[name] // of AccountDefault: nothing
	if h, ok := adapter.(agents.Housed); ok && a.Dir != "" {
		env = h.HomeEnv(a.Dir)
	}
	for _, k := range slices.Sorted(maps.Keys(a.Env)) {
		env = append(env, k+"="+a.Env[k])
	}
	return env, nil
}

// accountIn is the account that a session uses: the one that was chosen, unless the caller's own
// variables say another directory; of none, the one whose directory they name.
func accountIn(cfg config.Config, adapter agents.Adapter, chosen string, env []string) string {
	h, ok := adapter.(agents.Housed)
	if a := cfg.Accounts[chosen]; a.Agent != "" && (!ok || a.Dir == "" || agents.InHome(h, env, a.Dir)) {
		return chosen
	}
	if ok {
		for _, name := range cfg.AccountNames(adapter.Kind()) {
			if dir := cfg.Accounts[name].Dir; dir != "" && agents.InHome(h, env, dir) {
				return name
			}
		}
	}
	return ""
}

// MoveTo gives the spec of an ended session another account: what was said of the agent's own sign-in is there
// again, and on it what the account sets. What the session does not know of it is as the agent's configuration or
// daemon, the daemon's environment, says.
func (s *Spec) MoveTo(cfg config.Config, adapter agents.Adapter, name string, daemon []string) error {
	env, err := accountEnv(cfg, adapter, name)
	if err != nil {
		return err
	}
	s.Env = slices.Clone(s.Env)
	if s.Account != "" {
		s.leaveAccount(cfg, adapter, daemon)
	}
	s.Withheld = slices.DeleteFunc(slices.Clone(s.Withheld), func(k string) bool { return hasVariable(env, k) })
	s.Own, s.Env = said(env, s.Env), agents.SetEnv(s.Env, env...)
	s.Account = accountIn(cfg, adapter, name, s.Env)
	return nil
}

// leaveAccount takes away the variables of the account, or gives them the values that they had without it.
func (s *Spec) leaveAccount(cfg config.Config, adapter agents.Adapter, daemon []string) {
	before, err := accountEnv(cfg, adapter, s.Account)
	if err != nil { // it is no longer in the configuration: its directory is known all the same
		before = nil
	}
	if h, ok := adapter.(agents.Housed); ok {
		before = append(before, h.HomeEnv("/")...)
	}
	s.Env = slices.DeleteFunc(s.Env, func(kv string) bool { return hasVariable(before, kv) })
	s.Withheld = slices.DeleteFunc(slices.Clone(s.Withheld), func(k string) bool { return hasVariable(before, k) })
	for _, kv := range before {
		k, _, _ := strings.Cut(kv, "=")
		v := agents.Getenv(s.Own, k)
		if !hasVariable(s.Own, k) {
			v = cmp.Or(cfg.Agents[s.Agent].Env[k], agents.Getenv(daemon, k))
		}
		if v != "" {
			s.Env = agents.SetEnv(s.Env, k+"="+v)
		}
	}
}

// said is what an environment says of variables that an account sets, "K=" for nothing. Secrets are not kept.
func said(variables, env []string) (list []string) {
	for _, kv := range variables {
		k, _, _ := strings.Cut(kv, "=")
		if kv = k + "=" + agents.Getenv(env, k); !secretVariable(kv) && !hasVariable(list, kv) {
			list = append(list, kv)
		}
	}
	return list
}

// hasVariable reports whether an environment has the variable of a K=V pair or of a name.
func hasVariable(env []string, kv string) bool {
	k, _, _ := strings.Cut(kv, "=")
	return slices.ContainsFunc(env, func(other string) bool { return strings.HasPrefix(other, k+"=") })
}
