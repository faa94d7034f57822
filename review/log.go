package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccdir/api"
)

// subjectPrefix begins the subjects of our commits.
const subjectPrefix = "ccdir: "

// refPrefix begins the names of our refs, which only our git directory has.
const refPrefix = "refs/ccdir/"

// Bounds of the log: turns of a session, and loose objects in one of git's 256 folders before they are
// packed (git's own measure is 27, for some 7000).
const (
	maxTurns = 200
	maxLoose = 27
)

// MaxSize bounds the objects of all snapshots of a repository, in bytes: beyond it the oldest go.
const MaxSize = 1 << 30

// MaxAge is how long snapshots are kept.
const MaxAge = 60 * 24 * time.Hour

// Point is a place in a session's life of which there can be a snapshot. The zero value is its start.
type Point struct {
	// Turn counts the turns that were seen, from 1. Begin: its beginning, otherwise its end.
	Turn  int
	Begin bool
	// Seen: what a person has reviewed last; the others are zero then.
	Seen bool
	// Kept is the commit that comments are about, kept for them; the others are zero then.
	Kept string
	// Undo is the number of what can be undone (undo.go), or undone; the others are zero then.
	Undo string
}

// apart reports whether a point is none of the session's own course.
func (p Point) apart() bool { return p.Seen || p.Kept != "" || p.Undo != "" }

// keptPrefix begins the names of commits that are kept for comments.
const keptPrefix = "kept-"

// undoPrefix begins the names of what can be undone.
const undoPrefix = "undo-"

// name is the last part of a ref.
func (p Point) name() string {
	switch {
	case p.Seen:
		return "seen"
	case p.Kept != "":
		return keptPrefix + p.Kept
	case p.Undo != "":
		return undoPrefix + p.Undo
	case p.Begin:
		return strconv.Itoa(p.Turn) + "-begin"
	}
	return strconv.Itoa(p.Turn)
}

// Subject is a snapshot's subject.
func (p Point) Subject() string {
	switch {
	case p.Seen:
		return subjectPrefix + "reviewed"
	case p.Begin:
		return subjectPrefix + fmt.Sprintf("turn %d begins", p.Turn)
	case p.Turn == 0:
		return subjectPrefix + "the session begins"
	}
	return subjectPrefix + fmt.Sprintf("turn %d ends", p.Turn)
}

// point reads the last part of a ref.
func point(name string) (p Point, ok bool) {
	if name == "seen" {
		return Point{Seen: true}, true
	}
	if id, kept := strings.CutPrefix(name, keptPrefix); kept {
		return Point{Kept: id}, objectID().MatchString(id)
	}
	if number, undo := strings.CutPrefix(name, undoPrefix); undo {
		return Point{Undo: number}, number != ""
	}
	number, begin := strings.CutSuffix(name, "-begin")
	n, err := strconv.ParseUint(number, 10, 31)
	return Point{Turn: int(n), Begin: begin}, err == nil
}

// Shot is a snapshot in a session's log.
type Shot struct {
	Point
	Commit string
	// At is when its commit was made; the same files later are the same commit.
	At time.Time
}

// Log is a session's snapshots in their order.
type Log []Shot

// sessionID is an id of a session as a part of a ref.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`) })

// Log reads the snapshots of a session.
func (r *Repo) Log(ctx context.Context, session string) (Log, error) {
	if !sessionID().MatchString(session) {
		return nil, fmt.Errorf("%.40q is no id of a session", session)
	}
	return r.list(ctx, refPrefix+session+"/")
}

func (r *Repo) list(ctx context.Context, prefix string) (log Log, err error) {
	if !exists(filepath.Join(r.dir(), "HEAD")) {
		return nil, nil
	}
	out, err := r.output(ctx, r.refs(ctx, "for-each-ref", "--format=%(objectname) %(creatordate:unix) %(refname)", prefix))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 3 || !objectID().MatchString(f[0]) {
			continue
		}
		p, ok := point(f[2][strings.LastIndexByte(f[2], '/')+1:])
		seconds, err := strconv.ParseInt(f[1], 10, 64)
		if ok && err == nil {
			log = append(log, Shot{Point: p, Commit: f[0], At: time.Unix(seconds, 0).UTC()})
		}
	}
	slices.SortStableFunc(log, func(a, b Shot) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), order(b.Begin)-order(a.Begin))
	})
	return log, nil
}

