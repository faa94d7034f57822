package tui

import (
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// explain shows a session's details, and below them which evidence gave it its
// state, what that overruled, and what would change it. It follows the session
// while it is open.
type explain struct {
	id, name string
	exp      *api.Explanation // nil until the answer is here
	problem  string
	pager    modal.Pager
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
	m.overlay = explain{id: v.ID, name: textsafe.Line(v.Name), v: v, home: m.opts.getenv("HOME")}
	return m.followExplain()
}

// markOf is the present mark of a session.
func (m *model) markOf(v api.Session) stateMark {
	mark := stateMark{state: v.State, since: v.Since, question: v.Question}
	for i := len(m.Events) - 1; i >= 0; i-- {
		if m.Events[i].Session == v.ID {
			mark.seq = m.Events[i].Seq
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
	if !ok || d.asking || m.Offline != "" || v == nil || m.opts.Client == nil {
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
	}, func(m *model, err error) { put(m, nil, nil, ui.Problem(err)) })
}

func (d explain) text(sc *scene, w int) (string, []string) {
	name := d.name
	if sc.Loaded && !slices.ContainsFunc(sc.Sessions, func(v api.Session) bool { return v.ID == d.id }) {
		name += " · removed"
	}
	return name, d.lines(sc.Theme, sc.Now, w)
}
func (d explain) pages() modal.Pager            { return d.pager }
func (d explain) paged(p modal.Pager) overlay   { d.pager = p; return d }
func (d explain) own() keymap.Action            { return keymap.Explain }
func (d explain) key(m *model, k input.Key) cmd { return textKey(m, d, k) }
func (d explain) paste(*model, string)          {}
func (d explain) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return drawText(d, s, sc)
}

// lines are the popup's, at most w columns wide.
func (d explain) lines(t *theme.Theme, now time.Time, w int) []string {
	f := modal.Facts{Theme: t, Width: w, Out: details(t, now, w, d.home, d.v, d.use)}
	f.Heading("why it has its state")
	switch {
	case d.problem != "":
		f.Add("", d.problem, theme.Bold(t.Alert))
		return f.Out
	case d.exp == nil:
		f.Add("", "asking the daemon…", theme.FG(t.Dim))
		return f.Out
	}
	e := d.exp
	f.Add("state", e.State.Indicator()+" "+string(e.State), theme.Bold(t.State(e.State)))
	f.Add("for", format.Age(now, e.Since), cells.Style{})
	f.Add("rule", e.Rule, cells.Style{})
	f.Add("because", orNone(e.Reason), cells.Style{})
	if e.Winner != nil {
		f.Add("evidence", evidence(now, *e.Winner), theme.Bold(t.Idle))
	}
	var overruled []string
	for _, o := range e.Overruled {
		overruled = append(overruled, evidence(now, o.Evidence)+": "+o.Reason)
	}
	if len(overruled) > 0 {
		f.Out = append(f.Out, "")
	}
	f.AddAll("overruled", overruled, theme.FG(t.Dim))
	if len(e.Changes) > 0 {
		f.Out = append(f.Out, "")
	}
	f.AddAll("would change", e.Changes, cells.Style{})
	return f.Out
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
	if a := format.Age(now, e.At); a != "" {
		text += ", " + a + " ago"
	}
	return text
}
