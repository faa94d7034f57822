package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Allowed is one thing that a person lets through for a session, besides its profile: a path, which may
// be written then, or a host. place says where; ccdir's own directories are never let through.
func Allowed(text string, at Place) (string, error) {
	if !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~/") {
		_, err := ParseHost(text)
		if err != nil {
			err = fmt.Errorf("%w; a path begins with / or ~/", err)
		}
		return strings.ToLower(text), err
	}
	path := expand(at.Home, []string{text})[0]
	if within(at.Home, path) {
		return "", fmt.Errorf("%s has your home in it: `--sandbox none` goes without walls", path)
	}
	for _, own := range at.Own.Hide {
		if within(path, own) || within(own, path) {
			return "", fmt.Errorf("%s has files of ccdir, which no session behind walls may touch", path)
		}
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' }) {
		return "", fmt.Errorf("%q has control characters", path)
	}
	return path, nil
}

// allow adds what a person has let through.
func (p *Plan) allow(list []string) {
	for _, text := range list {
		if filepath.IsAbs(text) {
			p.Write = append(p.Write, text)
			p.Keep = slices.DeleteFunc(p.Keep, func(path string) bool { return path == text })
			p.Hidden = slices.DeleteFunc(p.Hidden, func(path string) bool { return path == text })
		} else if p.Network != NetworkAll {
			p.Network, p.Hosts = NetworkHosts, append(p.Hosts, text)
		}
	}
}

// ways of what a plan says of a path.
const (
	reads = iota
	writes
	keeps
	hides
)

// Refuses says how the plan refuses a file to a process that would read or write it: "" if it does
// not, or if that is not certain. path is absolute and clean; links in it are not followed.
func (p Plan) Refuses(path string, write bool) string {
	if !strings.HasPrefix(path, "/") || p.Mechanism == "" {
		return ""
	}
	best, how := -1, hides
	for way, list := range [][]string{reads: slices.Concat(p.Read, p.Sockets), writes: append(p.writable(), p.Write...), keeps: p.Keep, hides: p.Hidden} {
		for _, dir := range list {
			if within(path, dir) && len(dir) >= best {
				best, how = len(dir), way
			}
			if within(dir, path) && !write {
				return "" // a directory above something that is there
			}
		}
	}
	switch {
	case how == hides && write && p.Mechanism == Bubblewrap && within(path, p.Home) && !slices.Contains(p.Hidden, path):
		return "has an empty home of its own in place of yours, so that " + path + " is not written there"
	case how == hides:
		return "hides " + path
	case write && how != writes:
		return "does not let " + path + " be written"
	}
	return ""
}

// writable are directories that a session has of its own, or of which the plan does not say what is
// let through.
func (p Plan) writable() []string {
	list := []string{"/tmp", "/dev", "/proc", "/run", "/var/tmp"}
	for _, c := range Caches {
		list = append(list, filepath.Join(p.Home, c.Path))
	}
	if p.Private != "" {
		list = append(list, p.Private)
	}
	if p.Git != nil {
		list = append(list, p.Git.Common)
	}
	return list
}
