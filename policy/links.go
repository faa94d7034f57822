package policy

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// FS is what the policy looks at outside: where symbolic links lead.
type FS interface {
	// Readlink returns the target of a symbolic link. For what is no link the
	// error is syscall.EINVAL, for what isn't there fs.ErrNotExist.
	Readlink(name string) (string, error)
}

type osFS struct{}

func (osFS) Readlink(name string) (string, error) { return readlink(name) }

// maxLinks bounds the links of one path, as kernels do.
const maxLinks = 40

// resolve follows the symbolic links of an absolute path, also of one whose end
// doesn't exist yet. ok is false if that can't be told.
func resolve(f FS, p string) (string, bool) { return resolveFrom(f, "", p) }

// resolveFrom is resolve below a directory that has no links, "" for the root.
func resolveFrom(f FS, done, p string) (string, bool) {
	todo := splitPath(p)
	links := 0
	missing := false
	for len(todo) > 0 {
		seg := todo[0]
		todo = todo[1:]
		switch seg {
		case "", ".":
			continue
		case "..":
			if done = path.Dir(done); done == "/" || done == "." {
				done = ""
			}
			continue
		}
		at := done + "/" + seg
		if missing {
			done = at
			continue
		}
		target, err := f.Readlink(at)
		switch {
		case err == nil:
			if links++; links > maxLinks || target == "" || len(target) > 4096 {
				return "", false
			}
			todo = append(splitTarget(target), todo...)
			if target[0] == '/' {
				done = ""
			}
			continue
		case errors.Is(err, syscall.EINVAL):
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			missing = true
		default:
			return "", false
		}
		done = at
	}
	if done == "" {
		done = "/"
	}
	return done, true
}

func splitTarget(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }
