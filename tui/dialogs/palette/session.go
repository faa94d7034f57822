package palette

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/ui"
)

// ofSession are the actions that are done to one session, in the order of its menu.
var ofSession = []keymap.Action{
	keymap.Attention, keymap.Prompt, keymap.Messages, keymap.Review, keymap.Explain, keymap.Zoom, keymap.Copy, keymap.Rename, keymap.Marks, keymap.Restart, keymap.Park,
	keymap.Snooze, keymap.Policy, keymap.PullReq, keymap.FailedLog, keymap.Hide, keymap.Kill,
}

// Session is the menu of what can be done with a session: its actions by the names that they
// have in the palette, which their own keys take at once. at is where it was asked for, nil in
// the middle of the screen.
func Session(env ui.Env, v api.Session, at *chooser.Place) ui.Component {
	return lists.New(chooser.Menu{Title: textsafe.Line(v.Name), Picks: sessionPicks(env, v), At: at})
}

// sessionPicks are the actions that are possible with a session now.
func sessionPicks(env ui.Env, v api.Session) []chooser.Pick {
	picks := []chooser.Pick{{Text: "go to its pane", Keys: "Enter", Effects: []ui.Effect{ui.Focus{Session: v.ID}}}}
	f := env.Facts
	f.Focused, f.Ended, f.Parked, f.Waiting, f.PutOff = true, v.State.Ended(), v.State == api.StateParked, 0, 0
	switch v.Standing(env.Now) {
	case api.StandingAsks:
		f.Waiting = 1
	case api.StandingSnoozed:
		f.PutOff = 1
	}
	for _, a := range ofSession {
		b := env.Keys.Of(a)
		if b.Disabled(f) != "" || (a == keymap.PullReq || a == keymap.FailedLog) && v.PullRequest == nil || v.External && a != keymap.Explain && a != keymap.Kill {
			continue
		}
		p := chooser.Pick{Text: strings.ReplaceAll(b.Text, "the focused ", "this "), Keys: env.Keys.Hint(a), Effects: []ui.Effect{ui.Do{Action: a, Arg: v.ID}}}
		if len(b.Keys) > 0 && len([]rune(b.Keys[0])) == 1 {
			p.Key = b.Keys[0]
			p.Keys = ""
		}
		picks = append(picks, p)
	}
	return picks
}
