package sessions

import (
	"cmp"
	"context"
	"strings"

	"ccdir/agents"
	"ccdir/api"
)

// hostProcess names the process of a session's host for ever.
type hostProcess struct {
	pid   int
	start string
}

// HostedBy returns the session whose host is the process; ok is false if it is
// no host of a session that is known.
func (r *Registry) HostedBy(pid int, start string) (id string, ok bool) {
	for _, s := range r.all() {
		if p := s.hostProcess.Load(); p != nil && p.pid == pid && p.start == start {
			return s.id, true
		}
	}
	return "", false
}

// Marked returns the session that an environment names; ok is false if it names
// none that is known. proven: the token in it is that session's.
func (r *Registry) Marked(env []string) (id string, proven, ok bool) {
	named := agents.Getenv(env, api.EnvSession)
	if named == "" {
		return "", false, false
	}
	r.mu.Lock()
	s := r.sessions[named]
	r.mu.Unlock()
	if s == nil || s.outside {
		return "", false, false
	}
	return s.id, s.knows(agents.Getenv(env, api.EnvToken)), true
}

// SpeaksForPerson reports whether processes of the session count as the
// person's own: a shell or a plain command, where config.toml says so.
func (r *Registry) SpeaksForPerson(ctx context.Context, id string) bool {
	s, err := r.find(id)
	if err != nil || s.outside {
		return false
	}
	cfg, own := r.o.Config(), false
	if !cfg.ShellsAreYours {
		return false
	}
	err = s.do(ctx, func() { own = s.spec.plain() })
	return err == nil && own
}

// plain: a command or a shell, not an agent.
func (spec *Spec) plain() bool {
	return spec.Agent == commandAgent || spec.Kind == agents.KindShell
}

// runs is what Session.Plain says of it: an agent's name before a bare shell makes no
// agent of that.
func (spec *Spec) runs() string {
	given := spec.Custom || spec.Kind == agents.KindGeneric
	switch {
	case spec.Kind == agents.KindShell, given && agents.BareShell(spec.Command, spec.Args):
		return api.PlainShell
	case spec.Agent == commandAgent:
		return api.PlainCommand
	}
	return ""
}

// roleFor is the role of a session that is started in dir when none is named:
// that of the nearest repository around it that has one, else the configured
// one.
func (r *Registry) roleFor(dir string) string {
	cfg := r.o.Config()
	role, depth := cmp.Or(cfg.Role, api.RoleDev), -1
	for _, repo := range cfg.Repos {
		inside := dir == repo.Path || strings.HasPrefix(dir, strings.TrimSuffix(repo.Path, "/")+"/")
		if repo.Role != "" && inside && len(repo.Path) > depth {
			role, depth = repo.Role, len(repo.Path)
		}
	}
	return role
}

// noteHost remembers which process the host is, for HostedBy.
func (s *session) noteHost(pid int, start string) {
	s.hostProcess.Store(&hostProcess{pid, start})
}
