package confirm

import (
	"context"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// Kill asks whether to end sessions, and to remove those that have ended. before is
// done before that.
func Kill(all []api.Session, before ...ui.Effect) Dialog {
	if len(all) == 1 {
		return killOne(all[0])
	}
	running := 0
	var names []string
	for _, v := range all {
		if !v.State.Ended() {
			running++
		}
		names = append(names, textsafe.Line(v.Name))
	}
	d := Dialog{Detail: strings.Join(names, ", ")}
	switch ended := len(all) - running; {
	case running == 0:
		d.Question = "Remove " + format.Plural(ended, "session", "sessions") + " from the list?"
	case ended == 0:
		d.Question = "Kill " + format.Plural(running, "session", "sessions") + "?"
	default:
		d.Question = fmt.Sprintf("Kill %s and remove %d that have ended?", format.Plural(running, "session", "sessions"), ended)
	}
	d.Yes = append(before, ui.Batch{What: "ending", Noun: "session", Steps: killSteps(all), Abreast: killAbreast})
	return d
}

// killOne asks about one session.
func killOne(v api.Session) Dialog {
	name := textsafe.Line(v.Name)
	d := Dialog{Session: v.ID, Ended: v.State.Ended()}
	if d.Ended {
		d.Question = "Remove " + name + " from the list?"
		d.Detail = "Its last screen and its history are forgotten."
		d.Yes = []ui.Effect{ui.Call{What: "removing " + name, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			return ui.Result{}, c.RemoveSession(ctx, v.ID)
		}}}
		return d
	}
	d.Question = "Kill " + name + "?"
	d.Detail = "The agent is asked to end, and is killed if it doesn't."
	if v.External && v.LeftOf == "" {
		d.Question = "End " + name + ", which was started outside ccdir?"
		d.Detail = fmt.Sprintf("Process %d is asked to end, and is killed if it doesn't.", v.PID)
	}
	d.Yes = []ui.Effect{ui.Say{Text: "ending " + name + "…"}, ui.Call{What: "killing " + name, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		return killed(c.KillSession(ctx, v.ID, api.Kill{External: v.External}))
	}}}
	return d
}

// killed is the result of a kill.
func killed(v api.Session, err error) (ui.Result, error) {
	return ui.Result{Effects: []ui.Effect{ui.Learn{Session: v}}}, err
}

// killAbreast is how many sessions are ended at once: each call waits for its process.
const killAbreast = 8

// killSteps kill sessions and remove ended ones.
func killSteps(all []api.Session) (steps []ui.Step) {
	for _, v := range all {
		steps = append(steps, ui.Step{Name: textsafe.Line(v.Name), Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			if v.State.Ended() {
				return ui.Result{}, c.RemoveSession(ctx, v.ID)
			}
			return killed(c.KillSession(ctx, v.ID, api.Kill{}))
		}})
	}
	return steps
}
