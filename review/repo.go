package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// Repo is the repository around a session's directory, with our snapshots. Make one with Open, and
// Close it. It holds the settings and the HEAD of when it was opened, and is for one goroutine.
type Repo struct {
	// Top is the top of the work tree, Common the directory that all work trees share.
	Top, Common string
	gitDir      string
	look        *gitstatus.Look
	used        time.Duration
	// names are the files of a session outside of git; nil in a repository of git.
	names *Names
}

// ErrNoWorkTree: the directory is in no work tree of git.
var ErrNoWorkTree = errors.New("it is in no work tree of git")

// Open finds the repository around a directory.
func Open(ctx context.Context, dir string) (*Repo, error) {
	look, err := gitstatus.NewLook(ctx, dir)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrNoWorkTree, err)
	}
	r := &Repo{look: look}
	r.Top, r.gitDir, r.Common = look.Where()
	if r.Top == "" {
		look.Close()
		return nil, ErrNoWorkTree
	}
	return r, nil
}

// Close ends the use.
func (r *Repo) Close() { r.look.Close() }

// Used is the processor time that git has taken since Open.
func (r *Repo) Used() time.Duration { return r.used }

// ours is our git directory, below a common one.
func ours(common string) string { return filepath.Join(common, "ccdir", "turns") }

func (r *Repo) dir() string     { return ours(r.Common) }
func (r *Repo) objects() string { return filepath.Join(r.dir(), "objects") }

// command makes a command that looks, from the top of the work tree, with the objects of our snapshots
// beside those of the repository, into which nothing is written.
func (r *Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := r.look.Command(ctx, append([]string{"-C", r.Top}, args...)...)
	if exists(r.objects()) {
		cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+r.objects(), "GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(r.Common, "objects"))
	}
	return cmd
}

// refs makes a command about our refs.
func (r *Repo) refs(ctx context.Context, args ...string) *exec.Cmd {
	cmd := r.command(ctx, args...)
	cmd.Env = append(cmd.Env, "GIT_DIR="+r.dir())
	return cmd
}

func (r *Repo) output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	out, err := gitstatus.Output(ctx, cmd)
	if s := cmd.ProcessState; s != nil {
		r.used += s.UserTime() + s.SystemTime()
	}
	return strings.TrimSuffix(out, "\n"), err
}

// checkPlace fails if a part of our git directory is a link or a file: whoever works in the repository can put
// one there, and what is written and deleted would be elsewhere.
func (r *Repo) checkPlace(more ...string) error {
	for _, part := range append(more, "..", "", "refs", "refs/ccdir", "objects", "objects/info", "objects/pack") {
		dir := filepath.Join(r.dir(), part)
		info, err := os.Lstat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no folder: remove it, then snapshots are made again", dir)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// make makes our git directory.
func (r *Repo) make(ctx context.Context) error {
	if err := r.checkPlace(); err != nil || exists(filepath.Join(r.dir(), "HEAD")) {
		return err
	}
	format, err := r.output(ctx, r.command(ctx, "rev-parse", "--show-object-format"))
	if err != nil {
		return err
	}
	settings := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if format != "sha1" {
		settings = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = " + format + "\n"
	}
	for _, dir := range []string{"refs", "objects/info", "objects/pack"} {
		if err := os.MkdirAll(filepath.Join(r.dir(), dir), 0o700); err != nil {
			return err
		}
	}
	// A way from there, so that the repository can be moved.
	for _, file := range []struct{ name, text string }{{"config", settings}, {"objects/info/alternates", "../../../objects\n"}, {"HEAD", "ref: refs/heads/none\n"}} {
		if err := writeNew(filepath.Join(r.dir(), file.name), file.text); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file in place of what is there, never through a link.
func writeNew(file, text string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// objectID is an id as git writes it.
var objectID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9a-f]{64}|[0-9a-f]{40})$`) })

// Commit returns the id of a revision of the repository, which people and agents may name.
func (r *Repo) Commit(ctx context.Context, revision string) (string, error) {
	id, err := r.output(ctx, r.command(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}"))
	if err != nil || !objectID().MatchString(id) {
		return "", fmt.Errorf("git knows no commit %q", textsafe.Cut(textsafe.Line(revision), 80))
	}
	return id, nil
}

// Head is the commit that is checked out; before the first one it is the tree without files.
func (r *Repo) Head(ctx context.Context) (string, error) {
	if id, err := r.Commit(ctx, "HEAD"); err == nil {
		return id, nil
	}
	cmd := r.command(ctx, "hash-object", "-t", "tree", "--stdin")
	cmd.Stdin = strings.NewReader("")
	return r.output(ctx, cmd)
}

// Base is where the branch has left the default branch, and that one's name; an error if no default branch
// is known.
func (r *Repo) Base(ctx context.Context) (id, trunk string, err error) {
	for _, name := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		at, err := r.Commit(ctx, name)
		if err != nil {
			continue
		}
		id, err := r.output(ctx, r.command(ctx, "merge-base", "--end-of-options", "HEAD", at))
		if err != nil {
			return "", "", fmt.Errorf("this branch has nothing in common with %s", name)
		}
		return id, name, nil
	}
	return "", "", errors.New("the repository has no main branch that is known")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyFile copies a file with its time to where nothing is; one that is not there is no error.
func copyFile(from, to string) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
