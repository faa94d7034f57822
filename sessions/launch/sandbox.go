package launch

import (
	"cmp"
	"context"

	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox"
)

// takeSandbox sets the profile of the walls: the one that is asked for, for an agent else that of
// its role, of its repository, of tasks, or the default one, which the project's own wish can only
// make narrower.
func (spec *Spec) takeSandbox(ctx context.Context, cfg config.Config, n api.NewSession, task bool) error {
	if n.Sandbox != "" || spec.Plain() {
		return spec.walled(cfg, n.Sandbox)
	}
	name := cmp.Or(cfg.Sandbox.Roles[cmp.Or(spec.Role, api.RoleDev)], ofRepo(ctx, cfg, spec.CWD, func(r config.Repo) string { return r.Sandbox }))
	if task {
		name = cmp.Or(name, cfg.Sandbox.Tasks)
	}
	if err := spec.walled(cfg, cmp.Or(name, cfg.Sandbox.Default)); err != nil || n.Project == "" || n.Project == spec.Sandbox {
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
	if parent == "" || spec.Sandbox == parent {
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
