package wall

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"ccdir/sandbox"
)

// maxPlan bounds a plan's file, in bytes.
const maxPlan = 1 << 20

// InnerVerb is the shim's verb for the second step, Verb that for both.
const (
	Verb      = "wall"
	InnerVerb = "wall-inner"
)

// Read reads a plan from an open file, from its beginning.
func Read(f *os.File) (p sandbox.Plan, err error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, maxPlan))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err == nil && (p.Mechanism == "" || !filepath.IsAbs(p.Home) || !filepath.IsAbs(p.Private)) {
		err = errors.New("it names no mechanism, home or private directory")
	}
	if err != nil {
		return p, fmt.Errorf("the plan of the sandbox cannot be read: %w", err)
	}
	return p, nil
}

// source is a path that is let through, with where it really is; ok is false if it is not there.
// Within what a walled process may write, nothing is followed: such a link can lead anywhere, and
// a process that ran before may have made it.
func source(p sandbox.Plan, path string) (ok bool) {
	for _, dir := range p.Write {
		if path == dir || !sandbox.Within(path, dir) {
			continue
		}
		rest, _ := filepath.Rel(dir, path)
		at := dir
		for _, name := range strings.Split(rest, "/") {
			at = filepath.Join(at, name)
			if info, err := os.Lstat(at); err != nil || info.Mode()&os.ModeSymlink != 0 {
				return false
			}
		}
	}
	_, err := os.Stat(path)
	return err == nil
}

// Unheld says which paths that a plan keeps are symbolic links: they cannot be kept, and what they
// lead to is not let through.
func Unheld(p sandbox.Plan) (list []string) {
	for _, path := range p.Keep {
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			list = append(list, path+": it is a symbolic link, which can be replaced")
		}
	}
	return list
}

// prepare makes what the plan needs on disk, and a temporary directory of this start. An agent's
// state is made, and in it empty files of the names that others obey, so that they can be held.
func prepare(p sandbox.Plan) (tmp string, err error) {
	for _, path := range p.Make {
		if _, statErr := os.Stat(path); statErr != nil && !strings.HasSuffix(path, ".json") {
			err = errors.Join(err, os.MkdirAll(path, 0o700))
		}
	}
	for _, path := range p.State {
		if _, statErr := os.Lstat(path); errors.Is(statErr, os.ErrNotExist) {
			err = errors.Join(err, makeEmpty(path))
		}
	}
	if err := errors.Join(err, os.MkdirAll(p.Private, 0o700)); err != nil {
		return "", fmt.Errorf("the sandbox cannot be prepared: %w", err)
	}
	removeOld(p.Private)
	if tmp, err = os.MkdirTemp(p.Private, fmt.Sprintf("%s%d-", tmpPrefix, os.Getpid())); err != nil {
		return "", fmt.Errorf("the sandbox cannot be prepared: %w", err)
	}
	for _, c := range sandbox.Caches {
		if err := os.MkdirAll(filepath.Join(p.Private, c.Name), 0o700); err != nil {
			return "", fmt.Errorf("the sandbox cannot be prepared: %w", err)
		}
	}
	return tmp, nil
}

// tmpPrefix begins the names of temporary directories; the pid of the process that made one
// follows: it runs as long as its program does.
const tmpPrefix = "tmp-"

// removeOld removes the temporary directories of starts that have ended. Each start has one of its
// own: in one that a walled process filled, its links would lead the mounts of the next.
func removeOld(private string) {
	dirs, _ := filepath.Glob(filepath.Join(private, tmpPrefix+"*")) // fails for bad patterns only
	for _, dir := range dirs {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), tmpPrefix), "-")
		if n, err := strconv.Atoi(pid); err == nil && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir) // what cannot be removed goes with the session
		}
	}
}

// makeEmpty makes what stands for nothing: an object for JSON, a file, a directory.
func makeEmpty(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	content := ""
	switch ext := filepath.Ext(path); {
	case ext == ".json":
		content = "{}\n"
	case ext == "":
		return os.MkdirAll(path, 0o700)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}
