package gitview

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/gitstatus"
)

// Scopes of a difference.
const (
	ScopeWorktree = "worktree" // what is not committed
	ScopeStaged   = "staged"
	ScopeBranch   = "branch" // since the branch left the trunk
	ScopeTurn     = "turn"   // since the agent's turn began
)

// Scopes are the names of all.
var Scopes = []string{ScopeWorktree, ScopeStaged, ScopeBranch, ScopeTurn}

// Question selects a difference.
type Question struct {
	// Scope is one of Scopes, "" is ScopeWorktree. Revision instead is a commit, or A..B.
	Scope, Revision string
	// Since is when the turn began.
	Since time.Time
	// Paths are relative to the directory; none: all below it.
	Paths []string
	// Bytes bounds the patches together; 0: 30000, negative: no patches.
	Bytes int
}

const (
	defaultPatch = 30000
	maxPatch     = 200000
)

// Changed is a file of a difference.
type Changed struct {
	Path    string `json:"path"`
	Old     string `json:"old" jsonschema:"its name before, if it was renamed"`
	Status  string `json:"status" jsonschema:"added, modified, deleted, renamed, copied, type or untracked"`
	Added   int    `json:"added" jsonschema:"lines"`
	Deleted int    `json:"deleted" jsonschema:"lines"`
	Binary  bool   `json:"binary"`
	Patch   string `json:"patch" jsonschema:"empty if untracked, binary or too much"`
}

// Diff is a difference.
type Diff struct {
	Base      string    `json:"base" jsonschema:"commit that it is compared with"`
	Head      string    `json:"head" jsonschema:"commit; empty: the files as they are"`
	Files     []Changed `json:"files"`
	Added     int       `json:"added" jsonschema:"lines in all"`
	Deleted   int       `json:"deleted"`
	Hidden    int       `json:"hidden" jsonschema:"files that the policy does not let you read"`
	Truncated bool      `json:"truncated" jsonschema:"patches or files are not all here: ask for paths"`
}

// plain are the options of a difference that runs no other program.
var plain = []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--relative", "--find-renames"}

// Diff returns a difference by its files.
func (v *View) Diff(ctx context.Context, q Question) (*Diff, error) {
	specs, err := paths(q.Paths)
	if err != nil {
		return nil, err
	}
	d := &Diff{Files: []Changed{}}
	ends, err := v.ends(ctx, q, d)
	if err != nil {
		return nil, err
	}
	files, cut, err := v.changes(ctx, ends, specs)
	if err != nil {
		return nil, err
	}
	d.Truncated = cut
	if d.Head == "" && q.Scope != ScopeStaged {
		more, cut, err := v.untracked(ctx, specs)
		if err != nil {
			return nil, err
		}
		files, d.Truncated = append(files, more...), d.Truncated || cut
	}
	if q.Scope == ScopeTurn {
		if files, err = v.sinceTurn(ctx, d.Base, files, q.Since); err != nil {
			return nil, err
		}
	}
	left := q.Bytes
	if left == 0 {
		left = defaultPatch
	}
	left = min(left, maxPatch)
	for _, f := range files {
		if !v.shows(f.Path) || f.Old != "" && !v.shows(f.Old) {
			d.Hidden++
			continue
		}
		if len(d.Files) == maxPaths {
			d.Truncated = true
			break
		}
		d.Added, d.Deleted = d.Added+f.Added, d.Deleted+f.Deleted
		if f.Status != "untracked" && !f.Binary && q.Bytes >= 0 {
			patch, err := v.patch(ctx, ends, f, left)
			if err != nil {
				return nil, err
			}
			f.Patch, left = patch, left-len(patch)
			d.Truncated = d.Truncated || patch == "" && f.Added+f.Deleted > 0
		}
		d.Files = append(d.Files, f)
	}
	return d, nil
}

// ends are the commits of a comparison, as arguments.
func (v *View) ends(ctx context.Context, q Question, d *Diff) (args []string, err error) {
	if q.Revision != "" {
		if q.Scope != "" {
			return nil, errors.New("scope and revision exclude each other")
		}
		from, to, isRange := strings.Cut(q.Revision, "..")
		if d.Base, err = v.commit(ctx, from); err != nil || !isRange {
			return []string{d.Base}, err
		}
		to = strings.TrimPrefix(to, ".")
		if to == "" {
			to = "HEAD"
		}
		d.Head, err = v.commit(ctx, to)
		return []string{d.Base, d.Head}, err
	}
	head, err := v.commit(ctx, "HEAD")
	if err != nil { // nothing is committed yet
		if head, err = v.emptyTree(ctx); err != nil {
			return nil, err
		}
	}
	switch q.Scope {
	case "", ScopeWorktree:
		d.Base = head
	case ScopeStaged:
		d.Base = head
		return []string{"--cached", head}, nil
	case ScopeBranch:
		trunk := v.trunk(ctx)
		if trunk == "" {
			return nil, errors.New("the repository has no main branch that is known: name a commit as revision")
		}
		out, err := gitstatus.Run(ctx, v.dir, "merge-base", "HEAD", trunk)
		if err != nil {
			return nil, fmt.Errorf("this branch has nothing in common with %s: name a commit as revision", trunk)
		}
		d.Base = strings.TrimSpace(out)
	case ScopeTurn:
		d.Base = head
		if q.Since.IsZero() {
			return nil, errors.New("when this turn began is not known: leave since out, or use the scope worktree, staged or branch")
		}
		// Where HEAD was when the turn began, by the reflog.
		if out, err := gitstatus.Run(ctx, v.dir, "rev-parse", "--verify", "--quiet", "HEAD@{"+q.Since.UTC().Format(time.RFC3339)+"}"); err == nil {
			d.Base = strings.TrimSpace(out)
		}
	default:
		return nil, fmt.Errorf("no scope is called %.40q; there are %s", q.Scope, strings.Join(Scopes, ", "))
	}
	return []string{d.Base}, nil
}

