package tui

import (
	"time"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// explain shows a session's details, and below them which evidence gave it its
// state, what that overruled, and what would change it. It follows the session
// while it is open.
type explain struct {
	id, name string
	exp      *api.Explanation // nil until the answer is here
	problem  string
	top      int
	asking   bool
	v        api.Session     // as it was last
	use      *api.ProcessUse // nil until it is known
	home     string
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
	m.overlay = explain{id: v.ID, name: textsafe.Line(v.Name), v: v, home: m.getenv("HOME")}
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
	if ok && v != nil {
		d.v, d.name = *v, textsafe.Line(v.Name)
		m.overlay = d
	}
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
	reader, reads := m.opts.Client.(ProcessReader)
	put := func(m *model, exp *api.Explanation, use *api.ProcessUse, problem string) {
		if d, ok := m.overlay.(explain); ok && d.id == id {
			d.asking, d.exp, d.use, d.problem = false, exp, use, problem
			m.overlay = d
		}
	}
	return m.callOr("", func(c calls) (func(*model), error) {
		e, err := c.Explain(c.ctx, id)
		if err != nil {
			return nil, err
		}
		var use *api.ProcessUse
		if reads {
			if u, err := reader.Process(c.ctx, id); err == nil { // else its rows are missing
				use = &u
			}
		}
		return func(m *model) { put(m, &e, use, "") }, nil
	}, func(m *model, err error) { put(m, nil, nil, problem(err)) })
}

// explainLine is a line of the popup: a label and text, or text alone.
type explainLine struct {
	label, text string
	style       grid.Style
	heading     bool // the label goes over the whole width
}

const (
	explainWidth = 76
	explainLabel = 14
)

// lines are the popup's, at most w columns wide.
func (d explain) lines(t *theme, now time.Time, w int) []explainLine {
	top := facts{theme: t, width: w, out: details(t, now, w, d.home, d.v, d.use)}
	top.heading("why it has its state")
	out := top.out
	add := func(label, text string, st grid.Style) {
		parts := wrap(textsafe.Line(text), max(1, w-explainLabel))
		if len(parts) == 0 {
			parts = []string{""}
		}
		for _, p := range parts {
			out = append(out, explainLine{label: label, text: p, style: st})
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
	r := drawPopup(s, sc, explainWidth, min(len(lines)+1, h), d.name, sc.theme.accent)
	drawFacts(s, sc, r, lines, d.top)
	return paint.Cursor{}
}

// drawFacts draws lines from top on, and the keys that there are below them.
func drawFacts(s *paint.Surface, sc *scene, r paint.Rect, lines []explainLine, top int) {
	room := r.H - 1
	top = max(0, min(top, len(lines)-room))
	for i := 0; i < room && top+i < len(lines); i++ {
		l := lines[top+i]
		if l.heading {
			line(s, r, i, l.label, l.style)
			continue
		}
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
}

// explainRoom is the size of the popup's inside.
func explainRoom(cols, rows int) (w, h int) {
	return max(1, min(explainWidth, cols-4)), max(1, rows-2)
}

func (d explain) key(m *model, k keyMsg) cmd {
	w, h := explainRoom(m.cols, m.rows)
	n := len(d.lines(m.theme, m.now(), w))
	top, closes := factsKey(m, k, keymap.Explain, d.top, n, h)
	if closes {
		m.overlay = nil
		return nil
	}
	d.top = top
	m.overlay = d
	return nil
}

// factsKey scrolls n lines in h rows, the last of which is the foot; the key of
// own closes too.
func factsKey(m *model, k keyMsg, own keymap.Action, top, n, h int) (next int, closes bool) {
	room := max(1, min(n+1, h)-1)
	switch k.name {
	case "Escape", "q", "C-c", "Enter":
		return top, true
	case "Up", "k":
		top--
	case "Down", "j":
		top++
	case "PPage":
		top -= room
	case "NPage", "Space":
		top += room
	case "Home", "g":
		top = 0
	case "End", "G":
		top = n
	default:
		if b, ok := m.keys.Lookup(k.name); ok && b.Action == own {
			return top, true
		}
	}
	return max(0, min(top, n-room)), false
}

func (d explain) paste(*model, string) {}
