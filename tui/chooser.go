package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/fuzzy"
	"ccdir/tui/paint"
)

// chooser finds one of many by a part of its text: a command of the table of
// keys, or a session or a state. It is a value; what there is to choose comes
// from the model at each moment.
type chooser struct {
	commands bool // the palette; else sessions and states
	// fixed are the only choices, if there are any: a menu with that title, about
	// the session of.
	fixed     []pick
	title, of string
	query     editor
	at        int
	facts     keymap.Facts
}

// pick is one thing that can be chosen.
type pick struct {
	id       string // of the session that it is, "" for others
	text     string // what is looked at, and shown
	sign     string // before it: a state
	colour   grid.Color
	detail   string // behind it
	keys     string // at the right
	disabled string // why not, "" if it can be
	run      func(m *model) cmd
}

func (m *model) openChooser(commands bool) cmd {
	m.mode = modePane
	m.overlay = chooser{commands: commands, facts: m.facts()}
	return m.findProjects()
}

// choices are what matches the query, the best first.
func (d chooser) choices(keys *keymap.Map, src listSource, th *theme) []pick {
	var all []pick
	switch {
	case d.fixed != nil:
		all = d.fixed
	case d.commands:
		all = d.allCommands(keys)
	default:
		all = append(sessionChoices(src, th), stateChoices(src, th)...)
	}
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.text + " " + c.detail
	}
	var out []pick
	for _, i := range fuzzy.Find(d.query.String(), texts, len(texts)) {
		out = append(out, all[i])
	}
	return out
}

// allCommands are the actions that can be run after the prefix key; those that
// are not possible now come last.
func (d chooser) allCommands(keys *keymap.Map) []pick {
	var can, cannot []pick
	for _, b := range keys.Bindings() {
		if keymap.ModeOf(b.Group) != keymap.ModePrefix || b.Action == keymap.Palette || b.Action == keymap.FocusN || b.Action == keymap.Literal {
			continue
		}
		c := pick{text: b.Text, detail: string(b.Action), keys: keys.Hint(b.Action), disabled: b.Disabled(d.facts)}
		c.run = func(m *model) cmd { return m.run(b, keyMsg{at: m.now()}) }
		if c.disabled == "" {
			can = append(can, c)
		} else {
			cannot = append(cannot, c)
		}
	}
	return append(can, cannot...)
}

// sessionChoices are the sessions by need.
func sessionChoices(src listSource, th *theme) (out []pick) {
	src.opt = api.GridList{}
	for _, r := range src.rows("") {
		v := r.session
		c := pick{id: v.ID, text: textsafe.Line(v.Name), sign: v.State.Indicator(), colour: th.state(v.State), keys: filepath.Base(textsafe.Line(src.project(v.CWD)))}
		c.detail = strings.TrimSpace(strings.ReplaceAll(string(v.State), "_", " ") + " · " + taskOf(v))
		c.detail = strings.TrimSuffix(c.detail, " ·")
		c.run = func(m *model) cmd { m.setFocus(v.ID); return nil }
		out = append(out, c)
	}
	return out
}

// stateChoices are the states that sessions have: choosing one lists them.
func stateChoices(src listSource, th *theme) (out []pick) {
	count := map[api.State]int{}
	for _, v := range src.sessions {
		count[v.State]++
	}
	for _, st := range []api.State{api.StatePermission, api.StateInput, api.StateWorking, api.StateIdle, api.StateStarting, api.StateExiting, api.StateExited, api.StateLost} {
		n := count[st]
		if n == 0 {
			continue
		}
		words := strings.ReplaceAll(string(st), "_", " ")
		out = append(out, pick{
			text: "all that are " + words, sign: st.Indicator(), colour: th.state(st), keys: fmt.Sprint(n),
			run: func(m *model) cmd { return m.openList(string(st)) },
		})
	}
	return out
}

// Sizes of the dialog.
const (
	chooserWidth = 76
	chooserRows  = 16
)

// room is the dialog's inside.
func (d chooser) room(cols, rows int) (w, h int) {
	most := chooserRows
	if d.fixed != nil {
		most = min(most, len(d.fixed)+2)
	}
	return max(1, min(chooserWidth, cols-4)), max(1, min(most, rows-4))
}

// heading is the title.
func (d chooser) heading() string {
	switch {
	case d.title != "":
		return d.title
	case d.commands:
		return "commands"
	}
	return "find a session or a state"
}

