package reviews

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"ccdir/api"
	"ccdir/daemon/pending"
	"ccdir/daemon/store"
	"ccdir/review"
	"ccdir/sessions/launch"
)

// Points of a round at which tests stop the daemon (Options.Pause).
const (
	PauseSend = "review-send" // nothing is saved yet
	PauseSent = "review-sent" // round and prompt are saved, nothing is typed
)

// Send sends the drafts of a session's work as one prompt, once for its request: the round and a pending prompt are saved
// together, and the prompt is delivered as every pending one (daemon/pending). If it is taken back or fails, its comments are drafts
// again.
func (r *Reviews) Send(ctx context.Context, ref string, in api.SendComments) (out api.SentComments, err error) {
	s, err := r.o.Sessions.Get(ctx, ref)
	if err != nil {
		return out, err
	}
	in.Request = cmp.Or(in.Request, rand.Text())
	all, err := r.known(ctx, s.ID)
	if err != nil {
		return out, err
	}
	out, known, err := r.before(ctx, s.ID, in.Request, all)
	if err != nil || known {
		return out, err
	}
	open, _ := r.planOf(s.ID)
	list := drafts(all, open.ID)
	if len(list) == 0 {
		return out, api.Errorf(api.CodeConflict, "no comment on the work of session %s waits to be sent: `ccdir review %s --comment PATH:LINE TEXT`", s.Name, s.Name)
	}
	to, err := r.receiver(ctx, s, in)
	if err != nil {
		return out, err
	}
	head, moved, err := r.follow(ctx, s, list)
	if err != nil {
		return out, err
	}
	of := ""
	if to.ID != s.ID {
		of = fmt.Sprintf("session %s in %s", s.Name, s.CWD)
	}
	r.o.Pause(PauseSend)
	made, sent, again, err := r.o.Store.SendComments(store.Round{Session: s.ID, To: to.ID, Head: head, At: r.o.Now().UTC()}, to.Name, in.Request, pending.MaxOpen, maxSent,
		func(round int, now []api.ReviewComment) (string, []api.ReviewComment, error) {
			var going []api.ReviewComment
			for _, c := range now { // a newer one goes with the next round
				if i := slices.IndexFunc(moved, func(m api.ReviewComment) bool { return m.ID == c.ID }); i >= 0 {
					m := moved[i]
					m.Text, m.Question = c.Text, c.Question
					going = append(going, m)
				}
			}
			prompt := review.Prompt(going, round, of, in.Words)
			switch {
			case len(going) == 0:
				return "", nil, api.Errorf(api.CodeConflict, "the comments on the work of session %s have been sent or dropped meanwhile", s.Name)
			case len(prompt) > launch.MaxPrompt:
				return "", nil, api.Errorf(api.CodeTooLarge, "the comments are longer than %d bytes together: drop or shorten some", launch.MaxPrompt)
			}
			return prompt, going, nil
		})
	if err != nil {
		return out, err
	}
	r.o.Pause(PauseSent)
	if !again {
		r.o.Prompts.Made(api.PendingPrompt{ID: made.Pending, Session: to.ID, Name: to.Name, Text: made.Prompt, State: api.PendingWaits, At: made.At})
		r.announce(s.ID, fmt.Sprintf("round %d: %s to session %s", made.Round, review.CountWords(len(sent)), to.Name))
	}
	return sentAs(made, sent), nil
}

// before is what the same call has sent of all comments on a session's work (known).
func (r *Reviews) before(ctx context.Context, session, request string, all []api.ReviewComment) (out api.SentComments, known bool, err error) {
	round, err := r.o.Store.RoundOf(ctx, session, request)
	if err != nil || round.Round == 0 {
		return out, false, err
	}
	return sentAs(round, slices.DeleteFunc(all, func(c api.ReviewComment) bool { return c.Round != round.Round })), true, nil
}

func sentAs(made store.Round, sent []api.ReviewComment) api.SentComments {
	return api.SentComments{Round: made.Round, To: made.To, Prompt: made.Prompt, Comments: sent}
}

