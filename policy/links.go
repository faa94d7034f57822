package policy

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// FS resolves symbolic links. It is the policy's only access to the file system.
type FS interface {
	// Readlink returns the target of a symbolic link. The error is syscall.EINVAL for other
	// files and fs.ErrNotExist for missing ones.
	Readlink(name string) (string, error)
}

type osFS struct{}

func (osFS) Readlink(name string) (string, error) { return readlink(name) }

// linkCache remembers the answers of a file system during one decision: names in a command
// share directories.
type linkCache struct {
	of      FS
	answers map[string]linkAnswer // nil until there is one
}

type linkAnswer struct {
	target string
	err    error
}

// Readlink implements FS.
func (c *linkCache) Readlink(name string) (string, error) {
	if a, ok := c.answers[name]; ok {
		return a.target, a.err
	}
	if c.answers == nil {
		c.answers = make(map[string]linkAnswer, 16)
	}
	target, err := c.of.Readlink(name)
	c.answers[name] = linkAnswer{target, err}
	return target, err
}

// maxLinks bounds the links followed for one path, like the limit of kernels.
const maxLinks = 40

// resolve follows the symbolic links of an absolute path whose last segments need not exist.
// ok is false if a link cannot be read.
func resolve(f FS, p string) (string, bool) { return resolveFrom(f, "", p) }

// resolveFrom is resolve below done, a directory that is resolved already; "" is the root.
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

// hasNoLinks reports whether a clean path lies below a directory that resolve leaves as it
// is, and has no links below that. Most paths of commands are such, and resolve would write
// all of them anew.
func hasNoLinks(f FS, p, dir string) bool {
	if len(dir) < 2 || !strings.HasPrefix(p, dir) || len(p) <= len(dir) || p[len(dir)] != '/' {
		return false
	}
	for i := len(dir) + 1; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		switch _, err := f.Readlink(p[:i]); {
		case errors.Is(err, syscall.EINVAL):
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return true // so there is nothing below
		default:
			return false
		}
	}
	return true
}

func splitTarget(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }
