package outbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// delivered is the result of a delivery of a job: a text to a session.
type delivered struct {
	job    uint64
	name   string // of the session
	try    try
	queued bool // the agent has it in its own queue
	later  bool // the daemon keeps it until the session can take it
}

// Send delivers a text to sessions, several at a time; omitted says who of their
// group is not among them, "" if nobody is left out.
func (o *Outbox) Send(e Entry, to []api.Session, omitted string) (out []ui.Effect) {
	label := format.Plural(len(to), "session", "sessions")
	if len(to) == 1 {
		label = textsafe.Line(to[0].Name)
	}
	var tries []try
	for _, v := range to {
		tries = append(tries, o.tries.take(e.Text, v.ID))
	}
	id, stop := o.begin(e, Job{Total: len(to), To: label, omitted: omitted, tries: tries})
	slots := make(chan struct{}, sendsAtOnce)
	for i, v := range to {
		d := delivered{job: id, name: textsafe.Line(v.Name), try: tries[i]}
		out = append(out, work(stop, o.turns.Join(v.ID), slots, d, func(ctx context.Context, c ui.Client) (any, error) {
			res, err := c.SendPrompt(ctx, d.try.session, api.SendPrompt{Text: d.try.text, ID: d.try.id})
			d := d
			d.queued = res.Status == "queued"
			if err != nil && laterInstead(ctx, c, d.try, err) {
				d.later, err = true, nil
			}
			return d, err
		}))
	}
	return out
}

// takeDelivery takes the result of one.
func (o *Outbox) takeDelivery(env ui.Env, d delivered, err error) (*Ended, []ui.Effect) {
	j := o.job(d.job)
	if j == nil {
		return nil, nil
	}
	if err == nil {
		o.change(d.job, func(j *Job) {
			j.Sent++
			j.tries = slices.DeleteFunc(slices.Clone(j.tries), func(o try) bool { return o.id == d.try.id })
			if d.later {
				j.later = append(slices.Clip(j.later), d.name)
			}
			if d.queued {
				j.busy = append(slices.Clip(j.busy), d.name)
			}
		})
	} else {
		t := d.try
		why, again := notDelivered(&t, j.stopped, err)
		if again {
			o.tries.keep(t)
		}
		o.change(d.job, func(j *Job) {
			j.failed, j.names = append(slices.Clip(j.failed), t.session), append(slices.Clip(j.names), d.name)
			j.reason = cmp.Or(j.reason, why)
		})
	}
	return o.endDelivered(env, *o.job(d.job))
}

// notDelivered says why a text was not delivered, and whether it keeps its id: whether
// sent again it is not typed twice.
func notDelivered(t *try, stopped bool, err error) (why string, again bool) {
	switch {
	case stopped && api.Unsure(err):
		return "cancelled, and whether it was typed is not known: look at its pane. Sent again as it is, it is not typed twice", true
	case stopped:
		return "cancelled", true
	case api.Unsure(err):
		return "whether it was typed is not known (" + ui.Problem(ui.Unwrapped(err)) + "). Sent again as it is, it is not typed twice", true
	case api.CodeOf(err) == api.CodeTimeout:
		if t.unsure++; t.unsure > 1 {
			return ui.Problem(err) + "; look at its pane: sent once more it is typed again", false
		}
	}
	return ui.Problem(err), true
}

// endDelivered ends the job after its last delivery.
func (o *Outbox) endDelivered(env ui.Env, j Job) (*Ended, []ui.Effect) {
	if j.Sent+len(j.failed) < j.Total {
		return nil, nil
	}
	omitted := ""
	if j.omitted != "" {
		omitted = "; " + j.omitted
	}
	switch n := len(j.failed); n {
	case 0:
		return o.end(env.Now, j, target.Target{}, ""), j.sayDelivered(env, omitted)
	case 1:
		to := target.ChosenOf(j.failed...)
		if j.Total == 1 && j.entry.Target.Kind == target.Focused && j.failed[0] == env.Focus {
			to = j.entry.Target
		}
		return o.end(env.Now, j, to, "not sent to "+j.names[0]+": "+j.reason+omitted), nil
	default:
		return o.end(env.Now, j, target.ChosenOf(j.failed...),
			fmt.Sprintf("not sent to %d of %d (%s): %s", n, j.Total, target.FirstNames(j.names), j.reason+omitted)), nil
	}
}

// sayDelivered says who has the text, unless one session just took it.
func (j *Job) sayDelivered(env ui.Env, omitted string) []ui.Effect {
	text := ""
	switch {
	case len(j.later) > 0:
		text = "kept for later: " + strings.Join(j.later, ", ") + " gets it as soon as it can take it; in this bar " + env.Keys.Hint(keymap.PromptKept) + " lists it" + omitted
	case j.Total == 1 && len(j.busy) == 1:
		text = j.busy[0] + " is busy: it has the task in its own queue" + omitted
	case j.Total > 1 || omitted != "":
		text = "sent to " + j.To + omitted
	default:
		return nil
	}
	return []ui.Effect{ui.Say{Text: text}}
}
