package daemon

import (
	"context"
	"os"
	"path/filepath"

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

// lastDirectories bounds the recently used directories in lists.
const lastDirectories = 20

// directories lists the configured repositories, then the recently used directories,
// without those that no longer exist.
func (d *daemon) directories(ctx context.Context) ([]api.Directory, error) {
	list := []api.Directory{}
	seen := map[string]bool{}
	add := func(name, path string) {
		if info, err := os.Stat(path); err != nil || !info.IsDir() || seen[path] {
			return
		}
		seen[path] = true
		list = append(list, api.Directory{Name: name, Path: path})
	}
	for _, repo := range d.config.Load().Repos {
		add(repo.Name, repo.Path)
	}
	used, err := d.store.Directories(ctx, lastDirectories)
	if err != nil {
		return nil, err
	}
	for _, path := range used {
		add(filepath.Base(path), path)
	}
	return list, nil
}
