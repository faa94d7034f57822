package reviews

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/review"
)

// Diff compares the work tree of a session, or of one that was removed: then up to its last snapshot.
func (r *Reviews) Diff(ctx context.Context, ref string, q api.DiffQuestion) (d api.ReviewDiff, err error) {
	if q, err = checked(q); err != nil {
		return d, err
	}
	s, err := r.o.Sessions.Get(ctx, ref)
	if api.CodeOf(err) == api.CodeNotFound {
		past, pastErr := r.o.Past(ctx, ref)
		if pastErr != nil {
			return d, err
		}
		return r.ofPast(ctx, past, q)
	}
	if err != nil {
		return d, err
	}
	if q.Scope == api.DiffPlan {
		return r.plan(s)
	}
	r.settled(ctx, s.ID)
	o, _, done, err := r.openOf(ctx, s)
	if err != nil {
		return d, outside(s, err)
	}
	defer done()
	return r.compare(ctx, o, s, q)
}

// checked is a question without mistakes.
func checked(q api.DiffQuestion) (api.DiffQuestion, error) {
	if q.Scope == "" {
		q.Scope = api.DiffTurn
	}
	switch {
	case q.Scope != api.DiffPlan && !slices.Contains(api.DiffScopes(), q.Scope):
		return q, api.Errorf(api.CodeInvalid, "no scope is called %.40q: use turn, seen, session, base, uncommitted or plan", string(q.Scope))
	case q.Turn != 0 && q.Scope != api.DiffTurn:
		return q, api.Errorf(api.CodeInvalid, "a turn is named with the scope turn alone")
	case q.Turn < 0:
		return q, api.Errorf(api.CodeInvalid, "turns count from 1")
	}
	return q, nil
}

// Looked notes that a person has seen the changes of a session up to a snapshot.
func (r *Reviews) Looked(ctx context.Context, ref, head string) error {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return err
	}
	o, _, done, err := r.openOf(ctx, s)
	if err != nil {
		return outside(s, err)
	}
	defer done()
	if err := o.Keep(ctx, s.ID, review.Point{Seen: true}, head); err != nil {
		return api.Errorf(api.CodeInvalid, "the head %.64q is no snapshot of session %s: %v", head, s.Name, err)
	}
	return nil
}

// outside is the error for a session whose directory cannot be looked at.
func outside(s api.Session, err error) error {
	if errors.Is(err, review.ErrNoWorkTree) {
		return api.Errorf(api.CodeConflict, "session %s works in %q, which is in no work tree of git, and its tools have named no file that they write: there is nothing to compare with", s.Name, s.CWD)
	}
	return err
}

// ends are the two sides of a difference.
type ends struct {
	base, head string
	running    bool
	// begins: base is a snapshot of the beginning of the turn.
	begins bool
	turn   int
	note   string
}

// late notes that the beginning of the turn was looked at late.
func (e *ends) late(ctx context.Context, o *review.Repo) error {
	by, err := o.Late(ctx, e.base)
	if by > 0 {
		e.note = fmt.Sprintf("the files were looked at %.1f s after turn %d had begun: what was written until then is not in it", by.Seconds(), e.turn)
	}
	return err
}

// between finds the two sides of a difference; the files as they are become a snapshot.
func (r *Reviews) between(ctx context.Context, o *review.Repo, s api.Session, q api.DiffQuestion) (e ends, err error) {
	if err := begun(ctx, o, s, s.State == api.StateWorking || s.State.NeedsPerson()); err != nil {
		return e, err
	}
	log, err := o.Log(ctx, s.ID)
	if err != nil {
		return e, err
	}
	if e, err = find(ctx, o, s, log, q); err == nil && e.begins {
		err = e.late(ctx, o)
	}
	if err == nil && e.head == "" {
		e.head, err = o.Take(ctx, log.Newest(), "ccdir: now")
	}
	if err == nil {
		err = e.complete(ctx, o)
	}
	return e, err
}

// ofPast compares the snapshots of a session that was removed.
func (r *Reviews) ofPast(ctx context.Context, s api.Session, q api.DiffQuestion) (d api.ReviewDiff, err error) {
	if !slices.Contains([]api.DiffScope{api.DiffTurn, api.DiffSeen, api.DiffSession}, q.Scope) {
		return d, api.Errorf(api.CodeConflict, "session %s was removed, and its work tree may be another's now: use the scope turn, seen or session", s.Name)
	}
	r.settled(ctx, s.ID)
	o, _, done, err := r.openOf(ctx, s)
	if err != nil {
		return d, outside(s, err)
	}
	defer done()
	log, err := o.Log(ctx, s.ID)
	if err != nil {
		return d, err
	}
	e, err := find(ctx, o, s, log, q)
	if err != nil {
		return d, err
	}
	if e.head == "" {
		e.head = log.Newest()
	}
	if e.begins {
		err = e.late(ctx, o)
	}
	if err == nil {
		err = e.complete(ctx, o)
	}
	if err != nil {
		return d, err
	}
	return r.differ(ctx, o, s, e, q)
}

// complete gives the base what files outside of git were that were named later.
func (e *ends) complete(ctx context.Context, o *review.Repo) (err error) {
	note, outside := o.Outside()
	if !outside {
		return nil
	}
	e.note = strings.TrimSuffix(note+"; "+e.note, "; ")
	e.base, err = o.Complete(ctx, e.base, e.head)
	return err
}

