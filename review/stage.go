package review

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"

	"ccdir/api"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// ErrRefused: changes are not staged, put back or undone, for a reason that is said.
var ErrRefused = errors.New("")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%s%w", fmt.Sprintf(format, args...), ErrRefused)
}

// object is an entry of a tree or an index; the zero value is none.
type object struct{ mode, id string }

// regular reports whether it is a file with text.
func (o object) regular() bool { return strings.HasPrefix(o.mode, "100") }

// chosenFile has the changes of a file that are to be staged or put back.
type chosenFile struct {
	api.ReviewFile
	name       string // of the file, for people
	base, head object
	whole      bool
	set        map[change]bool
}

// choose finds the changes that a person chose of a difference, or says why there are none.
func (r *Repo) choose(ctx context.Context, c api.ReviewChange) (f chosenFile, err error) {
	f.name = textsafe.Line(c.Path)
	f.whole = c.Old == nil && c.New == nil
	var found bool
	if f.ReviewFile, found, err = r.File(ctx, c.Base, c.Head, c.Path, api.SideNew); err != nil {
		return f, err
	}
	switch {
	case !found:
		return f, refuse("%s is not in this difference", f.name)
	case f.Binary:
		return f, refuse("%s is binary: use git for it", f.name)
	case f.LeftOut != "":
		return f, refuse("the lines of %s are not compared (%s): use git for it", f.name, strings.ReplaceAll(f.LeftOut, "_", " "))
	case hidden(f.Path) || hidden(f.OldPath):
		return f, refuse("%s is a name that git keeps for itself", f.name)
	}
	if f.head, err = r.inTree(ctx, c.Head, f.Path); err == nil {
		old := f.Path
		if f.OldPath != "" {
			old = f.OldPath
		}
		f.base, err = r.inTree(ctx, c.Base, old)
	}
	if err != nil {
		return f, err
	}
	converted, err := r.look.AtTop().Converted(ctx, []string{f.Path})
	if err != nil {
		return f, err
	}
	if converted[f.Path] {
		return f, refuse("%s is converted by a program of the repository, which is not run: use git for it", f.name)
	}
	if f.set = chosen(f.Hunks, c.Old, c.New); len(f.set) == 0 && !f.whole {
		return f, refuse("nothing was changed in these lines of %s", f.name)
	}
	return f, nil
}

// hidden reports whether a name is one that git reads itself, on some file system: those leave out letter case, characters without
// width, and dots at the end.
func hidden(name string) bool {
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	for part := range strings.SplitSeq(visible, "/") {
		if part = strings.TrimRight(part, ". "); part == ".git" || strings.HasPrefix(part, "git~") {
			return true
		}
	}
	return false
}

// inTree is a file of a commit or a tree.
func (r *Repo) inTree(ctx context.Context, commit, name string) (object, error) {
	out, err := r.output(ctx, r.command(ctx, "ls-tree", "-z", "--full-tree", commit, "--", path.Clean(name)))
	return firstObject(out), err
}

// firstObject reads "MODE TYPE ID\tNAME", or "MODE ID STAGE\tNAME".
func firstObject(out string) (o object) {
	about, _, _ := strings.Cut(out, "\t")
	for _, f := range strings.Fields(about) {
		switch {
		case o.mode == "":
			o.mode = f
		case objectID().MatchString(f):
			o.id = f
		}
	}
	return o
}

// text is the content of an object, "" for none.
func (r *Repo) text(ctx context.Context, o object) (string, error) {
	if o.id == "" {
		return "", nil
	}
	return gitstatus.Output(ctx, r.command(ctx, "cat-file", "blob", o.id))
}

// hunks are those of the way from one object to another, of a file.
func (r *Repo) hunks(ctx context.Context, name string, from, to object) ([]api.ReviewHunk, error) {
	if from.id == to.id {
		return nil, nil
	}
	var trees [2]string
	for i, o := range []object{from, to} {
		var err error
		if trees[i], err = r.tree(ctx, o); err != nil {
			return nil, err
		}
	}
	files, _, err := r.Diff(ctx, trees[0], trees[1], Options{Paths: []string{"0"}})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	if files[0].Binary || files[0].LeftOut != "" {
		return nil, refuse("the lines of %s cannot be compared with those of the index", textsafe.Line(name))
	}
	return files[0].Hunks, nil
}