// emptyTree is the id of the tree without files.
func (v *View) emptyTree(ctx context.Context) (string, error) {
	out, err := gitstatus.Run(ctx, v.dir, "hash-object", "-t", "tree", "/dev/null")
	return strings.TrimSpace(out), err
}

var statusWords = map[byte]string{'A': "added", 'M': "modified", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "type", 'U': "conflict"}

// changes are the files of a comparison.
func (v *View) changes(ctx context.Context, ends, specs []string) (files []Changed, cut bool, err error) {
	args := func(form string) []string {
		return slices.Concat(plain, []string{form, "-z"}, ends, []string{"--"}, specs)
	}
	names, cut, err := v.run(ctx, args("--name-status")...)
	if err != nil {
		return nil, false, err
	}
	numbers, cutToo, err := v.run(ctx, args("--numstat")...)
	if err != nil {
		return nil, false, err
	}
	words := strings.Split(names, "\x00")
	for i := 0; i+1 < len(words) && words[i] != ""; i += 2 {
		f := Changed{Status: statusWords[words[i][0]], Path: words[i+1]}
		if words[i][0] == 'R' || words[i][0] == 'C' {
			if i+2 >= len(words) {
				break
			}
			f.Old, f.Path = words[i+1], words[i+2]
			i++
		}
		files = append(files, f)
	}
	counts := map[string][2]string{}
	words = strings.Split(numbers, "\x00")
	for i := 0; i < len(words); i++ {
		parts := strings.SplitN(words[i], "\t", 3)
		if len(parts) < 3 {
			continue
		}
		path := parts[2]
		if path == "" && i+2 < len(words) { // a renamed one: both names follow
			path = words[i+2]
			i += 2
		}
		counts[path] = [2]string{parts[0], parts[1]}
	}
	for i := range files {
		n := counts[files[i].Path]
		files[i].Binary = n[0] == "-"
		files[i].Added, _ = strconv.Atoi(n[0]) // "-" is 0
		files[i].Deleted, _ = strconv.Atoi(n[1])
	}
	return files, cut || cutToo, nil
}

// patch is the text of one file's change; "" if it is longer than limit.
func (v *View) patch(ctx context.Context, ends []string, f Changed, limit int) (string, error) {
	if limit <= 0 || f.Added+f.Deleted > limit/2 {
		return "", nil
	}
	specs := []string{":(literal)" + f.Path}
	if f.Old != "" {
		specs = append(specs, ":(literal)"+f.Old)
	}
	out, cut, err := v.run(ctx, slices.Concat(plain, []string{"--patch"}, ends, []string{"--"}, specs)...)
	if err != nil || cut || len(out) > limit {
		return "", err
	}
	if i := strings.Index(out, "\n@@ "); i >= 0 { // the names are known
		out = out[i+1:]
	}
	return strings.ToValidUTF8(out, "\uFFFD"), nil
}

// untracked are the files that git does not know.
func (v *View) untracked(ctx context.Context, specs []string) (files []Changed, cut bool, err error) {
	out, cut, err := v.run(ctx, append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--"}, specs...)...)
	if err != nil {
		return nil, false, err
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			files = append(files, Changed{Path: name, Status: "untracked"})
		}
	}
	return files, cut, nil
}

// sinceTurn leaves out the files that were as they are now when the turn began: those that no
// commit since then changed and that are older. Of a deleted file nobody knows the time.
func (v *View) sinceTurn(ctx context.Context, base string, files []Changed, since time.Time) ([]Changed, error) {
	committed, _, err := v.changes(ctx, []string{base, "HEAD"}, []string{"."})
	if err != nil {
		committed = nil // no commit yet
	}
	return slices.DeleteFunc(files, func(f Changed) bool {
		if slices.ContainsFunc(committed, func(c Changed) bool { return c.Path == f.Path }) || f.Status == "deleted" {
			return false
		}
		info, err := os.Lstat(filepath.Join(v.dir, filepath.FromSlash(f.Path)))
		return err == nil && info.ModTime().Before(since)
	}), nil
}
