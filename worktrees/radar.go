package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ccdir/api"
	"ccdir/internal/gitstatus"
)

// Bounds of the radar: paths of a tree that are compared, and paths of a conflict that are named.
const (
	maxChanged = 20_000
	maxPaths   = 50
)

// Radar tells which sessions' work would collide, by merges of snapshots of their trees. The
// snapshots lie in an object directory of their own, beside what was seen (sky): no object is
// left in the repository. A tree is looked at again only if it may have changed; two trees are
// merged only if they changed the same paths. Make one with NewRadar. One call at a time is
// carried out.
type Radar struct {
	k     *Keeper
	mu    sync.Mutex
	repos map[string]*sky
}

// Sight is what a Radar sees of a repository.
type Sight struct {
	// Repo is its main work tree.
	Repo string
	// Conflicts are the pairs of sessions whose work would collide.
	Conflicts []api.Conflict
	// Sessions are those in its work trees.
	Sessions []string
	// Unseen are the work trees with a session that were never looked at, by their paths.
	Unseen []string
}

// NewRadar makes a Radar.
func NewRadar(k *Keeper) *Radar { return &Radar{k: k, repos: map[string]*sky{}} }

// Conflicts returns what there is to see in the repository around dir. Trees with a session are
// looked at: all of them if at is "", else those of the sessions at the directory at, and the
// others are as they were last seen.
func (d *Radar) Conflicts(ctx context.Context, dir, at string) (v Sight, err error) {
	v.Conflicts = []api.Conflict{}
	if err := checkVersion(ctx); err != nil {
		return v, err
	}
	r, err := Open(ctx, dir)
	if err != nil {
		return v, err
	}
	v.Repo = r.Root
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.repos[r.Common]
	if s == nil || !exists(s.objects()) {
		s = openSky(r)
		d.repos[r.Common] = s
	}
	seen, err := d.see(ctx, r, s, at, &v)
	if err == nil {
		v.Conflicts, err = s.conflicts(ctx, r, seen)
	}
	if unreadable := (notSeen{}); err != nil && ctx.Err() == nil && !errors.As(err, &unreadable) {
		s.forget() // objects may be lost: all is looked at again
	}
	return v, err
}

// notSeen is the error of a tree whose files could not be read.
type notSeen struct{ error }

