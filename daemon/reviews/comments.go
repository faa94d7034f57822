package reviews

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/review"
)

// Bounds of comments: drafts of a session, those of it that are kept after they were sent, the bytes of one, and the lines that
// one is about.
const (
	maxDrafts  = 200
	maxSent    = 2000
	maxComment = 16 << 10
	maxRange   = 500
)

// Said is who comments.
type Said struct {
	// Author is the session whose agent does; "" is a person.
	Author string
	// Request makes it once; "" does not.
	Request string
	// May decides which files of the work tree the author may read, by absolute paths; nil: all.
	May func(path string) bool
}

// Comments lists what was said of a session's work, oldest first.
func (r *Reviews) Comments(ctx context.Context, ref string) ([]api.ReviewComment, error) {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	r.settled(ctx, s.ID)
	return r.known(ctx, s.ID)
}

// CommentsFor lists what an agent was sent, and what was said of its work, without drafts, oldest first.
func (r *Reviews) CommentsFor(ctx context.Context, session string) ([]api.ReviewComment, error) {
	return r.o.Store.CommentsFor(ctx, session)
}

// AddComment keeps a person's draft; request makes it once.
func (r *Reviews) AddComment(ctx context.Context, ref string, n api.NewComment, request string) (api.ReviewComment, error) {
	return r.Comment(ctx, ref, n, Said{Request: request})
}

// Comment keeps a draft.
func (r *Reviews) Comment(ctx context.Context, ref string, n api.NewComment, by Said) (made api.ReviewComment, err error) {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return made, err
	}
	if n.Side == "" || n.Line == 0 && n.Side == api.SideOld && n.Path == "" {
		n.Side = api.SideNew
	}
	n.End = cmp.Or(n.End, n.Line)
	q, err := checked(api.DiffQuestion{Scope: n.Scope, Turn: n.Turn})
	if err == nil {
		err = checkComment(n)
	}
	if err != nil {
		return made, err
	}
	if q.Scope == api.DiffPlan {
		return r.commentPlan(s, n, by)
	}
	r.settled(ctx, s.ID)
	o, _, done, err := r.openOf(ctx, s)
	if err != nil {
		return made, outside(s, err)
	}
	defer done()
	e, err := r.between(ctx, o, s, q)
	if err != nil {
		return made, err
	}
	if n.Path != "" && by.May != nil && !by.May(o.Root()+"/"+n.Path) {
		return made, api.Errorf(api.CodeForbidden, "the policy does not let you read %s, so you cannot comment on it", textsafe.Line(n.Path))
	}
	c := api.ReviewComment{Session: s.ID, Path: n.Path, Line: n.Line, End: n.End, Side: n.Side, Text: strings.TrimSpace(n.Text), Question: n.Question,
		Scope: q.Scope, Base: e.base, Head: e.head, Author: by.Author, At: r.o.Now().UTC()}
	if c.Quote, err = anchor(ctx, o, c); err != nil {
		return made, err
	}
	if err := o.Keep(ctx, s.ID, review.Point{Kept: e.head}, e.head); err != nil {
		return made, err
	}
	return r.add(c, by)
}

// add saves a draft.
func (r *Reviews) add(c api.ReviewComment, by Said) (made api.ReviewComment, err error) {
	if made, err = r.o.Store.AddComment(c, by.Request, maxDrafts); err == nil && by.Author != "" {
		r.announce(c.Session, fmt.Sprintf("an agent comments on %s: %s", review.Place(made), textsafe.Cut(textsafe.Line(made.Text), 200)))
	}
	return made, err
}

func checkComment(n api.NewComment) error {
	switch {
	case n.Side != api.SideNew && n.Side != api.SideOld:
		return api.Errorf(api.CodeInvalid, "a side is old or new, not %.20q", string(n.Side))
	case n.Line < 0 || n.End < n.Line:
		return api.Errorf(api.CodeInvalid, "lines count from 1, the first one first: PATH:3 or PATH:3-5")
	case n.Path == "" && n.Line > 0:
		return api.Errorf(api.CodeInvalid, "a line is one of a file: name it as PATH:LINE")
	case n.End-n.Line >= maxRange:
		return api.Errorf(api.CodeInvalid, "a comment is about %d lines at most", maxRange)
	}
	return checkText(n.Text)
}

func checkText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return api.Errorf(api.CodeInvalid, "the comment has no words")
	case len(text) > maxComment:
		return api.Errorf(api.CodeTooLarge, "a comment has %d bytes at most", maxComment)
	}
	return nil
}

