package gitstatus

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// Bounds of untracked files whose lines are counted: how many, the size of each, and all of them.
const (
	mostNew    = 500
	newSize    = 1 << 20
	allNewSize = 16 << 20
)

// ReadLines is Read with the lines that differ: Added and Removed.
func ReadLines(ctx context.Context, dir string) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	l, err := NewLook(ctx, dir)
	if err != nil {
		return Status{}, err
	}
	defer l.Close()
	s, converted, err := l.status(ctx)
	if err != nil {
		return s, err
	}
	top := l.AtTop()
	var problem error
	if s.Changed+s.Conflicts > 0 && s.Commit != initial {
		s.Added, s.Removed, problem = top.numstat(ctx, converted)
	}
	if s.Untracked > 0 {
		added, err := top.newLines(ctx)
		s.Added += added
		problem = errors.Join(problem, err)
	}
	if problem != nil { // a part of the number would be none
		s.Added, s.Removed = 0, 0
	}
	return s, ctx.Err()
}

// numstat counts the lines of tracked files that differ from HEAD, but those of converted ones.
func (l *Look) numstat(ctx context.Context, converted map[string]bool) (added, removed int, err error) {
	out, err := l.Run(ctx, "diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "HEAD")
	if err != nil {
		return 0, 0, err
	}
	added, removed = parseNumstat(out, converted)
	return added, removed, nil
}

// parseNumstat reads the output of git diff --numstat -z; binary files have no lines.
func parseNumstat(out string, converted map[string]bool) (added, removed int) {
	names := 0 // of a renamed file, which are entries of their own
	for entry := range strings.SplitSeq(out, "\x00") {
		if names > 0 {
			names--
			continue
		}
		f := strings.SplitN(entry, "\t", 3)
		if len(f) != 3 {
			continue
		}
		if f[2] == "" {
			names = 2
		}
		if converted[f[2]] {
			continue
		}
		a, errA := strconv.ParseUint(f[0], 10, 31)
		r, errR := strconv.ParseUint(f[1], 10, 31)
		if errA == nil && errR == nil {
			added, removed = added+int(a), removed+int(r)
		}
	}
	return added, removed
}

// newLines counts the lines of untracked files, which all are new: of the first mostNew files,
// and not of large or binary ones.
func (l *Look) newLines(ctx context.Context) (n int, err error) {
	out, err := l.Run(ctx, "ls-files", "-o", "-z", "--exclude-standard")
	if err != nil {
		return 0, err
	}
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	files, size := 0, 0
	for name := range strings.SplitSeq(out, "\x00") {
		if name == "" || strings.HasSuffix(name, "/") { // a repository of its own
			continue
		}
		if files++; files > mostNew || size > allNewSize || ctx.Err() != nil {
			break
		}
		data, err := untrusted.ReadIn(root, name, newSize)
		if err != nil {
			continue // gone, too large, or no file
		}
		size += len(data)
		n += countLines(data)
	}
	return n, nil
}

// binaryIn is in how many bytes git looks for the zero byte of a binary file.
const binaryIn = 8000

// countLines counts lines as git does: the last one may have no end, and a binary file has none.
func countLines(data []byte) int {
	if bytes.IndexByte(data[:min(len(data), binaryIn)], 0) >= 0 {
		return 0
	}
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}
