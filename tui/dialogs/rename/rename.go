// Package rename asks for a session's new name. It owns the text and asks for the call
// that gives the name. A name that is not taken brings the dialog back with the reason,
// unless the person has gone on.
package rename

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// dialog is the dialog.
type dialog struct {
	id, old string
	name    edit.Line
	problem string // why the name was not taken, "" if nothing is wrong with it
}

// New asks for the name of a session.
func New(v api.Session) ui.Component {
	return dialog{id: v.ID, old: v.Name, name: edit.NewLine(v.Name)}
}

// The dialog's inside, and its last line.
const (
	width = 44
	rows  = 3
	foot  = "Enter rename   Esc cancel"
)

func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	box, problem := d.place(env)
	modal.Box(s, box, "rename "+textsafe.Line(d.old), env.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	modal.Line(s, r, 0, "New name:", cells.Style{})
	if r.H < 2 {
		return paint.Cursor{}
	}
	at := d.name.Draw(s, r.X, r.Y+1, r.W, cells.Style{Attrs: cells.Bold})
	for i, l := range problem {
		modal.Line(s, r, 2+i, l, theme.Bold(env.Theme.Alert))
	}
	modal.Line(s, r, r.H-1, foot, theme.FG(env.Theme.Dim))
	return paint.Cursor{X: r.X + at, Y: r.Y + 1, Visible: true}
}

// place is where the dialog is, and its problem in lines.
func (d dialog) place(env ui.Env) (box paint.Rect, problem []string) {
	if d.problem != "" {
		problem = modal.Wrap(d.problem, min(width, max(8, env.Cols-6)))
	}
	return modal.Middle(env.Cols, env.Rows, width, rows+len(problem)), problem
}

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	switch k.Name {
	case "Escape", "C-c":
		return d, []ui.Effect{ui.Close{}}
	case "Enter":
		return d, append([]ui.Effect{ui.Close{}}, d.submit(env)...)
	}
	d.name, _ = d.name.Key(k.Name, k.Text())
	d.problem = ""
	return d, nil
}

// Paste puts text into the name.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	d.name = d.name.Insert(strings.TrimSpace(text))
	return d
}

// Mouse presses a key that the last line names; a click beside the dialog closes it.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	e, ok := modal.Clicked(msg)
	if !ok {
		return d, nil
	}
	box, _ := d.place(env)
	if !box.Contains(e.X, e.Y) {
		return d, []ui.Effect{ui.Close{}}
	}
	if e.Y == box.Y+box.H-2 {
		if name := modal.FootKeyAt(foot, e.X-box.X-2); name != "" {
			return d.Key(env, ui.Key{Name: name, At: env.Now})
		}
	}
	return d, nil
}

// submit gives the session its name.
func (d dialog) submit(env ui.Env) []ui.Effect {
	name := strings.TrimSpace(d.name.String())
	if name == "" || name == d.old {
		return nil
	}
	if env.Session(d.id) == nil {
		return []ui.Effect{ui.Warn{Text: textsafe.Line(d.old) + " was removed meanwhile"}}
	}
	typed := env.Typed
	return []ui.Effect{ui.Call{
		What: "renaming", Turn: "renaming", // of any session: names are given up and taken
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			v, err := c.RenameSession(ctx, d.id, name)
			return ui.Result{Effects: []ui.Effect{ui.Learn{Session: v}}}, err
		},
		Failed: func(env ui.Env, err error) []ui.Effect {
			code := api.CodeOf(err)
			if env.Typed != typed || code != api.CodeInvalid && code != api.CodeConflict {
				return []ui.Effect{ui.Warn{Text: ui.Failure("renaming to "+textsafe.Line(name), err)}}
			}
			d.problem = ui.Problem(err)
			return []ui.Effect{ui.Open{Component: d}}
		},
	}}
}
