package gate

import (
	"os"
	"path/filepath"
	"strings"
)

// Branch is the git branch that is checked out around an absolute directory, "" if
// there is none.
func Branch(dir string) string {
	for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if data, err := os.ReadFile(git); err == nil { // a work tree: a file that names the directory
			if at, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: "); ok {
				if git = at; !filepath.IsAbs(at) {
					git = filepath.Join(dir, at)
				}
			}
		}
		if head, err := os.ReadFile(filepath.Join(git, "HEAD")); err == nil {
			branch, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
			if !ok {
				return ""
			}
			return branch
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return ""
}
