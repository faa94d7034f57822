package worktrees

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/api"
)

// maxSlug bounds the part of a path that stands for a branch, in bytes.
const maxSlug = 80

// maxPlaces bounds the paths that are tried for one branch.
const maxPlaces = 100

// placeFor returns the path of a new tree: the caller's, or the first free one of the
// template.
func (k *Keeper) placeFor(r *Repo, n api.NewWorktree, s Settings) (string, error) {
	if n.Path != "" {
		path := filepath.Clean(n.Path)
		switch _, err := os.Lstat(path); {
		case !filepath.IsAbs(path):
			return "", api.Errorf(api.CodeInvalid, "the path %q is not absolute", n.Path)
		case !errors.Is(err, fs.ErrNotExist):
			return "", api.Errorf(api.CodeConflict, "%s exists already: take another path", path)
		}
		return path, nil
	}
	template := cmp.Or(s.Place, k.o.Place())
	repo, branch := slug(strings.TrimSuffix(filepath.Base(r.Root), ".git")), slug(n.Branch)
	first := filepath.Join(k.o.Trees, repo, branch)
	if template != "" {
		first = strings.NewReplacer("{root}", r.Root, "{repo}", repo, "{branch}", branch).Replace(template)
		if rest, ok := strings.CutPrefix(first, "~/"); ok {
			first = filepath.Join(k.o.Home, rest)
		}
		if !filepath.IsAbs(first) {
			first = filepath.Join(r.Root, first)
		}
		first = filepath.Clean(first)
		if !strings.Contains(template, "{branch}") {
			first = filepath.Join(first, branch)
		}
	}
	if s.Place != "" && !r.beside(first) {
		return "", api.Errorf(api.CodeInvalid, "the project's .ccdir.toml puts work trees into %s, which is not beside the repository: give --path, or set worktree_place in config.toml and take `place` out", first)
	}
	if inside(first, r.Common) {
		return "", api.Errorf(api.CodeInvalid, "the place of work trees is inside of the repository's own directory (%s): change `place`", first)
	}
	for i := 1; i <= maxPlaces; i++ {
		path := first
		if i > 1 {
			path += "-" + strconv.Itoa(i)
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
	}
	return "", api.Errorf(api.CodeConflict, "%s and %d more paths are taken: give one by --path", first, maxPlaces-1)
}

// beside reports whether a path is in the repository or beside it, where a project may put its work
// trees: its file comes from anybody, and hidden directories have what other programs read.
func (r *Repo) beside(path string) bool {
	if inside(path, r.Root) {
		return true
	}
	rel, err := filepath.Rel(filepath.Dir(r.Root), path)
	return err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(rel, ".") && !strings.Contains(rel, string(filepath.Separator)+".")
}

// slug makes one element of a path of a name.
func slug(name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("-_.+@", c):
			return c
		}
		return '-'
	}, name)
	name = strings.TrimLeft(name[:min(len(name), maxSlug)], ".-")
	return cmp.Or(name, "tree")
}