// receiver is the session that gets the comments on the work of s.
func (r *Reviews) receiver(ctx context.Context, s api.Session, in api.SendComments) (to api.Session, err error) {
	switch {
	case in.Reviewer && in.To != "":
		return to, api.Errorf(api.CodeInvalid, "the comments go to a session or to a new reviewer, not to both")
	case in.Reviewer:
		if !r.o.HasRole(ctx, s.ID, api.RoleReviewer) {
			return to, api.Errorf(api.CodeConflict, "no policy has rules for the role %s, so that it could change files: add [roles.reviewer] to your policy (docs/policy.md has one; `ccdir policy init` writes it)", api.RoleReviewer)
		}
		to, _, err = r.o.Sessions.CreateOnce(context.WithoutCancel(ctx), api.NewSession{CWD: s.CWD, Role: api.RoleReviewer, Request: "review-" + in.Request})
		return to, err
	case in.To == "":
		to = s
	default:
		if to, err = r.o.Sessions.Get(ctx, in.To); err != nil {
			return to, err
		}
	}
	if to.External {
		return to, api.Errorf(api.CodeConflict, "session %s has no pane, so nothing can be typed into it: --to names another", to.Name)
	}
	return to, nil
}

// follow brings drafts to what the work is now: their lines are where they have moved to, or stale. Without a repository they stay as
// they are.
func (r *Reviews) follow(ctx context.Context, s api.Session, list []api.ReviewComment) (head string, moved []api.ReviewComment, err error) {
	r.settled(ctx, s.ID)
	o, _, done, err := r.openOf(ctx, s)
	if errors.Is(err, review.ErrNoWorkTree) {
		return "", list, nil
	}
	if err != nil {
		return "", nil, err
	}
	defer done()
	log, err := o.Log(ctx, s.ID)
	if err == nil {
		head, err = o.Take(ctx, log.Newest(), "ccdir: comments are sent")
	}
	if err == nil {
		err = o.Keep(ctx, s.ID, review.Point{Kept: head}, head)
	}
	if err != nil {
		return "", nil, err
	}
	if err := r.reviewed(ctx, o, s.ID, log, list); err != nil {
		return "", nil, err
	}
	for _, c := range list {
		if c.Side == api.SideNew && c.Head != head && c.Scope != api.DiffPlan {
			c = follow(ctx, o, c, head)
		}
		moved = append(moved, c)
	}
	needed := map[string]bool{head: true}
	for _, c := range moved {
		needed[c.Head] = true
	}
	return head, moved, o.Release(ctx, s.ID, log, func(commit string) bool { return needed[commit] })
}

// reviewed notes that a person has seen what the newest of their comments is about: the next round's difference is the scope seen.
func (r *Reviews) reviewed(ctx context.Context, o *review.Repo, session string, log review.Log, list []api.ReviewComment) error {
	var newest, seen review.Shot
	for _, shot := range log {
		if shot.Seen {
			seen = shot
		}
	}
	for _, c := range list {
		if i := slices.IndexFunc(log, func(s review.Shot) bool { return s.Kept == c.Head }); i >= 0 && c.Author == "" && !log[i].At.Before(newest.At) {
			newest = log[i]
		}
	}
	if newest.Commit == "" || newest.Commit == seen.Commit || newest.At.Before(seen.At) {
		return nil
	}
	return o.Keep(ctx, session, review.Point{Seen: true}, newest.Commit)
}

// follow brings a comment on the side new to another state of the work.
func follow(ctx context.Context, o *review.Repo, c api.ReviewComment, head string) api.ReviewComment {
	now := c
	now.Head = head
	if c.Path == "" {
		return now
	}
	f, found, err := o.File(ctx, c.Head, head, c.Path, api.SideOld)
	switch {
	case err != nil: // its snapshot is gone
		c.Stale = true
		return c
	case !found:
		return now
	}
	now.Path = f.Path
	if c.Line == 0 {
		return now
	}
	line, same := lines(f, c)
	if !same {
		c.Stale = true
		return c
	}
	now.Line, now.End = line, line+c.End-c.Line
	return now
}

