// Package files reads, writes, edits, lists and searches files inside the directories that a
// caller may use, and nowhere else.
//
// Every access goes through os.Root of one allowed directory: "..", absolute paths and
// symbolic links that lead out are refused by the kernel at the moment of use, not by a
// check made before. A hard link to an outside file cannot be detected; writing replaces the
// name and leaves the other names' content unchanged.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Space is a set of allowed directories. Safe for concurrent use.
type Space struct {
	base  string
	roots []allowed
}

type allowed struct{ given, real string }

// New makes a Space. Relative paths start at base; base and extra are absolute
// directories, and everything below them is allowed. An element of extra that does not
// exist is skipped.
func New(base string, extra ...string) (*Space, error) {
	s := &Space{base: filepath.Clean(base)}
	for i, dir := range append([]string{base}, extra...) {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("allowed directory %q is not absolute", dir)
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			if i > 0 && errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, err
		}
		s.roots = append(s.roots, allowed{filepath.Clean(dir), real})
	}
	return s, nil
}

// Base is where relative paths start.
func (s *Space) Base() string { return s.base }

// open finds the allowed directory that contains path. The caller closes root.
func (s *Space) open(path string) (root *os.Root, rel, abs string, err error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, "", "", errors.New("path is empty or has a NUL byte")
	}
	abs = path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(s.base, abs)
	}
	abs = filepath.Clean(abs)
	best := -1
	for i, a := range s.roots {
		for _, dir := range []string{a.given, a.real} {
			if r, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(r) && (best < 0 || len(r) < len(rel)) {
				best, rel = i, r
			}
		}
	}
	if best < 0 {
		return nil, "", abs, s.outside(abs)
	}
	root, err = os.OpenRoot(s.roots[best].real)
	return root, rel, abs, err
}

func (s *Space) outside(abs string) error {
	var dirs []string
	for _, a := range s.roots {
		dirs = append(dirs, a.given)
	}
	return fmt.Errorf("%s lies outside the allowed directories (%s); allowed_paths in the configuration adds others", abs, strings.Join(dirs, ", "))
}

// Directory checks that path is an allowed directory and returns its real absolute
// path: links resolved, and still inside.
func (s *Space) Directory(path string) (string, error) {
	root, rel, abs, err := s.open(path)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err != nil {
		return "", explain(abs, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root.Name(), rel))
	if err != nil {
		return "", err
	}
	for _, a := range s.roots {
		if r, err := filepath.Rel(a.real, real); err == nil && filepath.IsLocal(r) {
			return real, nil
		}
	}
	return "", s.outside(abs)
}

// Inside returns an error for a path that leads out of the allowed directories. A path
// that does not exist, or a pattern, is judged by its name.
func (s *Space) Inside(path string) error {
	root, rel, abs, err := s.open(path)
	if err != nil {
		return err
	}
	defer root.Close()
	var pe *fs.PathError
	if _, err = root.Stat(rel); errors.As(err, &pe) && strings.Contains(pe.Err.Error(), "escapes") {
		return explain(abs, err)
	}
	return nil
}

// explain turns an error of os.Root into one line.
func explain(abs string, err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", abs)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", abs)
	case errors.As(err, &pe) && strings.Contains(pe.Err.Error(), "escapes"):
		return fmt.Errorf("%s leads out of the allowed directory through a link", abs)
	case errors.As(err, &pe):
		return fmt.Errorf("%s: %w", abs, pe.Err)
	}
	return fmt.Errorf("%s: %w", abs, err)
}
