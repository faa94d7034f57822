package repositories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/gitstatus"
)

// repoCalls bounds the git processes that run at the same time.
const repoCalls = 4

// lastDirectories bounds the recently used directories in lists.
const lastDirectories = 20

// maxPackedRefs bounds a repository's file of packed refs, in bytes: some 100,000 of them.
const maxPackedRefs = 16 << 20

// Repos lists the git repositories that contain configured directories, those of sessions
// or recently used ones, each repository once; status: with what git says of each.
func (r *Repositories) Repos(ctx context.Context, status bool) ([]api.Repo, error) {
	list := []api.Repo{}
	at := map[string]int{} // index in list by the top of the work tree
	add := func(dir, name string, configured bool) int {
		top := repoTop(dir)
		i, known := at[top]
		switch {
		case top == "" && !configured:
			return -1
		case top == "":
			list = append(list, api.Repo{Name: name, Path: dir, Configured: true, Sessions: []string{}, Error: "it is no git repository"})
			return -1
		case known:
			return i
		}
		if name == "" || top != dir {
			name = filepath.Base(top)
		}
		at[top] = len(list)
		list = append(list, readRepo(api.Repo{Name: name, Path: top, Configured: configured, Sessions: []string{}}))
		return at[top]
	}
	for _, repo := range r.o.Config().Repos {
		add(filepath.Clean(repo.Path), repo.Name, true)
	}
	for _, s := range r.o.Journal.Sessions() {
		if s.State.Ended() || s.CWD == "" {
			continue
		}
		if i := add(s.CWD, "", false); i >= 0 {
			list[i].Sessions = append(list[i].Sessions, s.ID)
		}
	}
	used, err := r.o.Store.Directories(ctx, lastDirectories)
	if err != nil {
		return nil, err
	}
	for _, dir := range used {
		add(dir, "", false)
	}
	if status {
		askGit(ctx, list)
	}
	return list, ctx.Err()
}

// Directories lists the configured repositories, then the recently used directories,
// without those that no longer exist.
func (r *Repositories) Directories(ctx context.Context) ([]api.Directory, error) {
	list := []api.Directory{}
	seen := map[string]bool{}
	add := func(name, path string) {
		if info, err := os.Stat(path); err != nil || !info.IsDir() || seen[path] {
			return
		}
		seen[path] = true
		list = append(list, api.Directory{Name: name, Path: path})
	}
	for _, repo := range r.o.Config().Repos {
		add(repo.Name, repo.Path)
	}
	used, err := r.o.Store.Directories(ctx, lastDirectories)
	if err != nil {
		return nil, err
	}
	for _, path := range used {
		add(filepath.Base(path), path)
	}
	return list, nil
}

// repoTop is the top of the work tree that contains dir; "": none does.
func repoTop(dir string) string {
	for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// readRepo fills in branch, commit and operation from files. It does not run git, and
// hence no program that the repository configures.
func readRepo(r api.Repo) api.Repo {
	git := filepath.Join(r.Path, ".git")
	if data, err := readSmall(git); err == nil {
		at, ok := strings.CutPrefix(strings.TrimSpace(data), "gitdir: ")
		if !ok {
			r.Error = ".git is a file that names no repository"
			return r
		}
		if git = at; !filepath.IsAbs(at) {
			git = filepath.Join(r.Path, at)
		}
		r.Linked = true
	}
	head, err := readSmall(filepath.Join(git, "HEAD"))
	if err != nil {
		r.Error = fmt.Sprintf("its HEAD cannot be read: %v", errors.Unwrap(err))
		return r
	}
	r.Operation = operation(git)
	ref, ok := strings.CutPrefix(strings.TrimSpace(head), "ref: ")
	if !ok {
		r.Commit = hash(head)
		return r
	}
	r.Branch = strings.TrimPrefix(ref, "refs/heads/")
	common := git
	if data, err := readSmall(filepath.Join(git, "commondir")); err == nil {
		if common = strings.TrimSpace(data); !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
	}
	r.Commit = commitOf(common, ref)
	return r
}

// commitOf is the commit of a ref, from its file or packed-refs; "": unknown.
func commitOf(git, ref string) string {
	if !filepath.IsLocal(ref) {
		return ""
	}
	if data, err := readSmall(filepath.Join(git, ref)); err == nil {
		return hash(data)
	}
	packed, err := untrusted.Read(filepath.Join(git, "packed-refs"), maxPackedRefs)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(packed)) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == ref {
			return hash(commit)
		}
	}
	return ""
}

// hash is the commit id in text, "" if it is none.
func hash(text string) string {
	text = strings.TrimSpace(text)
	if len(text) != 40 && len(text) != 64 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}

// readSmall reads a file of one line.
func readSmall(path string) (string, error) {
	data, err := untrusted.Read(path, 4<<10)
	return string(data), err
}

// operation is the git operation in progress, by git's own state files; "": none.
func operation(git string) string {
	for _, o := range [...]struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply/applying", "am"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(git, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// askGit fills in the status of each repository.
func askGit(ctx context.Context, list []api.Repo) {
	slots := make(chan struct{}, repoCalls)
	var wg contain.Group
	for i := range list {
		if list[i].Error != "" {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var s gitstatus.Status
			err := contain.Call(nil, func() (err error) {
				s, err = gitstatus.Read(ctx, list[i].Path)
				return err
			})
			if err != nil {
				list[i].Error = err.Error()
				return
			}
			list[i].Status = &api.RepoStatus{Changed: s.Changed, Untracked: s.Untracked, Conflicts: s.Conflicts, NotCompared: s.NotCompared,
				Upstream: s.Upstream, Ahead: s.Ahead, Behind: s.Behind}
		})
	}
	wg.Wait()
}
