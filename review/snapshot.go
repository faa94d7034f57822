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

// identity is who makes our commits, which are no one's work.
var identity = []string{"GIT_AUTHOR_NAME=ccdir", "GIT_AUTHOR_EMAIL=ccdir@localhost", "GIT_COMMITTER_NAME=ccdir", "GIT_COMMITTER_EMAIL=ccdir@localhost"}

// Take makes a snapshot of the work tree as it is now and returns its commit, to which nothing refers yet:
// it goes with the next Tidy. last is an earlier snapshot or "": if the files are the same, it is the answer. What git ignores
// is not in it; files beyond the bounds are as an earlier snapshot has them, and the commit's message names them.
func (r *Repo) Take(ctx context.Context, last, subject string) (commit string, err error) {
	if err := r.make(ctx); err != nil {
		return "", fmt.Errorf("no snapshot can be made: %w", err)
	}
	if r.names != nil {
		return r.takeNamed(ctx, last, subject)
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
	if len(s.left) > 0 {
		message += "\n" + strings.Join(s.left, "\n") + "\n"
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

// about is what a commit says.
type about struct {
	tree, subject string
	at            time.Time
	left          []string
	// named is how many files were named by then, outside of git.
	named int
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
	}
	return a, nil
}

// leftFiles are files which one of two snapshots says that it lacks, and the other does not say
// the same.
func (r *Repo) leftFiles(ctx context.Context, from, to string, paths []string) (files []api.ReviewFile, err error) {
	var marks [2]map[string]string // by path: reason and what tells states apart
	for i, commit := range []string{from, to} {
		marks[i] = map[string]string{}
		a, err := r.about(ctx, commit)
		if err != nil || !strings.HasPrefix(a.subject, subjectPrefix) {
			continue // a tree, or no commit of ours
		}
		for _, line := range a.left {
			f := strings.SplitN(line, " ", 5)
			if len(f) != 5 {
				continue
			}
			if path, err := strconv.Unquote(f[4]); err == nil && wanted(path, paths) {
				marks[i][path] = f[1] + " " + f[2] + " " + f[3]
			}
		}
	}
	for path, mark := range marks[1] {
		if marks[0][path] != mark {
			reason, _, _ := strings.Cut(mark, " ")
			files = append(files, api.ReviewFile{Path: valid(path), Status: api.FileChanged, LeftOut: reason, Hunks: []api.ReviewHunk{}})
		}
	}
	for path, mark := range marks[0] {
		if _, still := marks[1][path]; !still && !exists(filepath.Join(r.Top, path)) {
			reason, _, _ := strings.Cut(mark, " ")
			files = append(files, api.ReviewFile{Path: valid(path), Status: api.FileRemoved, LeftOut: reason, Hunks: []api.ReviewHunk{}})
		}
	}
	sortFiles(files)
	return files, nil
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
