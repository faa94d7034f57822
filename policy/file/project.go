package file

import (
	"os"
	"path/filepath"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// FindProject returns the directory whose policy counts in dir besides the user's, "" if there
// is none: the nearest one upwards that has a policy file. The search ends at the home
// directory and at the top of a git work tree. All work trees of a repository have the policy
// of its main one, if that has one: a rule that is written there holds in each, and none is
// lost with a work tree.
func FindProject(dir, home string) string {
	own, top := nearest(dir, home)
	main := mainTree(top)
	if main == "" {
		return own
	}
	if rel, err := filepath.Rel(top, dir); err == nil {
		if shared, _ := nearest(filepath.Join(main, rel), home); shared != "" {
			return shared
		}
	}
	return own
}

// ProjectDir returns the directory for the first policy file of the project that dir belongs
// to: the top of the repository's main work tree, or of the work tree around dir, or dir.
func ProjectDir(dir, home string) string {
	_, top := nearest(dir, home)
	if main := mainTree(top); main != "" {
		return main
	}
	if top != "" {
		return top
	}
	return dir
}

// nearest returns the nearest directory from dir upwards that has a policy file, and the top of
// the git work tree around dir; "" where there is none below the home directory.
func nearest(dir, home string) (project, top string) {
	for ; dir != home; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ProjectFile)); err == nil && project == "" {
			project = dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return project, dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	return project, ""
}

// maxGitFile bounds the files of git that are read, in bytes. Each has one line.
const maxGitFile = 4 << 10

// mainTree returns the top of the main work tree of the repository that has a linked work tree
// at top; "" if top is none, or the repository does not know it: a file that says so is no
// proof, since anybody can write it.
func mainTree(top string) string {
	if top == "" {
		return ""
	}
	link := filepath.Join(top, ".git")
	git, ok := strings.CutPrefix(gitLine(link), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(git) {
		git = filepath.Join(top, git)
	}
	common := filepath.Dir(filepath.Dir(git))
	if filepath.Base(filepath.Dir(git)) != "worktrees" || filepath.Base(common) != ".git" {
		return "" // a submodule, or of a bare repository
	}
	back := gitLine(filepath.Join(git, "gitdir"))
	if !filepath.IsAbs(back) {
		back = filepath.Join(git, back)
	}
	if here, err := os.Stat(link); err != nil || !sameFile(here, back) {
		return ""
	}
	if info, err := os.Lstat(common); err != nil || !info.IsDir() {
		return ""
	}
	return filepath.Dir(common)
}

func sameFile(info os.FileInfo, name string) bool {
	other, err := os.Stat(name)
	return err == nil && os.SameFile(info, other)
}

// gitLine returns the line that a small file of git has, "" if it cannot be read.
func gitLine(name string) string {
	data, err := untrusted.Read(name, maxGitFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
