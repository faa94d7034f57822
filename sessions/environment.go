package sessions

import (
	"path/filepath"
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/redact"
	"ccdir/sessions/launch"
	"ccdir/wire"
)

// A session's files have the environment of its process, by which the next daemon adopts
// it. When the process has ended they keep the values that a restart needs to be the same
// (PATH, a virtual environment), and of variables that look like secrets the names only.
// A restart takes those from the daemon's memory; if the daemon has been restarted since,
// those that were given by -e from the session's row (deleted with the session), others
// from the configuration and from the daemon's own environment.

// secretVariable reports whether a variable's value is not kept after the end.
func secretVariable(kv string) bool {
	name, value, _ := strings.Cut(kv, "=")
	return !strings.HasPrefix(name, "CCDIR_") && redact.Variable(name, value)
}

// secretVariables are those of an environment.
func secretVariables(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !secretVariable(kv) })
}

// onDisk is the spec as session.json has it.
func (s *session) onDisk() launch.Spec {
	spec := s.spec
	if !s.fold.State.Ended() {
		return spec
	}
	spec.Withheld = slices.Clone(spec.Withheld)
	for _, kv := range secretVariables(spec.Env) {
		name, _, _ := strings.Cut(kv, "=")
		spec.Withheld = append(spec.Withheld, name)
	}
	spec.Env = slices.DeleteFunc(slices.Clone(spec.Env), secretVariable)
	return spec
}

// forgetSecrets writes the files of a session that has ended again, without the values of
// secrets; in the actor.
func (s *session) forgetSecrets() {
	if s.outside || s.secretsGone == s.host.Start {
		return
	}
	hf, err := readHost(s.dir)
	if err == nil && len(secretVariables(hf.Spec.Env)) > 0 {
		hf.Spec.Env = slices.DeleteFunc(hf.Spec.Env, secretVariable)
		err = writeJSON(filepath.Join(s.dir, paths.HostFile), hf)
	}
	if len(secretVariables(s.spec.Env)) > 0 {
		err = s.saveSpec()
	}
	if err != nil {
		s.r.log.Warn("the environment of an ended session stays in its files", "session", s.id, "error", err)
		return
	}
	s.secretsGone = s.host.Start
}

// recallSecrets gives the spec of a running session the values that session.json lacks,
// because it was written while the session had ended: its host's file has them.
func recallSecrets(spec *launch.Spec, hf wire.HostFile) {
	spec.Withheld = slices.DeleteFunc(spec.Withheld, func(name string) bool {
		value := agents.Getenv(hf.Spec.Env, name)
		if value != "" {
			spec.Env = agents.SetEnv(spec.Env, name+"="+value)
		}
		return value != ""
	})
}

// refill gives the spec the values that an earlier daemon did not keep, before a restart,
// and returns the names of those that nobody knows.
func (s *session) refill() (missing []string) {
	s.spec.Env, s.spec.Withheld = s.filled()
	return s.spec.Withheld
}

// filled returns the environment with the values that an earlier daemon did not keep, and the
// names of those that nobody knows.
func (s *session) filled() (env, missing []string) {
	env = s.spec.Env
	cfg := s.r.o.Config()
	configured := cfg.Command.Env
	if s.spec.Agent != config.CommandAgent {
		configured = cfg.Agents[s.spec.Agent].Env
	}
	for _, name := range s.spec.Withheld {
		value := agents.Getenv(s.given, name)
		if value == "" {
			value = configured[name]
		}
		if value == "" {
			value = agents.Getenv(s.r.o.Env, name)
		}
		if value == "" {
			missing = append(missing, name)
			continue
		}
		env = agents.SetEnv(env, name+"="+value)
	}
	return env, missing
}
