package store

import (
	"os"
	"path/filepath"
	"strings"
)

// Marks of databases that were put aside; a time follows.
const (
	keptMark    = ".kept-"
	damagedMark = ".damaged-"
)

// Aside says what lies beside the database at path, one sentence each: the databases that were
// written out beside another file, and those that were moved because they were damaged.
func Aside(path string) (kept, damaged []string) {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), name)
		at := filepath.Join(dir, e.Name())
		switch {
		case !ok || !e.Type().IsRegular() || strings.HasSuffix(rest, "-wal") || strings.HasSuffix(rest, "-shm"):
		case strings.HasPrefix(rest, keptMark):
			kept = append(kept, at+" has all that was in the database until it was replaced, and is not in use: to go back to it run `ccdir daemon stop` and `mv "+at+" "+path+"`; remove it if it is not wanted")
		case strings.HasPrefix(rest, damagedMark):
			damaged = append(damaged, at+" is the database as it was damaged; what could be read is in use: remove it if nothing is missing")
		}
	}
	return kept, damaged
}
