package review

import (
	"context"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// A plan that waits for approval is a scope of its own, as long as it waits. Its comments are the words of its refusal.

// answered is told when the plan has its answer.
type answered struct{}

// ofFiles are the actions that a plan has not.
var ofFiles = map[keymap.Action]bool{keymap.ReviewStage: true, keymap.ReviewPutBack: true, keymap.ReviewUndo: true, keymap.ReviewViewed: true, keymap.ReviewEditor: true}

// waitingPlan is the request of a session for approval of a plan, nil if there is none.
func waitingPlan(env ui.Env, session string) *api.Request {
	for i := range env.Requests {
		if r := &env.Requests[i]; r.Session == session && r.Kind == api.RequestPlan {
			return r
		}
	}
	return nil
}

// scopes are those that there are, in their order.
func (d dialog) scopes(env ui.Env) []api.DiffScope {
	if d.scope == api.DiffPlan || waitingPlan(env, d.id) != nil {
		return append([]api.DiffScope{api.DiffPlan}, api.DiffScopes()...)
	}
	return api.DiffScopes()
}

// planOver: the plan that is shown does not wait any more.
func (d dialog) planOver(env ui.Env) bool {
	return d.scope == api.DiffPlan && d.diff.Head != "" && env.Request(d.diff.Head) == nil
}

// ofScope are the comments that belong to the scope: those on plans to plans. Drafts on a plan that does not wait any more belong
// to the others, as they go with them.
func (d dialog) ofScope(env ui.Env) (list []api.ReviewComment) {
	waits := ""
	if r := waitingPlan(env, d.id); r != nil {
		waits = r.ID
	}
	for _, c := range d.all {
		plan, draft := c.Scope == api.DiffPlan, c.State == api.CommentDraft
		switch {
		case d.scope != api.DiffPlan:
			plan = plan && !(draft && c.Head != waits)
		case c.Head == d.diff.Head:
		case draft:
			plan = false
		default: // its lines are of another plan
			c.Path, c.Line, c.End = "an earlier plan", 0, 0
		}
		if plan == (d.scope == api.DiffPlan) {
			list = append(list, c)
		}
	}
	return list
}

// answers asks how the plan is answered: refused with its n drafts, or approved.
func (d dialog) answers(env ui.Env, n int) []ui.Effect {
	if d.diff.Head == "" {
		return []ui.Effect{ui.Say{Text: "no plan waits here"}}
	}
	r := env.Request(d.diff.Head)
	if r == nil {
		text := "the plan was answered meanwhile"
		if n > 0 {
			text += ": its comments stay drafts, and go with the next ones"
		}
		return []ui.Effect{ui.Say{Text: text}}
	}
	name := textsafe.Line(d.name)
	refuse := chooser.Pick{ID: "refuse", Text: "refuse it, without words", Effects: d.answering(r.ID, api.Answer{Behavior: api.AnswerDeny}, name+": plan refused")}
	kept := ""
	if n > 0 {
		kept = " (" + plural(n, "draft") + " not sent)"
		refuse.Text, refuse.Effects = "refuse it with "+plural(n, "comment"), d.refusing(n)
	}
	var picks []chooser.Pick
	approve := func(mode, words string) {
		picks = append(picks, chooser.Pick{ID: "approve" + mode, Text: "approve it" + words + kept, Effects: d.answering(r.ID, api.Answer{Behavior: api.AnswerAllow, Mode: mode}, name+": plan approved"+words)})
	}
	for _, mode := range r.Modes {
		approve(mode, ", in "+request.ModeWords(mode))
	}
	if len(r.Modes) == 0 {
		approve("", "")
	}
	if n > 0 {
		picks = append([]chooser.Pick{refuse}, picks...)
	} else {
		picks = append(picks, refuse)
	}
	return []ui.Effect{ui.Open{Component: chooser.New("the plan of "+name, "", picks)}}
}

// answering answers the plan's request.
func (d dialog) answering(id string, a api.Answer, said string) []ui.Effect {
	return []ui.Effect{ui.Call{What: "answering " + textsafe.Line(d.name), Turn: "comments " + d.id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		_, err := c.Answer(ctx, id, a)
		return ui.Result{Effects: []ui.Effect{ui.Say{Text: said}, ui.Tell{Value: answered{}}}}, err
	}}}
}

// refusing refuses the plan with the drafts on it.
func (d dialog) refusing(n int) []ui.Effect {
	id, said := d.id, textsafe.Line(d.name)+": plan refused with "+plural(n, "comment")
	s := api.SendComments{Request: ui.NewRequest(), Scope: api.DiffPlan}
	return []ui.Effect{ui.Call{What: "refusing the plan", Turn: "comments " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Commenter](c)
		if err == nil {
			_, err = client.SendComments(ctx, id, s)
		}
		return ui.Result{Effects: []ui.Effect{ui.Say{Text: said}, ui.Tell{Value: answered{}}}}, err
	}}}
}

// broken are the rows with lines that are longer than w columns as several, broken between words.
func (l layout) broken(files []api.ReviewFile, w int) layout {
	w = max(20, w-l.digits-2)
	rows := make([]row, 0, len(l.rows))
	l.files, l.hunks = nil, nil
	for _, r := range l.rows {
		switch r.kind {
		case rowFile:
			l.files = append(l.files, len(rows))
		case rowHunk:
			l.hunks = append(l.hunks, len(rows))
			continue // there is one, and it is all of it
		case rowLine:
			for _, cut := range cuts(files[r.file].Hunks[r.hunk].Lines[max(r.now, r.old)].Text, w) {
				r.skip, r.cols = cut[0], cut[1]
				rows = append(rows, r)
			}
			continue
		}
		rows = append(rows, r)
	}
	l.rows = rows
	return l
}

// cuts are the columns, first and number, of the parts of a line in at most w columns each.
func cuts(line string, w int) (parts [][2]int32) {
	from, space, col := 0, 0, 0 // columns; space: behind the last one
	add := func(to int) {
		parts = append(parts, [2]int32{int32(from), int32(max(1, to-from))}) //nolint:gosec // bounded by the request
		from = to
	}
	for line != "" {
		n, width := paint.Next(line)
		if line[0] == '\t' {
			n, width = 1, tabStop-col%tabStop
		}
		if col+width-from > w {
			if space <= from {
				space = col
			}
			add(space)
		}
		col += width
		if strings.TrimLeft(line[:n], " \t") == "" {
			space = col
		}
		line = line[n:]
	}
	add(col)
	return parts
}
