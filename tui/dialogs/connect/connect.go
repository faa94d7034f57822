// Package connect connects with a node and lets its ssh ask: a password, a code, whether a host
// key is right. It owns what is typed, and one stream (ui.Nodes.ConnectNode) that tells the
// questions. Answers leave by a channel of one slot; they are kept nowhere, and a secret is shown
// as dots. Closing it gives no answer.
package connect

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// answer is what the person answers.
type answer struct {
	text string
	ok   bool
}

// dialog is the dialog.
type dialog struct {
	node     string
	begun    bool
	question string // what ssh asks, "" nothing at the moment
	text     edit.Line
	answers  chan answer // one slot, filled once for a question
	problem  string      // why the node is not online, "" as long as it is tried
}

// New connects with a node.
func New(node string) ui.Component { return dialog{node: node, answers: make(chan answer, 1)} }

// The dialog's inside, and its last lines.
const (
	width     = 64
	footAsked = "Enter answer   Esc cancel"
	footWaits = "Esc cancel"
	footOver  = "Enter again   Esc close"
)

// secret reports whether what is typed is not shown: only a question for a yes is answered openly.
func (d dialog) secret() bool { return !strings.Contains(d.question, "(yes/no") }

// Refresh begins once.
func (d dialog) Refresh(ui.Env) (ui.Component, []ui.Effect) {
	if d.begun {
		return d, nil
	}
	return d.begin()
}

func (d dialog) begin() (ui.Component, []ui.Effect) {
	d.begun, d.problem, d.question, d.text = true, "", "", edit.Line{}
	node, answers := d.node, make(chan answer, 1)
	d.answers = answers
	return d, []ui.Effect{ui.Stream{Run: func(ctx context.Context, c ui.Client, tell func(any) error) error {
		nodes, err := ui.As[ui.Nodes](c)
		if err != nil {
			return err
		}
		return nodes.ConnectNode(ctx, node, func(question string) (string, bool) {
			if tell(question) != nil {
				return "", false
			}
			select {
			case a := <-answers:
				return a.text, a.ok
			case <-ctx.Done():
				return "", false
			}
		})
	}}}
}

// Receive takes the questions, and the end.
func (d dialog) Receive(_ ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	told, ok := value.(ui.Told)
	if !ok {
		return d, nil
	}
	for _, v := range told.Values {
		d.question, _ = v.(string)
		d.text = edit.Line{}
	}
	switch {
	case !told.Over:
	case err != nil:
		d.question, d.problem = "", ui.Problem(err)
	default:
		return d, []ui.Effect{ui.Close{}, ui.Say{Text: textsafe.Line(d.node) + " is online"}}
	}
	return d, nil
}

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	switch {
	case k.Name == "Escape", k.Name == "C-c":
		return d, []ui.Effect{ui.Close{}}
	case env.Early:
	case k.Name == "Enter" && d.problem != "":
		return d.begin()
	case d.question == "":
	case k.Name == "Enter":
		d.answers <- answer{d.text.String(), true} // its slot is free: the question was new
		d.question, d.text = "", edit.Line{}
	default:
		d.text, _ = d.text.Key(k.Name, k.Text())
	}
	return d, nil
}

// Paste puts text into the answer.
func (d dialog) Paste(env ui.Env, text string) ui.Component {
	if d.question != "" && !env.Early {
		d.text = d.text.Insert(strings.TrimRight(text, "\r\n"))
	}
	return d
}

// lines are what is said, and whether an answer is typed below it.
func (d dialog) lines(env ui.Env) (all []string, st cells.Style, foot string) {
	w := min(width, max(8, env.Cols-6))
	text, foot := "", footWaits
	switch {
	case d.problem != "":
		text, st, foot = d.problem, theme.Bold(env.Theme.Alert), footOver
	case d.question != "":
		text, foot = textsafe.Block(d.question), footAsked
	default:
		frame, _ := modal.Spin(env.Now)
		text, st = frame+" connecting…", theme.FG(env.Theme.Dim)
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		all = append(all, modal.Wrap(strings.TrimSpace(line), w)...)
	}
	return all, st, foot
}

func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	all, st, foot := d.lines(env)
	box := d.place(env)
	modal.Box(s, box, "connect "+textsafe.Line(d.node), env.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	room := r.H - 1 // for the last line, and for what is typed
	if d.question != "" {
		room--
	}
	all = all[max(0, len(all)-max(0, room)):] // the end of a question is what it asks
	for i, l := range all {
		modal.Line(s, r, i, l, st)
	}
	modal.Line(s, r, r.H-1, foot, theme.FG(env.Theme.Dim))
	if d.question == "" || r.H < 2 {
		return paint.Cursor{}
	}
	text := d.text
	if d.secret() {
		before, after := d.text.Parts()
		text = edit.NewLine(strings.Repeat("•", len([]rune(before+after))))
	}
	at := text.Draw(s, r.X, r.Y+len(all), r.W, cells.Style{Attrs: cells.Bold})
	return paint.Cursor{X: r.X + at, Y: r.Y + len(all), Visible: true}
}

// place is where the dialog is.
func (d dialog) place(env ui.Env) paint.Rect {
	all, _, _ := d.lines(env)
	rows := len(all) + 1
	if d.question != "" {
		rows++
	}
	return modal.Middle(env.Cols, env.Rows, width, rows)
}

// Mouse presses a key that the last line names.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	e, ok := modal.Clicked(msg)
	box := d.place(env)
	if !ok || !box.Contains(e.X, e.Y) || e.Y != box.Y+box.H-2 {
		return d, nil
	}
	_, _, foot := d.lines(env)
	if name := modal.FootKeyAt(foot, e.X-box.X-2); name != "" {
		return d.Key(env, ui.Key{Name: name, At: env.Now})
	}
	return d, nil
}

// NextWake is when the sign that it is tried turns.
func (d dialog) NextWake(env ui.Env) time.Time {
	if d.problem != "" || d.question != "" {
		return time.Time{}
	}
	_, step := modal.Spin(env.Now)
	return env.Now.Add(step)
}
