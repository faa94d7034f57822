package policy_test

import (
	"io/fs"
	"syscall"
)

// memFS is a file system of symbolic links: name → target. What isn't in it is a
// file or directory; what has the target "-" doesn't exist.
type memFS map[string]string

// Readlink implements FS.
func (m memFS) Readlink(name string) (string, error) {
	target, ok := m[name]
	switch {
	case !ok:
		return "", syscall.EINVAL
	case target == "-":
		return "", fs.ErrNotExist
	}
	return target, nil
}