// anchor finds the lines that a comment is about, or says why the difference has them not, and what stands there.
func anchor(ctx context.Context, o *review.Repo, c api.ReviewComment) (quote []string, err error) {
	if c.Path == "" {
		return nil, nil
	}
	f, found, err := o.File(ctx, c.Base, c.Head, c.Path, c.Side)
	switch {
	case errors.Is(err, review.ErrPath):
		return nil, api.Errorf(api.CodeInvalid, "%v", err)
	case err != nil:
		return nil, api.Errorf(api.CodeConflict, "the two states cannot be compared: %v", err)
	case !found:
		return nil, api.Errorf(api.CodeInvalid, "%s is not in this difference (scope %s)%s", textsafe.Line(c.Path), c.Scope, stands(ctx, o, c))
	case c.Line == 0:
		return nil, nil
	}
	quote, ok := review.Quote(f, c.Side, c.Line, c.End)
	switch {
	case ok:
		return quote, nil
	case f.Binary || f.LeftOut != "":
		return nil, api.Errorf(api.CodeInvalid, "the difference does not show the lines of %s: comment on the file, without a line", textsafe.Line(c.Path))
	}
	shown := "none of that side: " + map[api.DiffSide]string{api.SideNew: "see --side old", api.SideOld: "see --side new"}[c.Side]
	if spans := review.Spans(f, c.Side); spans != "" {
		shown = spans
	}
	return nil, api.Errorf(api.CodeInvalid, "%s is not in this difference (scope %s), which shows the lines %s%s", review.Place(c), c.Scope, shown, stands(ctx, o, c))
}

// shownLines bounds the lines in a refusal, shownText the runes of one.
const (
	shownLines = 5
	shownText  = 200
)

// stands says what is where a comment wants to be.
func stands(ctx context.Context, o *review.Repo, c api.ReviewComment) string {
	if c.Line == 0 {
		return ""
	}
	commit := c.Head
	if c.Side == api.SideOld {
		commit = c.Base
	}
	lines, n, err := o.Lines(ctx, commit, c.Path, c.Line, min(c.End, c.Line+shownLines-1))
	switch {
	case err != nil:
		return ""
	case n == 0:
		return "; it has no lines there"
	case len(lines) == 0:
		return fmt.Sprintf("; it has %d lines", n)
	}
	for i := range lines {
		lines[i] = fmt.Sprintf("%d: %s", c.Line+i, textsafe.Cut(textsafe.Line(lines[i]), shownText))
	}
	return "; there stands " + strings.Join(lines, " | ")
}

// draft fails for a comment that cannot be changed any more, or is no comment on that work.
func draft(session string) func(api.ReviewComment) error {
	return func(c api.ReviewComment) error {
		switch {
		case c.Session != session:
			return api.Errorf(api.CodeNotFound, "no comment %.40q on the work of that session", c.ID)
		case c.State != api.CommentDraft:
			return api.Errorf(api.CodeConflict, "the comment %s was sent in round %d already", c.ID, c.Round)
		}
		return nil
	}
}

// EditComment changes a draft.
func (r *Reviews) EditComment(ctx context.Context, ref, id string, e api.EditComment) (c api.ReviewComment, err error) {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err == nil && e.Text != nil {
		err = checkText(*e.Text)
	}
	if err != nil {
		return c, err
	}
	return r.o.Store.ChangeComment(id, func(now *api.ReviewComment) error {
		if err := draft(s.ID)(*now); err != nil {
			return err
		}
		if e.Text != nil {
			now.Text = strings.TrimSpace(*e.Text)
		}
		if e.Question != nil {
			now.Question = *e.Question
		}
		return nil
	})
}

// DropComment removes a draft.
func (r *Reviews) DropComment(ctx context.Context, ref, id string) error {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return err
	}
	return r.o.Store.DropComment(id, draft(s.ID))
}

// Reply keeps what the agent of a session says of a comment that it was sent, or that is about its work.
func (r *Reviews) Reply(_ context.Context, session, id, text string) (c api.ReviewComment, err error) {
	if err := checkText(text); err != nil {
		return c, err
	}
	c, err = r.o.Store.ChangeComment(id, func(now *api.ReviewComment) error {
		if now.State == api.CommentDraft || session == "" || now.Session != session && now.To != session {
			return api.Errorf(api.CodeNotFound, "no comment %.40q was sent to you: review_comments lists them", id)
		}
		now.Reply = strings.TrimSpace(text)
		if now.State != api.CommentChanged || now.Question {
			now.State = api.CommentAnswered
		}
		return nil
	})
	if err == nil {
		r.announce(c.Session, fmt.Sprintf("%s, round %d: the agent says of %s: %s", c.ID, c.Round, review.Place(c), textsafe.Cut(textsafe.Line(c.Reply), 200)))
	}
	return c, err
}

// announce publishes an event of type review.
func (r *Reviews) announce(session, message string) {
	e := &api.Event{At: r.o.Now().UTC(), Session: session, Type: api.EventReview, Source: "daemon", Message: message}
	if s, ok := r.o.Journal.Session(session); ok {
		e.StateFrom, e.StateTo = s.State, s.State
	}
	<-r.o.Journal.Append(api.WatchMessage{Event: e}, nil, "")
}

// drafts are those of a list but the ones on a plan that waits for its answer.
func drafts(list []api.ReviewComment, plan string) []api.ReviewComment {
	return slices.DeleteFunc(slices.Clone(list), func(c api.ReviewComment) bool {
		return c.State != api.CommentDraft || c.Scope == api.DiffPlan && c.Head == plan
	})
}
