package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ccdir/api"
)

// Bounds of the radar: paths of a tree that are compared, paths of a conflict that are named,
// and snapshots until the objects that they need are thrown away.
const (
	maxChanged   = 20_000
	maxPaths     = 50
	maxSnapshots = 500
)

// Radar tells which sessions' work would collide, by merges of snapshots of their trees. The
// snapshots lie in an object directory of their own, which is thrown away: nothing is left
// in the repository. A tree is looked at again only if it may have changed; two trees are
// merged only if they changed the same paths. Make one with NewRadar. One call at a time is
// carried out.
type Radar struct {
	k     *Keeper
	mu    sync.Mutex
	repos map[string]*sky
}

// sky is a Radar's knowledge of one repository.
type sky struct {
	objects string
	made    int
	// trees are the last looks, by the tree's own directory in the repository.
	trees map[string]look
	// pairs are merges of two snapshots.
	pairs map[[2]string]mergeResult
}

// look is a tree as it was seen.
type look struct {
	commit string
	// changed are the paths that differ from where the tree and the default branch part,
	// with what they are now.
	changed map[string]string
	base    string
}

// NewRadar makes a Radar that has seen nothing.
func NewRadar(k *Keeper) *Radar { return &Radar{k: k, repos: map[string]*sky{}} }

// Conflicts returns the repository around dir, by its main work tree, and the pairs of
// sessions in it whose work would collide. Trees with a session are looked at: all of them if at is "", else the one that
// contains at, and the others as they were last seen.
func (d *Radar) Conflicts(ctx context.Context, dir, at string) (repo string, list []api.Conflict, err error) {
	list = []api.Conflict{}
	if err := checkVersion(); err != nil {
		return "", list, err
	}
	r, err := Open(ctx, dir)
	if err != nil {
		return "", list, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sky(r)
	seen, err := d.see(ctx, r, s, at)
	if err != nil {
		return r.Root, list, err
	}
	for i, a := range seen {
		for _, b := range seen[:i] {
			c, err := s.compare(ctx, r, b, a)
			if err != nil {
				return r.Root, list, err
			}
			if c.Kind != "" {
				list = append(list, c)
			}
		}
	}
	return r.Root, list, nil
}

// sky returns what is known of a repository. Objects that became many are thrown away.
func (d *Radar) sky(r *Repo) *sky {
	s := d.repos[r.Common]
	if s != nil && s.made < maxSnapshots && exists(s.objects) {
		return s
	}
	s = &sky{objects: filepath.Join(r.Common, ours, "radar"), trees: map[string]look{}, pairs: map[[2]string]mergeResult{}}
	_ = os.RemoveAll(s.objects) // of an earlier daemon
	d.repos[r.Common] = s
	return s
}

// seenTree is a tree with one session that works in it.
type seenTree struct {
	session string
	look
}

// see looks at the trees that have a session, those that may have changed.
func (d *Radar) see(ctx context.Context, r *Repo, s *sky, at string) (list []seenTree, err error) {
	sessions := d.k.o.Sessions(ctx, false)
	in := make([]string, len(r.Trees)) // the session of each tree
	several := 0
	for i := range r.Trees {
		if in[i] = standsFor(r, &r.Trees[i], sessions); in[i] != "" {
			several++
		}
	}
	if several < 2 {
		return nil, nil
	}
	refs, err := readRefs(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.objects, 0o700); err != nil {
		return nil, err
	}
	now := r.around(at)
	for i := range r.Trees {
		t := &r.Trees[i]
		if in[i] == "" || t.Missing || t.Head == "" {
			continue
		}
		l, known := s.trees[t.GitDir]
		if !known || at == "" || now != nil && now.Path == t.Path {
			if l, err = d.k.lookAt(ctx, r, t, refs, s); err != nil {
				return nil, err
			}
			s.trees[t.GitDir] = l
		}
		if len(l.changed) > 0 {
			list = append(list, seenTree{in[i], l})
		}
	}
	return list, nil
}

// standsFor is the session that a tree's work is called after: one that runs before one
// that has ended, the last of several.
func standsFor(r *Repo, t *Tree, sessions []Session) (id string) {
	live := false
	for _, s := range sessions {
		if (s.Live || !live) && r.hosts(t, s) {
			id, live = s.ID, s.Live
		}
	}
	return id
}

// lookAt makes a snapshot of a tree and finds what it changed since it left the default
// branch.
func (k *Keeper) lookAt(ctx context.Context, r *Repo, t *Tree, refs refs, s *sky) (l look, err error) {
	s.made++
	shot, err := snap(ctx, r, t, snapshotOptions{objects: s.objects, message: "ccdir: radar"})
	if err != nil {
		return l, err
	}
	l = look{commit: shot.commit, base: t.Head, changed: map[string]string{}}
	git := s.run(r)
	if main := refs.commit[refs.standard]; main != "" {
		if base, err := git.line(ctx, "merge-base", t.Head, main); err == nil {
			l.base = base
		}
	}
	out, err := git.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", l.base, l.commit)
	if err != nil {
		return l, err
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields) && len(l.changed) < maxChanged; i += 2 {
		about := strings.Fields(fields[i])
		if len(about) == 5 {
			l.changed[fields[i+1]] = about[1] + " " + about[3]
		}
	}
	return l, nil
}

// run runs git with the objects of the snapshots.
func (s *sky) run(r *Repo) run {
	return run{dir: r.Common, env: []string{"GIT_OBJECT_DIRECTORY=" + s.objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(r.Common, "objects")}}
}

// compare merges two snapshots if they changed the same paths.
func (s *sky) compare(ctx context.Context, r *Repo, a, b seenTree) (c api.Conflict, err error) {
	both := touched(a.changed, b.changed)
	if len(both) == 0 {
		return c, nil
	}
	at := [2]string{a.commit, b.commit}
	m, known := s.pairs[at]
	if !known {
		if m, err = mergeTreeIn(ctx, s.run(r), a.commit, b.commit); err != nil {
			return c, err
		}
		if len(s.pairs) >= maxVerdicts {
			clear(s.pairs)
		}
		s.pairs[at] = m
	}
	c = api.Conflict{Repo: r.Root, A: a.session, B: b.session, Kind: api.ConflictFile, Paths: both}
	if !m.clean() {
		c.Kind, c.Paths = api.ConflictLines, slices.Clone(m.conflicts)
	}
	c.Paths = c.Paths[:min(len(c.Paths), maxPaths)]
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
