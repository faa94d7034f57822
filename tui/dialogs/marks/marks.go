// Package marks asks what a person notes of a session: group, pin, note and colour. It owns what
// is being written and asks for the call that keeps it. What is refused brings the dialog back with
// the reason, unless the person has gone on.
package marks

import (
	"context"
	"slices"
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

// Marker is the part of a client that keeps marks.
type Marker interface {
	MarkSession(ctx context.Context, id string, m api.SetMarks) (api.Session, error)
}

// The fields.
const (
	group = iota
	note
	pin
	color
	fields
)

// dialog is the dialog.
type dialog struct {
	id, name string
	text     [2]edit.Line // group and note
	pinned   bool
	color    int // of api.MarkColors, from 1; 0 none
	at       int // the field that has the keyboard
	problem  string
}

// New asks for the marks of a session.
func New(v api.Session) ui.Component {
	return dialog{id: v.ID, name: v.Name, text: [2]edit.Line{group: edit.NewLine(v.Marks.Group), note: edit.NewLine(v.Marks.Note)},
		pinned: v.Marks.Pinned, color: 1 + slices.Index(api.MarkColors(), v.Marks.Color)}
}

// The dialog's inside, where values begin, and its last line.
const (
	width = 52
	value = 9
	foot  = "Enter keep   Tab next   Esc cancel"
)

func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	box, problem := d.place(env)
	modal.Box(s, box, "notes on "+textsafe.Line(d.name), env.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	cur := paint.Cursor{}
	for i, label := range [fields]string{group: "Group", note: "Note", pin: "Pinned", color: "Colour"} {
		if i >= r.H-1 {
			break
		}
		st := cells.Style{}
		if i == d.at {
			st = theme.Bold(env.Theme.Accent)
		}
		s.Text(r.X, r.Y+i, value-1, label, st)
		x, w := r.X+value, max(0, r.W-value)
		switch i {
		case group, note:
			at := d.text[i].Draw(s, x, r.Y+i, w, cells.Style{Attrs: cells.Bold})
			if i == d.at {
				cur = paint.Cursor{X: x + at, Y: r.Y + i, Visible: true}
			}
		case pin:
			s.Text(x, r.Y+i, w, map[bool]string{true: "yes: first in lists", false: "no"}[d.pinned], cells.Style{})
		case color:
			s.Text(x, r.Y+i, w, d.colorName(), theme.FG(env.Theme.Mark(d.colorValue())))
		}
	}
	for i, l := range problem {
		modal.Line(s, r, fields+i, l, theme.Bold(env.Theme.Alert))
	}
	last := foot
	if d.at >= pin {
		last = "Space changes it   Enter keep   Esc cancel"
	}
	modal.Line(s, r, r.H-1, last, theme.FG(env.Theme.Dim))
	return cur
}

func (d dialog) colorValue() string {
	if d.color == 0 {
		return ""
	}
	return api.MarkColors()[d.color-1]
}

func (d dialog) colorName() string {
	if name := d.colorValue(); name != "" {
		return name
	}
	return "none"
}

// place is where the dialog is, and its problem in lines.
func (d dialog) place(env ui.Env) (box paint.Rect, problem []string) {
	if d.problem != "" {
		problem = modal.Wrap(d.problem, min(width, max(8, env.Cols-6)))
	}
	return modal.Middle(env.Cols, env.Rows, width, fields+1+len(problem)), problem
}

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	d.problem = ""
	switch {
	case k.Name == "Escape" || k.Name == "C-c":
		return d, []ui.Effect{ui.Close{}}
	case k.Name == "Enter":
		return d, append([]ui.Effect{ui.Close{}}, d.submit(env)...)
	case k.Name == "Tab" || k.Name == "Down":
		d.at = (d.at + 1) % fields
	case k.Name == "BTab" || k.Name == "Up":
		d.at = (d.at + fields - 1) % fields
	case d.at <= note:
		d.text[d.at], _ = d.text[d.at].Key(k.Name, k.Text())
	default:
		d = d.changed(k.Name)
	}
	return d, nil
}

// changed is the dialog after a key on a field that is chosen, not written.
func (d dialog) changed(key string) dialog {
	by := map[string]int{"Space": 1, "Right": 1, "Left": -1}[key]
	switch {
	case by == 0:
	case d.at == pin:
		d.pinned = !d.pinned
	default:
		n := len(api.MarkColors()) + 1
		d.color = (d.color + by + n) % n
	}
	return d
}

// Paste puts text into the field that is written.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	if d.at <= note {
		d.text[d.at] = d.text[d.at].Insert(strings.TrimSpace(text))
	}
	return d
}

// Mouse chooses a field; a click beside the dialog closes it.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	e, ok := modal.Clicked(msg)
	if !ok {
		return d, nil
	}
	box, _ := d.place(env)
	if !box.Contains(e.X, e.Y) {
		return d, []ui.Effect{ui.Close{}}
	}
	if field := e.Y - box.Y - 1; field >= 0 && field < fields {
		if d.at == field {
			return d.changed("Space"), nil
		}
		d.at = field
	}
	return d, nil
}

// submit keeps what is written.
func (d dialog) submit(env ui.Env) []ui.Effect {
	if env.Session(d.id) == nil {
		return []ui.Effect{ui.Warn{Text: textsafe.Line(d.name) + " was removed meanwhile"}}
	}
	g, n, c, p, typed := d.text[group].String(), d.text[note].String(), d.colorValue(), d.pinned, env.Typed
	return []ui.Effect{ui.Call{
		What: "noting it", Turn: "noting " + d.id,
		Run: func(ctx context.Context, c2 ui.Client) (ui.Result, error) {
			m, err := ui.As[Marker](c2)
			if err != nil {
				return ui.Result{}, err
			}
			v, err := m.MarkSession(ctx, d.id, api.SetMarks{Group: &g, Note: &n, Color: &c, Pinned: &p})
			return ui.Result{Effects: []ui.Effect{ui.Learn{Session: v}}}, err
		},
		Failed: func(env ui.Env, err error) []ui.Effect {
			if env.Typed != typed || api.CodeOf(err) != api.CodeInvalid {
				return []ui.Effect{ui.Warn{Text: ui.Failure("noting it", err)}}
			}
			d.problem = ui.Problem(err)
			return []ui.Effect{ui.Open{Component: d}}
		},
	}}
}
