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

// writing is a comment that is being written. The daemon has it as a draft word by word, so that it outlives the grid; a text that the
// daemon has not taken brings it back.
type writing struct {
	session, about string
	id             string // of the draft that is edited, "": a new one
	new            api.NewComment
	question       bool
	text           edit.Buffer
	problem        string
	leaving        bool // Escape was pressed, which would lose a text
	// saving: the daemon is asked to take what asked says; stuck: it did not.
	saving, stuck bool
	asked         string
	draft         *draft
}

// draft is what the daemon has of the text. Calls use it, which are made one after the other.
type draft struct {
	id   string
	made bool // by this writing
	// text and question are what it has; was what it had before this writing.
	text, was             string
	question, wasQuestion bool
}

// saved is an answer: the daemon has what was asked, or not.
type saved struct{ err error }

// newNote writes a new comment.
func newNote(session, about string, n api.NewComment) ui.Component {
	return writing{session: session, about: about, new: n, draft: &draft{}}
}

// editNote changes a draft.
func editNote(c api.ReviewComment) ui.Component {
	return writing{session: c.Session, about: "a draft", id: c.ID, question: c.Question, text: edit.New(c.Text), asked: c.Text,
		draft: &draft{id: c.ID, text: c.Text, was: c.Text, question: c.Question, wasQuestion: c.Question}}
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
			return n, append([]ui.Effect{ui.Close{}}, n.forget()...)
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
	text := n.text.String()
	if !strings.ContainsAny(k.Text()+text[max(0, len(text)-1):], " \n.,;:!?") { // within a word
		return n, nil
	}
	return n.saved()
}

// saved asks the daemon to take the text, unless it is asked already.
func (n writing) saved() (writing, []ui.Effect) {
	text := n.text.String()
	if n.saving || n.stuck || text == n.asked || strings.TrimSpace(text) == "" {
		return n, nil
	}
	n.saving, n.asked = true, text
	return n, []ui.Effect{ui.Call{Turn: "comments " + n.session, Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		return ui.Result{Value: saved{n.save(ctx, c, text)}}, nil
	}}}
}

// Receive learns whether the daemon has the text, and has it take what was written since.
func (n writing) Receive(_ ui.Env, value any, _ error) (ui.Component, []ui.Effect) {
	if v, ok := value.(saved); ok {
		n.saving = false
		if v.err != nil {
			n.stuck, n.problem = true, ui.Problem(v.err)
		}
		return n.saved()
	}
	return n, nil
}

// save has the daemon keep a text as the draft.
func (n writing) save(ctx context.Context, c ui.Client, text string) error {
	client, err := ui.As[Commenter](c)
	text = strings.TrimSpace(text)
	switch d := n.draft; {
	case err != nil || d.id != "" && text == d.text && n.question == d.question:
		return err
	case d.id != "":
		_, err = client.EditComment(ctx, n.session, d.id, api.EditComment{Text: &text, Question: &n.question})
	default:
		add := n.new
		add.Text, add.Question = text, n.question
		var made api.ReviewComment
		if made, err = client.AddComment(ctx, n.session, add); err == nil {
			d.id, d.made = made.ID, true
		}
	}
	if err == nil {
		n.draft.text, n.draft.question = text, n.question
	}
	return err
}

// forget takes back what the daemon has of a text that is given up.
func (n writing) forget() []ui.Effect {
	return []ui.Effect{ui.Call{What: "giving the comment up", Turn: "comments " + n.session, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Commenter](c)
		switch d := n.draft; {
		case err != nil || d.id == "" || !d.made && d.text == d.was && d.question == d.wasQuestion:
			return ui.Result{}, err
		case d.made:
			err = client.DropComment(ctx, n.session, d.id)
		default:
			_, err = client.EditComment(ctx, n.session, d.id, api.EditComment{Text: &d.was, Question: &d.wasQuestion})
		}
		return ui.Result{Effects: []ui.Effect{ui.Tell{Value: again{}}}}, err
	}}}
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
			err := n.save(ctx, c, text)
			return ui.Result{Effects: []ui.Effect{ui.Tell{Value: again{}}}}, err
		},
		Failed: func(_ ui.Env, err error) []ui.Effect {
			n.problem, n.saving, n.stuck = ui.Problem(err), false, true
			return []ui.Effect{ui.Open{Component: n}}
		},
	}}
}
