package review

import (
	"context"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// writing is a comment that is being written. A text that the daemon has not taken brings it back.
type writing struct {
	session, about string
	id             string // of the draft that is edited, "": a new one
	new            api.NewComment
	question       bool
	text           edit.Buffer
	problem        string
	leaving        bool // Escape was pressed, which would lose a text
}

// newNote writes a new comment.
func newNote(session, about string, n api.NewComment) ui.Component {
	return writing{session: session, about: about, new: n}
}

// editNote changes a draft.
func editNote(c api.ReviewComment) ui.Component {
	return writing{session: c.Session, about: "a draft", id: c.ID, question: c.Question, text: edit.New(c.Text)}
}

const (
	noteWidth = 72
	noteRows  = 6
	noteFoot  = "Enter keep the draft   M-Enter new line   Tab question or not   Esc cancel"
)

// place is where it is, and the room for the text.
func (n writing) place(env ui.Env) (box, in paint.Rect) {
	box = modal.Middle(env.Cols, env.Rows, noteWidth, noteRows+3)
	return box, paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
}

// Draw shows the text, and whether it is a question.
func (n writing) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	box, in := n.place(env)
	title := "comment on " + n.about
	if n.question {
		title = "question on " + n.about
	}
	modal.Box(s, box, title, env.Theme.Accent)
	rows := max(1, in.H-3)
	v := n.text.View(in.W, rows)
	for y, r := range v.Rows {
		x := in.X
		for _, p := range n.text.Pieces(r) {
			x += s.Text(x, in.Y+y, max(0, in.X+in.W-x), p.Text, cells.Style{})
		}
	}
	switch {
	case n.leaving:
		modal.Line(s, in, in.H-2, "Esc once more drops what is written", theme.Bold(env.Theme.Input))
	case n.problem != "":
		modal.Line(s, in, in.H-2, n.problem, theme.Bold(env.Theme.Alert))
	case n.question:
		modal.Line(s, in, in.H-2, "the agent answers it, and changes nothing for it", theme.FG(env.Theme.Dim))
	}
	modal.Line(s, in, in.H-1, noteFoot, theme.FG(env.Theme.Dim))
	return paint.Cursor{X: in.X + v.X, Y: in.Y + v.Y, Visible: true}
}

// Key edits the text.
func (n writing) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	_, in := n.place(env)
	leaving := n.leaving
	n.leaving = false
	switch k.Name {
	case "Escape", "C-c":
		if leaving || n.text.Empty() || n.id != "" {
			return n, []ui.Effect{ui.Close{}}
		}
		n.leaving = true
	case "Tab":
		n.question = !n.question
	case "M-Enter", "S-Enter", "C-j":
		n.text = n.text.Insert("\n")
	case "Enter":
		if strings.TrimSpace(n.text.String()) == "" {
			n.problem = "write what is to be done, or what you ask"
			return n, nil
		}
		return n, append([]ui.Effect{ui.Close{}}, n.keep()...)
	default:
		n.text, _ = n.text.Key(k.Name, k.Text(), in.W)
		n.problem = ""
	}
	return n, nil
}

// Paste puts text in.
func (n writing) Paste(_ ui.Env, text string) ui.Component {
	n.text = n.text.Paste(text)
	return n
}

// Chip is the component's name in the status line.
func (n writing) Chip() string { return "COMMENT" }

// keep keeps the comment as a draft.
func (n writing) keep() []ui.Effect {
	text := strings.TrimSpace(n.text.String())
	return []ui.Effect{ui.Call{
		What: "keeping the comment", Turn: "comments " + n.session,
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			client, err := ui.As[Commenter](c)
			if err != nil {
				return ui.Result{}, err
			}
			if n.id != "" {
				_, err = client.EditComment(ctx, n.session, n.id, api.EditComment{Text: &text, Question: &n.question})
			} else {
				add := n.new
				add.Text, add.Question = text, n.question
				_, err = client.AddComment(ctx, n.session, add)
			}
			return ui.Result{Effects: []ui.Effect{ui.Tell{Value: again{}}}}, err
		},
		Failed: func(_ ui.Env, err error) []ui.Effect {
			n.problem = ui.Problem(err)
			return []ui.Effect{ui.Open{Component: n}}
		},
	}}
}
