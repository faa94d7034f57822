package worktrees

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// Points of an operation at which tests stop the process (Options.Pause).
const (
	PauseAddBegun   = "add-begun"   // the record is written
	PauseAddTree    = "add-tree"    // git made the tree
	PauseAddBrought = "add-brought" // ignored files are there, the record still stands
)

// Add makes a work tree. If its branch has one already, that is the answer.
func (k *Keeper) Add(ctx context.Context, n api.NewWorktree) (out api.WorktreeMade, err error) {
	if err := checkVersion(ctx); err != nil {
		return out, err
	}
	notes, err := fetched(ctx, n)
	if err != nil {
		return out, err
	}
	r, unlock, finished, err := k.locked(ctx, n.Dir)
	if err != nil {
		return out, err
	}
	defer unlock()
	here := r.around(n.Dir)
	if err := checkBranch(ctx, r, n.Branch); err != nil {
		return out, err
	}
	for i := range r.Trees {
		if t := &r.Trees[i]; t.Branch == n.Branch {
			return k.existing(r, t, n.Dir)
		}
	}
	start, err := k.startOf(ctx, r, here, n)
	if err != nil {
		return out, err
	}
	if n.Carry && (here == nil || start.exists || start.commit != here.Head) {
		return out, api.Errorf(api.CodeConflict, "changes can be carried only into a new branch that begins at the same commit: leave --base out, or take another name")
	}
	settings, err := r.settings(here)
	if err != nil {
		return out, err
	}
	path, err := k.placeFor(r, n, settings)
	if err != nil {
		return out, err
	}
	t, rec, err := k.make(ctx, r, n, start, path)
	if err != nil {
		return out, err
	}
	out = api.WorktreeMade{Path: path, Branch: n.Branch, Head: start.commit, Dir: sameDir(here, n.Dir, path), From: start.words, Notes: append(finished, notes...)}
	m := made{Base: start.ref, Commit: start.commit, At: k.o.Now(), Port: r.freePort(n.Branch)}
	if out.Port = m.Port; here != nil {
		m.Brought = bring(ctx, r, here.Path, path, settings, &out)
	}
	if err := m.write(t.GitDir); err != nil {
		return out, err
	}
	if n.Carry {
		files, notes, err := carry(ctx, r, here, &t, n.Env)
		if err != nil {
			return out, err // the record stays: the next operation undoes it
		}
		out.Carried, out.Notes = files, append(out.Notes, notes...)
	}
	out.Notes = append(out.Notes, special(ctx, t)...)
	k.o.Pause(PauseAddBrought)
	if own, err := ReadSettings(path); err == nil {
		out.SetupCommand, out.Wait = own.SetupCommand, own.Wait
		if note := setupNote(settings, own, here); note != "" {
			out.Notes = append(out.Notes, note)
		}
	}
	return out, r.end(rec.ID)
}

// existing answers for a branch that has a tree.
func (k *Keeper) existing(r *Repo, t *Tree, dir string) (made api.WorktreeMade, err error) {
	if t.Missing {
		return made, api.Errorf(api.CodeConflict, "the directory of the branch's work tree is gone (%s): `ccdir worktree prune` forgets it", t.Path)
	}
	return api.WorktreeMade{Path: t.Path, Branch: t.Branch, Head: t.Head, Dir: sameDir(r.around(dir), dir, t.Path), Existed: true,
		From: "its work tree, which was there", Port: readMade(t.GitDir).Port}, nil
}

// checkBranch fails for names that git refuses. The name is taken as it is.
func checkBranch(ctx context.Context, r *Repo, branch string) error {
	if branch == "" {
		return api.Errorf(api.CodeInvalid, "the branch has no name")
	}
	if name, err := (run{dir: r.Common}).line(ctx, "check-ref-format", "--branch", branch); err != nil || name != branch || strings.HasPrefix(branch, "-") {
		return api.Errorf(api.CodeInvalid, "git allows no branch called %q: take letters, digits, - and /", textsafe.Cut(textsafe.Line(branch), 100))
	}
	return nil
}

