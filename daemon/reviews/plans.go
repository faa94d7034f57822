package reviews

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/toolinput"
	"ccdir/review"
)

// PauseRefused is the point behind the refusal of a plan at which tests stop the daemon: its comments are drafts yet.
const PauseRefused = "review-refused"

// Plans that wait for approval are reviewed as a file. Comments on one are kept with the id of its request as their head. They are
// sent as the words of that request's refusal: the refusal is in the ledger first, and what has been sent by it is told from there
// if the daemon dies between the two.

// planOf is the plan that a session asks approval for.
func (r *Reviews) planOf(session string) (q api.Request, lines []string) {
	for _, q = range r.o.Sessions.Requests() {
		if q.Session != session || q.Kind != api.RequestPlan {
			continue
		}
		text := strings.ReplaceAll(strings.TrimRight(strings.ToValidUTF8(toolinput.Member(q.Input, "plan"), "\uFFFD"), " \t\r\n"), "\r\n", "\n")
		if text != "" {
			lines = strings.Split(text, "\n")
		}
		return q, lines
	}
	return api.Request{}, nil
}

// plan is the plan that a session asks approval for, as a file.
func (r *Reviews) plan(s api.Session) (d api.ReviewDiff, err error) {
	q, lines := r.planOf(s.ID)
	if q.ID == "" {
		return d, noPlan(s)
	}
	removed := 0
	d = api.ReviewDiff{Scope: api.DiffPlan, Head: q.ID, Added: len(lines)}
	f := api.ReviewFile{Path: api.PlanPath, Status: api.FileAdded, Added: &d.Added, Removed: &removed, Hunks: []api.ReviewHunk{}}
	if len(lines) > 0 {
		h := api.ReviewHunk{NewStart: 1, NewLines: len(lines)}
		for _, text := range lines {
			h.Lines = append(h.Lines, api.ReviewLine{Kind: api.LineAdded, Text: text})
		}
		f.Hunks = append(f.Hunks, h)
	} else {
		d.Note = "the request has no text of the plan: read it in the pane"
	}
	d.Files = []api.ReviewFile{f}
	return d, nil
}

func noPlan(s api.Session) error {
	return api.Errorf(api.CodeConflict, "session %s has no plan that waits for approval: another scope compares its files", s.Name)
}

// commentPlan keeps a draft on the plan that a session asks approval for.
func (r *Reviews) commentPlan(s api.Session, n api.NewComment, by Said) (made api.ReviewComment, err error) {
	q, lines := r.planOf(s.ID)
	switch {
	case q.ID == "":
		return made, noPlan(s)
	case n.Path != "" && n.Path != api.PlanPath:
		return made, api.Errorf(api.CodeInvalid, "%s is not the plan, which is %s", textsafe.Cut(textsafe.Line(n.Path), 80), api.PlanPath)
	case n.End > len(lines) || n.Side == api.SideOld:
		return made, api.Errorf(api.CodeInvalid, "the plan has the lines 1 to %d, on the side new", len(lines))
	}
	c := api.ReviewComment{Session: s.ID, Path: api.PlanPath, Line: n.Line, End: n.End, Side: n.Side, Text: strings.TrimSpace(n.Text), Question: n.Question,
		Scope: api.DiffPlan, Head: q.ID, Author: by.Author, At: r.o.Now().UTC()}
	if n.Line > 0 {
		c.Quote = slices.Clone(lines[n.Line-1 : n.End])
	}
	return r.add(c, by)
}

// SendPlan refuses the plan that a session asks approval for with the comments on it, once for its request. refuse answers a request.
func (r *Reviews) SendPlan(ctx context.Context, ref string, in api.SendComments, refuse func(request, message string) error) (out api.SentComments, err error) {
	s, err := r.o.Sessions.Get(ctx, ref)
	switch {
	case err != nil:
		return out, err
	case in.To != "" || in.Reviewer:
		return out, api.Errorf(api.CodeInvalid, "comments on a plan go to the session that asks approval for it")
	}
	in.Request = cmp.Or(in.Request, rand.Text())
	all, err := r.o.Store.Comments(ctx, s.ID)
	if err != nil {
		return out, err
	}
	out, known, err := r.before(ctx, s.ID, in.Request, all)
	if err != nil || known {
		return out, err
	}
	list := slices.DeleteFunc(all, func(c api.ReviewComment) bool { return c.State != api.CommentDraft || c.Scope != api.DiffPlan })
	open, _ := r.planOf(s.ID)
	request := open.ID
	if request == "" && len(list) > 0 {
		request = list[len(list)-1].Head // its hook may not have asked this daemon again
	}
	list = slices.DeleteFunc(list, func(c api.ReviewComment) bool { return c.Head != request })
	switch {
	case request == "":
		return out, noPlan(s)
	case len(list) == 0:
		return out, api.Errorf(api.CodeConflict, "no comment on the plan of session %s waits to be sent: `ccdir review %s --scope plan --comment %s:LINE TEXT`", s.Name, s.Name, api.PlanPath)
	}
	message := review.Refusal(list, in.Words)
	r.o.Pause(PauseSend)
	if err := refuse(request, message); err != nil {
		if now, _ := r.planOf(s.ID); now.ID == request || !r.refusedWith(ctx, request, list[0]) {
			return out, err
		}
	}
	r.o.Pause(PauseRefused)
	return r.refused(s.ID, in.Request, request, message)
}

