package grid

import (
	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
)

// A scope narrows the grid to some of the sessions until a person leaves it: the others have no
// pane, no row and no number. Whoever waits for a person is still told (needs), and the session that
// a person asks for by name is never out of reach: going there leaves the scope.

// Scope is the scope, zero for all sessions.
func (g *Grid) Scope() api.GridScope { return g.scope }

// in reports whether a session is in the scope.
func (g *Grid) in(v api.Session) bool {
	return g.scope == (api.GridScope{}) || g.beside.In(g.scope, v)
}

// setScope takes another scope, and says how it is left.
func (g *Grid) setScope(env ui.Env, scope api.GridScope) []ui.Effect {
	if scope == g.scope {
		return nil
	}
	g.scope = scope
	g.Changed()
	if scope == (api.GridScope{}) {
		return say("all sessions")
	}
	return say("only " + sessionlist.ScopeName(scope) + ": " + env.Keys.Hint(keymap.Scope) + " shows all again")
}

// enter leaves the scope if a session is not in it.
func (g *Grid) enter(v api.Session) []ui.Effect {
	if g.in(v) {
		return nil
	}
	name := sessionlist.ScopeName(g.scope)
	g.scope = api.GridScope{}
	g.Changed()
	return say(textsafe.Line(v.Name) + " is not in " + name + ": all sessions are shown")
}
