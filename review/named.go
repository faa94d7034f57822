package review

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/gitstatus"
)

// Outside of git, a session's snapshots have the files that its tools said they would write. What each was before is kept when it is
// named first; a snapshot before that has it so, too.

// Bounds of what is kept: the bytes of one file, of all as they were first, and their number.
const (
	maxNamedFile  = 1 << 20
	maxNamedBytes = 32 << 20
	maxNamed      = 500
)

// named is a file at one moment.
type named struct {
	Root string `json:"root"` // the session's directory
	Path string `json:"path"` // below Root, with slashes
	// Absent: there was none. Left is why its content is not known (a LeftOut… constant), Size and At (Unix nanoseconds) tell
	// the states of such a file apart.
	Absent bool   `json:"absent,omitempty"`
	Left   string `json:"left,omitempty"`
	Size   int64  `json:"size,omitempty"`
	At     int64  `json:"at,omitempty"`
	Exec   bool   `json:"exec,omitempty"`

	content []byte
}

// Names are the files that a session's tools named, in the order in which they did so first. Make it with OpenNames. It is safe for
// concurrent use.
type Names struct {
	dir string

	mu    sync.Mutex
	list  []named // without contents
	known map[string]bool
	bytes int64
	// more: some were beyond the bounds.
	more bool
	// lost are paths of which it could not be kept what they were.
	lost map[string]bool
}

// OpenNames opens those that are kept in a directory of ours; nil if there are none and make is false.
func OpenNames(dir string, create bool) (*Names, error) {
	if !create && !exists(dir) {
		return nil, nil
	}
	n := &Names{dir: dir, known: map[string]bool{}, lost: map[string]bool{}}
	for {
		f, err := n.read(len(n.list)+1, false)
		if errors.Is(err, fs.ErrNotExist) {
			return n, nil
		}
		if err != nil {
			return nil, err
		}
		if n.list, n.known[f.Path] = append(n.list, f), true; f.Left == "" {
			n.bytes += f.Size
		}
	}
}

// file is where the state of the i-th is, from 1.
func (n *Names) file(i int) string { return filepath.Join(n.dir, "before", fmt.Sprintf("%06d", i)) }

// read reads what the i-th was when it was named: a line of JSON, then its content.
func (n *Names) read(i int, content bool) (f named, err error) {
	src, err := os.Open(n.file(i))
	if err != nil {
		return f, err
	}
	defer src.Close()
	r := bufio.NewReader(src)
	head, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(head, &f)
	}
	if err == nil && content {
		var b bytes.Buffer
		_, err = b.ReadFrom(r)
		f.content = b.Bytes()
	}
	return f, err
}

// Before keeps what files are, below the directory of a session: those of paths that were not named before. From when written is
// closed their tool may have written: what is read later counts as not known. It blocks for as long as they are read and written.
func (n *Names) Before(root string, paths []string, written <-chan struct{}) (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range paths {
		rel, bad := filepath.Rel(root, p)
		path := filepath.ToSlash(rel)
		if bad != nil || !filepath.IsLocal(rel) || rel == "." || n.known[path] || foreign(rel) {
			continue
		}
		if len(n.list) >= maxNamed {
			n.more = true
			continue
		}
		f := state(root, path)
		select {
		case <-written:
			f = late(f)
		default:
			if n.lost[path] {
				f = late(f)
			}
		}
		if n.bytes+int64(len(f.content)) > maxNamedBytes {
			f.Left, f.content = api.LeftOutTotal, nil
		}
		if failed := n.keep(f); failed != nil {
			n.lost[path], err = true, failed
		}
	}
	return err
}

// late is a file of which only something later than what it was is known.
func late(f named) named {
	return named{Root: f.Root, Path: f.Path, Left: api.LeftOutLate, Size: f.Size, At: f.At}
}

// keep writes what a file is behind the others; the caller holds mu.
func (n *Names) keep(f named) error {
	head, err := json.Marshal(f)
	if err == nil {
		err = os.MkdirAll(filepath.Join(n.dir, "before"), 0o700)
	}
	file := n.file(len(n.list) + 1)
	if err == nil {
		err = os.WriteFile(file+".new", append(append(head, '\n'), f.content...), 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return err
	}
	n.bytes += int64(len(f.content))
	f.content = nil
	n.list, n.known[f.Path] = append(n.list, f), true
	return nil
}

// foreign reports whether git would take no such path.
func foreign(rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return strings.ContainsRune(rel, 0) || len(rel) > maxPath
}

// state is what a file is now. Links lead nowhere out of root.
func state(root, path string) named {
	f := named{Root: root, Path: path}
	dir, err := os.OpenRoot(root)
	if err == nil {
		defer dir.Close()
		var info fs.FileInfo
		if info, err = dir.Stat(filepath.FromSlash(path)); err == nil {
			f.Size, f.At, f.Exec = info.Size(), info.ModTime().UnixNano(), info.Mode()&0o100 != 0
			f.content, err = untrusted.ReadIn(dir, filepath.FromSlash(path), maxNamedFile)
		}
	}
	switch {
	case err == nil:
		f.Size = int64(len(f.content))
	case errors.Is(err, fs.ErrNotExist):
		f.Absent = true
	case errors.Is(err, untrusted.ErrTooLarge):
		f.Left = api.LeftOutLarge
	case errors.Is(err, untrusted.ErrNotRegular):
		f.Left = api.LeftOutNoFile
	default:
		f.Left = api.LeftOutUnreadable
	}
	return f
}

// now are all of them as they are.
func (n *Names) now() (files []named) {
	n.mu.Lock()
	list := n.list[:len(n.list):len(n.list)]
	n.mu.Unlock()
	for _, f := range list {
		files = append(files, state(f.Root, f.Path))
	}
	return files
}

// first are those behind the first after ones, up to that number, as they were when they were named.
func (n *Names) first(after, upTo int) (files []named, err error) {
	for i := after + 1; i <= upTo; i++ {
		f, err := n.read(i, true)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Len is their number; more: there are others beyond the bounds.
func (n *Names) Len() (count int, more bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.list), n.more
}

// OpenNamed opens the snapshots of a session outside of git, which are beside its names.
func OpenNamed(ctx context.Context, n *Names) (*Repo, error) {
	git := filepath.Join(n.dir, "files", ".git")
	if !exists(filepath.Join(git, "HEAD")) {
		for _, dir := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(git, dir), 0o700); err != nil {
				return nil, err
			}
		}
		for _, file := range []struct{ name, text string }{{"config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"}, {"HEAD", "ref: refs/heads/none\n"}} {
			if err := writeNew(filepath.Join(git, file.name), file.text); err != nil {
				return nil, err
			}
		}
	}
	r, err := Open(ctx, filepath.Join(n.dir, "files"))
	if err == nil {
		r.names = n
	}
	return r, err
}

