package newsession

import (
	"path/filepath"
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// The dialog's inside: its width, the column of labels, and its last line.
const (
	width      = 62
	labelWidth = 12
	foot       = "Enter start   Tab next   Esc cancel"
)

// place is where the dialog is, and the lines below its fields: the first is empty where
// there is room for it.
func (d dialog) place(env ui.Env) (box paint.Rect, notes []string) {
	room := max(0, env.Rows-2-fieldCount-1)
	notes = d.notes(min(width, max(8, env.Cols-6)), room)
	if len(notes) < room {
		notes = append([]string{""}, notes...)
	}
	return modal.Middle(env.Cols, env.Rows, width, fieldCount+len(notes)+1), notes
}

// Draw shows the fields and the notes below them.
func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	box, notes := d.place(env)
	modal.Box(s, box, "new session", env.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	var cur paint.Cursor
	for i, label := range labels {
		if i >= r.H {
			break
		}
		st := theme.FG(env.Theme.Dim)
		mark := "  "
		if i == d.at {
			st, mark = theme.Bold(env.Theme.Accent), "▸ "
		}
		s.Text(r.X, r.Y+i, min(labelWidth, r.W), mark+label, st)
		x, w := r.X+labelWidth, r.W-labelWidth
		if w <= 0 {
			continue
		}
		if i == fieldAgent {
			d.drawAgent(s, env, x, r.Y+i, w)
			continue
		}
		c := d.fields[i].Draw(s, x, r.Y+i, w, cells.Style{})
		if i == d.at {
			cur = paint.Cursor{X: x + c, Y: r.Y + i, Visible: true}
		} else if d.fields[i].Empty() {
			empty := "optional"
			if i == fieldHowMany {
				empty = "1"
			}
			s.Text(x, r.Y+i, w, paint.Cut(empty, w), theme.FG(env.Theme.Dim))
		}
	}
	for i, n := range notes {
		st := theme.FG(env.Theme.Dim)
		if strings.HasPrefix(n, "!") {
			n, st = n[1:], theme.Bold(env.Theme.Alert)
		}
		modal.Line(s, r, fieldCount+i, n, st)
	}
	last := foot
	if d.busy {
		last = "starting…"
	}
	modal.Line(s, r, r.H-1, last, theme.FG(env.Theme.Dim))
	return cur
}

func (d dialog) drawAgent(s *paint.Surface, env ui.Env, x, y, w int) {
	if len(d.agents) == 0 {
		s.Text(x, y, w, "asking…", theme.FG(env.Theme.Dim))
		return
	}
	end := x + w
	for i, a := range d.agents {
		text := textsafe.Line(a.Name)
		st := cells.Style{}
		if a.Path == "" {
			text += "?"
			st = theme.FG(env.Theme.Dim)
		}
		if i == d.agent {
			text = "‹" + text + "›"
			st.Attrs |= cells.Bold
			if d.at == fieldAgent {
				st.Attrs |= cells.Inverse
			}
		}
		if x+paint.Width(text) > end {
			s.Text(x, y, end-x, "…", theme.FG(env.Theme.Dim))
			return
		}
		x += s.Text(x, y, end-x, text, st) + 1
	}
}

// notes are the lines below the fields, problems marked by "!"; in few words where there
// is room for few lines.
func (d dialog) notes(w, room int) []string {
	var out []string
	add := func(sign, text string) {
		for _, l := range modal.Wrap(text, w) {
			out = append(out, sign+l)
		}
	}
	if a, ok := d.chosen(); ok && a.Path == "" {
		text := textsafe.Line(a.Name) + " is not installed"
		if a.Hint != "" {
			text += ": " + textsafe.Line(a.Hint)
		}
		add("!", text)
		if a.Name != d.demo {
			add("", "The agent "+d.demo+" needs nothing: choose it with ← →")
		}
		if len(out) > room {
			out = nil
			add("!", textsafe.Line(a.Name)+" is not installed")
			add("", "← → choose another: "+d.demo+" is here")
		}
	}
	if d.problem != "" {
		add("!", d.problem)
	}
	if d.at == fieldAgent && len(d.agents) > 1 {
		add("", "← → choose")
	}
	if d.at == fieldDir {
		for i, dir := range d.dirs {
			if i == 4 {
				break
			}
			mark := "  "
			if i == d.dirPick {
				mark = "▸ "
			}
			text := textsafe.Line(dir.Path)
			if dir.Name != "" && dir.Name != filepath.Base(dir.Path) {
				text = textsafe.Line(dir.Name) + "  " + text
			}
			out = append(out, mark+paint.Cut(text, w-2))
		}
		if len(d.dirs) > 0 {
			add("", "↑ ↓ choose, or type a path")
		}
	}
	return out
}
