package answer

import (
	"cmp"
	"slices"
	"strconv"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
)

// scopeWords say how long an approval holds.
var scopeWords = map[string]string{
	api.ScopeSession: "until the session ends", api.ScopeProject: "always in this project", api.ScopeUser: "always, everywhere",
}

// rulesOf are the rules by which a request can be allowed always, the narrowest first.
func rulesOf(r api.Request) []string {
	if len(r.AlwaysRules) == 0 {
		return []string{r.AlwaysRule}
	}
	return r.AlwaysRules
}

// scopesOf are how far they can reach, the narrowest first.
func scopesOf(r api.Request) []api.AlwaysScope {
	if len(r.Scopes) == 0 {
		return []api.AlwaysScope{{Scope: api.ScopeSession}}
	}
	return r.Scopes
}

// keyAlways chooses the rule of an approval that lasts, and how far it reaches.
func (d bar) keyAlways(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	n, scopes := len(rulesOf(d.req)), len(scopesOf(d.req))
	d.problem = ""
	switch k.Name {
	case "Escape", "C-c":
		d.step, d.problem = stepChoose, ""
	case "Up", "k":
		d.sel = (d.sel + n - 1) % n
	case "Down", "j":
		d.sel = (d.sel + 1) % n
	case "Tab", "Right", "l":
		d.scope = (d.scope + 1) % scopes
	case "BTab", "Left", "h":
		d.scope = (d.scope + scopes - 1) % scopes
	case "PPage", "NPage":
		return d.scrolled(env, k.Name), nil
	case "Enter":
		return d.send(env, d.lasting())
	default:
		i, err := strconv.Atoi(k.Name)
		if err != nil || i < 1 || i > n {
			d.problem = "that key does nothing here: Enter allows as marked, Esc goes back"
			return d, nil
		}
		d.sel = i - 1 // Enter decides: a rule is not written by one key
	}
	return d, nil
}

// lasting is the answer that is chosen.
func (d bar) lasting() api.Answer {
	a := api.Answer{Behavior: api.AnswerAllow, Always: true, Scope: scopesOf(d.req)[d.scope].Scope}
	if d.sel > 0 {
		a.Rule = rulesOf(d.req)[d.sel]
	}
	return a
}

// footAlways says how long the rule will hold and where it is written, and which keys work.
func (d bar) footAlways(env ui.Env, w int) []footLine {
	scopes := scopesOf(d.req)
	var items []string
	for i, s := range scopes {
		items = append(items, env.Theme.Choice(i == d.scope)+" "+scopeWords[s.Scope])
	}
	out := flowed(w, items...)
	if len(out) > 1 {
		out = said(scopeWords[scopes[d.scope].Scope]+" ("+strconv.Itoa(d.scope+1)+" of "+strconv.Itoa(len(scopes))+")", w)
	}
	if s := scopes[d.scope]; s.File != "" {
		word := "writes it to "
		if s.New {
			word = "writes it to a new file, "
		}
		out = append(out, footLine{text: paint.Cut(word+format.Home(textsafe.Line(s.File), env.Home), w), faint: true})
	}
	long, short := []string{"↑ ↓ choose the rule"}, []string{"↑ ↓ rule"}
	if len(scopes) > 1 {
		long, short = append(long, modal.KeyIn("Tab", "how long")), append(short, modal.KeyIn("Tab", "scope"))
	}
	return append(out, brief(w, append(long, "Enter allows", "Esc back"), append(short, "Enter", "Esc"))...)
}

// wordOfAlways says how long an approval lasts, and by which rule if that is a wider one.
func wordOfAlways(a api.Answer) string {
	word := "approved " + scopeWords[cmp.Or(a.Scope, api.ScopeSession)]
	if a.Rule != "" {
		word += " by " + textsafe.Line(a.Rule)
	}
	return word
}

// alwaysLines are what "always" means, in at most three lines. Of a longer text the middle
// is left out: how far a rule goes is at its end.
func alwaysLines(text string, w int) []string {
	if paint.Width(text) <= w {
		return []string{text}
	}
	lines := modal.Wrap(text, w)
	if len(lines) > 3 {
		last := lines[len(lines)-2:]
		return slices.Concat([]string{paint.Cut(lines[0]+lines[1], w)}, last)
	}
	return lines
}
