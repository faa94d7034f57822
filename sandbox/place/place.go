// Package place finds out where a process is to run behind walls: its repository, the programs
// that it needs. It runs git, and none of what a repository names.
package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ccdir/internal/disk/untrusted"
	"ccdir/internal/gitstatus"
	"ccdir/sandbox"
)

// gitTime bounds the look at a repository.
const gitTime = 10 * time.Second

// Git returns the work tree around a directory; nil outside of repositories. What a file .git
// leads to must name this work tree in turn: a process could have pointed it at another
// repository, which would be let through with it.
func Git(ctx context.Context, dir string) (*sandbox.Git, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := gitstatus.Run(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, nil // no repository, a bare one, or none that git would work in
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("git does not say where the repository of %s is", dir)
	}
	g := &sandbox.Git{Top: lines[0], Dir: lines[1], Common: lines[2]}
	for _, path := range []*string{&g.Top, &g.Dir, &g.Common} {
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return nil, fmt.Errorf("the repository of %s cannot be found: %w", dir, errors.Unwrap(err))
		}
	}
	if !g.Linked() {
		if g.Dir != filepath.Join(g.Top, ".git") {
			return nil, fmt.Errorf("the git directory of %s lies in %s: sandboxes hold main and linked work trees only, and no submodules", g.Top, g.Dir)
		}
		return g, nil
	}
	back, err := untrusted.Read(filepath.Join(g.Dir, "gitdir"), maxLink)
	if err == nil && filepath.Dir(g.Dir) != filepath.Join(g.Common, "worktrees") {
		err = errors.New("it lies elsewhere")
	}
	if err == nil {
		var top string
		if top, err = filepath.EvalSymlinks(filepath.Dir(strings.TrimSpace(string(back)))); err == nil && top != g.Top {
			err = errors.New("it is that of " + top)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s/.git leads to %s, which is not its git directory (%w): repair it (git worktree repair)", g.Top, g.Dir, err)
	}
	return g, nil
}

// Signs reports whether git signs the commits that are made in a directory, with keys of the person's. It blocks for git.
func Signs(ctx context.Context, dir string) bool {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := gitstatus.Run(ctx, dir, "config", "--type=bool", "--get", "commit.gpgsign")
	return err == nil && strings.TrimSpace(out) == "true"
}

// maxLink bounds the file that names a work tree, in bytes.
const maxLink = 8 << 10

// Of is the place of a process: home, directory and repository as they really are, and where its
// programs lie. command is the resolved program, "" for none; env its environment. known is the
// repository as it was found before, nil to look: what a walled process did to its work tree
// must not choose what the next one may write.
func Of(ctx context.Context, dir, command string, env []string, known *sandbox.Git) (at sandbox.Place, err error) {
	at.OS = runtime.GOOS
	home := variable(env, "HOME")
	if at.Home, err = filepath.EvalSymlinks(home); err != nil || !filepath.IsAbs(home) {
		return at, fmt.Errorf("a sandbox needs a home: HOME is %q", home)
	}
	if at.Home != filepath.Clean(home) {
		return at, fmt.Errorf("the home %s is a symbolic link: set HOME to %s, since a sandbox holds real paths", home, at.Home)
	}
	if at.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return at, fmt.Errorf("the directory %s cannot be used: %w", dir, errors.Unwrap(err))
	}
	if at.Git = known; known == nil || !sandbox.Within(at.Dir, known.Top) {
		if at.Git, err = Git(ctx, at.Dir); err != nil {
			return at, err
		}
	}
	at.Programs = programs(at.Home, command, variable(env, "PATH"))
	return at, nil
}

// programs are the directories of PATH, and the package around the command: what lies beside a
// directory bin is a part of it.
func programs(home, command, path string) (list []string) {
	add := func(dir string) {
		if dir != "/" && !sandbox.Within(home, dir) {
			list = append(list, dir)
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		dir = filepath.Clean(dir)
		add(dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			add(real)
			if filepath.Base(real) == "bin" {
				add(filepath.Join(filepath.Dir(real), "lib"))
			}
		}
	}
	if command == "" {
		return list
	}
	for _, path := range append(hops(command), real(command)) {
		add(filepath.Dir(path))
		if i := strings.Index(path, "/node_modules/"); i >= 0 {
			add(path[:i] + "/node_modules")
		}
	}
	return list
}

// maxHops bounds how many links are followed.
const maxHops = 40

// hops are a path and where its links lead, link by link, as they are written: each must be there for the next one to be
// found.
func hops(path string) (list []string) {
	for range maxHops {
		list = append(list, path)
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return list
}

// real is a path without links; as it is, if it cannot be found.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}
