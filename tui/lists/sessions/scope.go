package sessions

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// inScope has the grid show a scope alone.
func inScope(scope api.GridScope) []ui.Effect {
	return []ui.Effect{ui.Tell{To: ui.Grid, Value: ui.Scope{GridScope: scope}}}
}

// scope is what the list's key does: it leaves the scope that there is, or takes what is filtered,
// else the repository of the chosen session.
func scope(env ui.Env, filter, id string) []ui.Effect {
	v := env.Session(id)
	switch {
	case env.List.Scope != (api.GridScope{}):
		return inScope(api.GridScope{})
	case filter != "":
		return append([]ui.Effect{ui.Close{}}, inScope(api.GridScope{Filter: filter})...)
	case v != nil:
		return inScope(env.List.ScopeOf(*v))
	}
	return nil
}

// Scope leaves the scope that there is, or offers the repositories that sessions are in, that of
// the focused session first.
func Scope(env ui.Env) []ui.Effect {
	if env.List.Scope != (api.GridScope{}) {
		return inScope(api.GridScope{})
	}
	var at string
	var picks []chooser.Pick
	for _, s := range env.List.Scopes() {
		p := chooser.Pick{
			Text: "only " + sessionlist.ScopeName(s.GridScope), Keys: fmt.Sprintf("%s  %d", place(env, s.GridScope), s.Sessions),
			Effects: inScope(s.GridScope), Says: "Enter shows these alone; " + env.Keys.Hint(keymap.Scope) + " all",
		}
		if v := env.Session(env.Under()); v != nil && s.GridScope == env.List.ScopeOf(*v) {
			at = p.Name()
		}
		picks = append(picks, p)
	}
	if len(picks) == 0 {
		return []ui.Effect{ui.Say{Text: "there are no sessions to choose from"}}
	}
	return []ui.Effect{ui.Open{Component: chooser.New("only the sessions of", at, picks)}}
}

// place is where a scope is.
func place(env ui.Env, scope api.GridScope) string {
	if scope.Repository == "" {
		return ""
	}
	return textsafe.Line(format.Home(scope.Repository, env.Home))
}
