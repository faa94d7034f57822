package sidebar

import (
	"context"
	"maps"
	"os"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
)

// projects are those of directories.
type projects map[string]string

// over adds them to others, which scenes share.
func (p projects) over(old map[string]string) map[string]string {
	next := make(map[string]string, len(old)+len(p))
	maps.Copy(next, old)
	maps.Copy(next, p)
	return next
}

// Know is the sidebar that knows the projects of directories, besides what it has looked up.
func (s Sidebar) Know(found map[string]string) Sidebar {
	s.dirs = projects(found).over(s.dirs)
	return s
}

// findProjects looks up the projects of directories that are new, away from the program:
// a directory may be on a slow disk.
func (s *Sidebar) findProjects(env ui.Env) []ui.Effect {
	unknown := projects{}
	for i := range env.Sessions {
		if dir := env.Sessions[i].CWD; dir != "" && env.Sessions[i].Node == "" {
			if _, known := s.dirs[dir]; !known {
				unknown[dir] = ""
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	s.dirs = unknown.over(s.dirs)
	return []ui.Effect{ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		found := projects{}
		for dir := range unknown {
			found[dir] = sessionlist.ProjectOf(dir, readGit)
		}
		return ui.Result{Value: found}, nil
	}}}
}

// In reports whether a session is in a scope.
func (s Sidebar) In(scope api.GridScope, v api.Session) bool {
	return sessionlist.Source{Projects: s.dirs}.In(scope, v)
}

// maxGitFile bounds a file .git, in bytes: it has one path.
const maxGitFile = 8 << 10

// readGit returns the text of a file .git, "" for a directory; ok: either is there.
func readGit(path string) (text string, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", false
	}
	if info.Mode().IsRegular() {
		data, err := untrusted.Read(path, maxGitFile)
		return string(data), err == nil
	}
	return "", true
}
