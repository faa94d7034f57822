package wall

import (
	"path/filepath"
	"strings"

	"ccdir/sandbox"
)

// privateEnv leads temporary files and caches to the session's own, where mounts do
// not do so.
func privateEnv(p sandbox.Plan, tmp string, env []string) []string {
	set := []string{"TMPDIR=" + tmp}
	for _, c := range sandbox.Caches {
		if c.Env != "" {
			set = append(set, c.Env+"="+filepath.Join(p.Private, c.Name))
		}
	}
	set = append(set, "GOPATH="+filepath.Join(p.Private, "go"))
	return setEnv(env, set)
}

// setEnv is env with other values of variables.
func setEnv(env, set []string) []string {
	for _, kv := range set {
		name, _, _ := strings.Cut(kv, "=")
		out := env[:0:0]
		for _, old := range env {
			if !strings.HasPrefix(old, name+"=") {
				out = append(out, old)
			}
		}
		env = append(out, kv)
	}
	return env
}