// Outside reports whether it is of a session outside of git, and the note about that.
func (r *Repo) Outside() (note string, outside bool) {
	if r.names == nil {
		return "", false
	}
	if count, more := r.names.Len(); more {
		return fmt.Sprintf("outside of git: only files that its tools named, the first %d", count), true
	}
	return "outside of git: only files that its tools named", true
}

// Root is where paths of a difference begin.
func (r *Repo) Root() string {
	if r.names != nil && len(r.names.list) > 0 {
		return r.names.list[0].Root
	}
	return r.Top
}

// Empty is a snapshot from before any file was named.
func (r *Repo) Empty(ctx context.Context, subject string) (string, error) {
	if err := r.make(ctx); err != nil {
		return "", err
	}
	return r.write(ctx, "", subject, "", nil, 0)
}

// Complete is a snapshot with the files that were named after it and before another one, head ("": until now), as they were then.
// In a repository of git it is the snapshot itself.
func (r *Repo) Complete(ctx context.Context, commit, head string) (string, error) {
	if r.names == nil {
		return commit, nil
	}
	was, err := r.about(ctx, commit)
	if err != nil {
		return "", err
	}
	upTo, _ := r.names.Len()
	if head != "" {
		now, err := r.about(ctx, head)
		if err != nil {
			return "", err
		}
		upTo = min(upTo, now.named)
	}
	if upTo <= was.named {
		return commit, nil
	}
	files, err := r.names.first(was.named, upTo)
	if err != nil {
		return "", err
	}
	return r.write(ctx, commit, was.subject, "", files, upTo)
}

// takeNamed is Take outside of git.
func (r *Repo) takeNamed(ctx context.Context, last, subject string, moment time.Time) (string, error) {
	files := r.names.now()
	commit, err := r.write(ctx, "", subject, lateLine(moment), files, len(files))
	if err != nil || last == "" {
		return commit, err
	}
	a, err := r.about(ctx, commit)
	b, err2 := r.about(ctx, last)
	if err == nil && err2 == nil && a.tree == b.tree && a.named == b.named && strings.Join(a.left, "\n") == strings.Join(b.left, "\n") {
		return last, nil
	}
	return commit, err
}

// scratch is the ref under which a snapshot of named files is written; nothing reads it.
const scratch = "refs/ccdir-new"

// write makes a commit of files, on top of those of another one ("": none), which says how many are named by then.
func (r *Repo) write(ctx context.Context, base, subject, late string, files []named, count int) (string, error) {
	message := fmt.Sprintf("%s\n\n%snamed %d\n", subject, late, count)
	var in bytes.Buffer
	if base != "" {
		a, err := r.about(ctx, base)
		if err != nil {
			return "", err
		}
		message += strings.Join(append(a.left, ""), "\n")
	}
	for _, f := range files {
		if f.Left != "" {
			message += leftLine(f.Path, f.Left, f.Size, f.At) + "\n"
		}
	}
	fmt.Fprintf(&in, "commit %s\nmark :1\ncommitter ccdir <ccdir@localhost> %d +0000\ndata %d\n%s", scratch, time.Now().Unix(), len(message), message)
	if base != "" {
		fmt.Fprintf(&in, "from %s\n", base)
	}
	for _, f := range files {
		if f.Absent || f.Left != "" {
			continue
		}
		mode := "100644"
		if f.Exec {
			mode = "100755"
		}
		fmt.Fprintf(&in, "M %s inline %s\ndata %d\n", mode, quoted(f.Path), len(f.content))
		in.Write(f.content)
		in.WriteByte('\n')
	}
	in.WriteString("get-mark :1\ndone\n")
	cmd := r.refs(ctx, "-c", "fastimport.unpackLimit=1000", "fast-import", "--quiet", "--done", "--force", "--date-format=raw")
	cmd.Stdin = &in
	id, err := gitstatus.Output(ctx, cmd)
	if id = strings.TrimSpace(id); err == nil && !objectID().MatchString(id) {
		err = errors.New("git has made no commit")
	}
	if err != nil {
		return "", fmt.Errorf("no snapshot can be made: %w", err)
	}
	return id, nil
}

// quoted is a path as git reads it in a stream.
func quoted(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
