package worktrees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ccdir/internal/gitstatus"
)

// Bounds of the ignored files that a snapshot has: in bytes together, and by number.
const (
	maxIgnored      = 64 << 20
	maxIgnoredFiles = 5000
)

// zeroID is the id of no object, as long as another id of the repository; with "", as long as SHA-1's.
func zeroID(like string) string { return strings.Repeat("0", max(len(like), 40)) }

// snapshot is a commit of everything in a tree.
type snapshot struct {
	// commit has the files as they are, byte by byte, which are the tree files; its second parent,
	// staged, has what is staged.
	commit, files, staged string
	// left are the paths that it lacks: too large, or not readable.
	left []string
}

// snapshotOptions say what a snapshot is made for.
type snapshotOptions struct {
	// ignored: with ignored files, up to the bounds.
	ignored bool
	// objects is a directory that takes the new objects, and what is staged is left out; "" is the
	// repository.
	objects string
	message string
	// had is a snapshot of the same commit checked out: if the files are the same, it is the answer.
	had snapshot
}

// snap makes a snapshot of a tree. It reads the tree's index, and writes only a copy.
func snap(ctx context.Context, r *Repo, t *Tree, o snapshotOptions) (s snapshot, err error) {
	place := o.objects
	if place == "" {
		place = filepath.Join(r.Common, ours)
	}
	index, err := copyIndex(t, place)
	if err != nil {
		return s, err
	}
	defer func() { _ = os.Remove(index) }()
	look, err := gitstatus.NewLook(ctx, t.Path)
	if err != nil {
		return s, err
	}
	defer look.Close()
	sn := snapper{r: r, t: t, run: run{dir: t.Path, look: look, index: index}, compared: o.objects != ""}
	sn.env = append(sn.env, identity...)
	if o.objects != "" {
		sn.env = append(sn.env, objectsEnv(r, o.objects)...)
	}
	if err := sn.splitUnmerged(ctx); err != nil {
		return s, err
	}
	parents := []string{}
	if t.Head != "" {
		parents = []string{"-p", t.Head}
	}
	if o.objects == "" {
		if s.staged, err = sn.staged(ctx, parents); err != nil {
			return s, err
		}
		parents = append(parents, "-p", s.staged)
		loose, err := r.looseEnds(ctx, t)
		if err != nil {
			return s, err
		}
		for _, commit := range loose {
			parents = append(parents, "-p", commit)
		}
	}
	if err := sn.takeFiles(ctx, o.ignored); err != nil {
		return s, err
	}
	if s.files, err = sn.line(ctx, "write-tree", "--missing-ok"); err != nil {
		return s, fmt.Errorf("the files cannot be saved: %w", err)
	}
	if s.files == o.had.files {
		return o.had, nil
	}
	s.commit, err = sn.commit(ctx, s.files, o.message, parents)
	s.left = sn.left
	return s, err
}

// staged is a commit of what is staged.
func (s *snapper) staged(ctx context.Context, parents []string) (string, error) {
	tree, err := s.line(ctx, "write-tree", "--missing-ok")
	if err != nil {
		return "", fmt.Errorf("what is staged cannot be saved: %w", err)
	}
	return s.commit(ctx, tree, "ccdir: what is staged", parents)
}

// identity is who makes our commits that are no one's work.
var identity = []string{"GIT_AUTHOR_NAME=ccdir", "GIT_AUTHOR_EMAIL=ccdir@localhost", "GIT_COMMITTER_NAME=ccdir", "GIT_COMMITTER_EMAIL=ccdir@localhost"}

// indexCopy begins the names of copies of indexes.
const indexCopy = "index-"

// copyIndex copies a tree's index into a directory of ours. Who has not locked the repository
// takes another one than the repository's: the next lock deletes what a crash left there.
func copyIndex(t *Tree, dir string) (file string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dst, err := os.CreateTemp(dir, indexCopy+"*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	src, err := os.Open(filepath.Join(t.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) { // nothing was ever added
		_ = os.Remove(dst.Name())
		return dst.Name(), nil
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = src.Stat(); err == nil {
			_, err = io.Copy(dst, src)
		}
		if err == nil {
			// By the index's time git knows which files may have changed in the same moment in which
			// they were last looked at.
			err = os.Chtimes(dst.Name(), info.ModTime(), info.ModTime())
		}
		err = errors.Join(err, src.Close())
	}
	if err != nil {
		_ = os.Remove(dst.Name())
	}
	return dst.Name(), err
}

// snapper makes one snapshot with a copy of the index.
type snapper struct {
	run
	r    *Repo
	t    *Tree
	left []string
	// compared: the snapshot is for a comparison, so that files which only a filter could compare
	// are as the index has them.
	compared bool
}

func (s *snapper) commit(ctx context.Context, tree, message string, parents []string) (string, error) {
	return s.line(ctx, append([]string{"commit-tree", tree, "-m", message}, parents...)...)
}

