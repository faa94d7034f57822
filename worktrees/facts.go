package worktrees

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// atOnce bounds the git processes that look at the work trees of one repository.
const atOnce = 4

// List returns the work trees of the repository around a directory, the main one first;
// sizes: with what they take on disk, which reads all of them.
func (k *Keeper) List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error) {
	r, err := Open(ctx, dir)
	if err != nil { // a git that was killed can be the reason: then a change mends that
		var unlock func()
		if r, unlock, _, err = k.locked(ctx, dir); err != nil {
			return nil, err
		}
		unlock()
	}
	in := r.residents(k.o.Sessions(ctx, false))
	refs, err := readRefs(ctx, r)
	if err != nil {
		return nil, err
	}
	list := make([]api.Worktree, len(r.Trees))
	slots := make(chan struct{}, atOnce)
	wg := contain.Group{Log: k.o.Logger}
	for i := range r.Trees {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			t := &r.Trees[i]
			if err := contain.Call(k.o.Logger, func() error {
				look := k.seen(ctx, r, t, sizes)
				list[i] = k.facts(ctx, r, t, refs, live(in[t.Path]), look)
				if sizes {
					list[i].Size = look.size
				}
				return nil
			}); err != nil {
				list[i].Path, list[i].Error = t.Path, err.Error()
			}
		})
	}
	wg.Wait()
	return list, ctx.Err()
}

// treeLook is what the files of a tree are: git's status of them, the repositories among them,
// and what they take on disk.
type treeLook struct {
	status  gitstatus.Status
	nested  []string
	size    int64
	problem error
	// index tells whether git's files about the tree have changed since.
	index string
}

// lookAtFiles looks at a tree's files.
func lookAtFiles(ctx context.Context, t *Tree) (l treeLook) {
	if !t.Missing {
		if l.status, l.problem = gitstatus.ReadWith(ctx, t.Path, "--ignored=traditional"); l.problem == nil {
			l.nested = nested(ctx, t, l.status)
		}
	}
	return l
}

// slow is how long a look takes whose result is worth being kept, so that the folders are watched
// from the next one on, and manyFiles the size of an index whose tree is watched at once. maxLooks
// bounds the trees whose last look is kept.
const (
	slow      = 100 * time.Millisecond
	manyFiles = 2 << 20
	maxLooks  = 200
)

func sizeOfFile(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// seen is the last look at a tree if it still holds, or a new one. Only lists use it: before
// something is done, the files are looked at again.
func (k *Keeper) seen(ctx context.Context, r *Repo, t *Tree, size bool) treeLook {
	if t.Missing {
		return treeLook{}
	}
	index := k.gitFiles(r, t)
	k.mu.Lock()
	l, known := k.looks[t.Path]
	k.mu.Unlock()
	if known && l.index == index && k.watch.Unchanged(t.Path) && (!size || l.size > 0) {
		return l
	}
	watched := (known || sizeOfFile(filepath.Join(t.GitDir, "index")) > manyFiles) && k.watch.Begin(t.Path)
	began := time.Now()
	l = lookAtFiles(ctx, t)
	if size {
		l.size = sizeOf(ctx, t.Path)
	}
	l.index = index
	keep := (watched || time.Since(began) > slow) && l.problem == nil && len(l.nested) == 0 && !exists(filepath.Join(t.Path, ".gitmodules"))
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.looks, t.Path)
	if keep {
		if len(k.looks) >= maxLooks {
			clear(k.looks)
		}
		k.looks[t.Path] = l
	}
	return l
}

