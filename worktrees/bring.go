package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/textsafe"
)

// includeFile lists patterns of ignored files that come along, as Claude Code reads it.
const includeFile = ".worktreeinclude"

// maxCopy bounds what is copied into a new tree where the file system cannot share blocks,
// in bytes; maxBrought the number of files and links that are remembered; maxExclude the file
// of ignored names that every repository has, in bytes.
const (
	maxCopy    = 1 << 30
	maxBrought = 10_000
	maxExclude = 1 << 20
)

// bring copies and links ignored files from the tree at from into the new one at to, fills
// in the counts, and returns what it brought. What cannot be brought is a note.
func bring(ctx context.Context, r *Repo, from, to string, s Settings, out *api.WorktreeMade) (brought []string) {
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	patterns := make([]string, 0, 2*len(s.Copy))
	if info, err := os.Lstat(filepath.Join(from, includeFile)); err == nil && info.Mode().IsRegular() {
		patterns = append(patterns, "-X", filepath.Join(from, includeFile))
	}
	for _, p := range s.Copy {
		patterns = append(patterns, "-x", p)
	}
	links := make([]string, 0, 2*len(s.Link))
	for _, p := range s.Link {
		links = append(links, "-x", p)
	}
	linked, err := ignoredBy(ctx, from, links, true)
	if err != nil {
		note("nothing was linked: %v", err)
	}
	copied, err := ignoredBy(ctx, from, patterns, false)
	if err != nil {
		note("nothing was copied: %v", err)
	}
	if len(linked)+len(copied) == 0 {
		return nil
	}
	c := copier{}
	if c.from, err = os.OpenRoot(from); err == nil {
		defer func() { _ = c.from.Close() }()
		c.to, err = os.OpenRoot(to)
	}
	if err != nil {
		note("nothing was copied: %v", err)
		return nil
	}
	defer func() { _ = c.to.Close() }()
	for _, path := range linked {
		path = strings.TrimSuffix(path, "/")
		if err := c.link(from, path); err != nil {
			note("%s was not linked: %v", textsafe.Line(path), err)
			continue
		}
		out.Linked++
		brought = append(brought, path)
	}
	if err := r.ignoreLinks(ctx, to, brought); err != nil {
		note("git sees the links as new files: %v", err)
	}
	for _, path := range copied {
		if ctx.Err() != nil || slices.ContainsFunc(linked, func(l string) bool { return inside(path, strings.TrimSuffix(l, "/")) }) {
			continue
		}
		if err := c.copy(path); err != nil {
			if c.failed++; c.failed <= 3 {
				note("%s was not copied: %v", textsafe.Line(path), err)
			}
			continue
		}
		brought = append(brought, path)
	}
	out.Copied, out.CopiedBytes, out.Cloned = c.files, c.bytes, c.cloned
	if c.failed > 3 {
		note("%d more files were not copied", c.failed-3)
	}
	return tops(brought)
}

// ignoreLinks has git ignore links to ignored folders: a pattern such as "node_modules/" is for
// folders only, and an agent would add the link.
func (r *Repo) ignoreLinks(ctx context.Context, to string, links []string) error {
	if len(links) == 0 {
		return nil
	}
	out, err := run{dir: to, stdin: strings.NewReader(strings.Join(links, "\x00") + "\x00")}.git(ctx, "check-ignore", "-z", "--stdin")
	if err != nil && !said(err, 1) { // 1: none is
		return err
	}
	ignored := strings.Split(out, "\x00")
	file := filepath.Join(r.Common, "info", "exclude")
	old, err := untrusted.Read(file, maxExclude)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, path := range links {
		line := "/" + strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, " ", `\ `).Replace(path) + "\n"
		if !slices.Contains(ignored, path) && !strings.Contains(path, "\n") && !strings.Contains("\n"+text, "\n"+line) {
			text += line
		}
	}
	if text == string(old) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil { // the umask decides, as for git
		return err
	}
	return atomicfile.WriteMode(file, []byte(text), 0o644)
}

// tops are what git status calls brought files: itself, or the folders around them.
func tops(brought []string) (list []string) {
	seen := map[string]bool{}
	for _, path := range brought {
		for ; path != "." && path != "/"; path = filepath.Dir(path) {
			if !seen[path] && len(seen) < maxBrought {
				seen[path] = true
				list = append(list, path)
			}
		}
	}
	return list
}

