// Package generations keeps on disk which sessions ran and how the grid was arranged, in
// several generations, so that a reboot, a crash or a mistake does not lose that list.
//
// Contract: Save overwrites the newest generation only if the new one has all its
// sessions and both are of the same boot; otherwise it begins a new generation. A smaller
// set of sessions hence never overwrites a larger one. The newest and the largest
// generations are kept, a dozen in all. Files are replaced atomically, with mode 0600. An
// unreadable file loses that generation only. A Keeper is not safe for concurrent use.
package generations

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
)

// Generation is the set of sessions that ran at a time, and the layout of the grid.
type Generation struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	// Boot is the machine's boot id.
	Boot     string            `json:"boot"`
	Sessions []api.PastSession `json:"sessions"`
	Grid     api.Grid          `json:"grid"`
}

// Of all generations keep are kept: the newest keepNewest, and of the others those with
// the most sessions that are younger than keepFor.
const (
	keep       = 12
	keepNewest = 6
	keepFor    = 30 * 24 * time.Hour
)

// maxFile bounds the file of a generation, in bytes.
const maxFile = 16 << 20

// Keeper reads and writes the generations in one directory.
type Keeper struct {
	dir    string
	newest *Generation // nil: not read yet
}

// New returns a keeper for a directory, which Save makes.
func New(dir string) *Keeper { return &Keeper{dir: dir} }

// List returns the readable generations, newest first.
func (k *Keeper) List() ([]Generation, error) {
	entries, err := os.ReadDir(k.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []Generation
	for _, e := range entries {
		if n, ok := number(e.Name()); ok {
			if s, err := k.Load(n); err == nil {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b Generation) int { return cmp.Compare(b.Number, a.Number) })
	return list, nil
}

// Load reads one generation.
func (k *Keeper) Load(n int) (s Generation, err error) {
	path := k.path(n)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, api.Errorf(api.CodeNotFound, "no generation %d is kept: `ccdir restore --kept` lists them", n)
	case err != nil:
		return s, err
	case info.Size() > maxFile:
		return s, fmt.Errorf("%s is too large", path)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && s.Number != n {
		err = errors.New("it is of another generation")
	}
	if err != nil {
		return s, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return s, nil
}

// Save writes a generation, whose Number it sets, and returns that.
func (k *Keeper) Save(s Generation) (int, error) {
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return 0, err
	}
	if k.newest == nil {
		list, err := k.List()
		if err != nil {
			return 0, err
		}
		k.newest = &Generation{}
		if len(list) > 0 {
			k.newest = &list[0]
		}
	}
	s.Number = k.newest.Number
	if s.Number == 0 || s.Boot != k.newest.Boot || !contains(s, *k.newest) {
		s.Number = k.next()
	}
	data, err := json.Marshal(s)
	if err != nil {
		return 0, err
	}
	if err := atomicfile.Replace(k.path(s.Number), data); err != nil {
		return 0, err
	}
	k.newest = &s
	return s.Number, k.prune(s.At)
}

// next is the number of a new generation, higher than that of any file, readable or not.
func (k *Keeper) next() int {
	most := k.newest.Number
	entries, _ := os.ReadDir(k.dir) // Save has made it
	for _, e := range entries {
		if n, ok := number(e.Name()); ok {
			most = max(most, n)
		}
	}
	return most + 1
}

// contains reports whether every session of the old one is in the new one.
func contains(s, old Generation) bool {
	for _, o := range old.Sessions {
		if !slices.ContainsFunc(s.Sessions, func(v api.PastSession) bool { return v.ID == o.ID }) {
			return false
		}
	}
	return true
}

// prune removes generations that are too old or too many: the smallest first, of equal
// ones the oldest.
func (k *Keeper) prune(now time.Time) error {
	list, err := k.List()
	if err != nil || len(list) <= keepNewest {
		return err
	}
	rest := list[keepNewest:]
	slices.SortStableFunc(rest, func(a, b Generation) int {
		return cmp.Or(cmp.Compare(len(b.Sessions), len(a.Sessions)), cmp.Compare(b.Number, a.Number))
	})
	for i, s := range rest {
		if i >= keep-keepNewest || now.Sub(s.At) > keepFor {
			err = errors.Join(err, os.Remove(k.path(s.Number)))
		}
	}
	return err
}

func (k *Keeper) path(n int) string { return filepath.Join(k.dir, fmt.Sprintf("%06d.json", n)) }

func number(name string) (int, bool) {
	base, ok := strings.CutSuffix(name, ".json")
	n, err := strconv.Atoi(base)
	return n, ok && err == nil && n > 0
}
