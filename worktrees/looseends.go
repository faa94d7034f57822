package worktrees

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// Bounds of what is read in a tree's own directory, in bytes per file, and of the commits
// that a snapshot keeps.
const (
	maxHeadFile  = 1 << 20
	maxLooseEnds = 1000
)

// objectID is a commit's name in git's files.
var objectID = regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b`)

// looseEnds are the commits that only the tree's own files name (its log, a rebase or merge
// under way, refs of its own): with the tree they would go. An error means that it is not known
// what would go: then nothing may.
func (r *Repo) looseEnds(ctx context.Context, t *Tree) (commits []string, err error) {
	seen := map[string]bool{}
	var input strings.Builder
	err = filepath.WalkDir(t.GitDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read names nothing
		}
		if e.IsDir() {
			if name := e.Name(); path != t.GitDir && (name == "modules" || t.Main && (name == "objects" || name == "worktrees" || name == ours)) {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := e.Info(); err != nil || info.Size() > maxHeadFile || e.Name() == "index" {
			return nil //nolint:nilerr // see above
		}
		data, _ := untrusted.Read(path, maxHeadFile)
		for _, id := range objectID.FindAllString(string(data), maxLooseEnds) {
			if !seen[id] && len(seen) < maxLooseEnds && strings.Trim(id, "0") != "" {
				seen[id] = true
				input.WriteString(id + "^{commit}\n")
			}
		}
		return nil
	})
	if err != nil || len(seen) == 0 {
		return nil, err
	}
	out, err := run{dir: r.Common, stdin: strings.NewReader(input.String())}.git(ctx, "cat-file", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return nil, fmt.Errorf("it is not known which commits only %s has: %w", t.Path, err)
	}
	var args strings.Builder
	for line := range strings.Lines(out) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "commit "); ok {
			args.WriteString(id + "\n")
		}
	}
	if t.Head != "" {
		args.WriteString("^" + t.Head + "\n")
	}
	out, err = run{dir: r.Common, stdin: strings.NewReader(args.String())}.git(ctx, "rev-list", "--parents", "--stdin", "--not", "--all")
	if err != nil {
		return nil, fmt.Errorf("it is not known which commits only %s has: %w", t.Path, err)
	}
	inner := map[string]bool{}
	var all []string
	for line := range strings.Lines(out) {
		ids := strings.Fields(line)
		all = append(all, ids[0])
		for _, parent := range ids[1:] {
			inner[parent] = true
		}
	}
	for _, id := range all {
		if !inner[id] {
			commits = append(commits, id)
		}
	}
	return commits, nil
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