// compare compares a session's work tree, whose repository is open.
func (r *Reviews) compare(ctx context.Context, o *review.Repo, s api.Session, q api.DiffQuestion) (d api.ReviewDiff, err error) {
	e, err := r.between(ctx, o, s, q)
	if err != nil {
		return d, err
	}
	return r.differ(ctx, o, s, e, q)
}

// Turn compares the files of a session with what they were when its present turn began; root is where their paths begin. Where that
// was not seen it is since the turn before has ended.
func (r *Reviews) Turn(ctx context.Context, session string, q api.DiffQuestion) (d api.ReviewDiff, root string, err error) {
	s, err := r.o.Sessions.Get(ctx, session)
	if err != nil {
		return d, "", err
	}
	r.settled(ctx, s.ID)
	o, _, done, err := r.openOf(ctx, s)
	if err != nil {
		return d, "", outside(s, err)
	}
	defer done()
	q.Scope = api.DiffTurn
	if d, err = r.compare(ctx, o, s, q); err != nil || !d.Running {
		var log review.Log
		if log, err = o.Log(ctx, s.ID); err == nil && log.Newest() == "" {
			err = noSnapshot(s)
		}
		e := ends{base: log.Newest(), running: true, note: "the beginning of the turn was not seen: compared with the snapshot before"}
		if err == nil {
			e.head, err = o.Take(ctx, e.base, "ccdir: now")
		}
		if err == nil {
			err = e.complete(ctx, o)
		}
		if err == nil {
			d, err = r.differ(ctx, o, s, e, q)
		}
	}
	return d, o.Root(), err
}

// differ compares the two sides of a difference.
func (r *Reviews) differ(ctx context.Context, o *review.Repo, s api.Session, e ends, q api.DiffQuestion) (d api.ReviewDiff, err error) {
	files, more, err := o.Diff(ctx, e.base, e.head, review.Options{Stat: q.Stat || q.Patch, Paths: q.Paths})
	if errors.Is(err, review.ErrPath) {
		return d, api.Errorf(api.CodeInvalid, "%v", err)
	}
	if err != nil {
		return d, api.Errorf(api.CodeConflict, "the two states cannot be compared: %v", err)
	}
	d = api.ReviewDiff{Scope: q.Scope, Base: e.base, Head: e.head, Running: e.running, Note: e.note, Files: files}
	if e.turn > 0 {
		d.Turn = &e.turn
	}
	if more {
		d.Note = strings.TrimPrefix(d.Note+"; there are more files than a difference has", "; ")
	}
	d.Added, d.Removed = count(files)
	if q.Patch {
		if d.Patch, err = o.Patch(ctx, e.base, e.head, q.Paths); err != nil {
			return d, api.Errorf(api.CodeConflict, "no patch can be made: %v", err)
		}
	}
	return d, r.markViewed(ctx, s.ID, files)
}

// find says what is compared. head "": the files as they are.
func find(ctx context.Context, o *review.Repo, s api.Session, log review.Log, q api.DiffQuestion) (e ends, err error) {
	if note, isOutside := o.Outside(); isOutside && (q.Scope == api.DiffUncommitted || q.Scope == api.DiffBase) {
		return e, api.Errorf(api.CodeConflict, "%s: there is no commit to compare with, use the scope turn, seen or session", note)
	}
	switch q.Scope {
	case api.DiffUncommitted:
		e.base, err = o.Head(ctx)
	case api.DiffBase:
		var trunk string
		if e.base, trunk, err = o.Base(ctx); err != nil {
			return e, api.Errorf(api.CodeConflict, "%v: compare with another scope", err)
		}
		e.note = "compared with where the branch left " + trunk
	case api.DiffSession, api.DiffSeen:
		if q.Scope == api.DiffSeen {
			e.base = log.Find(review.Point{Seen: true})
		}
		if e.base == "" {
			e.base = log.Start()
		}
		if log.Find(review.Point{}) == "" {
			e.note = "the session's start was not seen: compared with the first snapshot"
		}
	case api.DiffTurn:
		return findTurn(s, log, q.Turn)
	}
	if err == nil && e.base == "" {
		err = noSnapshot(s)
	}
	return e, err
}

func noSnapshot(s api.Session) error {
	why := "ccdir has no snapshot of the work tree of session " + s.Name + " yet"
	if s.Plain != "" {
		why = "session " + s.Name + " runs no agent, whose turns ccdir would follow"
	}
	return api.Errorf(api.CodeConflict, "%s: the scopes uncommitted and base compare with commits", why)
}

// findTurn says what a turn is compared by.
func findTurn(s api.Session, log review.Log, turn int) (e ends, err error) {
	last := log.Last()
	if turn == 0 {
		turn = last
	}
	switch {
	case log.Start() == "":
		return e, noSnapshot(s)
	case last == 0:
		return e, api.Errorf(api.CodeConflict, "session %s has not ended a turn that ccdir saw: --scope session compares with its start", s.Name)
	case turn > last:
		return e, api.Errorf(api.CodeNotFound, "turn %d of session %s has not been: ccdir saw %d", turn, s.Name, last)
	}
	base, head, exact, ok := log.Turn(turn)
	if !ok {
		return e, api.Errorf(api.CodeNotFound, "there is no snapshot of turn %d of session %s any more", turn, s.Name)
	}
	e = ends{base: base, head: head, turn: turn, running: head == "", begins: base == log.Find(review.Point{Turn: turn, Begin: true})}
	if !exact {
		e.note = fmt.Sprintf("the beginning or the end of turn %d was not seen: compared by the nearest snapshots", turn)
	}
	return e, nil
}
