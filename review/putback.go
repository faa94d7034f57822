package review

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// work is a file of the work tree as it was read; info nil: there is none.
type work struct {
	text string
	info fs.FileInfo
}

// PutBack takes chosen changes of a difference out of the work tree. It refuses if a file is not as it was shown. It can be
// undone. Once for its request.
func (r *Repo) PutBack(ctx context.Context, session string, c api.ReviewChange, request string) (done api.ReviewChanged, err error) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return done, err
	}
	defer root.Close()
	if u, yes, err := r.repeated(ctx, session, request); err != nil || yes && r.are(ctx, root, u.files) {
		return u.done, err
	}
	f, err := r.choose(ctx, c)
	if err != nil {
		return done, err
	}
	if f.base.id != "" && !f.base.regular() || f.head.id != "" && !f.head.regular() {
		return done, refuse("%s is no plain file: use git for it", f.name)
	}
	now, converted, err := r.asShown(ctx, root, f)
	if err != nil {
		return done, err
	}
	next, removed, err := r.without(ctx, f, now, converted)
	if err != nil {
		return done, err
	}
	u := undoing{done: next.done, request: request}
	u.done.Do, u.done.Path = api.ReviewPutBack, f.Path
	change := writing{path: f.Path, was: now, text: next.text, gone: removed, mode: next.mode}
	changes := []writing{change}
	if f.whole && f.OldPath != "" {
		old, err := readWork(root, f.OldPath)
		if err != nil || old.info != nil {
			return done, errors.Join(err, refuse("%s is there again: the name cannot be put back", textsafe.Line(f.OldPath)))
		}
		changes = []writing{{path: f.OldPath, was: old, text: change.text, mode: next.mode}, {path: f.Path, was: now, gone: true}}
	}
	for i := range changes {
		w, err := r.undoOf(ctx, &changes[i])
		if err != nil {
			return done, err
		}
		u.files = append(u.files, w)
	}
	if u.files[0].before == u.files[0].after {
		return done, refuse("%s has nothing to put back there", f.name)
	}
	if err := r.record(ctx, session, u); err != nil {
		return done, err
	}
	return u.done, write(root, changes)
}

// asShown reads a file of a difference from the work tree, and fails if it is not as there. converted: git makes LF of its CRLF.
func (r *Repo) asShown(ctx context.Context, root *os.Root, f chosenFile) (now work, converted bool, err error) {
	if now, err = readWork(root, f.Path); err != nil {
		return now, false, err
	}
	changed := refuse("%s is not as it is shown any more: compare again", f.name)
	if f.head.id == "" {
		if now.info != nil {
			return now, false, changed
		}
		return now, false, nil
	}
	shown, err := r.text(ctx, f.head)
	if err != nil {
		return now, false, err
	}
	if now.info == nil {
		return now, false, changed
	}
	same, converted := sameLines(linesOf(now.text), linesOf(shown))
	if !same {
		return now, false, changed
	}
	return now, converted, nil
}

// sameLines compares the lines of a file with those that git has of it; converted: some have CRLF where git's have LF.
func sameLines(file, shown []string) (same, converted bool) {
	if len(file) != len(shown) {
		return false, false
	}
	for i, l := range file {
		if l == shown[i] {
			continue
		}
		if short, crlf := strings.CutSuffix(l, "\r\n"); !crlf || short+"\n" != shown[i] {
			return false, false
		}
		converted = true
	}
	return true, converted
}

// put is a file without the changes.
type put struct {
	text string
	mode string // git's, "" as it is
	done api.ReviewChanged
}

// without is a file without the chosen changes; gone: there is none without them.
func (r *Repo) without(ctx context.Context, f chosenFile, now work, converted bool) (next put, gone bool, err error) {
	was, err := r.text(ctx, f.base)
	if err == nil && now.info == nil { // as git writes it where nothing is; a Look has no filters with programs
		was, err = gitstatus.Output(ctx, r.command(ctx, "cat-file", "--filters", "--path="+f.Path, f.base.id))
	}
	if err != nil {
		return next, false, err
	}
	old := linesOf(was)
	if converted {
		for i, l := range old {
			if short, lf := strings.CutSuffix(l, "\n"); lf && !strings.HasSuffix(short, "\r") {
				old[i] = short + "\r\n"
			}
		}
	}
	back := map[api.LineKind]api.LineKind{api.LineAdded: api.LineRemoved, api.LineRemoved: api.LineAdded}
	out, removed, added, err := splice(linesOf(now.text), old, reversed(f.Hunks), func(c change) bool { return f.set[change{back[c.kind], c.n}] })
	if err != nil {
		return next, false, refuse("%s is not as it is shown any more: compare again", f.name)
	}
	next.text, next.done.Added, next.done.Removed = joined(out), added, removed
	if f.head.id == "" || f.whole && f.base.id != "" && f.base.mode != f.head.mode {
		next.mode = f.base.mode
	}
	return next, len(out) == 0 && f.base.id == "", nil
}

