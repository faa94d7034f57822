package review

import (
	"cmp"
	"context"
	"fmt"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/ui"
)

// plural is a number of things.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// send asks to whom the drafts go.
func (d dialog) send(env ui.Env) []ui.Effect {
	n, questions := d.drafts()
	if d.scope == api.DiffPlan {
		return d.answers(env, n)
	}
	if n == 0 {
		return []ui.Effect{ui.Say{Text: "there is no draft: " + env.Keys.Hint(keymap.ReviewNote) + " comments on the line"}}
	}
	title := "send " + plural(n, "comment")
	if questions > 0 {
		title += fmt.Sprintf(" (%s)", plural(questions, "question"))
	}
	request := ui.NewRequest() // the same whatever is chosen: it is sent once
	own := chooser.Pick{ID: d.id, Text: "to " + textsafe.Line(d.name) + ", whose work it is", Effects: d.sending(n, api.SendComments{Request: request})}
	reviewer := chooser.Pick{ID: "reviewer", Text: "to a new reviewer, in the same directory", Effects: d.sending(n, api.SendComments{Request: request, Reviewer: true})}
	picks := []chooser.Pick{own, reviewer}
	v := env.Session(d.id)
	for _, other := range env.Sessions {
		if other.ID == d.id || other.State.Ended() || other.External || ui.PlainOf(other) != "" || v != nil && other.Node != v.Node {
			continue
		}
		picks = append(picks, chooser.Pick{ID: other.ID, Text: "to " + textsafe.Line(other.Name), Standing: other.Standing(env.Now),
			Effects: d.sending(n, api.SendComments{Request: request, To: other.ID})})
	}
	return []ui.Effect{ui.Open{Component: chooser.New(title+" as one prompt", d.id, picks)}}
}

// sending sends the drafts.
func (d dialog) sending(n int, s api.SendComments) []ui.Effect {
	id := d.id
	return []ui.Effect{ui.Call{What: "sending the comments", Turn: "comments " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Commenter](c)
		if err != nil {
			return ui.Result{}, err
		}
		sent, err := client.SendComments(ctx, id, s)
		if err != nil {
			return ui.Result{}, err
		}
		text := fmt.Sprintf("round %d: %s sent", sent.Round, plural(cmp.Or(len(sent.Comments), n), "comment"))
		return ui.Result{Effects: []ui.Effect{ui.Say{Text: text}, ui.Tell{Value: again{}}}}, nil
	}}}
}