func (d chooser) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, h := d.room(sc.cols, sc.rows)
	r := drawPopup(s, sc, w, h, d.heading(), sc.theme.accent)
	list := d.choices(sc.keys, sc.list, sc.theme)
	s.Text(r.X, r.Y, r.W, "❯ ", bold(sc.theme.accent))
	at := d.query.draw(s, r.X+2, r.Y, r.W-2, grid.Style{Attrs: grid.Bold})
	if d.query.empty() {
		s.Text(r.X+2, r.Y, r.W-2, paint.Cut("type a part of it", r.W-2), fg(sc.theme.dim))
	}
	rows, chosen, top := d.rows(r, len(list))
	for i := 0; i < rows.H && top+i < len(list); i++ {
		drawChoice(s, sc, paint.Rect{X: rows.X, Y: rows.Y + i, W: rows.W, H: 1}, list[top+i], top+i == chosen)
	}
	if len(list) == 0 {
		line(s, rows, 0, "nothing matches", fg(sc.theme.dim))
	}
	foot := fmt.Sprintf("Enter choose   ↑ ↓ move   Esc close   %d", len(list))
	if chosen >= 0 && list[chosen].disabled != "" {
		foot = "not now: " + list[chosen].disabled
	}
	line(s, r, r.H-1, foot, fg(sc.theme.dim))
	return paint.Cursor{X: r.X + 2 + at, Y: r.Y, Visible: true}
}

// rows are where the choices are, of n that there are, and which comes first.
func (d chooser) rows(in paint.Rect, n int) (rows paint.Rect, chosen, top int) {
	rows = paint.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: max(0, in.H-2)}
	chosen = min(d.at, n-1)
	return rows, chosen, max(0, chosen-rows.H+1)
}

// mouse: a click takes a choice, one beside the dialog closes it; the wheel moves.
func (d chooser) mouse(m *model, msg tea.MouseMsg) cmd {
	e := msg.Mouse()
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		return m.wheelKey(map[tea.MouseButton]string{tea.MouseWheelUp: "Up", tea.MouseWheelDown: "Down"}[e.Button])
	}
	if _, ok := msg.(tea.MouseClickMsg); !ok || e.Button != tea.MouseLeft {
		return nil
	}
	w, h := d.room(m.cols, m.rows)
	box := popupBox(&scene{cols: m.cols, rows: m.rows}, w, h)
	list := d.choices(m.keys, m.listSource(), m.theme)
	rows, _, top := d.rows(paint.Rect{X: box.X + 2, Y: box.Y + 1, W: box.W - 4, H: box.H - 2}, len(list))
	switch i := top + e.Y - rows.Y; {
	case !box.Contains(e.X, e.Y):
		m.overlay = nil
	case rows.Contains(e.X, e.Y) && i < len(list):
		d.at = i
		return d.key(m, keyMsg{name: "Enter", at: m.now()})
	}
	return nil
}

func drawChoice(s *paint.Surface, sc *scene, r paint.Rect, c pick, chosen bool) {
	text, dim := grid.Style{}, fg(sc.theme.dim)
	if c.disabled != "" {
		text = dim
	}
	sign := bold(c.colour)
	if chosen {
		inverse := grid.Style{Attrs: grid.Inverse}
		s.Fill(r, inverse)
		text, dim = inverse, inverse
		sign.Attrs |= grid.Inverse
	}
	x, end := r.X, r.X+r.W
	if c.sign != "" {
		s.Text(x, r.Y, 4, c.sign, sign)
		x += 5
	}
	if w := paint.Width(c.keys); w > 0 && w < r.W/2 {
		s.Text(end-w, r.Y, w, c.keys, dim)
		end -= w + 2
	}
	if x >= end {
		return
	}
	x += s.Text(x, r.Y, end-x, paint.Cut(c.text, end-x), text)
	if c.detail != "" && c.sign != "" && x+4 < end {
		s.Text(x+2, r.Y, end-x-2, paint.Cut(c.detail, end-x-2), dim)
	}
}

func (d chooser) key(m *model, k keyMsg) cmd {
	list := d.choices(m.keys, m.listSource(), m.theme)
	_, h := d.room(m.cols, m.rows)
	d.at = max(0, min(d.at, len(list)-1))
	switch k.name {
	case "Escape", "C-c":
		m.overlay = nil
		return nil
	case "":
		return nil
	case "Enter", "KPEnter":
		if len(list) == 0 {
			return nil
		}
		c := list[d.at]
		if c.disabled != "" {
			m.warn(c.disabled)
			return nil
		}
		m.overlay = nil
		return c.run(m)
	case "Up", "C-p", "BTab":
		d.at--
	case "Down", "C-n", "Tab":
		d.at++
	case "PPage":
		d.at -= h
	case "NPage":
		d.at += h
	default:
		d.query, _ = d.query.key(k.name, k.key)
		d.at = 0
	}
	d.at = max(0, min(d.at, len(list)-1))
	m.overlay = d
	return nil
}

func (d chooser) paste(m *model, text string) {
	d.query, d.at = d.query.insert(textsafe.Line(text)), 0
	m.overlay = d
}
