package daemon

import (
	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
)

// agents lists the configured agents, with their executables in path; "": in the daemon's
// PATH.
func (d *daemon) agents(path string) []api.AgentInfo {
	cfg := d.config.Load()
	env := d.o.Env
	if path != "" {
		env = agents.SetEnv(env, "PATH="+path)
	}
	list := make([]api.AgentInfo, 0, len(cfg.Agents))
	for _, name := range cfg.AgentNames() {
		a := cfg.Agents[name]
		command := a.Command
		switch {
		case a.Kind == agents.KindDemo:
			command = d.o.Shim
		case a.Kind == agents.KindShell && command == "":
			if command = agents.Getenv(env, "SHELL"); command == "" {
				command = "/bin/sh"
			}
		}
		info := api.AgentInfo{Name: name, Kind: a.Kind, Default: name == cfg.DefaultAgent, Command: append([]string{command}, a.Args...)}
		if accounts := cfg.AccountNames(a.Kind); len(accounts) > 0 {
			info.Accounts = append([]string{api.AccountDefault}, accounts...)
		}
		found, err := agents.FindExecutable(command, "/", env)
		if err != nil {
			info.Hint = agents.InstallHint(a.Kind)
			if info.Hint == "" {
				info.Hint = err.Error()
			}
		}
		if adapter, ok := adapters.Lookup(a.Kind); ok {
			if m, ok := adapter.(agents.ModelChooser); ok {
				info.Models = m.Models()
			}
		}
		info.Path = found
		list = append(list, info)
	}
	return list
}