// refused makes a round of the drafts that were the words of a refusal.
func (r *Reviews) refused(session, call, request, message string) (out api.SentComments, err error) {
	made, sent, known, err := r.o.Store.SendComments(store.Round{Session: session, To: session, Answer: true, At: r.o.Now().UTC()}, "", call, 0, maxSent,
		func(_ int, now []api.ReviewComment) (string, []api.ReviewComment, error) {
			return message, slices.DeleteFunc(now, func(c api.ReviewComment) bool {
				return c.Scope != api.DiffPlan || c.Head != request || !strings.Contains(message, "["+c.ID+"]")
			}), nil
		})
	if err == nil && !known {
		r.announce(session, "the plan was refused with "+review.CountWords(len(sent)))
	}
	return sentAs(made, sent), err
}

// refusedWith reports whether a request was refused with a comment.
func (r *Reviews) refusedWith(ctx context.Context, request string, c api.ReviewComment) bool {
	return strings.Contains(r.reason(ctx, request), "["+c.ID+"]")
}

// reason is what a person refused a request with, by the ledger; "" if none did.
func (r *Reviews) reason(ctx context.Context, request string) string {
	rows, err := r.o.Store.Decisions(ctx, api.LedgerFilter{Request: request, By: api.ByPerson, Decision: api.EffectDeny, Limit: 1})
	if err != nil || len(rows) == 0 {
		return ""
	}
	return rows[0].Reason
}

// known are the comments on a session's work. Before that, those on its plans become what they are by now: sent if their plan was
// refused with them, and of those before the plan that waits now, changed or untouched.
func (r *Reviews) known(ctx context.Context, session string) ([]api.ReviewComment, error) {
	all, err := r.o.Store.Comments(ctx, session)
	if err != nil || !slices.ContainsFunc(all, func(c api.ReviewComment) bool { return c.Scope == api.DiffPlan }) {
		return all, err
	}
	open, lines := r.planOf(session)
	s, _ := r.o.Journal.Session(session)
	waits := s.State.NeedsPerson() // its hook may ask again, and has no answer then
	asked := map[string]bool{open.ID: true}
	for _, c := range all {
		switch {
		case c.Scope != api.DiffPlan:
		case c.State == api.CommentDraft && !asked[c.Head] && !waits:
			asked[c.Head] = true
			if message := r.reason(ctx, c.Head); strings.Contains(message, "["+c.ID+"]") {
				if _, err := r.refused(session, "plan-"+c.Head, c.Head, message); err != nil {
					return nil, err
				}
			}
		case open.ID != "" && c.Head != open.ID && (c.State == api.CommentSent || c.State == api.CommentUntouched):
			if _, err := r.o.Store.ChangeComment(c.ID, func(now *api.ReviewComment) error { *now = nextPlan(*now, open.ID, lines); return nil }); err != nil {
				return nil, err
			}
		}
	}
	return r.o.Store.Comments(ctx, session)
}

// nextPlan is a comment on a plan when the next plan waits: its lines stand in that, too, or they were changed.
func nextPlan(c api.ReviewComment, request string, lines []string) api.ReviewComment {
	c.State = api.CommentChanged
	if c.Line == 0 {
		return c // there is another plan
	}
	for i := range lines[:max(0, len(lines)-len(c.Quote)+1)] {
		if slices.Equal(lines[i:i+len(c.Quote)], c.Quote) {
			c.State, c.Head, c.Line, c.End = api.CommentUntouched, request, i+1, i+len(c.Quote)
			break
		}
	}
	return c
}
