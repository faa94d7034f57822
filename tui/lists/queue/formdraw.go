package queue

import (
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/dirfield"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// The form's inside: its width, and the column of labels.
const (
	formWidth  = 72
	labelWidth = 12
)

// notesMost is how many lines a form has below its fields at most.
const notesMost = 4

// notes are the lines below the fields: what is wrong, the names that go on with the
// directory, or how its field is filled in. wrong: the first is meant.
func (f form) notes(env ui.Env, w, most int) (lines []string, wrong bool) {
	switch {
	case f.problem != "":
		lines, wrong = modal.Wrap(textsafe.Line(f.problem), w), true
	case len(f.names) > 0:
		lines = dirfield.Lines(f.names, f.cut, w, most)
	case chooses(f.at):
		lines = []string{"← → choose"}
	case f.at == fieldRole:
		lines = []string{api.RoleDev + ", " + api.RoleLead + ", or one of the policy: it decides what the task may"}
	case f.at == fieldSandbox && len(env.Walls) > 0:
		lines = modal.Wrap(textsafe.Line(strings.Join(env.Walls, ", ")), w)
	default:
		lines = []string{""}
	}
	return lines[:min(len(lines), most)], wrong
}

// foot is the last line.
func (f form) foot() string {
	does := "Enter adds it"
	if f.id != "" {
		does = "Enter changes it"
	}
	switch {
	case f.sent > 0 && f.id != "":
		return "changing…   Esc back"
	case f.sent > 0:
		return "adding…   Esc back"
	case f.completes():
		return does + "   Tab complete   Esc back"
	}
	return does + "   Tab next   Esc back"
}

// draw draws the form over the list.
func (f form) draw(env ui.Env, s *paint.Surface) (cur paint.Cursor) {
	title := "new task"
	if len(env.Nodes) > 0 {
		title += " here"
	}
	if f.id != "" {
		title = "task " + f.id
	}
	dim := theme.FG(env.Theme.Dim)
	cols, rows := s.Size()
	shown := f.shown()
	notes, wrong := f.notes(env, max(1, min(formWidth, cols-6)), max(1, min(notesMost, rows-2-len(shown))))
	r := modal.Popup(s, formWidth, len(shown)+len(notes)+1, title, env.Theme.Accent)
	room := max(1, r.H-len(notes)-1)
	from := max(0, min(slices.Index(shown, f.at)-room+1, len(shown)-room))
	for row, i := range shown[from:min(len(shown), from+room)] {
		y, mark, st := r.Y+row, "  ", dim
		if i == f.at {
			mark, st = "▸ ", theme.Bold(env.Theme.Accent)
		}
		s.Text(r.X, y, min(labelWidth, r.W), mark+labels[i], st)
		if at, ok := f.drawField(env, s, paint.Rect{X: r.X + labelWidth, Y: y, W: r.W - labelWidth, H: 1}, i); ok {
			cur = paint.Cursor{X: at, Y: y, Visible: r.H > 0}
		}
	}
	st := dim
	if wrong {
		st = theme.Bold(env.Theme.Alert)
	}
	for i, text := range notes {
		modal.Line(s, r, r.H-1-len(notes)+i, text, st)
	}
	modal.Line(s, r, r.H-1, f.foot(), dim)
	return cur
}

// drawField draws what a field holds; cursor: it is where the cursor is.
func (f form) drawField(env ui.Env, s *paint.Surface, r paint.Rect, i int) (at int, cursor bool) {
	if r.W <= 0 {
		return 0, false
	}
	switch i {
	case fieldAgent:
		names := agents(env)
		if !slices.Contains(names, f.agent) {
			names = append(names, f.agent)
		}
		drawChoice(s, r, names, slices.Index(names, f.agent), f.at == i)
		return 0, false
	case fieldThen:
		var names []string
		for _, e := range endings {
			names = append(names, e.name)
		}
		drawChoice(s, r, names, f.then, f.at == i)
		return 0, false
	}
	at = f.fields[i].Draw(s, r.X, r.Y, r.W, cells.Style{})
	if f.fields[i].Empty() {
		s.Text(r.X, r.Y, r.W, paint.Cut(empty[i], r.W), theme.FG(env.Theme.Dim))
	}
	return r.X + at, i == f.at
}

// drawChoice draws names of which one is chosen; here: the field has the cursor.
func drawChoice(s *paint.Surface, r paint.Rect, names []string, chosen int, here bool) {
	x, end := r.X, r.X+r.W
	for i, name := range names {
		text, st := textsafe.Line(name), cells.Style{}
		if name == "" {
			text = "the default one"
		}
		if i == chosen {
			text, st.Attrs = "‹"+text+"›", cells.Bold
			if here {
				st.Attrs |= cells.Inverse
			}
		}
		if x >= end {
			return
		}
		x += s.Text(x, r.Y, end-x, paint.Cut(text, end-x), st) + 1
	}
}