// make has git make the tree, under a record.
func (k *Keeper) make(ctx context.Context, r *Repo, n api.NewWorktree, s start, path string) (t Tree, rec record, err error) {
	now := k.o.Now()
	rec = record{ID: newID(now), Kind: kindAdd, At: now, Path: path, Branch: n.Branch, NewBranch: !s.exists, Commit: s.commit}
	if err := r.begin(rec); err != nil {
		return t, rec, err
	}
	k.o.Pause(PauseAddBegun)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return t, rec, errors.Join(fmt.Errorf("cannot make the place for the work tree: %w", err), r.end(rec.ID))
	}
	args := []string{"worktree", "add", "--quiet"}
	switch {
	case s.exists:
		args = append(args, "--", path, n.Branch)
	case s.track != "":
		args = append(args, "--track", "-b", n.Branch, "--", path, s.track)
	default:
		args = append(args, "--no-track", "-b", n.Branch, "--", path, s.commit)
	}
	if _, err := (run{dir: r.Common, env: n.Env, user: n.Env != nil, lock: r.held}).git(ctx, args...); err != nil {
		did, again := k.finishAdd(context.WithoutCancel(ctx), r, rec)
		if again == nil {
			again = r.end(rec.ID)
		}
		k.o.Logger.Warn("a work tree could not be made", "path", path, "error", err, "undone", did)
		return t, rec, errors.Join(api.Errorf(api.CodeInvalid, "the work tree could not be made: %v", err), again)
	}
	k.o.Pause(PauseAddTree)
	again, err := Open(ctx, path)
	if err != nil {
		return t, rec, err
	}
	if at := again.around(path); at != nil {
		return *at, rec, nil
	}
	return t, rec, api.Errorf(api.CodeInternal, "git made the work tree %s and does not list it", path)
}

// finishAdd undoes an interrupted Add. Nobody has been told of the tree, but somebody may
// have found it: what is there goes into the trash.
func (k *Keeper) finishAdd(ctx context.Context, r *Repo, rec record) (did string, err error) {
	if locks := gitLocks(r, rec); len(locks) > 0 {
		return "", api.Errorf(api.CodeConflict, "git was killed, or is at work: when no git runs in this repository, remove %s", strings.Join(locks, " and "))
	}
	k.mend(r)
	again, err := Open(ctx, r.Common)
	if err != nil {
		return "", err
	}
	did = fmt.Sprintf("the interrupted making of %s was undone", rec.Path)
	for i := range again.Trees {
		t := &again.Trees[i]
		if t.Main || t.Path != rec.Path {
			continue
		}
		if len(again.occupants(t, k.o.Sessions(ctx, true))) > 0 {
			return fmt.Sprintf("the making of %s was interrupted, and a session lives there by now: look at what it lacks", rec.Path), nil
		}
		if t.Missing {
			if t.GitDir != "" {
				err = os.RemoveAll(t.GitDir) // git's own entry for a tree that has no files yet
			}
			break
		}
		removed, err := k.toTrash(ctx, again, t, "", "")
		if err != nil {
			return "", err
		}
		did += ", what was there is in the trash " + removed.ID
	}
	_ = os.Remove(rec.Path) // an empty directory
	if rec.NewBranch && err == nil {
		// Only where it still is: a commit that somebody made stays.
		_ = r.updateRef(ctx, "-d", "refs/heads/"+rec.Branch, rec.Commit)
	}
	return did, err
}

// mend removes what a git that was killed in the middle of `worktree add` left of the tree's
// own directory: as long as that is not whole, git refuses to list any work tree. The files
// of the tree, if there are any, go to the trash's directory as they are.
func (k *Keeper) mend(r *Repo) {
	for _, rec := range r.records() {
		if rec.Kind != kindAdd {
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(r.Common, "worktrees"))
		for _, e := range entries {
			dir := filepath.Join(r.Common, "worktrees", e.Name())
			info, err := e.Info()
			back, _ := readLine(filepath.Join(dir, "gitdir"))
			mine := back == filepath.Join(rec.Path, ".git") || back == "" && err == nil && strings.HasPrefix(e.Name(), filepath.Base(rec.Path)) && info.ModTime().After(rec.At.Add(-time.Second))
			if mine && !wholeEntry(dir) {
				k.discardHalf(rec, dir)
			}
		}
	}
}

