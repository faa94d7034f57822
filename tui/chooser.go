package tui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/fuzzy"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/theme"
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
	view      listbox.View
	facts     keymap.Facts
}

// pick is one thing that can be chosen.
type pick struct {
	id       string    // of the session that it is, "" for others
	text     string    // what is looked at, and shown
	sign     string    // before it: a state
	state    api.State // whose colour the sign has
	detail   string    // behind it
	keys     string    // at the right
	key      string    // takes it at once, "" none
	disabled string    // why not, "" if it can be
	far      bool      // it is done elsewhere: listed after the others that match
	run      func(m *model) cmd
}

func (m *model) openChooser(commands bool) cmd {
	m.mode = modePane
	m.overlay = chooser{commands: commands, facts: m.facts()}
	return m.findProjects()
}

// name tells a choice apart from the others.
func (c pick) name() string { return cmp.Or(c.id, c.text) }

// all are the choices that there are.
func (d chooser) all(keys *keymap.Map, src sessionlist.Source) []pick {
	switch {
	case d.fixed != nil:
		return d.fixed
	case d.commands:
		return allCommands(keys, d.facts)
	}
	return append(sessionChoices(src), stateChoices(src)...)
}

// choices are what matches the query, the best first.
func (d chooser) choices(all []pick) []pick {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.text + " " + c.detail
	}
	var near, far []pick
	for _, i := range fuzzy.Good(d.view.Query.String(), texts) {
		if all[i].far {
			far = append(far, all[i])
		} else {
			near = append(near, all[i])
		}
	}
	return append(near, far...)
}

// sessionChoices are the sessions by need.
func sessionChoices(src sessionlist.Source) (out []pick) {
	src.Opt = api.GridList{}
	for _, r := range src.Rows("") {
		v := r.Session
		c := pick{id: v.ID, text: textsafe.Line(v.Name), sign: v.State.Indicator(), state: v.State, keys: filepath.Base(textsafe.Line(src.Project(v.CWD)))}
		c.detail = strings.TrimSpace(strings.ReplaceAll(string(v.State), "_", " ") + " · " + sessionlist.Task(v))
		c.detail = strings.TrimSuffix(c.detail, " ·")
		c.run = func(m *model) cmd { m.setFocus(v.ID); return nil }
		out = append(out, c)
	}
	return out
}

// stateChoices are the states that sessions have: choosing one lists them.
func stateChoices(src sessionlist.Source) (out []pick) {
	count := map[api.State]int{}
	for _, v := range src.Sessions {
		count[v.State]++
	}
	for _, st := range []api.State{api.StatePermission, api.StateInput, api.StateWorking, api.StateIdle, api.StateStarting, api.StateExiting, api.StateExited, api.StateLost} {
		n := count[st]
		if n == 0 {
			continue
		}
		words := strings.ReplaceAll(string(st), "_", " ")
		out = append(out, pick{
			text: "all that are " + words, sign: st.Indicator(), state: st, keys: fmt.Sprint(n),
			run: func(m *model) cmd { return m.openList(string(st)) },
		})
	}
	return out
}

// Sizes of the dialog.
const (
	chooserWidth = 76
	chooserRows  = 14
)

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

// width is that of the dialog's inside: a menu is as wide as its choices.
func (d chooser) width() int {
	if d.fixed == nil {
		return chooserWidth
	}
	w := max(paint.Width(d.heading())+4, 40)
	for _, p := range d.fixed {
		w = max(w, paint.Width(p.text)+paint.Width(p.detail)+paint.Width(p.keys)+12)
	}
	return min(w, chooserWidth)
}

func (d chooser) list() listbox.View                            { return d.view }
func (d chooser) with(v listbox.View) listDialog                { d.view = v; return d }
func (d chooser) mode() keymap.Mode                             { return keymap.ModeViews }
func (d chooser) key(m *model, k input.Key) cmd                 { return listKey(m, d, k) }
func (d chooser) paste(m *model, text string)                   { listPaste(m, d, text) }
func (d chooser) draw(s *paint.Surface, sc *scene) paint.Cursor { return drawListDialog(d, s, sc) }

func (d chooser) content(sc *scene) listbox.Content {
	all := d.all(sc.Keys, sc.list)
	c := listbox.Content{
		Title: d.heading(), Hint: "type a part of it", Empty: "there is nothing to choose",
		Menu: true, Direct: true, Ranked: true, Width: d.width(), All: len(all), Most: chooserRows,
	}
	for _, p := range d.choices(all) {
		if p.disabled != "" && p.name() == d.view.ID {
			c.Says = "not now: " + p.disabled
		}
		c.Items = append(c.Items, listbox.Item{ID: p.name(), Key: p.key, Paint: func(s *paint.Surface, r paint.Rect, chosen bool) { drawChoice(s, sc, r, p) }})
	}
	return c
}

// act takes a choice.
func (d chooser) act(m *model, a keymap.Action, id string) (cmd, bool) {
	if a != keymap.ViewOpen {
		return nil, false
	}
	all := d.all(m.keys, m.listSource())
	i := slices.IndexFunc(all, func(p pick) bool { return p.name() == id })
	switch {
	case i < 0:
	case all[i].disabled != "":
		m.warn(all[i].disabled)
	default:
		m.overlay = nil
		return all[i].run(m), true
	}
	return nil, true
}

func drawChoice(s *paint.Surface, sc *scene, r paint.Rect, c pick) {
	text, dim := cells.Style{}, theme.FG(sc.Theme.Dim)
	if c.disabled != "" {
		text = dim
	}
	x, end := r.X, r.X+r.W
	if c.sign != "" {
		s.Text(x, r.Y, 4, c.sign, theme.Bold(sc.Theme.State(c.state)))
		x += 5
	}
	if c.key != "" {
		x += s.Text(x, r.Y, end-x, "["+c.key+"] ", theme.Bold(sc.Theme.Accent))
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
