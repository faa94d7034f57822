package explain

import (
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Lines are what a person wants to know of the session, or its processes and the
// explanation of its state.
func (t text) Lines(env ui.Env, w int) (string, []string) {
	name := textsafe.Line(t.session.Name)
	if env.Loaded && env.Session(t.session.ID) == nil {
		name += " · removed"
	}
	if !t.inside {
		return name, about(env, w, t.session)
	}
	return name + " · evidence", t.lines(env, w)
}

func (t text) lines(env ui.Env, w int) []string {
	th, now := env.Theme, env.Now
	f := modal.Facts{Theme: th, Width: w, Out: details(th, w, t.session, t.use)}
	f.Heading("why it has its state")
	switch {
	case t.problem != "":
		f.Add("", t.problem, theme.Bold(th.Alert))
		return f.Out
	case t.exp == nil:
		f.Add("", "asking the daemon…", theme.FG(th.Dim))
		return f.Out
	}
	e := t.exp
	f.Add("state", env.Sign(e.State.Standing())+" "+strings.ReplaceAll(string(e.State), "_", " "), theme.Bold(th.Standing(e.State.Standing())))
	f.Add("for", format.Age(now, e.Since), cells.Style{})
	f.Add("rule", e.Rule, cells.Style{})
	f.Add("because", orNone(e.Reason), cells.Style{})
	if e.Winner != nil {
		f.Add("evidence", evidence(now, *e.Winner), theme.Bold(th.Idle))
	}
	var overruled []string
	for _, o := range e.Overruled {
		overruled = append(overruled, evidence(now, o.Evidence)+": "+o.Reason)
	}
	if len(overruled) > 0 {
		f.Out = append(f.Out, "")
	}
	f.AddAll("overruled", overruled, theme.FG(th.Dim))
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