// gitFiles tells whether git's files have changed on which a tree's status depends.
func (k *Keeper) gitFiles(r *Repo, t *Tree) string {
	var b strings.Builder
	for _, file := range []string{filepath.Join(t.GitDir, "index"), filepath.Join(t.GitDir, "HEAD"), filepath.Join(t.GitDir, "config.worktree"), filepath.Join(r.Common, "config"),
		filepath.Join(r.Common, "info", "exclude"), filepath.Join(k.o.Home, ".gitconfig"), filepath.Join(k.o.Home, ".config", "git", "config"), filepath.Join(k.o.Home, ".config", "git", "ignore")} {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprint(&b, inodeOfFile(info), info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return b.String() + t.Head
}

// facts joins everything about a tree; in are the sessions that run there. What could not be read is in Error, and makes the tree
// not removable.
func (k *Keeper) facts(ctx context.Context, r *Repo, t *Tree, refs refs, in []Session, l treeLook) (w api.Worktree) {
	w = api.Worktree{Path: t.Path, Repo: r.Root, Branch: t.Branch, Head: t.Head, Main: t.Main, Missing: t.Missing, Locked: textsafe.Line(t.Locked), Sessions: []string{}}
	for _, s := range in {
		w.Sessions = append(w.Sessions, s.ID)
	}
	problem := l.problem
	if !t.Missing && problem == nil {
		brought := readMade(t.GitDir).brought()
		w.Dirty, w.Untracked = l.status.Changed+l.status.Conflicts, l.status.Untracked
		w.NotCompared = l.status.NotCompared
		for _, path := range l.status.Ignored {
			if !brought[strings.TrimSuffix(path, "/")] {
				w.Ignored++
			}
		}
	}
	if t.Head != "" {
		problem = cmp.Or(problem, k.compare(ctx, r, t, refs, &w))
	}
	if problem != nil {
		w.Error = problem.Error()
	}
	w.Why = whyNot(w, namesOf(in), l.nested)
	w.Removable = w.Why == ""
	return w
}

// compare fills in what a tree's commit is to its upstream and to the branches that it may
// be merged into.
func (k *Keeper) compare(ctx context.Context, r *Repo, t *Tree, refs refs, w *api.Worktree) error {
	other := ""
	for _, name := range refs.targets(r, t) {
		commit := refs.commit[name]
		other = cmp.Or(other, commit)
		w.Target = cmp.Or(w.Target, shortRef(name))
		if w.Merged != "" {
			continue
		}
		m, err := k.isMerged(ctx, r, t.Head, commit)
		if err != nil {
			return r.unknown(ctx, "whether it is merged into "+shortRef(name), err)
		}
		if m != "" {
			w.Merged, w.Target = m, shortRef(name)
		}
	}
	if up := refs.commit[refs.upstream["refs/heads/"+t.Branch]]; t.Branch != "" && up != "" {
		other = up
	}
	if other == "" || other == t.Head {
		return nil
	}
	d, err := k.apart(ctx, r, t.Head, other)
	w.Ahead, w.Behind = d[0], d[1]
	return err
}

// Apart counts the commits that the tree around a directory has and the branch it is compared
// with lacks, and the other way round; zero if there is nothing to compare with.
func (k *Keeper) Apart(ctx context.Context, dir string) (ahead, behind int) {
	r, err := Open(ctx, dir)
	if err != nil {
		return 0, 0
	}
	t := r.around(dir)
	if t == nil || t.Head == "" {
		return 0, 0
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return 0, 0
	}
	for _, name := range refs.targets(r, t) {
		if d, err := k.apart(ctx, r, t.Head, refs.commit[name]); err == nil {
			return d[0], d[1]
		}
	}
	return 0, 0
}

// apart counts the commits that one commit has and the other lacks, both ways.
func (k *Keeper) apart(ctx context.Context, r *Repo, head, other string) ([2]int, error) {
	return remembered(k, k.distance, pair{r.Common, head, other}, func() (d [2]int, err error) {
		out, err := run{dir: r.Common}.git(ctx, "rev-list", "--left-right", "--count", head+"..."+other)
		if err == nil {
			_, err = fmt.Sscan(out, &d[0], &d[1])
		}
		return d, err
	})
}

// whyNot is why a tree cannot be removed without a question, "" if it can.
func whyNot(w api.Worktree, names, nested []string) string {
	if why := unsafeToRemove(w, names); why != "" {
		return why
	}
	return strings.Join(questions(w, nested), "; ")
}

// unsafeToRemove is why a tree is never removed as it is; nothing overrides that. names are
// those of the sessions in it.
func unsafeToRemove(w api.Worktree, names []string) string {
	switch {
	case w.Main:
		return "it is the main work tree"
	case len(names) == 1:
		return "the session " + names[0] + " lives there"
	case len(names) > 1:
		return fmt.Sprintf("%d sessions live there (%s)", len(names), strings.Join(names, ", "))
	case w.Locked != "":
		return "git has locked it (" + w.Locked + ")"
	case w.Error != "":
		return w.Error
	}
	return ""
}

// questions are what a person is asked before a tree is removed.
func questions(w api.Worktree, nested []string) (list []string) {
	count := func(n int, what string) {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, plural(n, what)))
		}
	}
	count(w.Dirty, "changed file")
	count(w.Untracked, "untracked file")
	for _, path := range nested {
		list = append(list, "a repository of its own in "+textsafe.Line(path))
	}
	if w.Head != "" && w.Merged == "" {
		what := "branch " + w.Branch
		if w.Branch == "" {
			what = "commit " + short(w.Head)
		}
		if w.Target == "" {
			list = append(list, what+" has nothing to be merged into")
		} else {
			list = append(list, what+" is not merged into "+w.Target)
		}
	}
	return list
}

