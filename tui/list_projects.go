package tui

import (
	"os"
	"slices"

	"ccdir/tui/lists/sessionlist"
)

// findProjects looks up the projects of directories that are new, away from the
// program: a directory may be on a slow disk.
func (m *model) findProjects() cmd {
	var dirs []string
	for _, v := range m.Sessions {
		if _, known := m.list.projects[v.CWD]; !known && v.CWD != "" && !slices.Contains(dirs, v.CWD) {
			dirs = append(dirs, v.CWD)
		}
	}
	if len(dirs) == 0 || m.opts.Client == nil {
		return nil
	}
	for _, d := range dirs {
		m.list.projects = with(m.list.projects, d, "")
	}
	return m.call("", func(calls) (func(*model), error) {
		found := map[string]string{}
		for _, d := range dirs {
			found[d] = sessionlist.ProjectOf(d, func(path string) bool { _, err := os.Lstat(path); return err == nil })
		}
		return func(m *model) {
			for d, p := range found {
				m.list.projects = with(m.list.projects, d, p)
			}
		}, nil
	})
}

// with is a map with one value more; scenes share the old one.
func with[V any](old map[string]V, key string, value V) map[string]V {
	out := make(map[string]V, len(old)+1)
	for k, v := range old {
		out[k] = v
	}
	out[key] = value
	return out
}
