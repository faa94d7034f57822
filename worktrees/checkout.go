package worktrees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/untrusted"

	"golang.org/x/sys/unix"
)

// A branch that is checked out moves with its files: git's own lock of the index is taken,
// with our id in it, the files are updated by a copy of the index, the branch moves, and the
// copy becomes the index. A crash before the branch has moved is undone file by file, one after
// it is finished. Of the files, only those are touched that are as the one or the other commit
// has them, or that a git which was killed has begun to write.

// underWay are git's files about what must end before a branch moves.
var underWay = map[string]string{"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}

// move moves the target from where it was, and the files with it where it is checked out; the
// index there is locked.
func (k *Keeper) move(ctx context.Context, m *merging, rec record) error {
	if m.at == nil {
		err := m.repo.updateRef(ctx, "-m", "ccdir: merge "+m.Branch, "refs/heads/"+m.Into, m.Commit, m.Target)
		if err == nil {
			k.o.Pause(PauseMergeMoved)
		}
		return err
	}
	k.o.Pause(PauseMergeLocked)
	stays := func(err error) error {
		return api.Errorf(api.CodeConflict, "%s in %s stays as it was: %v", m.Into, m.at.Path, err)
	}
	git := run{dir: m.at.Path, env: m.in.Env, user: m.in.Env != nil, lock: m.repo.held}
	if head, err := git.line(ctx, "symbolic-ref", "-q", "HEAD"); err != nil || head != "refs/heads/"+m.Into {
		return stays(errors.New("another branch was checked out just now"))
	}
	index, err := m.repo.indexFor(m.at, rec.ID)
	if err != nil {
		return stays(err)
	}
	files := git
	files.index = index
	_, _ = files.git(ctx, "update-index", "-q", "--refresh") // it fails where something differs, which the next one tells
	if _, err := files.git(ctx, "read-tree", "-m", "-u", m.Target, m.Commit); err != nil {
		return stays(err)
	}
	k.o.Pause(PauseMergeFiles)
	if _, err := git.git(ctx, "update-ref", "ORIG_HEAD", m.Target); err != nil {
		return stays(err)
	}
	if _, err := git.git(ctx, "update-ref", "-m", "ccdir: merge "+m.Branch, "refs/heads/"+m.Into, m.Commit, m.Target); err != nil {
		return stays(err)
	}
	k.o.Pause(PauseMergeMoved)
	if err := os.Rename(index, filepath.Join(m.at.GitDir, "index")); err != nil {
		return err // the branch has moved: it is finished, not undone
	}
	_ = atomicfile.SyncDir(m.at.GitDir)
	k.o.Pause(PauseMergeIndex)
	return os.Remove(filepath.Join(m.at.GitDir, indexLock))
}

// indexLock is git's lock of a tree's index.
const indexLock = "index.lock"

// lockIndex locks a tree's index against git, with an operation's id in it from the first moment.
func (r *Repo) lockIndex(t *Tree, id string) error {
	file, ready := filepath.Join(t.GitDir, indexLock), r.indexFile(id)+".lock"
	if err := atomicfile.WriteUnsynced(ready, []byte(lockReason+id+"\n")); err != nil {
		return err
	}
	defer func() { _ = os.Remove(ready) }()
	err := os.Link(ready, file)
	if errors.Is(err, fs.ErrExist) {
		return api.Errorf(api.CodeConflict, "git is at work in %s: try again, or remove %s if no git runs there", t.Path, file)
	}
	if err != nil {
		return fmt.Errorf("the index of %s cannot be locked: %w", t.Path, err)
	}
	return nil
}

// lockedBy reports whether a tree's index is locked, and whether by an operation.
func lockedBy(gitDir, id string) (locked, ours bool) {
	file := filepath.Join(gitDir, indexLock)
	if !exists(file) {
		return false, false
	}
	line, err := readLine(file)
	return true, err == nil && line == lockReason+id
}

// indexFor is an operation's copy of a tree's index.
func (r *Repo) indexFor(t *Tree, id string) (string, error) {
	file, err := copyIndex(t, filepath.Join(r.Common, ours))
	if err != nil {
		return "", err
	}
	return r.indexFile(id), os.Rename(file, r.indexFile(id))
}

func (r *Repo) indexFile(id string) string { return filepath.Join(r.Common, ours, indexCopy+id) }

// inTheWay fails if a merge would write over files that git does not know: git itself spares
// those that are not ignored only. It also fails for what is under way where the target is
// checked out.
func (m *merging) inTheWay(ctx context.Context, to string) error {
	if m.at == nil || len(m.Conflicts) > 0 {
		return nil
	}
	for file, what := range underWay {
		if exists(filepath.Join(m.at.GitDir, file)) {
			return api.Errorf(api.CodeConflict, "a %s is under way in %s: finish that first", what, m.at.Path)
		}
	}
	changes, err := m.repo.changes(ctx, m.Target, to)
	if err != nil {
		return err
	}
	known := map[string]bool{} // paths of the target
	for _, c := range changes {
		known[c.path] = c.old != ""
	}
	for _, c := range changes {
		if c.old != "" {
			continue
		}
		over, err := m.at.over(ctx, c.path, known)
		if err != nil {
			return err
		}
		if over != "" {
			return api.Errorf(api.CodeConflict, "%s in %s would be overwritten, and no commit has it: move it away", over, m.at.Path)
		}
	}
	return nil
}

// over is a file of a tree that git does not know and that a new file would replace, "" if
// there is none. known are paths that git knows.
func (t *Tree) over(ctx context.Context, path string, known map[string]bool) (string, error) {
	for at := path; at != "."; at = filepath.Dir(at) {
		info, err := os.Lstat(filepath.Join(t.Path, at))
		switch {
		case err != nil, known[at], at != path && info.IsDir():
		case !info.IsDir():
			return at, nil
		default: // a folder in the place of a file
			out, err := run{dir: t.Path}.git(ctx, "ls-files", "-z", "--others", "--", ":(literal)"+path)
			if file, _, _ := strings.Cut(out, "\x00"); err != nil || file != "" {
				return file, err
			}
		}
	}
	return "", nil
}

// change is a path that differs between two commits; old and new are mode and object, "" where
// there is none.
type change struct{ path, old, new string }

// changes are the paths that differ between two commits, submodules left out.
func (r *Repo) changes(ctx context.Context, from, to string) (list []change, err error) {
	out, err := run{dir: r.Common}.git(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", from, to)
	if err != nil {
		return nil, err
	}
	entry := func(mode, id string) string {
		if strings.Trim(mode, "0") == "" {
			return ""
		}
		return mode + " " + id
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(about) == 5 && about[0] != gitlink && about[1] != gitlink {
			list = append(list, change{path: fields[i+1], old: entry(about[0], about[2]), new: entry(about[1], about[3])})
		}
	}
	return list, nil
}

// gitlink is the mode of a submodule.
const gitlink = "160000"

// finishMerge completes an interrupted merge if its branch has moved, and undoes it if not.
func (k *Keeper) finishMerge(ctx context.Context, r *Repo, rec record) (did string, err error) {
	git := run{dir: r.Common}
	locks := gitLocks(r, rec)
	locked, mine := lockedBy(rec.GitDir, rec.ID)
	if rec.GitDir != "" && locked && !mine {
		locks = append(locks, filepath.Join(rec.GitDir, indexLock))
	}
	if len(locks) > 0 {
		return "", api.Errorf(api.CodeConflict, "git was killed, or is at work, in %s: when no git runs there, remove %s", rec.Path, strings.Join(locks, " and "))
	}
	now, err := git.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+rec.Branch)
	if err != nil && !said(err, 1) {
		return "", err
	}
	note := ""
	switch {
	case now == rec.To:
		did = fmt.Sprintf("an interrupted merge into %s was finished (%s%s has what it was)", rec.Branch, undoRefs, rec.ID)
		err = r.indexFollows(rec)
	case now != rec.Commit:
		did = fmt.Sprintf("an interrupted merge into %s was not completed, and the branch has moved on", rec.Branch)
	default:
		did = fmt.Sprintf("an interrupted merge into %s was undone: it is as it was", rec.Branch)
		if rec.GitDir != "" {
			note, err = filesBack(ctx, r, rec)
		}
	}
	if err != nil {
		return "", err
	}
	if mine {
		err = os.Remove(filepath.Join(rec.GitDir, indexLock))
	}
	return did + note, err
}

// indexFollows makes the copy of an index the index, unless git has written that since.
func (r *Repo) indexFollows(rec record) error {
	file := r.indexFile(rec.ID)
	copied, err := os.Stat(file)
	if rec.GitDir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	index := filepath.Join(rec.GitDir, "index")
	if now, err := os.Stat(index); err == nil && now.ModTime().After(copied.ModTime()) {
		return nil
	}
	return os.Rename(file, index)
}

// filesBack makes the files that an interrupted merge had changed what they were. Those that a
// person changed since stay, and are named.
func filesBack(ctx context.Context, r *Repo, rec record) (note string, err error) {
	changes, err := r.changes(ctx, rec.Commit, rec.To)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	git := run{dir: rec.Path, env: os.Environ(), user: true, lock: r.held} // filters run, as they did
	was, err := differ(ctx, git, r, changes, func(c change) string { return c.old })
	if err != nil {
		return "", err
	}
	would, err := differ(ctx, git, r, changes, func(c change) string { return c.new })
	if err != nil {
		return "", err
	}
	var back, kept, folders []string
	for _, c := range changes {
		if c.old == "" {
			folders = append(folders, filepath.Dir(c.path))
		}
		full := filepath.Join(rec.Path, c.path)
		info, statErr := os.Lstat(full)
		switch {
		case c.old == "" && statErr != nil, c.old != "" && !was[c.path]:
			continue // it is as it was
		case statErr != nil, info.IsDir(): // a folder of files that go
		case c.new != "" && (!would[c.path] || begun(ctx, git, full, info, rec.To+":"+c.path)):
		default:
			kept = append(kept, c.path)
			continue
		}
		if c.old != "" {
			back = append(back, c.path)
			continue
		}
		if err := os.Remove(full); err != nil && !info.IsDir() {
			return "", err
		}
	}
	for _, dir := range folders { // new ones, as far as nothing is in them
		for ; dir != "."; dir = filepath.Dir(dir) {
			if err := unix.Rmdir(filepath.Join(rec.Path, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
	}
	var paths bytes.Buffer
	for _, path := range back {
		if in := occupied(rec.Path, path); in != "" { // git would take that away
			kept = append(kept, in)
			continue
		}
		paths.WriteString(path + "\x00")
	}
	if paths.Len() > 0 {
		in := git
		in.stdin = &paths
		if _, err := in.git(ctx, "checkout-index", "-f", "-q", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	if len(kept) > 0 {
		note = fmt.Sprintf("; what was changed there since stays: %s", listed(kept, 5))
	}
	return note, nil
}

// occupied is a folder in a file's place, or a file in the place of one of its folders; "" if
// there is none.
func occupied(top, path string) string {
	if info, err := os.Lstat(filepath.Join(top, path)); err == nil && info.IsDir() {
		return path
	}
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(top, dir)); err == nil && !info.IsDir() {
			return dir
		}
	}
	return ""
}

// differ are the paths of changes whose files are not what an entry of each says.
func differ(ctx context.Context, git run, r *Repo, changes []change, entry func(change) string) (map[string]bool, error) {
	index := filepath.Join(r.Common, ours, indexCopy+"compare")
	_ = os.Remove(index)
	defer func() { _ = os.Remove(index) }()
	var entries bytes.Buffer
	for _, c := range changes {
		if e := entry(c); e != "" {
			entries.WriteString(e + "\t" + c.path + "\x00")
		}
	}
	git.index, git.stdin = index, &entries
	if _, err := git.git(ctx, "update-index", "-z", "--add", "--index-info"); err != nil {
		return nil, err
	}
	git.stdin = nil
	_, _ = git.git(ctx, "update-index", "-q", "--refresh") // it fails where something differs
	out, err := git.git(ctx, "diff-files", "-z", "--name-only", "--no-ext-diff", "--no-textconv")
	set := map[string]bool{}
	for path := range strings.SplitSeq(out, "\x00") {
		set[path] = true
	}
	return set, err
}

// begun reports whether a file is the beginning of what a commit has: a git that was killed
// had begun to write it.
func begun(ctx context.Context, git run, file string, info fs.FileInfo, object string) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	if info.Size() == 0 {
		return true
	}
	whole, err := git.git(ctx, "cat-file", "--filters", object)
	if err != nil || info.Size() > int64(len(whole)) {
		return false
	}
	has, err := untrusted.Read(file, int64(len(whole)))
	return err == nil && strings.HasPrefix(whole, string(has))
}

// gitLocks are git's lock files of refs in the way of what a record is about. One that a killed
// git left is removed: it has been there for lockAge without a change, and has nothing in it, or
// what the operation was to write. Of others it cannot be told who holds them.
func gitLocks(r *Repo, rec record) (list []string) {
	files := []string{filepath.Join(r.Common, "refs", "heads", rec.Branch+".lock"), r.packedLock()}
	if rec.GitDir != "" {
		for _, name := range []string{"HEAD.lock", "ORIG_HEAD.lock"} {
			files = append(files, filepath.Join(rec.GitDir, name))
		}
	}
	for _, file := range files {
		if !dropLock(file, rec) {
			list = append(list, file)
		}
	}
	return list
}

// How old a lock is that nobody holds: git holds one of a ref for moments, and that of the file
// with many refs as long as it takes to write it.
const (
	lockAge       = 2 * time.Second
	packedLockAge = 10 * time.Minute
)

// packedLock is git's lock of the file with many refs.
func (r *Repo) packedLock() string { return filepath.Join(r.Common, "packed-refs.lock") }

// dropLock removes a lock that a killed git left of a ref, and reports whether there is none.
func dropLock(file string, rec record) bool {
	for {
		info, err := os.Lstat(file)
		if err != nil {
			return true
		}
		age := time.Since(info.ModTime())
		if filepath.Base(file) == "packed-refs.lock" {
			return age > packedLockAge && os.Remove(file) == nil
		}
		content, err := readLine(file)
		if err != nil || content != "" && content != rec.Commit && content != rec.To {
			return false
		}
		if age < lockAge {
			time.Sleep(max(0, min(lockAge, lockAge-age)))
			continue
		}
		return os.Remove(file) == nil
	}
}
