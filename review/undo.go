package review

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// What was staged and put back is undone by a commit of ours each, which names the files as they were and as they
// became: objects of the index, or contents byte by byte. It is made before anything changes.

// maxUndo bounds what can be undone of a session.
const maxUndo = 50

// undone is the number of what was undone last.
const undone = "last"

// undoing is what can be undone.
type undoing struct {
	done    api.ReviewChanged
	request string
	files   []undoFile
}

// undoFile is a file as it was and became; modes of files of the work tree are permissions in octal.
type undoFile struct {
	path          string
	before, after object
}

// text is a commit's message of it.
func (u undoing) text(subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\ndo %s %d %d %s\nrequest %s\n", subjectPrefix, subject, u.done.Do, u.done.Added, u.done.Removed, strconv.Quote(u.done.Path), strconv.Quote(u.request))
	for _, f := range u.files {
		fmt.Fprintf(&b, "file %s %s %s\n", f.before, f.after, strconv.Quote(f.path))
	}
	return b.String()
}

// String is "MODE ID", "0 -" for none.
func (o object) String() string {
	if o.id == "" {
		return "0 -"
	}
	return o.mode + " " + o.id
}

// readUndo reads a commit's message.
func readUndo(message string) (u undoing, ok bool) {
	for line := range strings.Lines(message) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "request":
			u.request, _ = strconv.Unquote(rest)
		case "do":
			f := strings.SplitN(rest, " ", 4)
			if len(f) != 4 {
				return u, false
			}
			u.done.Do = api.ReviewAct(f[0])
			u.done.Added, _ = strconv.Atoi(f[1])
			u.done.Removed, _ = strconv.Atoi(f[2])
			u.done.Path, _ = strconv.Unquote(f[3])
		case "file":
			f := strings.SplitN(rest, " ", 5)
			if len(f) != 5 {
				return u, false
			}
			name, err := strconv.Unquote(f[4])
			if err != nil {
				return u, false
			}
			u.files = append(u.files, undoFile{path: name, before: readObject(f[0], f[1]), after: readObject(f[2], f[3])})
		}
	}
	return u, u.done.Do != "" && len(u.files) > 0
}

func readObject(mode, id string) (o object) {
	if objectID().MatchString(id) {
		o = object{mode, id}
	}
	return o
}

// blob is the id of a content; write: it is written into the objects that the command has. No filter runs.
func (r *Repo) blob(ctx context.Context, command func(context.Context, ...string) *exec.Cmd, text string, write bool) (string, error) {
	args := []string{"hash-object", "--no-filters", "--stdin"}
	if write {
		args = append(args, "-w")
	}
	cmd := command(ctx, args...)
	cmd.Stdin = strings.NewReader(text)
	return r.output(ctx, cmd)
}

// written is an object that is in the repository's own objects too.
func (r *Repo) written(ctx context.Context, o object) (object, error) {
	if o.id == "" || o.mode == "160000" {
		return o, nil
	}
	text, err := r.text(ctx, o)
	if err == nil {
		o.id, err = r.blob(ctx, r.look.Command, text, true)
	}
	return o, err
}

// undos are what can be undone, the newest last.
func (r *Repo) undos(ctx context.Context, session string) (list Log, err error) {
	log, err := r.Log(ctx, session)
	for _, s := range log {
		if s.Undo != "" && s.Undo != undone {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Shot) int { return number(a.Undo) - number(b.Undo) })
	return list, err
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // 0: somebody else's
	return n
}

// record keeps what can be undone.
func (r *Repo) record(ctx context.Context, session string, u undoing) error {
	if err := r.make(ctx); err != nil {
		return err
	}
	list, err := r.undos(ctx, session)
	if err != nil {
		return err
	}
	next := 1
	if len(list) > 0 {
		next = number(list[len(list)-1].Undo) + 1
	}
	if err := r.keepUndo(ctx, session, strconv.Itoa(next), u, "before changes were "+string(u.done.Do)); err != nil {
		return err
	}
	return r.drop(ctx, session, list[:max(0, len(list)-maxUndo+1)])
}

