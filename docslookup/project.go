package docslookup

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ccdir/docslookup/scan"
)

// projectModules is the work tree itself: its README, CHANGELOG, llms.txt, and the documents
// in docs, doc and adr.
func (l *Library) projectModules(_ context.Context, dir string) ([]*module, []string) {
	top := above(dir, ".git")
	if top == "" {
		top = dir
	}
	m := &module{ecosystem: ecoProject, name: filepath.Base(top), version: "worktree", dir: top, direct: true, enter: projectDirectory, want: projectFile, scan: scanDocuments}
	if info, err := os.Lstat(top); err != nil || !info.IsDir() || strings.ContainsAny(m.name, "@#\x00\n") {
		return nil, nil
	}
	t, err := openTree(top)
	if err != nil {
		return nil, nil
	}
	defer t.close()
	for _, name := range []string{"README.md", "README", "README.rst", "readme.md", "docs", "doc", "adr", "llms.txt", "CHANGELOG.md"} {
		if _, err := t.root.Stat(name); err == nil {
			return []*module{m}, nil
		}
	}
	return nil, nil
}

func projectDirectory(dir string) bool {
	first, _, _ := strings.Cut(dir, "/")
	switch strings.ToLower(first) {
	case ".", "docs", "doc", "adr", "adrs", "decisions", "rfcs":
		return !strings.HasPrefix(path.Base(dir), ".") || dir == "."
	}
	return false
}

func projectFile(name string) bool { return isDocument(name) }

// scanDocuments reads documents only.
func scanDocuments(ctx context.Context, m *module, t *tree) (entries []scan.Entry) {
	for _, f := range t.walk(ctx, m) {
		entries = append(entries, scan.Markdown(f.name, t.text(f.name))...)
	}
	return entries
}
