package gitview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/gitstatus"
	"ccdir/review"
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
	Note      string    `json:"note" jsonschema:"in what it is less than it should be"`
	Truncated bool      `json:"truncated" jsonschema:"patches or files are not all here: ask for paths"`
}

// plain are the options of a difference that runs no other program.
var plain = []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--relative", "--find-renames", "--submodule=short",
	"--raw", "--numstat", "-z", "--no-abbrev", "--full-index"}

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
	files, cut, err := v.changes(ctx, nil, ends, specs)
	if err != nil {
		return nil, err
	}
	d.Truncated = cut
	var untracked []Changed
	if d.Head == "" && q.Scope != ScopeStaged {
		if untracked, cut, err = v.untracked(ctx, specs); err != nil {
			return nil, err
		}
		d.Truncated = d.Truncated || cut
	}
	files = v.shown(d, files)
	if names := fitting(files, q); len(names) > 0 {
		if whole, cut, err := v.changes(ctx, []string{"--patch"}, ends, names); err == nil && !cut {
			files = withHunks(files, whole)
		}
	}
	d.add(files, q)
	for _, f := range untracked {
		switch {
		case !v.shows(f.Path):
			d.Hidden++
		case len(d.Files) == maxPaths:
			d.Truncated = true
		default:
			d.Files = append(d.Files, f)
		}
	}
	return d, nil
}

// Of is a difference that package review made, of paths that begin at root: what of it is below the view's directory.
func (v *View) Of(root string, r api.ReviewDiff, q Question) (*Diff, error) {
	dir, err := filepath.EvalSymlinks(v.dir)
	if err != nil || root != strings.TrimSuffix(dir, strings.TrimSuffix("/"+v.prefix, "/")) {
		return nil, errors.New("what your turn changed is known in the repository of your session alone: leave since out, or use the scope worktree, staged or branch")
	}
	d := &Diff{Base: r.Base, Note: r.Note, Files: []Changed{}}
	var files []api.ReviewFile
	for _, f := range r.Files {
		below, is := strings.CutPrefix(f.Path, v.prefix)
		if is && (len(q.Paths) == 0 || slices.ContainsFunc(q.Paths, func(p string) bool {
			p = filepath.ToSlash(filepath.Clean(p))
			return p == "." || below == p || strings.HasPrefix(below, p+"/")
		})) {
			f.Path, f.OldPath = below, v.below(f.OldPath)
			files = append(files, f)
		}
	}
	d.add(v.shown(d, files), q)
	return d, nil
}

// shown are the files that the caller may read; the others are counted.
func (v *View) shown(d *Diff, files []api.ReviewFile) []api.ReviewFile {
	return slices.DeleteFunc(files, func(f api.ReviewFile) bool {
		secret := !v.shows(f.Path) || f.OldPath != "" && !v.shows(f.OldPath)
		d.Hidden += map[bool]int{true: 1}[secret]
		return secret
	})
}

// fitting are the paths, as git takes them, of the files whose patches may have room.
func fitting(files []api.ReviewFile, q Question) (specs []string) {
	left := room(q)
	for _, f := range files[:min(len(files), maxPaths)] {
		if lines := count(f.Added) + count(f.Removed); lines > 0 && lines <= left/2 {
			left -= 2 * lines
			specs = append(specs, ":(literal)"+f.Path)
			if f.OldPath != "" {
				specs = append(specs, ":(literal)"+f.OldPath)
			}
		}
	}
	return specs
}

// withHunks are files with the lines that others of the same name have.
func withHunks(files, whole []api.ReviewFile) []api.ReviewFile {
	at := map[string][]api.ReviewHunk{}
	for _, f := range whole {
		at[f.Path] = f.Hunks
	}
	for i := range files {
		files[i].Hunks = at[files[i].Path]
	}
	return files
}

// room are the bytes that patches have together.
func room(q Question) int {
	if q.Bytes < 0 {
		return 0
	}
	return min(cmp.Or(q.Bytes, defaultPatch), maxPatch)
}

func count(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// statusWords are those of package review as the tools have them.
var statusWords = map[string]string{api.FileAdded: "added", api.FileChanged: "modified", api.FileRemoved: "deleted", api.FileRenamed: "renamed"}

// add adds files, with the patches for which there is room.
func (d *Diff) add(files []api.ReviewFile, q Question) {
	left := room(q)
	for _, f := range files {
		if len(d.Files) == maxPaths {
			d.Truncated = true
			return
		}
		c := Changed{Path: f.Path, Old: f.OldPath, Status: statusWords[f.Status], Added: count(f.Added), Deleted: count(f.Removed), Binary: f.Binary}
		if f.Status == api.FileChanged && f.Mode != f.OldMode && len(f.Mode) == 6 && len(f.OldMode) == 6 && f.Mode[:3] != f.OldMode[:3] {
			c.Status = "type"
		}
		d.Added, d.Deleted = d.Added+c.Added, d.Deleted+c.Deleted
		if q.Bytes >= 0 && !f.Binary {
			if text := patch(f.Hunks); len(text) <= left {
				c.Patch, left = text, left-len(text)
			}
			d.Truncated = d.Truncated || c.Patch == "" && c.Added+c.Deleted > 0
		}
		d.Files = append(d.Files, c)
	}
}

// patch is hunks as text.
func patch(hunks []api.ReviewHunk) string {
	var b strings.Builder
	sign := map[api.LineKind]byte{api.LineContext: ' ', api.LineAdded: '+', api.LineRemoved: '-'}
	for _, h := range hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		for _, l := range h.Lines {
			b.WriteByte(sign[l.Kind])
			b.WriteString(l.Text + "\n")
			if l.NoNewline {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
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

// changes are what git tells of a difference; cut: there are more.
func (v *View) changes(ctx context.Context, more, ends, specs []string) (files []api.ReviewFile, cut bool, err error) {
	out, cut, err := v.run(ctx, slices.Concat(plain, more, ends, []string{"--"}, specs)...)
	if err != nil || cut {
		return nil, cut, err
	}
	return review.Read(strings.NewReader(out))
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
