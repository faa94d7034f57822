package mcpserver

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/mcpserver/project"
)

// project detects the project of a call. A directory that says nothing of its own belongs
// to the project above it, as far as that is allowed and in the same repository: below
// names it from there, "" if it is the project's own.
func (r *request) project(path string) (p *project.Project, below string, err error) {
	dir, err := r.directory(path)
	if err != nil {
		return nil, "", err
	}
	if p, err = project.Detect(dir); err != nil || p.Known() {
		return p, "", err
	}
	for at := p; !at.IsRepository() && filepath.Dir(at.Dir) != at.Dir; {
		up, err := r.peer.space.Directory(filepath.Dir(at.Dir))
		if err != nil {
			break // not allowed: it has no say here
		}
		if at, err = project.Detect(up); err != nil {
			return nil, "", err
		}
		if at.Known() {
			below, err = filepath.Rel(up, dir)
			return at, below, err
		}
	}
	return p, "", nil
}

// testPath names what is to be tested from the project's directory, where the call named
// one below it: that directory alone, or what path is there.
func testPath(p *project.Project, action, path, below string) string {
	switch {
	case action != project.Test || below == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "-"):
		return path
	case path == "" && p.Kind == "go":
		return below + "/..."
	case path == "":
		return below
	}
	return filepath.Join(below, path)
}

// insideTests refuses to test what lies outside of the allowed directories: a test is a
// program, and test needs no approval.
func (r *request) insideTests(p *project.Project, path string) error {
	if path == "" {
		return nil
	}
	path, _, _ = strings.Cut(path, "::") // pytest's names of tests in a file
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
	}
	return r.peer.space.Inside(path)
}

// environment checks further variables of a command.
func environment(vars map[string]string) ([]string, error) {
	var env []string
	for k, v := range vars {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return nil, &invalidError{fmt.Sprintf("run: argument \"env\" has a variable %.40q: a name must not be empty nor have =, and neither name nor value a NUL byte", k)}
		}
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env, nil
}

// left is the time until then for a command, which has to end at once if there is none:
// no time is no limit.
func left(until time.Time) time.Duration {
	if d := time.Until(until); d > 0 {
		return d
	}
	return -1
}