func (r *Repo) keepUndo(ctx context.Context, session, n string, u undoing, subject string) error {
	var before []object
	for _, f := range u.files {
		if f.before.mode != "160000" {
			before = append(before, f.before)
		}
	}
	tree, err := r.tree(ctx, before...)
	if err != nil {
		return err
	}
	cmd := r.command(ctx, "commit-tree", "-F", "-", tree)
	cmd.Env = append(cmd.Env, identity...)
	cmd.Stdin = strings.NewReader(u.text(subject))
	commit, err := r.output(ctx, cmd)
	if err != nil {
		return err
	}
	return r.Keep(ctx, session, Point{Undo: n}, commit)
}

// recorded reads what can be undone.
func (r *Repo) recorded(ctx context.Context, commit string) (undoing, error) {
	text, err := r.output(ctx, r.command(ctx, "cat-file", "commit", commit))
	if err != nil {
		return undoing{}, err
	}
	_, message, _ := strings.Cut(text, "\n\n")
	u, ok := readUndo(message)
	if !ok {
		return u, errors.New("what was kept for it cannot be read")
	}
	return u, nil
}

// Undo undoes what was staged or put back last of a session. Once for its request.
func (r *Repo) Undo(ctx context.Context, session, request string) (done api.ReviewChanged, err error) {
	log, err := r.Log(ctx, session)
	if err != nil {
		return done, err
	}
	if last := log.Find(Point{Undo: undone}); last != "" && request != "" {
		if u, err := r.recorded(ctx, last); err == nil && u.request == request {
			return u.done, nil
		}
	}
	list, err := r.undos(ctx, session)
	if err != nil {
		return done, err
	}
	if len(list) == 0 {
		return done, refuse("there is nothing to undo")
	}
	newest := list[len(list)-1]
	u, err := r.recorded(ctx, newest.Commit)
	if err != nil {
		return done, err
	}
	if u.done.Do == api.ReviewStage {
		err = r.unstage(ctx, u.files)
	} else {
		err = r.restore(ctx, u.files)
	}
	if err != nil {
		return done, err
	}
	u.request = request
	if err := r.keepUndo(ctx, session, undone, u, "undone"); err != nil {
		return done, err
	}
	return u.done, r.drop(ctx, session, Log{newest})
}

// repeated is the answer to a call that was made before, if the newest that can be undone is its own.
func (r *Repo) repeated(ctx context.Context, session, request string) (u undoing, yes bool, err error) {
	list, err := r.undos(ctx, session)
	if err != nil || len(list) == 0 || request == "" {
		return u, false, err
	}
	u, err = r.recorded(ctx, list[len(list)-1].Commit)
	return u, err == nil && u.request == request, nil //nolint:nilerr // it cannot be read: it is another's
}

// indexIs reports whether the index has files as they became.
func (r *Repo) indexIs(ctx context.Context, files []undoFile) bool {
	for _, f := range files {
		if have, err := r.indexed(ctx, f.path); err != nil || have != f.after {
			return false
		}
	}
	return true
}

// unstage has the index have files as they were.
func (r *Repo) unstage(ctx context.Context, files []undoFile) error {
	for _, f := range files {
		have, err := r.indexed(ctx, f.path)
		if err != nil {
			return err
		}
		if have != f.after && have != f.before {
			return refuse("the index has another %s since: git restore --staged takes it back", textsafe.Line(f.path))
		}
	}
	return r.setIndex(ctx, files, func(f undoFile) object { return f.before })
}

// setIndex sets files of the index, all or none.
func (r *Repo) setIndex(ctx context.Context, files []undoFile, to func(undoFile) object) error {
	var input strings.Builder
	for _, f := range files {
		o := to(f)
		if o.id == "" {
			fmt.Fprintf(&input, "0 %s\t%s\x00", strings.Repeat("0", 40), f.path)
		} else {
			fmt.Fprintf(&input, "%s %s\t%s\x00", o.mode, o.id, f.path)
		}
	}
	// An index in two parts would have one of them in the directory of the Look.
	cmd := r.look.Command(ctx, "-C", r.Top, "-c", "core.splitIndex=false", "update-index", "-z", "--index-info")
	cmd.Stdin = strings.NewReader(input.String())
	_, err := r.output(ctx, cmd)
	return err
}
