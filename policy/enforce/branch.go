package enforce

import (
	"path/filepath"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// maxGitFile bounds .git and HEAD, in bytes. Both have one line.
const maxGitFile = 4 << 10

// Branch returns the git branch checked out around an absolute directory, "" if there is
// none.
func Branch(dir string) string {
	for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if data, err := untrusted.Read(git, maxGitFile); err == nil { // in a linked work tree .git is a file that names the directory
			if at, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: "); ok {
				if git = at; !filepath.IsAbs(at) {
					git = filepath.Join(dir, at)
				}
			}
		}
		if head, err := untrusted.Read(filepath.Join(git, "HEAD"), maxGitFile); err == nil {
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
