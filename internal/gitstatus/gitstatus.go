// Package gitstatus asks git what differs in a repository without running any command
// that the repository's own settings name: an agent may have written them.
package gitstatus

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// within bounds one status.
const within = 5 * time.Second

// Status is git's status of a work tree.
type Status struct {
	// Branch and Commit are the ones checked out, in git's words: "(detached)" for a
	// commit without branch, "(initial)" before the first commit.
	Branch, Commit string
	// Upstream is the branch that this one follows, "" if none; Ahead and Behind count
	// commits.
	Upstream      string
	Ahead, Behind int
	// Changed counts tracked files that differ, Untracked those that git does not know,
	// Conflicts those that could not be merged.
	Changed, Untracked, Conflicts int
	// Added and Removed count the lines in which they differ from HEAD, new files among them;
	// ReadLines alone counts them.
	Added, Removed int
	// NotCompared counts tracked files that git could compare only by running a filter; they
	// are not in Changed.
	NotCompared int
	// Folders are the folders among the untracked ones, with a slash at the end: git does not
	// look into those that are repositories of their own.
	Folders []string
	// Ignored has the ignored paths, folders that are ignored whole as one with a slash at
	// the end; nil unless Read was given --ignored.
	Ignored []string
	// content are the files that differ in their content alone, and only from the index.
	content []string
}

// Read asks git for the status of the work tree that contains dir; it takes some
// seconds at most. Filters, hooks and file system monitors of the repository are not
// run, and submodules, which have settings of their own, are skipped.
func Read(ctx context.Context, dir string) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return ReadWith(ctx, dir)
}

// ReadWith is Read until ctx ends, with further options of git status.
func ReadWith(ctx context.Context, dir string, options ...string) (Status, error) {
	l, err := NewLook(ctx, dir)
	if err != nil {
		return Status{}, err
	}
	defer l.Close()
	s, _, err := l.status(ctx, options...)
	return s, err
}

// initial is Status.Commit before the first one.
const initial = "(initial)"

// status asks git for the status, and has the files that only a filter's program could compare.
func (l *Look) status(ctx context.Context, options ...string) (s Status, converted map[string]bool, err error) {
	out, err := l.Run(ctx, append([]string{"status", "--porcelain=v2", "--branch", "-z"}, options...)...)
	if err != nil {
		return s, nil, err
	}
	s = parse(out)
	converted, err = s.notCompared(ctx, l)
	return s, converted, err
}

// notCompared takes the files that only a filter's program could compare out of those that
// differ.
func (s *Status) notCompared(ctx context.Context, l *Look) (map[string]bool, error) {
	if len(l.filters) == 0 || len(s.content) == 0 {
		return nil, nil
	}
	converted, err := l.AtTop().Converted(ctx, s.content) // git status has names from there
	s.NotCompared = len(converted)
	s.Changed -= len(converted)
	return converted, err
}

// parse reads the output of git status --porcelain=v2 --branch -z.
func parse(out string) (s Status) {
	skip := false // the old name of a renamed file is an entry of its own
	for entry := range strings.SplitSeq(out, "\x00") {
		kind, rest, _ := strings.Cut(entry, " ")
		switch {
		case skip:
			skip = false
		case kind == "#":
			s.header(rest)
		case kind == "1":
			s.Changed++
			// XY, submodule, three modes, two ids, path
			if f := strings.SplitN(rest, " ", 8); len(f) == 8 && f[0] == ".M" && f[3] == f[4] {
				s.content = append(s.content, f[7])
			}
		case kind == "2":
			s.Changed++
			skip = true
		case kind == "u":
			s.Conflicts++
		case kind == "?":
			s.Untracked++
			if strings.HasSuffix(rest, "/") {
				s.Folders = append(s.Folders, rest)
			}
		case kind == "!":
			s.Ignored = append(s.Ignored, rest)
		}
	}
	return s
}

// header parses a line about the branch.
func (s *Status) header(line string) {
	name, value, _ := strings.Cut(line, " ")
	switch name {
	case "branch.oid":
		s.Commit = value
	case "branch.head":
		s.Branch = value
	case "branch.upstream":
		s.Upstream = value
	case "branch.ab":
		ahead, behind, _ := strings.Cut(value, " ")
		s.Ahead, s.Behind = count(ahead, "+"), count(behind, "-")
	}
}

// count parses git's "+3" and "-2"; 0 if it is neither.
func count(text, sign string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(text, sign))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
