package launch

import (
	"cmp"
	"context"

	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox"
)

// takeSandbox sets the profile of the walls: the one that is asked for, for an agent else the configured one, which the
// project's own wish can only make narrower, else the one that is tried by itself.
func (spec *Spec) takeSandbox(ctx context.Context, cfg config.Config, n api.NewSession, task bool) error {
	if n.Sandbox != "" || spec.Plain() {
		return spec.walled(cfg, n.Sandbox)
	}
	name := SandboxFor(ctx, cfg, spec.Role, spec.CWD, task)
	if name == "" && n.Project == "" {
		spec.Sandbox = tried(spec.Role, task)
		spec.SandboxTried = spec.Sandbox != ""
		return nil
	}
	if err := spec.walled(cfg, name); err != nil || n.Project == "" || n.Project == spec.Sandbox {
		return err
	}
	wish, err := sandbox.Find(n.Project, cfg.Sandbox.Profiles)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "the project's .ccdir.toml asks for other walls than there are here: %v; write [sandbox.%s] into config.toml, or name the walls yourself (--sandbox)", err, n.Project)
	}
	if spec.Sandbox != "" {
		if has, err := sandbox.Find(spec.Sandbox, cfg.Sandbox.Profiles); err != nil || !wish.Narrower(has) {
			spec.Wished = n.Project
			return nil //nolint:nilerr // what there is was found before
		}
	}
	spec.Sandbox = n.Project
	return nil
}

// SandboxFor is the profile that is configured for agents: for their role, for the repository around dir, for tasks, for all;
// api.NoSandbox for none, "" where nothing is said. It may block for git.
func SandboxFor(ctx context.Context, cfg config.Config, role, dir string, task bool) string {
	name := cmp.Or(cfg.Sandbox.Roles[cmp.Or(role, api.RoleDev)], ofRepo(ctx, cfg, dir, func(r config.Repo) string { return r.Sandbox }))
	if task {
		name = cmp.Or(name, cfg.Sandbox.Tasks)
	}
	return cmp.Or(name, cfg.Sandbox.Default)
}

// tried is the profile of those that nobody watches, where nothing is said; "" for none.
func tried(role string, task bool) string {
	switch {
	case role == api.RoleReviewer:
		return sandbox.ReadOnly
	case task:
		return sandbox.Worktree
	}
	return ""
}

// walled sets a profile by its name; "" and api.NoSandbox are no walls.
func (spec *Spec) walled(cfg config.Config, name string) error {
	if name == "" || name == api.NoSandbox {
		return nil
	}
	if _, err := sandbox.Find(name, cfg.Sandbox.Profiles); err != nil {
		return api.Errorf(api.CodeInvalid, "%v", err)
	}
	spec.Sandbox = name
	return nil
}

// Inherit gives the spec of a session that a walled one starts walls that are at least as narrow;
// parent is the name of that one's profile, "" for none.
func (spec *Spec) Inherit(cfg config.Config, parent, asked string) error {
	if parent == "" {
		return nil
	}
	spec.SandboxTried = false
	if spec.Sandbox == parent {
		return nil
	}
	outer, err := sandbox.Find(parent, cfg.Sandbox.Profiles)
	if err != nil {
		return api.Errorf(api.CodeInvalid, "%v", err)
	}
	inner, err := sandbox.Find(spec.Sandbox, cfg.Sandbox.Profiles)
	switch narrower := err == nil && inner.Narrower(outer); {
	case narrower:
	case asked == "":
		spec.Sandbox = parent
	default:
		return api.Errorf(api.CodeForbidden, "a session behind the sandbox %s starts others behind that or a narrower one, and not with %q", parent, asked)
	}
	return nil
}