// splitUnmerged gives the stages of files with conflicts names of their own, since a tree
// has no stages.
func (s *snapper) splitUnmerged(ctx context.Context) error {
	out, err := s.git(ctx, "ls-files", "-z", "--unmerged")
	if err != nil || out == "" {
		return err
	}
	var gone, with bytes.Buffer
	for entry := range strings.SplitSeq(out, "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 3 {
			continue
		}
		fmt.Fprintf(&gone, "0 %s\t%s\x00", zeroID(fields[1]), path)
		fmt.Fprintf(&with, "%s %s\t%s.ccdir-stage-%s\x00", fields[0], fields[1], path, fields[2])
	}
	return s.update(ctx, io.MultiReader(&gone, &with))
}

func (s *snapper) update(ctx context.Context, entries io.Reader) error {
	in := s.run
	in.stdin = entries
	_, err := in.git(ctx, "update-index", "-z", "--add", "--replace", "--index-info")
	return err
}

// takeFiles brings the copy of the index to what the files are.
func (s *snapper) takeFiles(ctx context.Context, ignored bool) error {
	out, err := s.git(ctx, "diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return err
	}
	var gone bytes.Buffer
	var files, content []string
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about, path := strings.Fields(fields[i]), fields[i+1]
		if len(about) != 5 {
			continue
		}
		switch {
		case about[4] == "D":
			fmt.Fprintf(&gone, "0 %s\t%s\x00", zeroID(about[2]), path)
		case s.compared && about[0] == ":"+about[1]:
			content = append(content, path)
		default:
			files = append(files, path)
		}
	}
	converted, err := s.look.Converted(ctx, content)
	if err != nil {
		return err
	}
	for _, path := range content {
		if !converted[path] {
			files = append(files, path)
		}
	}
	if out, err = s.git(ctx, "ls-files", "-z", "--others", "--exclude-standard"); err != nil {
		return err
	}
	files = append(files, strings.Split(out, "\x00")...)
	if ignored {
		more, err := s.ignoredFiles(ctx)
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	var with bytes.Buffer
	if err := s.hash(ctx, files, &with); err != nil {
		return err
	}
	return s.update(ctx, io.MultiReader(&gone, &with))
}

// ignoredFiles are those below the bounds.
func (s *snapper) ignoredFiles(ctx context.Context) (list []string, err error) {
	out, err := s.git(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var total int64
	skipped := map[string]bool{}
	for path := range strings.SplitSeq(out, "\x00") {
		info, err := os.Lstat(filepath.Join(s.dir, path))
		if path == "" || err != nil || info.IsDir() {
			continue
		}
		if len(list) < maxIgnoredFiles && total+info.Size() <= maxIgnored {
			total += info.Size()
			list = append(list, path)
			continue
		}
		top, _, _ := strings.Cut(path, "/")
		if !skipped[top] {
			skipped[top] = true
			s.left = append(s.left, top)
		}
	}
	return list, nil
}

// hash saves files and writes the index's entries for them. Nothing converts them: the
// blobs are the files' bytes.
func (s *snapper) hash(ctx context.Context, files []string, entries io.Writer) error {
	var lines bytes.Buffer
	var batch []string
	for _, path := range files {
		full := filepath.Join(s.dir, path)
		info, err := os.Lstat(full)
		switch {
		case path == "" || strings.HasSuffix(path, "/"): // a repository of its own
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue // it went away just now
		case err != nil:
			return err
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(full)
			if err != nil {
				return err
			}
			if err := s.hashOne(ctx, path, "120000", strings.NewReader(target), entries); err != nil {
				return err
			}
			continue
		case !info.Mode().IsRegular():
			s.left = append(s.left, path) // a socket, a FIFO: nothing to save
			continue
		}
		f, err := os.OpenFile(full, os.O_RDONLY|nonblock, 0)
		if err != nil {
			s.left = append(s.left, path) // only the trash can keep it
			continue
		}
		if strings.ContainsAny(path, "\n\r") || strings.HasPrefix(path, `"`) { // --stdin-paths has no -z
			err = s.hashOne(ctx, path, modeOf(info), f, entries)
		} else {
			lines.WriteString(path + "\n")
			batch = append(batch, modeOf(info)+"\x00"+path)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if len(batch) == 0 {
		return nil
	}
	in := s.run
	in.stdin = &lines
	out, err := in.git(ctx, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return fmt.Errorf("the files cannot be saved: %w", err)
	}
	ids := strings.Fields(out)
	if len(ids) != len(batch) {
		return errors.New("the files cannot be saved: one of them went away just now; try again")
	}
	for i, id := range ids {
		mode, path, _ := strings.Cut(batch[i], "\x00")
		fmt.Fprintf(entries, "%s %s\t%s\x00", mode, id, path)
	}
	return nil
}

func (s *snapper) hashOne(ctx context.Context, path, mode string, content io.Reader, entries io.Writer) error {
	in := s.run
	in.stdin = content
	id, err := in.line(ctx, "hash-object", "-w", "--no-filters", "--stdin")
	if err != nil {
		return fmt.Errorf("%q cannot be saved: %w", path, err)
	}
	fmt.Fprintf(entries, "%s %s\t%s\x00", mode, id, path)
	return nil
}

// modeOf is git's mode of a regular file.
func modeOf(info fs.FileInfo) string {
	if info.Mode()&0o100 != 0 {
		return "100755"
	}
	return "100644"
}
