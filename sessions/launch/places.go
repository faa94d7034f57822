package launch

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox/place"
)

// settled is what the configuration has for a directory: for it as it is written, else as it really is, else, for one in a
// linked work tree, for the same place in the main one. Directories of the configuration count as they really are, too.
// find returns the zero value where it has nothing. It blocks for git at the end.
func settled[T any](ctx context.Context, cfg config.Config, dir string, find func(cfg config.Config, dir string) T, none func(T) bool) T {
	out := find(cfg, dir)
	real, err := filepath.EvalSymlinks(dir)
	if !none(out) || err != nil || !hasDirectories(cfg) {
		return out
	}
	cfg = resolved(cfg)
	if out = find(cfg, real); !none(out) {
		return out
	}
	git, err := place.Git(ctx, real)
	if err != nil || !git.Linked() || filepath.Base(git.Common) != ".git" {
		return out
	}
	if within, err := filepath.Rel(git.Top, real); err == nil {
		return find(cfg, filepath.Join(filepath.Dir(git.Common), within))
	}
	return out
}

// hasDirectories reports whether the configuration has something for directories.
func hasDirectories(cfg config.Config) bool {
	return slices.ContainsFunc(cfg.Repos, func(r config.Repo) bool { return r.Role != "" || r.Sandbox != "" }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(cfg.Accounts)), func(a config.Account) bool { return len(a.Repositories) > 0 })
}

// resolved is the configuration with its directories as they really are; those that are not there stay.
func resolved(cfg config.Config) config.Config {
	real := func(path string) string {
		if r, err := filepath.EvalSymlinks(path); err == nil {
			return r
		}
		return path
	}
	cfg.Repos, cfg.Accounts = slices.Clone(cfg.Repos), maps.Clone(cfg.Accounts)
	for i := range cfg.Repos {
		cfg.Repos[i].Path = real(cfg.Repos[i].Path)
	}
	for name, a := range cfg.Accounts {
		a.Repositories = slices.Clone(a.Repositories)
		for i := range a.Repositories {
			a.Repositories[i] = real(a.Repositories[i])
		}
		cfg.Accounts[name] = a
	}
	return cfg
}

// ofRepo is what the innermost configured repository around a directory has that has something; "" for nothing.
func ofRepo(ctx context.Context, cfg config.Config, dir string, has func(config.Repo) string) string {
	find := func(cfg config.Config, dir string) (value string) {
		depth := -1
		for _, repo := range cfg.Repos {
			inside := dir == repo.Path || strings.HasPrefix(dir, strings.TrimSuffix(repo.Path, "/")+"/")
			if v := has(repo); v != "" && inside && len(repo.Path) > depth {
				value, depth = v, len(repo.Path)
			}
		}
		return value
	}
	return settled(ctx, cfg, dir, find, func(s string) bool { return s == "" })
}

// roleFor is the default role of a session in dir: its repository's, else the configured one.
func roleFor(ctx context.Context, cfg config.Config, dir string) string {
	return cmp.Or(ofRepo(ctx, cfg, dir, func(r config.Repo) string { return r.Role }), cfg.Role, api.RoleDev)
}

// AccountsFor are the accounts that the configuration has for agents of a kind with a role ("": that of the directory),
// else for a directory. It may block for git.
func AccountsFor(ctx context.Context, cfg config.Config, kind, role, dir string) []string {
	if role == "" {
		role = roleFor(ctx, cfg, dir)
	}
	if list := cfg.AccountsOf(kind, role); len(list) > 0 {
		return list
	}
	find := func(cfg config.Config, dir string) []string { return cfg.AccountsFor(kind, dir) }
	return settled(ctx, cfg, dir, find, func(list []string) bool { return len(list) == 0 })
}
