package attention

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Retitle is the title of the terminal's window, and whether that has changed; with off it has none.
func (s *State) Retitle(env ui.Env, off bool) (title string, changed bool) {
	if !off {
		title = titleOf(env)
	}
	changed = title != s.title && !env.Unseen
	if changed {
		s.title = title
	}
	return title, changed
}

// titleOf is the title of the terminal's window: who needs the person, else what has failed
// or is done and was not looked at, else how many sessions work.
func titleOf(env ui.Env) string {
	n := map[api.Standing]int{}
	for _, v := range env.Sessions {
		if !env.Work.Has(v) {
			n[v.Standing(env.Now)]++
		}
	}
	news := env.Work.News()
	n[api.StandingFailed] += len(news.Failed)
	n[api.StandingDone] += len(news.Done)
	switch waiting := env.Waiting(env.Now); {
	case len(waiting) == 1:
		return "ccdir: " + textsafe.Line(waiting[0].Name) + " needs you"
	case len(waiting) > 1:
		return fmt.Sprintf("ccdir: %d need you", len(waiting))
	case n[api.StandingFailed] > 0:
		return fmt.Sprintf("ccdir: %d failed", n[api.StandingFailed])
	case n[api.StandingDone] > 0:
		return fmt.Sprintf("ccdir: %d done", n[api.StandingDone])
	case n[api.StandingWorking] > 0:
		return fmt.Sprintf("ccdir: %d working", n[api.StandingWorking])
	}
	return "ccdir"
}
