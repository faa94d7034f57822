package mcpserver

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/mcpserver/project"
)

// project detects the project of a call. A directory without build files of its own
// belongs to the nearest project above it that is allowed and in the same repository:
// below is its path from there, "" if the directory is the project.
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
			break // not allowed: it must not decide here
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

// testPath is the path to test, relative to the project's directory, if the call named
// a directory below it: that directory, or path in it.
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

// insideTests refuses to test files outside the allowed directories: a test is a
// program, and the tool test needs no approval.
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

// environment checks a call's additional variables for a command.
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

// left is the time left for a command until a deadline; never 0, which would mean no
// limit.
func left(until time.Time) time.Duration {
	if d := time.Until(until); d > 0 {
		return d
	}
	return -1
}
