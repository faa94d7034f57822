package launch

import (
	"cmp"

	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox"
)

// takeSandbox sets the profile of the walls: the one that is asked for, for an agent else that of
// its repository or the default one.
func (spec *Spec) takeSandbox(cfg config.Config, asked string) error {
	name := asked
	if name == "" && !spec.Plain() {
		name = cmp.Or(sandboxFor(cfg, spec.CWD), cfg.Sandbox.Default)
	}
	if name == "" || name == api.NoSandbox {
		return nil
	}
	if _, err := sandbox.Find(name, cfg.Sandbox.Profiles); err != nil {
		return api.Errorf(api.CodeInvalid, "%v", err)
	}
	spec.Sandbox = name
	return nil
}

// sandboxFor is the profile of the innermost configured repository around dir that has one, "" for
// none.
func sandboxFor(cfg config.Config, dir string) (name string) {
	depth := -1
	for _, repo := range cfg.Repos {
		if repo.Sandbox != "" && sandbox.Within(dir, repo.Path) && len(repo.Path) > depth {
			name, depth = repo.Sandbox, len(repo.Path)
		}
	}
	return name
}

// Inherit gives the spec of a session that a walled one starts walls that are at least as narrow;
// parent is the name of that one's profile, "" for none.
func (spec *Spec) Inherit(cfg config.Config, parent, asked string) error {
	if parent == "" || spec.Sandbox == parent {
		return nil
	}
	if asked == "" {
		spec.Sandbox = parent
		return nil
	}
	outer, err := sandbox.Find(parent, cfg.Sandbox.Profiles)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%v", err)
	}
	if inner, err := sandbox.Find(spec.Sandbox, cfg.Sandbox.Profiles); err != nil || !inner.Narrower(outer) {
		return api.Errorf(api.CodeForbidden, "a session behind the sandbox %s starts others behind that or a narrower one, and not with %q", parent, asked)
	}
	return nil
}
