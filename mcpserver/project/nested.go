package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxBelow, maxLevels and maxLooked bound the projects that Below finds, the levels
	// that it descends and the entries that it visits.
	maxBelow, maxLevels, maxLooked = 50, 3, 5000
	// maxNamed bounds the projects that an error names.
	maxNamed = 10
	// maxUp bounds the directories searched upwards for the root of a workspace.
	maxUp = 8
)

// Nested is a project below another directory.
type Nested struct {
	Path         string   `json:"path" jsonschema:"relative"`
	BuildSystems []string `json:"build_systems"`
}

// Below finds projects in subdirectories, at most maxLevels down.
func (p *Project) Below() []Nested {
	list, looked := []Nested{}, 0
	_ = filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if looked++; looked > maxLooked || len(list) >= maxBelow {
			return filepath.SkipAll
		}
		if err != nil || !d.IsDir() || path == p.Dir {
			return nil
		}
		rel, _ := filepath.Rel(p.Dir, path)
		if slices.Contains(skipped, d.Name()) || strings.Count(rel, string(filepath.Separator)) >= maxLevels {
			return filepath.SkipDir
		}
		at := &Project{Dir: path}
		if at.detect(); len(at.Kinds) > 0 {
			list = append(list, Nested{rel, at.Kinds})
		}
		return nil
	})
	return list
}

// Known reports whether the directory itself says how its project is built.
func (p *Project) Known() bool { return len(p.Kinds) > 0 || p.overrides != nil }

// IsRepository reports whether the directory is the root of a git working tree.
func (p *Project) IsRepository() bool {
	_, err := os.Lstat(filepath.Join(p.Dir, ".git"))
	return err == nil
}

// upwards lists the directory and its parents up to the root of the repository: the
// tools of a workspace's member may lie there.
func (p *Project) upwards() []string {
	dirs := []string{p.Dir}
	for at := p; !at.IsRepository() && len(dirs) < maxUp && filepath.Dir(at.Dir) != at.Dir; {
		at = &Project{Dir: filepath.Dir(at.Dir)}
		dirs = append(dirs, at.Dir)
	}
	return dirs
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
