package tui

import (
	"time"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// explain shows which evidence gave a session its state, what that overruled,
// and what would change it. It follows the session while it is open.
type explain struct {
	id, name string
	exp      *api.Explanation // nil until the answer is here
	problem  string
	top      int
	asking   bool
	// of is the session's value that exp is about.
	of stateMark
}

// stateMark is what an explanation depends on.
type stateMark struct {
	state    api.State
	since    time.Time
	question string
	seq      int64 // of the session's newest event
}

// askExplain opens the popup.
func (m *model) askExplain(v api.Session) cmd {
	m.overlay = explain{id: v.ID, name: textsafe.Line(v.Name)}
	return m.followExplain()
}

// markOf is the present mark of a session.
func (m *model) markOf(v api.Session) stateMark {
	mark := stateMark{state: v.State, since: v.Since, question: v.Question}
	for i := len(m.events) - 1; i >= 0; i-- {
		if m.events[i].Session == v.ID {
			mark.seq = m.events[i].Seq
			break
		}
	}
	return mark
}

// followExplain asks again when the session has changed; one call at a time.
func (m *model) followExplain() cmd {
	d, ok := m.overlay.(explain)
	v := m.session(d.id)
	if !ok || d.asking || m.offline != "" || v == nil || m.opts.Client == nil {
		return nil
	}
	mark := m.markOf(*v)
	if d.of == mark && (d.exp != nil || d.problem != "") {
		return nil
	}
	d.asking, d.of = true, mark
	m.overlay = d
	id := d.id
	put := func(m *model, exp *api.Explanation, problem string) {
		if d, ok := m.overlay.(explain); ok && d.id == id {
			d.asking, d.exp, d.problem = false, exp, problem
			m.overlay = d
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		e, err := c.Explain(c.ctx, id)
		return func(m *model) { put(m, &e, "") }, err
	}, func(m *model, err error) { put(m, nil, problem(err)) })
}

// explainLine is a line of the popup: a label and text, or text alone.
type explainLine struct {
	label, text string
	style       grid.Style
}

const (
	explainWidth = 76
	explainLabel = 14
)

// lines are the popup's, at most w columns wide.
func (d explain) lines(t *theme, now time.Time, w int) []explainLine {
	var out []explainLine
	add := func(label, text string, st grid.Style) {
		parts := wrap(textsafe.Line(text), max(1, w-explainLabel))
		if len(parts) == 0 {
			parts = []string{""}
		}
		for _, p := range parts {
			out = append(out, explainLine{label, p, st})
			label = ""
		}
	}
	switch {
	case d.problem != "":
		add("", d.problem, bold(t.alert))
		return out
	case d.exp == nil:
		add("", "asking the daemon…", fg(t.dim))
		return out
	}
	e := d.exp
	add("state", e.State.Indicator()+" "+string(e.State), bold(t.state(e.State)))
	add("for", age(now, e.Since), grid.Style{})
	if e.Rule != "" {
		add("rule", e.Rule, grid.Style{})
	}
	add("because", orNone(e.Reason), grid.Style{})
	if e.Winner != nil {
		add("evidence", evidence(now, *e.Winner), bold(t.idle))
	}
	if len(e.Overruled) > 0 {
		out = append(out, explainLine{})
	}
	for i, o := range e.Overruled {
		label := ""
		if i == 0 {
			label = "overruled"
		}
		add(label, evidence(now, o.Evidence)+": "+o.Reason, fg(t.dim))
	}
	if len(e.Changes) > 0 {
		out = append(out, explainLine{})
	}
	for i, c := range e.Changes {
		label := ""
		if i == 0 {
			label = "would change"
		}
		add(label, c, grid.Style{})
	}
	return out
}

func orNone(s string) string {
	if s == "" {
		return "no evidence yet"
	}
	return s
}

// evidence is one fact with its age.
func evidence(now time.Time, e api.Evidence) string {
	text := string(e.Source) + " " + e.Name
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	if e.Says != "" {
		text += " says " + string(e.Says)
	}
	if a := age(now, e.At); a != "" {
		text += ", " + a + " ago"
	}
	return text
}

func (d explain) draw(s *paint.Surface, sc *scene) paint.Cursor {
	w, h := explainRoom(sc.cols, sc.rows)
	lines := d.lines(sc.theme, sc.now, w)
	r := drawPopup(s, sc, explainWidth, min(len(lines)+1, h), "why "+d.name, sc.theme.accent)
	room := r.H - 1
	top := max(0, min(d.top, len(lines)-room))
	for i := 0; i < room && top+i < len(lines); i++ {
		l := lines[top+i]
		s.Text(r.X, r.Y+i, min(explainLabel-1, r.W), paint.Cut(l.label, explainLabel-1), fg(sc.theme.dim))
		if x := min(explainLabel, r.W); x < r.W {
			s.Text(r.X+x, r.Y+i, r.W-x, paint.Cut(l.text, r.W-x), l.style)
		}
	}
	foot := "Esc close"
	if len(lines) > room {
		foot += "   ↑ ↓ PgUp PgDn scroll"
	}
	line(s, r, r.H-1, foot, fg(sc.theme.dim))
	return paint.Cursor{}
}

// explainRoom is the size of the popup's inside.
func explainRoom(cols, rows int) (w, h int) {
	return max(1, min(explainWidth, cols-4)), max(1, rows-2)
}

func (d explain) key(m *model, k keyMsg) cmd {
	w, h := explainRoom(m.cols, m.rows)
	n := len(d.lines(m.theme, m.now(), w))
	room := max(1, min(n+1, h)-1)
	switch k.name {
	case "Escape", "q", "C-c", "Enter":
		m.overlay = nil
		return nil
	case "Up", "k":
		d.top--
	case "Down", "j":
		d.top++
	case "PPage":
		d.top -= room
	case "NPage", "Space":
		d.top += room
	case "Home", "g":
		d.top = 0
	case "End", "G":
		d.top = n
	default:
		if b, ok := m.keys.Lookup(k.name); ok && b.Action == keymap.Explain {
			m.overlay = nil
			return nil
		}
	}
	d.top = max(0, min(d.top, n-room))
	m.overlay = d
	return nil
}

func (d explain) paste(*model, string) {}
