package review

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// Options of a difference.
type Options struct {
	// Stat leaves the lines out.
	Stat bool
	// Paths are files or folders from the top of the work tree; none: all. Those named have their lines
	// even if they are generated.
	Paths []string
}

// bigFile is the size in bytes from which git compares no lines of a file.
const bigFile = 8 << 20

// Diff compares two commits or trees, by their ids. more: files are missing, because there are too many.
func (r *Repo) Diff(ctx context.Context, from, to string, o Options) (files []api.ReviewFile, more bool, err error) {
	if !objectID().MatchString(from) || !objectID().MatchString(to) {
		return nil, false, errors.New("a difference is one of two objects of git")
	}
	specs, err := pathspecs(o.Paths)
	if err != nil {
		return nil, false, err
	}
	args := []string{"-c", fmt.Sprintf("core.bigFileThreshold=%d", bigFile), "-c", "diff.orderFile=/dev/null", "diff", "--raw", "--numstat", "-z", "--no-abbrev", "--full-index", "--no-color", "--no-ext-diff",
		"--no-textconv", "--find-renames", "--ignore-submodules=dirty", "--submodule=short", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/"}
	if !o.Stat {
		args = append(args, "--patch", "--unified=3")
	}
	args = append(append(args, "--end-of-options", from, to, "--"), specs...)
	cmd := r.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, false, fmt.Errorf("git cannot be run: %w", err)
	}
	entries, more, err := parse(out, func(entries []entry) func(*entry) string { return r.leftOut(ctx, entries, len(o.Paths) > 0) })
	if err != nil {
		_ = out.Close() // git ends by that
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, false, errors.New("git did not answer in time")
	case err == nil && ended != nil, stderr.Len() > 0 && errors.Is(err, errOutput):
		line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, false, fmt.Errorf("git says: %s", textsafe.Cut(textsafe.Line(cmp.Or(strings.TrimPrefix(line, "fatal: "), ended.Error())), 200))
	case err != nil:
		return nil, false, err
	}
	files = make([]api.ReviewFile, 0, len(entries))
	for i := range entries {
		files = append(files, entries[i].file)
	}
	return r.withLeft(files, r.marks(ctx, from, o.Paths), r.marks(ctx, to, o.Paths)), more, nil
}

// File compares one file, by the name that it has in to, or (side old) had in from. found: it differs.
func (r *Repo) File(ctx context.Context, from, to, name string, side api.DiffSide) (f api.ReviewFile, found bool, err error) {
	if _, err := pathspecs([]string{name}); err != nil {
		return f, false, err
	}
	files, _, err := r.Diff(ctx, from, to, Options{Stat: true}) // of all, so that git sees what was renamed
	if err != nil {
		return f, false, err
	}
	if f, found = FileOf(files, name, side); !found {
		return f, false, nil
	}
	paths := []string{f.Path}
	if f.OldPath != "" {
		paths = append(paths, f.OldPath)
	}
	if files, _, err = r.Diff(ctx, from, to, Options{Paths: paths}); err != nil {
		return f, false, err
	}
	f, found = FileOf(files, name, side)
	return f, found, nil
}

// Lines are the lines from to end of a file in a commit, as far as they are there; n is how many the file has. A file above the
// bound of snapshots has none.
func (r *Repo) Lines(ctx context.Context, commit, name string, from, end int) (lines []string, n int, err error) {
	if _, err := pathspecs([]string{name}); err != nil || !objectID().MatchString(commit) {
		return nil, 0, errors.Join(err, errors.New("a file is one of a snapshot, by its path"))
	}
	out, err := r.output(ctx, r.command(ctx, "ls-tree", "-l", "-z", "--full-tree", commit, "--", path.Clean(name)))
	if err != nil {
		return nil, 0, err
	}
	f := strings.Fields(out) // mode, type, id, size, name
	if len(f) < 5 || f[1] != "blob" {
		return nil, 0, nil
	}
	if size, err := strconv.Atoi(f[3]); err != nil || size > bigFile {
		return nil, 0, nil
	}
	text, err := r.output(ctx, r.command(ctx, "cat-file", "blob", f[2]))
	if err != nil || text == "" {
		return nil, 0, err
	}
	for line := range strings.SplitSeq(text, "\n") {
		if n++; n >= from && n <= end {
			lines = append(lines, valid(line))
		}
	}
	return lines, n, nil
}

// ErrPath: a path is none in the work tree.
var ErrPath = errors.New("it is no path in the work tree: name one from its top")

// pathspecs are paths as git takes them literally, from the top.
func pathspecs(paths []string) (specs []string, err error) {
	for _, p := range paths {
		clean := path.Clean(p)
		if p == "" || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsRune(p, 0) {
			return nil, fmt.Errorf("%q: %w", textsafe.Cut(textsafe.Line(p), 80), ErrPath)
		}
		specs = append(specs, ":(top,literal)"+clean)
	}
	return specs, nil
}

// generated are names of files that programs write: whole names, and ends of names.
var (
	generatedNames = []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "Cargo.lock", "go.sum", "poetry.lock", "uv.lock",
		"Pipfile.lock", "composer.lock", "Gemfile.lock", "flake.lock", "mix.lock", "pubspec.lock", "Package.resolved", "Podfile.lock", "gradle.lockfile"}
	generatedEnds = []string{".min.js", ".min.css", ".pb.go", "_pb2.py", ".pb.cc", ".pb.h", ".js.map", ".css.map", "_generated.go", ".snap"}
)

// leftOut says which files have no lines, and why.
func (r *Repo) leftOut(ctx context.Context, entries []entry, named bool) func(*entry) string {
	if named {
		return func(*entry) string { return "" }
	}
	var input strings.Builder
	for i := range entries {
		input.WriteString(entries[i].path + "\x00")
	}
	marked := map[string]string{}
	cmd := r.command(ctx, "check-attr", "-z", "--stdin", "linguist-generated")
	cmd.Stdin = strings.NewReader(input.String())
	out, _ := gitstatus.Output(ctx, cmd) // without it, names alone tell
	for f := strings.Split(out, "\x00"); len(f) >= 3; f = f[3:] {
		marked[f[0]] = f[2]
	}
	return func(e *entry) string {
		name := path.Base(e.path)
		byName := slices.Contains(generatedNames, name) || slices.ContainsFunc(generatedEnds, func(end string) bool { return strings.HasSuffix(name, end) })
		switch marked[e.path] {
		case "set", "true":
			byName = true
		case "unset", "false":
			byName = false
		}
		if byName {
			return api.LeftOutGenerated
		}
		return ""
	}
}
