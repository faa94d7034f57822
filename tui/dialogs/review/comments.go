package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Commenter is the part of a client that keeps comments on a session's work and sends them.
type Commenter interface {
	Comments(ctx context.Context, ref string) ([]api.ReviewComment, error)
	// AddComment keeps a draft, EditComment changes one, DropComment removes it.
	AddComment(ctx context.Context, ref string, n api.NewComment) (api.ReviewComment, error)
	EditComment(ctx context.Context, ref, id string, e api.EditComment) (api.ReviewComment, error)
	DropComment(ctx context.Context, ref, id string) error
	// SendComments sends all drafts as one prompt, once for a request.
	SendComments(ctx context.Context, ref string, s api.SendComments) (api.SentComments, error)
}

// commented is an answer: the comments as they are by now.
type commented struct {
	list []api.ReviewComment
	err  error
}

// again is told when comments have changed.
type again struct{}

// askComments asks for the comments.
func (d dialog) askComments() ui.Effect {
	id := d.id
	return ui.Call{Turn: "comments " + id, Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Commenter](c)
		if err != nil {
			return ui.Result{Value: commented{err: err}}, nil
		}
		list, err := client.Comments(ctx, id)
		return ui.Result{Value: commented{list, err}}, nil
	}}
}

// withComments shows comments. The place stays.
func (d dialog) withComments(env ui.Env, v commented) (ui.Component, []ui.Effect) {
	if v.err != nil {
		if errors.Is(v.err, ui.ErrUnknown) || api.CodeOf(v.err) == api.CodeNotFound {
			return d, nil // a daemon of before
		}
		return d, []ui.Effect{ui.Warn{Text: ui.Failure("reading the comments", v.err)}}
	}
	first := !d.noted
	d.noted = true
	if first && !d.chosen && d.scope == api.DiffTurn && slices.ContainsFunc(v.list, func(c api.ReviewComment) bool { return c.Round > 0 }) {
		d.all = v.list
		return d.show(env, api.DiffSeen) // what was changed since they were sent
	}
	at := d.here()
	d.all = v.list
	d.comments, d.layout = d.ofScope(env), layout{}
	d.mark = -1
	d = d.laid(env)
	if len(d.rows) > 0 {
		d = d.to(d.rowOf(at))
		d.top = d.cursor - at.below
	}
	return d.clamped(), nil
}

// drafts are the comments that nobody has sent yet, and how many of them are questions.
func (d dialog) drafts() (n, questions int) {
	for _, c := range d.comments {
		if c.State == api.CommentDraft {
			n++
			if c.Question {
				questions++
			}
		}
	}
	return n, questions
}

// subject is what a comment on the cursor's row, or on the marked ones, is about.
func (d dialog) subject() (n api.NewComment, quote string, problem string) {
	from, to := d.marked()
	n = api.NewComment{Scope: d.scope, Turn: d.turnShown()}
	f := d.fileAt(d.cursor)
	if f == nil {
		return n, "all of it", ""
	}
	n.Path = f.Path
	var news, olds []int
	for i := from; i <= to; i++ {
		r := d.rows[i]
		switch {
		case d.diff.Files[r.file].Path != n.Path:
			return n, "", "a comment is on lines of one file: mark fewer"
		case r.kind == rowLine && r.nowNo > 0:
			news = append(news, int(r.nowNo))
		case r.kind == rowLine:
			olds = append(olds, int(r.oldNo))
		}
	}
	lines := news
	n.Side = api.SideNew
	if len(news) == 0 {
		lines, n.Side = olds, api.SideOld
	}
	name := textsafe.Line(f.Path)
	if len(lines) == 0 {
		n.Side = ""
		return n, name, ""
	}
	n.Line, n.End = slices.Min(lines), slices.Max(lines)
	quote = fmt.Sprintf("%s:%d", name, n.Line)
	if n.End > n.Line {
		quote += fmt.Sprintf("-%d", n.End)
	}
	if n.Side == api.SideOld {
		quote += " (as it was)"
	}
	return n, quote, ""
}