// ignoredBy lists the files of a tree that match patterns, are unknown to git, and are
// ignored by the project itself. folders: those that match whole are one entry.
func ignoredBy(ctx context.Context, dir string, patterns []string, folders bool) (list []string, err error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	args := []string{"ls-files", "-z", "--others", "--ignored"}
	if folders {
		args = append(args, "--directory")
	}
	out, err := run{dir: dir}.git(ctx, append(args, patterns...)...)
	if err != nil || out == "" {
		return nil, err
	}
	out, err = run{dir: dir, stdin: strings.NewReader(out)}.git(ctx, "check-ignore", "-z", "--stdin")
	if err != nil && !said(err, 1) { // 1: none is
		return nil, err
	}
	for path := range strings.SplitSeq(out, "\x00") {
		if path != "" && filepath.IsLocal(path) {
			list = append(list, path)
		}
	}
	return list, nil
}

// copier copies between two trees. It leaves neither of them by a symbolic link, and
// overwrites nothing.
type copier struct {
	from, to              *os.Root
	files, cloned, failed int
	bytes, plain          int64
}

var errTooMuch = errors.New("it is beyond the limit of 1 GiB")

// copy copies a file or symbolic link; other things it refuses.
func (c *copier) copy(path string) error {
	info, err := c.from.Lstat(path)
	if err != nil {
		return err
	}
	if err := c.to.MkdirAll(filepath.Dir(path), 0o777); err != nil { // the umask decides, as for git
		return err
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		target, err := c.from.Readlink(path)
		if err == nil {
			err = c.to.Symlink(target, path)
		}
		c.files++
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	src, err := c.from.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := c.to.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	if cloneFile(dst, src) == nil {
		c.cloned++
	} else if c.plain += info.Size(); c.plain > maxCopy {
		err = errTooMuch
	} else {
		_, err = io.Copy(dst, io.LimitReader(src, info.Size()))
	}
	if err = errors.Join(err, dst.Close()); err != nil {
		_ = c.to.Remove(path)
		return err
	}
	c.files++
	c.bytes += info.Size()
	return nil
}

// link makes a symbolic link to a file or folder of the tree at from.
func (c *copier) link(from, path string) error {
	if err := c.to.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return c.to.Symlink(filepath.Join(from, path), path)
}

// carry brings what no commit has from one tree into another that was just made at the same
// commit: what is staged, what is changed, new files. It returns how many files; what could
// not be brought is a note. env is the person's, whose filters run.
func carry(ctx context.Context, r *Repo, from, to *Tree, env []string) (files int, notes []string, err error) {
	shot, err := snap(ctx, r, from, snapshotOptions{message: "ccdir: carried into " + to.Path})
	if err != nil {
		return 0, nil, err
	}
	out, err := run{dir: r.Common}.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", from.Head, shot.commit)
	if err != nil {
		return 0, nil, err
	}
	src, err := os.OpenRoot(from.Path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenRoot(to.Path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = dst.Close() }()
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		path := fields[i+1]
		if err := carryFile(src, dst, path); err != nil {
			notes = append(notes, fmt.Sprintf("%s was not carried: %v", textsafe.Line(path), err))
			continue
		}
		files++
	}
	// The index is that of the new tree, which nobody has used yet.
	index := run{dir: to.Path, env: env, user: env != nil, lock: r.held}
	if _, err := index.git(ctx, "read-tree", shot.staged); err != nil {
		return files, notes, err
	}
	_, _ = index.git(ctx, "update-index", "-q", "--refresh") // it fails where something differs
	return files, notes, nil
}

// carryFile makes a path of the new tree what it is in the other one.
func carryFile(src, dst *os.Root, path string) error {
	info, err := src.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if old, oldErr := dst.Lstat(path); oldErr == nil {
		if old.IsDir() {
			return errors.New("a folder is in its place")
		}
		if err := dst.Remove(path); err != nil {
			return err
		}
	}
	if err != nil || info.IsDir() { // it is gone, or a folder of files that come by themselves
		return nil
	}
	c := copier{from: src, to: dst}
	err = c.copy(path)
	if errors.Is(err, errTooMuch) {
		err = whole(src, dst, path, info)
	}
	return err
}

// whole copies a file however large it is.
func whole(src, dst *os.Root, path string, info fs.FileInfo) error {
	in, err := src.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := dst.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