// conflicts compares all pairs of trees.
func (s *sky) conflicts(ctx context.Context, r *Repo, seen []seenTree) (list []api.Conflict, err error) {
	list = []api.Conflict{}
	git := s.run(r)
	if len(seen) > 1 {
		if git.look, err = gitstatus.NewLook(ctx, r.Common); err != nil {
			return list, err
		}
		defer git.look.Close()
	}
	before := len(s.pairs)
	defer func() {
		if len(s.pairs) > before {
			s.keepPairs()
		}
	}()
	for i, a := range seen {
		for _, b := range seen[:i] {
			c, err := s.compare(ctx, git, b, a)
			if err != nil {
				return list, err
			}
			if c.Kind != "" {
				c.Repo = r.Root
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// seenTree is a tree with one session that works in it.
type seenTree struct {
	session string
	look
}

// see looks at the trees that have a session, those that may have changed, and fills in who is there.
func (d *Radar) see(ctx context.Context, r *Repo, s *sky, at string, v *Sight) (list []seenTree, err error) {
	in := r.residents(d.k.o.Sessions(ctx, false))
	for _, sessions := range in {
		for _, one := range sessions {
			v.Sessions = append(v.Sessions, one.ID)
		}
	}
	if len(in) < 2 {
		return nil, nil
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.objects(), 0o700); err != nil {
		return nil, err
	}
	if err := s.compact(ctx, r); err != nil {
		return nil, err
	}
	now := r.around(at)
	for i := range r.Trees {
		t := &r.Trees[i]
		if len(in[t.Path]) == 0 || t.Missing || t.Head == "" {
			continue
		}
		l, known := s.trees[t.GitDir]
		known = known && l.Tree == t.identity()
		if at == "" || now != nil && now.Path == t.Path || startedAt(in[t.Path], at) {
			if l, err = d.k.lookAt(ctx, r, t, refs, s); err != nil {
				return nil, err
			}
			s.keep(t, l)
		} else if !known {
			v.Unseen = append(v.Unseen, t.Path)
			continue
		}
		if len(l.Changed) > 0 {
			list = append(list, seenTree{standsFor(in[t.Path]), l})
		}
	}
	return list, nil
}

// startedAt reports whether one of sessions is, among others, in a directory: its agent may have
// moved on into another tree.
func startedAt(sessions []Session, dir string) bool {
	return slices.ContainsFunc(sessions, func(s Session) bool { return slices.Contains(s.Dirs, dir) })
}

// standsFor is the session that a tree's work is called after: one that runs before one
// that has ended, the last of several.
func standsFor(sessions []Session) (id string) {
	live := false
	for _, s := range sessions {
		if s.Live || !live {
			id, live = s.ID, s.Live
		}
	}
	return id
}

// lookAt makes a snapshot of a tree and finds what it changed since it left the default
// branch.
func (k *Keeper) lookAt(ctx context.Context, r *Repo, t *Tree, refs refs, s *sky) (l look, err error) {
	was := s.trees[t.GitDir]
	o := snapshotOptions{objects: s.objects(), message: "ccdir: radar"}
	if was.Head == t.Head && was.Tree == t.identity() {
		o.had = snapshot{files: was.Files, commit: was.Commit}
	}
	shot, err := snap(ctx, r, t, o)
	if err != nil && ctx.Err() == nil {
		shot, err = snap(ctx, r, t, o) // a file went away between two steps
	}
	if err != nil {
		return l, notSeen{fmt.Errorf("%s: %w", t.Path, err)}
	}
	l = look{Tree: t.identity(), Head: t.Head, Files: shot.files, Commit: shot.commit, Base: t.Head, Changed: map[string]string{}}
	git := s.run(r)
	if main := refs.commit[refs.standard]; main != "" {
		if base, err := git.line(ctx, "merge-base", t.Head, main); err == nil {
			l.Base = base
		}
	}
	if l.Commit == was.Commit && l.Base == was.Base {
		return was, nil
	}
	out, err := git.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", l.Base, l.Commit)
	if err != nil {
		return l, err
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields) && len(l.Changed) < maxChanged; i += 2 {
		about := strings.Fields(fields[i])
		if len(about) == 5 {
			l.Changed[fields[i+1]] = about[1] + " " + about[3]
		}
	}
	return l, nil
}

// compare merges two snapshots if they changed the same paths.
func (s *sky) compare(ctx context.Context, git run, a, b seenTree) (c api.Conflict, err error) {
	both := touched(a.Changed, b.Changed)
	if len(both) == 0 {
		return c, nil
	}
	at := a.Commit + " " + b.Commit
	conflicts, known := s.pairs[at]
	if !known {
		m, err := mergeTree(ctx, git, a.Commit, b.Commit)
		if err != nil {
			return c, err
		}
		conflicts = m.conflicts[:min(len(m.conflicts), maxPaths)]
		s.pairs[at] = conflicts
	}
	c = api.Conflict{A: a.session, B: b.session, Kind: api.ConflictFile, Paths: both[:min(len(both), maxPaths)]}
	if len(conflicts) > 0 {
		c.Kind, c.Paths = api.ConflictLines, slices.Clone(conflicts)
	}
	return c, nil
}

// touched are the paths that both changed and that are not the same now, or of which one is
// a folder of the other.
func touched(a, b map[string]string) (both []string) {
	if len(b) < len(a) {
		a, b = b, a
	}
	folders := map[string]bool{}
	for path := range b {
		for dir := filepath.Dir(path); dir != "." && !folders[dir]; dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	for path, is := range a {
		other, changed := b[path]
		clash := changed && other != is || folders[path]
		for dir := filepath.Dir(path); !clash && dir != "."; dir = filepath.Dir(dir) {
			if now, changed := b[dir]; changed && !strings.HasPrefix(now, "000000") {
				clash = true
			}
		}
		if clash {
			both = append(both, path)
		}
	}
	slices.Sort(both)
	return both
}