func order(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Keep notes a snapshot as that of a point, in place of an earlier one.
func (r *Repo) Keep(ctx context.Context, session string, p Point, commit string) error {
	if !sessionID().MatchString(session) || !objectID().MatchString(commit) {
		return errors.New("a snapshot is kept for a session's id, by its own")
	}
	if err := r.checkPlace("refs/ccdir/" + session); err != nil {
		return err
	}
	_, err := r.output(ctx, r.refs(ctx, "update-ref", refPrefix+session+"/"+p.name(), commit))
	return err
}

// Trim forgets the oldest turns of a session beyond the bound.
func (r *Repo) Trim(ctx context.Context, session string, log Log) error {
	oldest := log.Last() - maxTurns
	var gone Log
	for _, s := range log {
		if s.Turn > 0 && s.Turn <= oldest {
			gone = append(gone, s)
		}
	}
	return r.drop(ctx, session, gone)
}

// Release forgets the commits that were kept for comments and that no comment needs.
func (r *Repo) Release(ctx context.Context, session string, log Log, needed func(commit string) bool) error {
	var gone Log
	for _, s := range log {
		if s.Kept != "" && !needed(s.Commit) {
			gone = append(gone, s)
		}
	}
	return r.drop(ctx, session, gone)
}

func (r *Repo) drop(ctx context.Context, session string, gone Log) error {
	if len(gone) == 0 {
		return nil
	}
	var input strings.Builder
	for _, s := range gone {
		input.WriteString("delete " + refPrefix + session + "/" + s.name() + "\n")
	}
	cmd := r.refs(ctx, "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(input.String())
	_, err := r.output(ctx, cmd)
	return err
}

// Last is the number of the last turn; 0 before the first.
func (l Log) Last() int {
	n := 0
	for _, s := range l {
		n = max(n, s.Turn)
	}
	return n
}

// Newest is the commit of the newest snapshot; "" if there is none.
func (l Log) Newest() string {
	for i := len(l) - 1; i >= 0; i-- {
		if !l[i].apart() {
			return l[i].Commit
		}
	}
	return ""
}

// Find returns the commit of a point, "" if there is none.
func (l Log) Find(p Point) string {
	for _, s := range l {
		if s.Point == p {
			return s.Commit
		}
	}
	return ""
}

// Next is the point of what happens now: a turn begins, or ends.
func (l Log) Next(begins bool) Point {
	last := l.Last()
	if !begins && l.Find(Point{Turn: last, Begin: true}) != "" && l.Find(Point{Turn: last}) == "" {
		return Point{Turn: last}
	}
	return Point{Turn: last + 1, Begin: begins}
}

// Turn is what a turn is to be compared by. exact: its beginning was seen, otherwise base is the last
// snapshot before it. head "": it has not ended. ok: the log has something to compare with.
func (l Log) Turn(n int) (base, head string, exact, ok bool) {
	head = l.Find(Point{Turn: n})
	known := head != ""
	if base = l.Find(Point{Turn: n, Begin: true}); base != "" {
		exact, known = true, true
	}
	for _, s := range l { // in their order
		if !exact && !s.apart() && s.Turn < n {
			base = s.Commit
		}
		if head == "" && !s.apart() && s.Turn > n { // nobody saw its end
			head, exact = s.Commit, false
		}
	}
	return base, head, exact, known && base != ""
}

// Start is what the session is compared with as a whole: its start, or the first snapshot that there is.
func (l Log) Start() string {
	for _, s := range l {
		if !s.apart() {
			return s.Commit
		}
	}
	return ""
}

// Sessions are the sessions with snapshots in the repository.
func (r *Repo) Sessions() (ids []string) {
	entries, _ := os.ReadDir(filepath.Join(r.dir(), filepath.FromSlash(refPrefix))) // fails if there are none
	for _, e := range entries {
		if e.IsDir() && sessionID().MatchString(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// Tidy forgets the sessions for which keep is false, what is too old and, if the objects are too large, the older half; and
// drops objects that no snapshot needs, if there are many or something was forgotten. Nobody else makes snapshots in the
// repository meanwhile.
func (r *Repo) Tidy(ctx context.Context, keep func(session string) bool, now time.Time) error {
	if err := r.checkPlace(); err != nil {
		return err
	}
	forgot := false
	var all []time.Time
	for _, id := range r.Sessions() {
		log, err := r.Log(ctx, id)
		if err != nil {
			return err
		}
		var gone Log
		for _, s := range log {
			if !keep(id) || now.Sub(s.At) > MaxAge {
				gone = append(gone, s)
			} else {
				all = append(all, s.At)
			}
		}
		if err := r.drop(ctx, id, gone); err != nil {
			return err
		}
		forgot = forgot || len(gone) > 0
		if len(gone) == len(log) {
			_ = os.Remove(filepath.Join(r.dir(), filepath.FromSlash(refPrefix), id)) // an empty folder
		}
	}
	if size := sizeOf(r.objects()); size > MaxSize && len(all) > 1 {
		slices.SortFunc(all, time.Time.Compare)
		if err := r.forgetUntil(ctx, all[len(all)/2]); err != nil {
			return err
		}
		forgot = true
	}
	if !forgot {
		return r.Compact(ctx)
	}
	return r.pack(ctx)
}

// Compact packs the objects of snapshots if there are many. Nobody else makes snapshots in the repository
// meanwhile.
func (r *Repo) Compact(ctx context.Context) error {
	if err := r.checkPlace(); err != nil {
		return err
	}
	if loose, _ := os.ReadDir(filepath.Join(r.objects(), "17")); len(loose) < maxLoose { // fails if there are none
		return nil
	}
	return r.pack(ctx)
}

// forgetUntil forgets snapshots that were made before a time.
func (r *Repo) forgetUntil(ctx context.Context, until time.Time) error {
	for _, id := range r.Sessions() {
		log, err := r.Log(ctx, id)
		if err != nil {
			return err
		}
		log = slices.DeleteFunc(log, func(s Shot) bool { return !s.At.Before(until) })
		if err := r.drop(ctx, id, log); err != nil {
			return err
		}
	}
	return nil
}

// pack leaves the objects that the snapshots need, in one file. What only they and an unreachable part of the
// repository have comes with them.
func (r *Repo) pack(ctx context.Context) error {
	out, err := r.output(ctx, r.refs(ctx, "for-each-ref", "--format=%(objectname) %(parent)", refPrefix))
	if err != nil {
		return err
	}
	var wanted strings.Builder
	for line := range strings.Lines(out) {
		for i, id := range strings.Fields(line) {
			if i > 0 {
				id = "^" + id
			}
			wanted.WriteString(id + "\n")
		}
	}
	name := ""
	if wanted.Len() > 0 {
		cmd := r.command(ctx, "-c", "core.fsync=all", "pack-objects", "--quiet", "--revs", filepath.Join(r.objects(), "pack", "pack"))
		cmd.Stdin = strings.NewReader(wanted.String())
		if name, err = r.output(ctx, cmd); err != nil {
			return err
		}
	}
	return errors.Join(removeObjects(r.objects(), "pack-"+name+"."), r.forgetIndexes())
}

// forgetIndexes removes our copies of indexes: they know objects that have gone.
func (r *Repo) forgetIndexes() error {
	files, err := filepath.Glob(filepath.Join(globbed(r.dir()), "index-*"))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// removeObjects removes all objects but one pack.
func removeObjects(dir, pack string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if len(e.Name()) == 2 {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	packs, err2 := os.ReadDir(filepath.Join(dir, "pack"))
	for _, e := range packs {
		if !strings.HasPrefix(e.Name(), pack) {
			err2 = errors.Join(err2, os.Remove(filepath.Join(dir, "pack", e.Name())))
		}
	}
	return errors.Join(err, err2)
}

// globbed is a path that a pattern means literally.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// sizeOf are the bytes of the files below a folder.
func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // it went away
		}
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

func sortFiles(files []api.ReviewFile) {
	slices.SortFunc(files, func(a, b api.ReviewFile) int { return cmp.Compare(a.Path, b.Path) })
}
