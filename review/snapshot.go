package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
)

// Bounds of a snapshot: the bytes of one file that git does not have yet, those of all such files of one snapshot,
// their number, and the files that are said to be left out.
const (
	maxNewFile  = bigFile
	maxNewBytes = 256 << 20
	maxNewFiles = 20_000
	maxLeft     = 500
)

// lateness is how long after its moment a snapshot may be made without saying so.
const lateness = 500 * time.Millisecond

// identity is who makes our commits, which are no one's work.
var identity = []string{"GIT_AUTHOR_NAME=ccdir", "GIT_AUTHOR_EMAIL=ccdir@localhost", "GIT_COMMITTER_NAME=ccdir", "GIT_COMMITTER_EMAIL=ccdir@localhost"}

// Take makes a snapshot of the work tree as it is now and returns its commit, to which nothing refers yet:
// it goes with the next Tidy. last is an earlier snapshot or "": if the files are the same, it is the answer. What git ignores
// is not in it; files beyond the bounds are as an earlier snapshot has them, and the commit's message names them.
func (r *Repo) Take(ctx context.Context, last, subject string) (commit string, err error) {
	return r.TakeOf(ctx, last, subject, time.Time{})
}

// TakeOf is Take for a moment that has passed: a commit that is made much later says so (Late). The zero time is now.
func (r *Repo) TakeOf(ctx context.Context, last, subject string, moment time.Time) (commit string, err error) {
	if err := r.make(ctx); err != nil {
		return "", fmt.Errorf("no snapshot can be made: %w", err)
	}
	if r.names != nil {
		return r.takeNamed(ctx, last, subject, moment)
	}
	index, err := r.index()
	if err != nil {
		return "", fmt.Errorf("no snapshot can be made: %w", err)
	}
	s := snapshot{r: r, index: index}
	tree, err := s.tree(ctx)
	if err != nil && ctx.Err() == nil {
		_ = os.Remove(index) // a file went away between two steps, or an earlier git was killed
		if index, err = r.index(); err == nil {
			s = snapshot{r: r, index: index}
			tree, err = s.tree(ctx)
		}
	}
	if err != nil {
		return "", fmt.Errorf("no snapshot can be made: %w", err)
	}
	message := subject + "\n"
	if lines := strings.TrimPrefix(lateLine(moment)+strings.Join(append(s.left, ""), "\n"), "\n"); lines != "" {
		message += "\n" + lines
	}
	if last != "" {
		if about, err := r.about(ctx, last); err == nil && about.tree == tree && strings.Join(about.left, "\n") == strings.Join(s.left, "\n") {
			return last, nil
		}
	}
	args := []string{"commit-tree", "-F", "-"}
	if head, err := r.Commit(ctx, "HEAD"); err == nil {
		args = append(args, "-p", head)
	}
	cmd := r.command(ctx, append(args, tree)...)
	cmd.Env = append(cmd.Env, identity...)
	cmd.Stdin = strings.NewReader(message)
	return r.output(ctx, cmd)
}

// index is our copy of the work tree's index. It is kept, so that files which git does not track are
// read only once; and made again when the work tree's own has changed.
func (r *Repo) index() (file string, err error) {
	from := filepath.Join(r.gitDir, "index")
	name := "index-main"
	if r.gitDir != r.Common {
		name = "index-tree-" + filepath.Base(r.gitDir)
	}
	file = filepath.Join(r.dir(), name)
	stamp := "none"
	if info, err := os.Stat(from); err == nil {
		stamp = fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			stamp += fmt.Sprintf(" %d", st.Ino)
		}
	}
	if was, err := os.ReadFile(file + ".of"); err == nil && string(was) == stamp && (stamp == "none" || exists(file)) {
		return file, nil
	}
	_ = os.Remove(file + ".lock") // of a git that was killed
	err = os.Remove(file)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = copyFile(from, file)
	}
	return file, errors.Join(err, writeNew(file+".of", stamp))
}

// snapshot is one that is being made.
type snapshot struct {
	r     *Repo
	index string
	left  []string
}

