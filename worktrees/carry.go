package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"ccdir/internal/text/textsafe"
)

// carry brings what no commit has from one tree into another that was just made at the same
// commit: what is staged, what is changed, new files. It returns how many files; what could
// not be brought is a note.
func carry(ctx context.Context, r *Repo, from, to *Tree) (files int, notes []string, err error) {
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
	index := run{dir: to.Path}
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
