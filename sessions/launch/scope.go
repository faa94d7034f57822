package launch

import (
	"os"
	"slices"
	"strings"
)

// Scope returns the command that puts a process into a scope of its own, to be followed by
// that process's command; nil if the calling process is not part of a service of systemd.
// Whoever stops, restarts or updates a service ends what is in it: the hosts of a daemon
// that was started by a service manager, or from a terminal that is a service, have to be
// elsewhere. systemd-run becomes the process that it starts: pid and files stay.
func Scope(uid int) []string {
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	return scopeOf(string(data), uid)
}

// scopeOf is Scope for the text of a file cgroup (cgroups(7)).
func scopeOf(cgroups string, uid int) []string {
	path := ""
	for line := range strings.Lines(cgroups) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, at, _ := strings.Cut(rest, ":")
		if controllers == "name=systemd" || controllers == "" && path == "" {
			path = at
		}
	}
	units := strings.Split(path, "/")
	i := slices.IndexFunc(units, func(u string) bool { return strings.HasPrefix(u, "user@") && strings.HasSuffix(u, ".service") })
	own := slices.ContainsFunc(units[i+1:], func(u string) bool { return strings.HasSuffix(u, ".service") })
	scope := []string{"systemd-run", "--scope", "--collect", "--quiet"}
	switch {
	case !own:
		return nil // a login, or a scope already
	case i >= 0 || uid != 0:
		return append(scope, "--user")
	}
	return scope
}
