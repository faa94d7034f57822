package launch

import (
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/internal/text/redact"
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

// SecretVariables are those of an environment whose values are not kept after the end.
func SecretVariables(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !secretVariable(kv) })
}

// WithoutSecrets is the spec as session.json has it after the end.
func (s Spec) WithoutSecrets() Spec {
	s.Withheld = slices.Clone(s.Withheld)
	for _, kv := range SecretVariables(s.Env) {
		name, _, _ := strings.Cut(kv, "=")
		s.Withheld = append(s.Withheld, name)
	}
	s.Env = slices.DeleteFunc(slices.Clone(s.Env), secretVariable)
	return s
}

// DropSecrets takes the variables with secrets out of a host's environment; false if it has
// none.
func DropSecrets(hf *wire.HostFile) bool {
	n := len(hf.Spec.Env)
	hf.Spec.Env = slices.DeleteFunc(hf.Spec.Env, secretVariable)
	return len(hf.Spec.Env) < n
}

// RecallSecrets gives the spec of a running session the values that session.json lacks,
// because it was written while the session had ended: its host's file has them.
func (s *Spec) RecallSecrets(hf wire.HostFile) {
	s.Refill(func(name string) string { return agents.Getenv(hf.Spec.Env, name) })
}

// Refill gives the spec the values that were not kept, and returns the names of those for
// which value is "".
func (s *Spec) Refill(value func(name string) string) (missing []string) {
	for _, name := range s.Withheld {
		if v := value(name); v != "" {
			s.Env = agents.SetEnv(s.Env, name+"="+v)
			continue
		}
		missing = append(missing, name)
	}
	s.Withheld = missing
	return missing
}
