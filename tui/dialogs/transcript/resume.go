package transcript

import (
	"context"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// Resume goes on with a session: its pane if it runs, the session again if it is still
// listed, else a new one with its conversation. entry is what is known of it, nil asks
// for that.
func Resume(env ui.Env, id string, entry *api.HistoryEntry) []ui.Effect {
	switch v := env.Session(id); {
	case id == "":
		return []ui.Effect{ui.Warn{Text: "no session belongs to it: there is nothing to go on with"}}
	case v != nil && v.State.Ended() && !v.External:
		return []ui.Effect{ui.Focus{Session: id}, ui.Do{Action: keymap.Restart, Arg: id}}
	case v != nil:
		return []ui.Effect{ui.Focus{Session: id}}
	case entry != nil:
		return resumeEntry(env, *entry)
	}
	return []ui.Effect{ui.Call{What: "going on with it", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		reader, err := ui.As[Reader](c)
		if err != nil {
			return ui.Result{}, err
		}
		t, err := reader.Transcript(ctx, id)
		return ui.Result{Effects: resumeEntry(env, t.HistoryEntry)}, err
	}}}
}

// resumeEntry starts a session with the conversation of an ended one.
func resumeEntry(env ui.Env, e api.HistoryEntry) []ui.Effect {
	if e.Conversation == "" {
		return []ui.Effect{ui.Warn{Text: "the agent told no conversation for it: `" + env.Keys.Hint(keymap.New) + "` starts a new session in " + textsafe.Line(format.Home(e.CWD, env.Home))}}
	}
	return []ui.Effect{
		ui.Close{All: true}, ui.Say{Text: "going on with " + textsafe.Line(e.Name) + "…"},
		ui.Start{Session: api.NewSession{Node: e.Node, Agent: e.Agent, Name: e.Name, CWD: e.CWD, Resume: e.Conversation}},
	}
}
