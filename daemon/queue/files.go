package queue

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/gitstatus"
	"ccdir/sessions"
)

// gitFile is the file, in the session's directory, with the state of the repository at
// the start of a task.
const gitFile = "task-git.json"

// gitStart is the content of gitFile.
type gitStart struct {
	Head string `json:"head"`
	// Dirty has the files that already differed from Head: modification time in
	// nanoseconds, by name.
	Dirty map[string]int64 `json:"dirty"`
}

const (
	gitTime  = 5 * time.Second
	maxFiles = 1000 // of a result
)

// git returns git's output in a directory; "" if it fails: no repository, or no answer
// within gitTime.
func git(ctx context.Context, dir string, args ...string) string {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := gitstatus.Run(ctx, dir, args...)
	if err != nil {
		return ""
	}
	return out
}

// changedFiles returns the top of the repository and the files, relative to it, that
// differ from a commit or are untracked.
func changedFiles(ctx context.Context, dir, head string) (top string, files []string) {
	top = strings.TrimSuffix(git(ctx, dir, "rev-parse", "--show-toplevel"), "\n")
	if top == "" {
		return "", nil
	}
	list := git(ctx, top, "ls-files", "-z", "--others", "--exclude-standard")
	if head != "" {
		list += git(ctx, top, "diff", "--no-ext-diff", "--name-only", "-z", head)
	}
	for name := range strings.SplitSeq(list, "\x00") {
		if name != "" {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return top, slices.Compact(files)
}

func changedAt(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// noteFiles writes gitFile, once per session.
func (q *Queue) noteFiles(ctx context.Context, s api.Session) {
	path := filepath.Join(q.o.SessionDir(s.ID), gitFile)
	if _, err := os.Stat(path); err == nil {
		return
	}
	start := gitStart{Head: strings.TrimSpace(git(ctx, s.CWD, "rev-parse", "HEAD")), Dirty: map[string]int64{}}
	top, files := changedFiles(ctx, s.CWD, start.Head)
	if top == "" {
		return
	}
	for _, name := range files {
		start.Dirty[name] = changedAt(filepath.Join(top, name))
	}
	data, err := json.Marshal(start)
	if err == nil {
		err = atomicfile.Replace(path, data)
	}
	if err != nil {
		q.o.Logger.Warn("cannot note the files of a task", "session", s.ID, "error", err)
	}
}

// filesOf returns the files that changed since the task's start; nil without a
// repository.
func (f *follower) filesOf(ctx context.Context, t sessions.TaskSession) []string {
	data, err := os.ReadFile(filepath.Join(t.Dir, gitFile))
	if err != nil {
		return nil
	}
	var start gitStart
	if json.Unmarshal(data, &start) != nil {
		return nil
	}
	top, files := changedFiles(ctx, t.Session.CWD, start.Head)
	if top == "" {
		return nil
	}
	changed := []string{}
	for _, name := range files {
		if at, was := start.Dirty[name]; was && at == changedAt(filepath.Join(top, name)) {
			continue
		}
		if changed = append(changed, name); len(changed) == maxFiles {
			break
		}
	}
	return changed
}