// comment opens a comment for writing.
func (d dialog) comment(all bool) (ui.Component, []ui.Effect) {
	n, about, problem := d.subject()
	if all {
		n, about = api.NewComment{Scope: d.scope, Turn: d.turnShown()}, "all of it"
	} else if problem != "" {
		return d, []ui.Effect{ui.Warn{Text: problem}}
	}
	d.mark = -1
	return d, []ui.Effect{ui.Open{Component: newNote(d.id, about, n)}}
}

// noteHere is the comment at the cursor, nil if there is none.
func (d dialog) noteHere() *api.ReviewComment {
	if r, ok := d.row(d.cursor); ok && r.kind == rowNoteText {
		return &d.comments[r.old]
	}
	return nil
}

// draftHere is the draft at the cursor, or why there is none.
func (d dialog) draftHere(env ui.Env) (*api.ReviewComment, []ui.Effect) {
	c := d.noteHere()
	switch {
	case c == nil:
		return nil, []ui.Effect{ui.Say{Text: "there is no comment here: " + env.Keys.Hint(keymap.ReviewNoteNext) + " goes to the next one"}}
	case c.State != api.CommentDraft:
		return nil, []ui.Effect{ui.Say{Text: "this comment was sent: write another one"}}
	}
	return c, nil
}

// edit opens the draft at the cursor for writing.
func (d dialog) edit(env ui.Env) (ui.Component, []ui.Effect) {
	c, why := d.draftHere(env)
	if c == nil {
		return d, why
	}
	return d, []ui.Effect{ui.Open{Component: editNote(*c)}}
}

// drop asks whether to remove the draft at the cursor.
func (d dialog) drop(env ui.Env) (ui.Component, []ui.Effect) {
	c, why := d.draftHere(env)
	if c == nil {
		return d, why
	}
	session, id := d.id, c.ID
	return d, []ui.Effect{ui.Open{Component: confirm.Dialog{
		Question: "Drop the draft?", Detail: textsafe.Cut(textsafe.Line(c.Text), 200),
		Yes: []ui.Effect{ui.Call{What: "dropping the comment", Turn: "comments " + session, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			client, err := ui.As[Commenter](c)
			if err == nil {
				err = client.DropComment(ctx, session, id)
			}
			return ui.Result{Effects: []ui.Effect{ui.Tell{Value: again{}}}}, err
		}}},
	}}}
}

// nextNote goes to the next comment, or the one before.
func (d dialog) nextNote(by int) (ui.Component, []ui.Effect) {
	for i := d.cursor + by; i >= 0 && i < len(d.rows); i += by {
		if r := d.rows[i]; r.kind == rowNoteText && r.now == 0 && d.noteHere() != &d.comments[r.old] {
			return d.into(i), nil
		}
	}
	return d, []ui.Effect{ui.Say{Text: "there is no further comment in what is unfolded"}}
}

// noteLines is what is shown of a comment, in w columns. away: it does not stand below what it is about.
func noteLines(c api.ReviewComment, w int, away bool) (lines []string) {
	var about []string
	if away && c.Path != "" {
		name := textsafe.Line(c.Path)
		if c.Line > 0 {
			name += fmt.Sprintf(":%d", c.Line)
		}
		about = append(about, name)
	}
	if c.Author != "" {
		about = append(about, "by "+textsafe.Line(c.Author))
	}
	if c.Question {
		about = append(about, "question")
	}
	text := strings.Join(append(about, stateWord(c)), ", ") + ": " + c.Text
	if c.Reply != "" {
		text += "\n↳ " + c.Reply
	}
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, modal.Wrap(textsafe.Line(line), w)...)
	}
	return lines
}

// stateWord is what became of a comment.
func stateWord(c api.ReviewComment) string {
	word := map[api.CommentState]string{
		api.CommentDraft: "draft", api.CommentSent: "sent", api.CommentChanged: "its lines were changed", api.CommentAnswered: "answered", api.CommentUntouched: "untouched",
	}[c.State]
	if word == "" {
		word = textsafe.Line(string(c.State))
	}
	if c.Round > 0 {
		word = fmt.Sprintf("round %d, %s", c.Round, word)
	}
	return word
}