// writing is a file of the work tree that is to be written, or removed (gone).
type writing struct {
	path, text string
	was        work
	mode       string // git's, "" as it is
	perm       fs.FileMode
	gone       bool
}

// undoOf keeps what a file was, and completes what it becomes.
func (r *Repo) undoOf(ctx context.Context, w *writing) (u undoFile, err error) {
	u.path = w.path
	if w.was.info != nil {
		u.before.mode = permission(w.was.info.Mode().Perm())
		if u.before.id, err = r.blob(ctx, r.command, w.was.text, true); err != nil {
			return u, err
		}
	}
	if w.gone {
		return u, nil
	}
	w.perm = 0o644
	if w.was.info != nil {
		w.perm = w.was.info.Mode().Perm()
	}
	switch w.mode {
	case "100755":
		w.perm |= w.perm & 0o444 >> 2
	case "100644":
		w.perm &^= 0o111
	}
	u.after.mode = permission(w.perm)
	u.after.id, err = r.blob(ctx, r.command, w.text, false)
	return u, err
}

func permission(p fs.FileMode) string { return fmt.Sprintf("%04o", p) }

// readWork reads a file below the top; one below a link is refused.
func readWork(root *os.Root, name string) (w work, err error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return w, refuse("%s is no folder", textsafe.Line(dir))
		}
	}
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return w, err
	}
	if !info.Mode().IsRegular() {
		return w, refuse("%s is no plain file any more", textsafe.Line(name))
	}
	text, err := untrusted.ReadIn(root, name, bigFile)
	if err != nil {
		return w, err
	}
	return work{string(text), info}, nil
}

// are reports whether files are as they became.
func (r *Repo) are(ctx context.Context, root *os.Root, files []undoFile) bool {
	for _, f := range files {
		if at, err := r.state(ctx, root, f.path); err != nil || at.id != f.after.id {
			return false
		}
	}
	return true
}

// state is a file of the work tree as undoFile has it.
func (r *Repo) state(ctx context.Context, root *os.Root, name string) (o object, err error) {
	w, err := readWork(root, name)
	if err != nil || w.info == nil {
		return o, err
	}
	o.mode = permission(w.info.Mode().Perm())
	o.id, err = r.blob(ctx, r.command, w.text, false)
	return o, err
}

// restore has the work tree have files as they were, if they are as they became.
func (r *Repo) restore(ctx context.Context, files []undoFile) error {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	var changes []writing
	for _, f := range files {
		at, err := r.state(ctx, root, f.path)
		if err != nil {
			return err
		}
		if at == f.before {
			continue
		}
		if at.id != f.after.id || hidden(f.path) {
			return refuse("%s was changed since it was put back: it stays as it is", textsafe.Line(f.path))
		}
		w := writing{path: f.path, gone: f.before.id == ""}
		if w.was, err = readWork(root, f.path); err != nil {
			return err
		}
		if !w.gone {
			perm, err := strconv.ParseUint(f.before.mode, 8, 9)
			if err != nil {
				return err
			}
			w.perm = fs.FileMode(perm)
			if w.text, err = r.text(ctx, f.before); err != nil {
				return err
			}
		}
		changes = append(changes, w)
	}
	return write(root, changes)
}

// write writes files and then removes those that are to be gone. A file that is not as it was read stays, and so do those behind it.
func write(root *os.Root, changes []writing) error {
	for _, gone := range []bool{false, true} {
		for _, w := range changes {
			if w.gone != gone {
				continue
			}
			if err := w.write(root); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w writing) write(root *os.Root) error {
	if w.gone {
		if err := w.still(root); err != nil {
			return err
		}
		return root.Remove(w.path)
	}
	if err := root.MkdirAll(path.Dir(w.path), 0o777); err != nil { //nolint:gosec // as git makes folders
		return err
	}
	temp := path.Join(path.Dir(w.path), ".ccdir-"+rand.Text())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, w.perm)
	if err != nil {
		return err
	}
	_, err = f.WriteString(w.text)
	if w.was.info != nil { // else as the umask says
		err = errors.Join(err, f.Chmod(w.perm))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = w.still(root)
	}
	if err == nil {
		err = root.Rename(temp, w.path)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

// still fails if the file is not the one that was read.
func (w writing) still(root *os.Root) error {
	info, err := root.Lstat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && w.was.info == nil:
		return nil
	case err != nil:
		return err
	case w.was.info == nil || !os.SameFile(info, w.was.info) || info.Size() != w.was.info.Size() || !info.ModTime().Equal(w.was.info.ModTime()):
		return refuse("%s is being changed now: try again", textsafe.Line(w.path))
	}
	return nil
}