// lines says where the lines of a comment are after the difference of its file.
func lines(f api.ReviewFile, c api.ReviewComment) (line int, same bool) {
	if f.Binary || f.LeftOut != "" || f.Status == api.FileRemoved {
		return 0, false
	}
	return review.Follow(f, c.Line, c.End)
}

// fates says of the comments that a session was sent what became of them, if it is in no turn.
func (r *Reviews) fates(ctx context.Context, to string) error {
	if s, ok := r.o.Journal.Session(to); ok && s.State == api.StateWorking {
		return nil // at the end of its turn
	}
	rounds, err := r.o.Store.OpenRounds(ctx, to)
	for _, round := range rounds {
		if round.Delivered && round.Head != "" {
			err = errors.Join(err, r.judge(ctx, round))
		}
	}
	return err
}

// judge says what became of the comments of a round.
func (r *Reviews) judge(ctx context.Context, round store.Round) error {
	s, ok := r.o.Journal.Session(round.Session)
	if !ok {
		return nil
	}
	all, err := r.o.Store.Comments(ctx, s.ID)
	if err != nil {
		return err
	}
	o, _, done, err := r.openOf(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	log, err := o.Log(ctx, s.ID)
	if err != nil {
		return err
	}
	head, err := o.Take(ctx, log.Newest(), "ccdir: what became of comments")
	if err != nil {
		return err
	}
	counts, moved := map[api.CommentState]int{}, false
	for _, c := range all {
		if c.Round != round.Round {
			continue
		}
		changed := false
		if c.State != api.CommentChanged {
			if changed, err = hasChanged(ctx, o, c, round.Head, head); err != nil {
				r.o.Logger.Warn("what became of a comment cannot be told", "comment", c.ID, "error", err)
			}
		}
		was := c.State
		if c, err = r.o.Store.ChangeComment(c.ID, func(now *api.ReviewComment) error {
			now.State = fate(*now, changed)
			return nil
		}); err != nil {
			return err
		}
		counts[c.State]++
		moved = moved || c.State != was
	}
	if moved {
		r.announce(s.ID, fmt.Sprintf("round %d: %d changed, %d answered, %d untouched", round.Round, counts[api.CommentChanged], counts[api.CommentAnswered], counts[api.CommentUntouched]))
	}
	return nil
}

// fate is the state of a comment whose turn has ended.
func fate(c api.ReviewComment, changed bool) api.CommentState {
	switch {
	case c.Reply != "" && (c.Question || !changed && c.State != api.CommentChanged):
		return api.CommentAnswered
	case changed || c.State == api.CommentChanged:
		return api.CommentChanged
	}
	return api.CommentUntouched
}

// hasChanged reports whether the lines of a comment are not as they were when it was sent.
func hasChanged(ctx context.Context, o *review.Repo, c api.ReviewComment, sent, now string) (bool, error) {
	if sent == now || c.Scope == api.DiffPlan {
		return false, nil
	}
	if c.Path == "" {
		files, _, err := o.Diff(ctx, sent, now, review.Options{Stat: true})
		return len(files) > 0, err
	}
	if c.Side == api.SideOld && c.Line > 0 {
		var blocks [2]string
		for i, head := range []string{sent, now} {
			f, _, err := o.File(ctx, c.Base, head, c.Path, api.SideOld)
			if err != nil {
				return false, err
			}
			blocks[i] = review.Block(f, c.Line, c.End)
		}
		return blocks[0] != blocks[1], nil
	}
	from := c.Head
	if c.Line == 0 || from == "" {
		from = sent
	}
	f, found, err := o.File(ctx, from, now, c.Path, api.SideOld)
	switch {
	case err != nil || !found:
		return false, err
	case c.Line == 0:
		return f.Status != api.FileRenamed || f.Added == nil || *f.Added+*f.Removed > 0, nil
	}
	_, same := lines(f, c)
	return !same, nil
}