// tree is a tree of objects, which have their numbers as names.
func (r *Repo) tree(ctx context.Context, objects ...object) (string, error) {
	var list strings.Builder
	for i, o := range objects {
		if o.id != "" {
			fmt.Fprintf(&list, "100644 blob %s\t%d\x00", o.id, i)
		}
	}
	cmd := r.command(ctx, "mktree", "-z", "--missing")
	cmd.Stdin = strings.NewReader(list.String())
	return r.output(ctx, cmd)
}

// indexed is what the index has of a file.
func (r *Repo) indexed(ctx context.Context, name string) (o object, err error) {
	out, err := r.output(ctx, r.look.Command(ctx, "-C", r.Top, "ls-files", "-s", "-z", "--", ":(top,literal)"+name))
	for e := range strings.SplitSeq(out, "\x00") {
		about, of, _ := strings.Cut(e, "\t")
		if of != name {
			continue
		}
		if !strings.HasSuffix(about, " 0") {
			return o, refuse("%s has conflicts in the index", textsafe.Line(name))
		}
		o = firstObject(e)
	}
	return o, err
}

// Stage takes chosen changes of a difference into git's index, which otherwise stays as it is; what is staged is what was
// shown, whatever the files are by now. It can be undone. Once for its request.
func (r *Repo) Stage(ctx context.Context, session string, c api.ReviewChange, request string) (done api.ReviewChanged, err error) {
	if u, yes, err := r.repeated(ctx, session, request); err != nil || yes && r.indexIs(ctx, u.files) {
		return u.done, err
	}
	f, err := r.choose(ctx, c)
	if err != nil {
		return done, err
	}
	u := undoing{done: api.ReviewChanged{Do: api.ReviewStage, Path: f.Path}, request: request}
	have, err := r.indexed(ctx, f.Path)
	renamed := false
	if err == nil && have.id == "" && f.OldPath != "" {
		have, err = r.indexed(ctx, f.OldPath)
		renamed = have.id != ""
	}
	if err != nil {
		return done, err
	}
	next, err := r.staged(ctx, f, have, &u.done)
	if err != nil {
		return done, err
	}
	if next == have && !renamed {
		return done, refuse("the index has these changes of %s", f.name)
	}
	u.files = []undoFile{{path: f.Path, before: have, after: next}}
	if renamed {
		u.files[0].before = object{}
		u.files = append(u.files, undoFile{path: f.OldPath, before: have})
	}
	if err := r.record(ctx, session, u); err != nil {
		return done, err
	}
	return u.done, r.setIndex(ctx, u.files, func(f undoFile) object { return f.after })
}

// staged is what the index is to have of a file of which it has an object.
func (r *Repo) staged(ctx context.Context, f chosenFile, have object, done *api.ReviewChanged) (next object, err error) {
	if f.base.id != "" && !f.base.regular() || f.head.id != "" && !f.head.regular() || have.id != "" && !have.regular() {
		if !f.whole {
			return next, refuse("%s is no plain file: it is staged as a whole", f.name)
		}
		return r.written(ctx, f.head)
	}
	toHead, err := r.hunks(ctx, f.Path, have, f.head)
	if err != nil {
		return next, err
	}
	index, err := r.text(ctx, have)
	if err != nil {
		return next, err
	}
	head, err := r.text(ctx, f.head)
	if err != nil {
		return next, err
	}
	lines := linesOf(index)
	toIndex, err := r.hunks(ctx, f.Path, f.base, have)
	if err != nil {
		return next, err
	}
	was := origins(toIndex, len(lines))
	over := map[change]bool{} // lines of the index alone, in the place of which chosen ones come
	runs(toHead, func(run []change) {
		hit := false
		for _, c := range run {
			hit = hit || c.kind == api.LineAdded && f.set[c]
		}
		for _, c := range run {
			over[c] = hit && c.kind == api.LineRemoved && was[c.n-1] == 0
		}
	})
	out, added, removed, err := splice(lines, linesOf(head), toHead, func(c change) bool {
		if c.kind == api.LineAdded {
			return f.set[c]
		}
		return over[c] || was[c.n-1] > 0 && f.set[change{api.LineRemoved, was[c.n-1]}]
	})
	if err != nil {
		return next, err
	}
	done.Added, done.Removed = added, removed
	if len(out) == 0 && f.head.id == "" {
		return object{}, nil
	}
	next.mode = have.mode
	if have.id == "" || f.whole && f.head.id != "" && f.base.mode != f.head.mode {
		next.mode = f.head.mode
	}
	if next.mode == "" {
		next.mode = f.base.mode
	}
	if added+removed == 0 && have.id != "" {
		next.id = have.id
		return next, nil
	}
	next.id, err = r.blob(ctx, r.look.Command, joined(out), true)
	return next, err
}