// wholeEntry reports whether git can use a tree's own directory.
func wholeEntry(dir string) bool {
	for _, name := range []string{"HEAD", "commondir", "gitdir", "index"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}

// discardHalf takes a half-made tree away.
func (k *Keeper) discardHalf(rec record, gitDir string) {
	if entries, _ := os.ReadDir(rec.Path); len(entries) > 1 || len(entries) == 1 && entries[0].Name() != ".git" {
		dir, err := k.trashFor(rec.Path)
		if err == nil {
			err = os.Rename(rec.Path, filepath.Join(dir, rec.ID+halfMade))
		}
		if err != nil {
			k.o.Logger.Warn("a half-made work tree stays", "path", rec.Path, "error", err)
			return
		}
	} else {
		_ = os.Remove(filepath.Join(rec.Path, ".git"))
		_ = os.Remove(rec.Path)
	}
	if err := os.RemoveAll(gitDir); err != nil {
		k.o.Logger.Warn("what git left of a work tree stays", "path", gitDir, "error", err)
	}
}

// settings are those of the tree in which the caller is, or of the main one.
func (r *Repo) settings(here *Tree) (Settings, error) {
	if here == nil {
		return ReadSettings(r.Root)
	}
	return ReadSettings(here.Path)
}

// sameDir is the directory in a new tree that corresponds to dir in the tree here, the top
// if there is none.
func sameDir(here *Tree, dir, path string) string {
	if here == nil {
		return path
	}
	rel, err := filepath.Rel(resolved(here.Path), resolved(dir))
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	if info, err := os.Stat(filepath.Join(path, rel)); err != nil || !info.IsDir() {
		return path
	}
	return filepath.Join(path, rel)
}

// The ports of branches: ten in a row each.
const (
	firstPort = 10000
	portSlots = 1000
	portStep  = 10
)

// freePort is the first port of a branch: by its name, so that it stays the same, unless
// another tree of the repository has that.
func (r *Repo) freePort(branch string) int {
	h := fnv.New32a()
	h.Write([]byte(branch))
	taken := map[int]bool{}
	for i := range r.Trees {
		taken[readMade(r.Trees[i].GitDir).Port] = true
	}
	slot := int(h.Sum32() % portSlots)
	for i := range portSlots {
		if port := firstPort + (slot+i)%portSlots*portStep; !taken[port] {
			return port
		}
	}
	return firstPort + slot*portStep
}

// special are the notes about submodules and sparse checkouts.
func special(ctx context.Context, t Tree) (notes []string) {
	if subs := submodules(ctx, &t); len(subs) > 0 {
		notes = append(notes, fmt.Sprintf("%d %s not checked out: `git submodule update --init` brings them", len(subs), plural(len(subs), "submodule")))
	}
	if on, _ := (run{dir: t.Path}).line(ctx, "config", "--type=bool", "core.sparseCheckout"); on == "true" {
		notes = append(notes, "a sparse checkout, with the same folders")
	}
	return notes
}

// Env are the variables of sessions in a directory: of the tree that ccdir made around it,
// none elsewhere. It runs no git.
func Env(dir string) []string {
	for ; filepath.IsAbs(dir) && dir != "/"; dir = filepath.Dir(dir) {
		gitDir, ok := pointer(filepath.Join(dir, ".git"))
		if !ok {
			continue
		}
		m := readMade(gitDir)
		if m.Port == 0 {
			return nil
		}
		head, _ := readLine(filepath.Join(gitDir, "HEAD")) // "" if it cannot be read
		env := []string{api.EnvWorktree + "=" + dir, fmt.Sprintf("%s=%d", api.EnvPort, m.Port)}
		if branch, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
			env = append(env, api.EnvBranch+"="+branch)
		}
		return env
	}
	return nil
}