func namesOf(sessions []Session) (names []string) {
	for _, s := range sessions {
		names = append(names, cmp.Or(s.Name, s.ID))
	}
	return names
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// refs are the branches of a repository.
type refs struct {
	// commit has full names of branches and remote branches, upstream those that branches
	// follow.
	commit, upstream map[string]string
	// standard is the default branch, "" if it is not known.
	standard string
}

// readRefs reads all branches.
func readRefs(ctx context.Context, r *Repo) (refs, error) {
	f := refs{commit: map[string]string{}, upstream: map[string]string{}}
	out, err := run{dir: r.Common}.git(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(upstream) %(symref)", "refs/heads", "refs/remotes")
	if err != nil {
		return f, err
	}
	var remoteHead string
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4) // names have no blanks
		if len(parts) < 4 {
			continue
		}
		f.commit[parts[0]] = parts[1]
		if parts[2] != "" {
			f.upstream[parts[0]] = parts[2]
		}
		if parts[0] == "refs/remotes/origin/HEAD" {
			remoteHead = parts[3]
		}
	}
	f.standard = f.defaultBranch(ctx, r, remoteHead)
	return f, nil
}

// defaultBranch is the branch that others are merged into: the one of the remote's name,
// main, master, or what the main work tree has checked out.
func (f refs) defaultBranch(ctx context.Context, r *Repo, remoteHead string) string {
	candidates := []string{"refs/heads/" + strings.TrimPrefix(remoteHead, "refs/remotes/origin/"), remoteHead}
	if r.Bare {
		head, _ := run{dir: r.Common}.line(ctx, "symbolic-ref", "-q", "HEAD") // "" for a detached one
		candidates = append(candidates, head)
	}
	candidates = append(candidates, "refs/heads/main", "refs/heads/master", "refs/remotes/origin/main", "refs/remotes/origin/master")
	if len(r.Trees) > 0 && r.Trees[0].Main {
		candidates = append(candidates, "refs/heads/"+r.Trees[0].Branch)
	}
	for _, name := range candidates {
		if f.commit[name] != "" {
			return name
		}
	}
	return ""
}

// targets are the branches that a tree may be merged into, the likeliest first: the one
// that it was made from, the default branch, and what these follow.
func (f refs) targets(r *Repo, t *Tree) (list []string) {
	own := "refs/heads/" + t.Branch
	add := func(name string) {
		if name != own && name != f.upstream[own] && f.commit[name] != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, name := range []string{readMade(t.GitDir).Base, f.standard} {
		add(name)
		add(f.upstream[name])
	}
	if len(list) == 0 && t.Branch != "" && own == f.standard {
		add(f.upstream[own])
	}
	return list
}

// shortRef is a ref's name as people write it.
func shortRef(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/remotes/")
}

// sizeOf sums what the files below a directory take on disk, in bytes.
func sizeOf(ctx context.Context, dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		if info, err := e.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				size += int64(st.Blocks) * 512 //nolint:unconvert // differs by system
			}
		}
		return nil
	})
	return size
}
