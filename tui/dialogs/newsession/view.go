package newsession

import (
	"path/filepath"
	"slices"
	"strings"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/dirfield"
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
	footDir    = "Enter start   Tab complete   Esc cancel"
)

// fewest is how many fields a low screen shows: the others scroll in, and there is room for
// notes.
const fewest = 5

// window are the fields that are in view, by their places in shown.
func (d dialog) window(env ui.Env) (first, n int) {
	shown := d.shown()
	n = min(len(shown), max(fewest, env.Rows-2-1-offered-2))
	return min(max(0, slices.Index(shown, d.at)-n+1), len(shown)-n), n
}

// place is where the dialog is, and the lines below its fields: the first is empty where
// there is room for it.
func (d dialog) place(env ui.Env) (box paint.Rect, notes []string) {
	_, fields := d.window(env)
	room := max(0, env.Rows-2-fields-1)
	notes = d.notes(min(width, max(8, env.Cols-6)), room)
	if notes = notes[:min(len(notes), room)]; len(notes) < room {
		notes = append([]string{""}, notes...)
	}
	return modal.Middle(env.Cols, env.Rows, width, fields+len(notes)+1), notes
}

// Draw shows the fields and the notes below them.
func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	if d.setup != nil && d.setup.command != "" {
		return d.setup.draw(env, s)
	}
	box, notes := d.place(env)
	modal.Box(s, box, "new session", env.Theme.Accent)
	r := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	var cur paint.Cursor
	first, fields := d.window(env)
	for row, i := range d.shown()[first : first+min(fields, r.H)] {
		label, y := labels[i], r.Y+row
		st := theme.FG(env.Theme.Dim)
		mark := "  "
		if i == d.at {
			st, mark = theme.Bold(env.Theme.Accent), "▸ "
		}
		s.Text(r.X, y, min(labelWidth, r.W), mark+label, st)
		x, w := r.X+labelWidth, r.W-labelWidth
		if w <= 0 {
			continue
		}
		if i == fieldNode {
			d.on.draw(s, env, x, y, w, i == d.at)
			continue
		}
		if i == fieldAgent {
			d.drawAgent(s, env, x, y, w)
			continue
		}
		c := d.fields[i].Draw(s, x, y, w, cells.Style{})
		if i == d.at {
			cur = paint.Cursor{X: x + c, Y: y, Visible: true}
		} else if d.fields[i].Empty() {
			empty := "optional"
			switch {
			case i == fieldHowMany:
				empty = "1"
			case i == fieldBranch:
				empty = "of a work tree of its own; . is its name"
			case i == fieldBase:
				empty = "where a new branch begins: what is checked out"
			case i == fieldTemplate:
				empty = "none; opens all its sessions instead"
			case i == fieldRole:
				empty = "that of the directory"
			case i == fieldWalls:
				empty = "as configured; worktree, read-only, offline"
			case d.lacks(i):
				empty = "-"
			case i == fieldAccount:
				empty = "that of the directory's repository"
			case i == fieldModel:
				empty = "the agent's default"
			}
			s.Text(x, y, w, paint.Cut(empty, w), theme.FG(env.Theme.Dim))
		}
	}
	for i, n := range notes {
		st := theme.FG(env.Theme.Dim)
		if strings.HasPrefix(n, "!") {
			n, st = n[1:], theme.Bold(env.Theme.Alert)
		}
		modal.Line(s, r, fields+i, n, st)
	}
	last := foot
	switch {
	case d.busy:
		last = "starting…"
	case d.problem != "" && len(notes) == 0:
		last = d.problem
	case len(d.names) > 0 && len(notes) == 0:
		last = paint.Cut(textsafe.Line(strings.Join(d.names, "/ ")+"/"), r.W)
	case d.at == fieldDir && d.typed:
		last = footDir
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
	if d.at == fieldNode {
		add("", "← → choose the machine")
	}
	if d.on.asking {
		add("", "asking "+d.on.node()+"…")
	}
	if d.at == fieldAgent && len(d.agents) > 1 {
		add("", "← → choose")
	}
	if len(d.names) > 0 {
		return append(out, dirfield.Lines(d.names, d.cut, w, max(1, room-len(out)-1))...)
	}
	for i, text := range d.offers() {
		mark := "  "
		if i == d.pick {
			mark = "▸ "
		}
		text = textsafe.Line(text)
		if d.at == fieldDir && d.dirs[i].Name != "" && d.dirs[i].Name != filepath.Base(d.dirs[i].Path) {
			text = textsafe.Line(d.dirs[i].Name) + "  " + text
		}
		out = append(out, mark+paint.Cut(text, w-2))
	}
	switch {
	case d.at == fieldDir && len(d.dirs) > 0:
		add("", "↑ ↓ choose, or type a path: Tab completes it")
	case d.at == fieldModel && len(d.offers()) > 0:
		add("", "↑ ↓ choose, or type its name as the agent knows it")
	case d.at == fieldAccount:
		add("", "↑ ↓ choose: the sign-in that it uses")
	case d.at == fieldRole:
		add("", "↑ ↓ choose: it decides what the session may")
	case d.at == fieldWalls && d.on.node() != "":
		add("", "↑ ↓ choose: walls around it, by the profiles of "+textsafe.Line(d.on.node()))
	case d.at == fieldWalls:
		add("", "↑ ↓ choose: walls around it, whatever it is asked to do")
	case d.at == fieldTemplate:
		add("", "↑ ↓ choose: its sessions are started in the directory; the other fields do not count")
	}
	return out
}
