package clipboard

import (
	"time"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// refusedAgain is the shortest time between two notices that a program's copy was not taken.
const refusedAgain = 10 * time.Second

// FromProgram takes what programs in panes copy, by their sessions: that of the focused pane is
// copied, or it is said why not. Other panes' copies are dropped: nobody there can have asked for
// one. With forbidden no program may.
func (s *State) FromProgram(env ui.Env, all map[string]wire.Copy, forbidden bool) []ui.Effect {
	c, copies := all[env.Focus]
	v := env.Session(env.Focus)
	if !copies || v == nil || env.ReadOnly {
		return nil
	}
	name := env.SessionName(v.ID)
	refusal := ""
	switch {
	case forbidden:
		refusal = name + " copies something: set clipboard = true in the configuration to allow it"
	case v.Node != "" && !env.LinksFrom(v.Node):
		refusal = name + " copies something: set clipboard = true in [nodes." + textsafe.Line(v.Node) + "] to allow it"
	case c.TooLong:
		refusal = name + " copies more than programs may (48 KB): select it in copy mode"
	default:
		return []ui.Effect{ui.Copy{Text: c.Text, By: name}}
	}
	if env.Now.Sub(s.refused) < refusedAgain {
		return nil
	}
	s.refused = env.Now
	return []ui.Effect{ui.Warn{Text: refusal}}
}
