package worktrees

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"
)

// sky is a Radar's knowledge of one repository. What was seen of each tree lies beside the
// objects of the snapshots, so that the next daemon goes on with it.
type sky struct {
	dir string
	// trees are the last looks, by the tree's own directory in the repository.
	trees map[string]look
	// pairs are the paths in which merges of two snapshots conflict, by both commits.
	pairs map[string][]string
}

// look is a tree as it was seen.
type look struct {
	// Tree identifies the tree's directory, Head is what was checked out, Files the files as git's
	// tree, and Commit both.
	Tree, Head, Files, Commit string
	// Base is where the tree and the default branch part, Changed the paths that differ from there,
	// with what they are now.
	Base    string
	Changed map[string]string
}

// Bounds of a look that is saved: its paths, and its file in bytes.
const (
	maxSaved     = 5000
	maxSavedFile = 4 << 20
)

// openSky reads what an earlier daemon saw.
func openSky(r *Repo) *sky {
	s := &sky{dir: filepath.Join(r.Common, ours, "radar"), trees: map[string]look{}, pairs: map[string][]string{}}
	if !exists(s.seen()) || !exists(s.objects()) {
		s.forget() // what other versions left
		return s
	}
	copies, _ := filepath.Glob(filepath.Join(globbed(s.objects()), indexCopy+"*")) // fails for bad patterns only
	for _, file := range copies {
		_ = os.Remove(file) // of a daemon that was killed
	}
	for i := range r.Trees {
		t := &r.Trees[i]
		data, err := untrusted.Read(s.file(t), maxSavedFile)
		l := look{}
		if err == nil && json.Unmarshal(data, &l) == nil && l.Tree == t.identity() && l.whole() {
			s.trees[t.GitDir] = l
		}
	}
	if data, err := untrusted.Read(s.pairsFile(), maxSavedFile); err == nil && json.Unmarshal(data, &s.pairs) != nil || s.pairs == nil {
		s.pairs = map[string][]string{}
	}
	return s
}

// pairsFile has the pairs.
func (s *sky) pairsFile() string { return filepath.Join(s.seen(), "pairs.json") }

// keepPairs saves the merges of the snapshots that there are now, and forgets others.
func (s *sky) keepPairs() {
	now := map[string]bool{}
	for _, l := range s.trees {
		now[l.Commit] = true
	}
	maps.DeleteFunc(s.pairs, func(pair string, _ []string) bool {
		a, b, _ := strings.Cut(pair, " ")
		return !now[a] || !now[b]
	})
	data, err := json.Marshal(s.pairs)
	if err == nil {
		err = atomicfile.WriteUnsynced(s.pairsFile(), data)
	}
	if err != nil {
		_ = os.Remove(s.pairsFile()) // the next daemon merges again
	}
}

// objects is the directory with the objects that only snapshots have, seen that of the looks.
func (s *sky) objects() string { return filepath.Join(s.dir, "objects") }
func (s *sky) seen() string    { return filepath.Join(s.dir, "seen") }

// file is that of a tree's look.
func (s *sky) file(t *Tree) string {
	if t.Main {
		return filepath.Join(s.seen(), "main.json")
	}
	return filepath.Join(s.seen(), "tree-"+filepath.Base(t.GitDir)+".json")
}

// whole reports whether a look that was read has everything. Every process of the user can write
// its file, so what git is given must be ids.
func (l look) whole() bool {
	for _, id := range []string{l.Head, l.Files, l.Commit, l.Base} {
		if len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
			return false
		}
	}
	return true
}

// keep takes a look, and saves it. One that is not saved costs the next daemon a look.
func (s *sky) keep(t *Tree, l look) {
	s.trees[t.GitDir] = l
	if len(l.Changed) > maxSaved {
		_ = os.Remove(s.file(t))
		return
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = errors.Join(os.MkdirAll(s.seen(), 0o700), atomicfile.WriteUnsynced(s.file(t), data))
	}
	if err != nil {
		_ = os.Remove(s.file(t))
	}
}

// forget throws everything away.
func (s *sky) forget() {
	_ = os.RemoveAll(s.dir)
	clear(s.trees)
	clear(s.pairs)
}

// run runs git with the objects of the snapshots. They can be made again, so git does not wait
// for the disk.
func (s *sky) run(r *Repo) run { return run{dir: r.Common, env: objectsEnv(r, s.objects())} }

// objectsEnv has git write objects into a directory, and find the others in the repository.
func objectsEnv(r *Repo, dir string) []string {
	return []string{"GIT_OBJECT_DIRECTORY=" + dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(r.Common, "objects"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsync", "GIT_CONFIG_VALUE_0=none"}
}

// tooMany is how many objects in the directory 17 are a sign of too many, of which some 7000; git's
// own measure.
const tooMany = 27

// compact drops objects that no look needs any more, when they became many.
func (s *sky) compact(ctx context.Context, r *Repo) error {
	entries, err := os.ReadDir(filepath.Join(s.objects(), "17"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) < tooMany {
		return nil
	}
	if err != nil {
		return err
	}
	return s.pack(ctx, r)
}

// pack leaves the objects that the looks need, in one file.
func (s *sky) pack(ctx context.Context, r *Repo) error {
	fresh := filepath.Join(s.dir, "fresh")
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(filepath.Join(fresh, "pack"), 0o700)); err != nil {
		return err
	}
	var wanted strings.Builder
	for _, l := range s.trees {
		wanted.WriteString(l.Commit + "\n^" + l.Head + "\n")
	}
	git := s.run(r)
	git.stdin = strings.NewReader(wanted.String())
	if _, err := git.git(ctx, "pack-objects", "--quiet", "--revs", filepath.Join(fresh, "pack", "pack")); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(s.objects()), os.Rename(fresh, s.objects()))
}