// tree brings our index to what the files are, and returns it as a tree.
func (s *snapshot) tree(ctx context.Context) (string, error) {
	git := func(input string, args ...string) (string, error) {
		cmd := s.r.command(ctx, args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+s.index)
		cmd.Stdin = strings.NewReader(input)
		return s.r.output(ctx, cmd)
	}
	out, err := git("", "ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	if paths := s.choose(out); paths != "" {
		// No filter's program runs: a Look has none. core.safecrlf would complain.
		if _, err := git(paths, "-c", "core.safecrlf=false", "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	return git("", "write-tree", "--missing-ok")
}

// choose are the paths of git's list that the snapshot takes as they are.
func (s *snapshot) choose(list string) string {
	var take bytes.Buffer
	var total int64
	n, before := 0, ""
	for path := range strings.SplitSeq(list, "\x00") {
		if path == "" || path == before || strings.HasSuffix(path, "/") { // the same of a conflict; a repository of its own
			continue
		}
		before = path
		full := filepath.Join(s.r.Top, path)
		info, err := os.Lstat(full)
		switch {
		case err != nil: // it is gone, or what is above it is no folder any more
		case info.IsDir(): // a submodule, of which git looks at the commit
			continue
		case info.Mode()&os.ModeSymlink != 0:
		case !info.Mode().IsRegular():
			s.leave(path, api.LeftOutNoFile, info)
			continue
		case info.Size() > maxNewFile || total+info.Size() > maxNewBytes || n >= maxNewFiles:
			s.leave(path, api.LeftOutLarge, info)
			continue
		default:
			f, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
			if err != nil {
				s.leave(path, api.LeftOutUnreadable, info)
				continue
			}
			_ = f.Close()
			total, n = total+info.Size(), n+1
		}
		take.WriteString(path + "\x00")
	}
	return take.String()
}

// leave notes a file that the snapshot lacks, with what tells its states apart.
func (s *snapshot) leave(path, reason string, info fs.FileInfo) {
	if len(s.left) < maxLeft {
		s.left = append(s.left, leftLine(path, reason, info.Size(), info.ModTime().UnixNano()))
	}
}

func leftLine(path, reason string, size, at int64) string {
	return fmt.Sprintf("left %s %d %d %s", reason, size, at, strconv.Quote(path))
}

// lateLine says how long ago a moment was, if that is long; the zero time is now.
func lateLine(moment time.Time) string {
	if by := time.Since(moment); !moment.IsZero() && by > lateness {
		return fmt.Sprintf("late %d\n", by.Milliseconds())
	}
	return ""
}

// Late is how long after its moment a snapshot was made, if that is long and something had changed until then; 0 otherwise.
func (r *Repo) Late(ctx context.Context, commit string) (time.Duration, error) {
	a, err := r.about(ctx, commit)
	return a.late, err
}

// about is what a commit says.
type about struct {
	tree, subject string
	at            time.Time
	left          []string
	// named is how many files were named by then, outside of git.
	named int
	late  time.Duration
}

// maxAbout bounds the text of a commit that is read, in bytes.
const maxAbout = 4 << 20

// about reads a commit.
func (r *Repo) about(ctx context.Context, commit string) (a about, err error) {
	text, err := r.output(ctx, r.command(ctx, "cat-file", "commit", commit))
	if err != nil {
		return a, err
	}
	head, message, _ := strings.Cut(text[:min(len(text), maxAbout)], "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch f := strings.Fields(value); {
		case key == "tree":
			a.tree = value
		case key == "committer" && len(f) > 2:
			seconds, _ := strconv.ParseInt(f[len(f)-2], 10, 64)
			a.at = time.Unix(seconds, 0).UTC()
		}
	}
	subject, rest, _ := strings.Cut(message, "\n")
	a.subject = subject
	for line := range strings.SplitSeq(rest, "\n") {
		if strings.HasPrefix(line, "left ") {
			a.left = append(a.left, line)
		}
		if count, ok := strings.CutPrefix(line, "named "); ok {
			a.named, _ = strconv.Atoi(count)
		}
		if by, ok := strings.CutPrefix(line, "late "); ok {
			ms, _ := strconv.ParseUint(by, 10, 31)
			a.late = time.Duration(ms) * time.Millisecond
		}
	}
	return a, nil
}

// mark is what a snapshot says of a file that it lacks.
type mark struct{ reason, state string }

// marks are the files that a snapshot says that it lacks, by path.
func (r *Repo) marks(ctx context.Context, commit string, paths []string) map[string]mark {
	marks := map[string]mark{}
	a, err := r.about(ctx, commit)
	if err != nil || !strings.HasPrefix(a.subject, subjectPrefix) {
		return marks // a tree, or no commit of ours
	}
	for _, line := range a.left {
		f := strings.SplitN(line, " ", 5)
		if len(f) != 5 {
			continue
		}
		if path, err := strconv.Unquote(f[4]); err == nil && wanted(path, paths) {
			marks[path] = mark{f[1], f[2] + " " + f[3]}
		}
	}
	return marks
}

// withLeft adds to a difference the files which one of two snapshots says that it lacks, and the other does not say the same: what git
// compares of them is something earlier.
func (r *Repo) withLeft(files []api.ReviewFile, from, to map[string]mark) []api.ReviewFile {
	at := map[string]int{}
	for i := range files {
		at[files[i].Path] = i
	}
	var extra []api.ReviewFile
	add := func(path, reason, status, unless string) {
		path = valid(path)
		i, listed := at[path]
		if !listed {
			extra = append(extra, api.ReviewFile{Path: path, Status: status, LeftOut: reason, Hunks: []api.ReviewHunk{}})
			return
		}
		f := &files[i]
		if f.Status == unless {
			f.Status = api.FileChanged
		}
		f.LeftOut, f.Added, f.Removed, f.Hunks = reason, nil, nil, []api.ReviewHunk{}
	}
	for path, m := range to {
		if from[path] != m {
			add(path, m.reason, api.FileChanged, api.FileRemoved)
		}
	}
	for path, m := range from {
		if _, still := to[path]; still {
			continue
		}
		info, err := os.Lstat(filepath.Join(r.Top, path))
		switch _, listed := at[valid(path)]; {
		case listed:
			add(path, m.reason, api.FileChanged, api.FileAdded)
		case r.names != nil || err != nil:
			add(path, m.reason, api.FileRemoved, "")
		case m.state != fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()):
			add(path, m.reason, api.FileChanged, "")
		}
	}
	sortFiles(extra)
	return append(files, extra...)
}

// wanted reports whether a path is one of paths, or below.
func wanted(path string, paths []string) bool {
	if len(paths) == 0 {
		return true
	}
	for _, p := range paths {
		if p = filepath.ToSlash(filepath.Clean(p)); p == "." || path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}
