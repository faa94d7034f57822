package delivery

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// enterSoon is when Enter is pressed once more for an agent with Ack.Soon.
const enterSoon = 2 * time.Second

// takenPrompt waits until the agent has taken the prompt. At half the limit (or soon) it presses
// Enter once more, but only if the input line still holds the prompt and not the draft that
// the agent has restored after it.
func (d *Delivery) takenPrompt(ctx context.Context, id, tx, text string, ack agents.Ack, limit time.Duration) error {
	first := limit / 2
	if ack.Soon {
		first = min(first, enterSoon)
	}
	if d.taken(ctx, id, first) == nil {
		return nil
	}
	if ack.Again && ctx.Err() == nil {
		view, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			return err
		}
		if (readable || d.canReadScreen() && d.knowsScreen(ctx)) && !unsubmitted(text, sc.Input) {
			return d.taken(ctx, id, limit-first)
		}
		// The agent may have swallowed the Enter. The text is never typed again.
		enter := wire.Tx{ID: tx + "+enter", NoDialog: true, Steps: []wire.TxStep{{Keys: []string{"Enter"}}}}
		if view.Typing != nil {
			enter.Typed = &view.Typing.Count
		}
		if err := d.write(ctx, enter); err != nil && !errors.Is(err, errTyped) {
			return err
		}
		d.o.Pause(PauseEnter)
	}
	return d.taken(ctx, id, limit-first)
}

// takenQueued waits until the agent has taken a prompt that was typed by the keys that queue
// it: the screen shows it among those that wait, or, if the turn has ended meanwhile, the agent
// reports it. queued: it waits for the turn's end.
func (d *Delivery) takenQueued(ctx context.Context, id, tx, text string, ack agents.Ack, limit time.Duration) (queued bool, err error) {
	for end := time.Now().Add(limit / 2); time.Now().Before(end) && ctx.Err() == nil; {
		if d.taken(ctx, id, lookPause) == nil {
			return false, nil
		}
		_, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			return false, err
		}
		if readable && slices.ContainsFunc(sc.Queued, func(q string) bool { return sameQueued(text, q) }) {
			return true, d.met(ctx, id, text, true)
		}
	}
	return false, d.takenPrompt(ctx, id, tx, text, ack, limit)
}

// maxWant bounds InFlight.Want, in bytes.
const maxWant = 4 << 10

// taken waits until the agent has taken the prompt.
func (d *Delivery) taken(ctx context.Context, id string, limit time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return d.s.Await(timed, func() bool { return d.flight != nil && d.flight.ID == id && d.flight.Met })
}

// Acknowledge marks the prompt in flight as taken if the evidence shows it, and returns its
// id; in the actor, after the fold. prompt is the text of a prompt that the agent took, ""
// for other evidence.
func (d *Delivery) Acknowledge(e api.Evidence, from api.State, prompt string) (id string, met bool) {
	p := d.flight
	if p == nil || p.Met {
		return "", false
	}
	hook := e.Source == api.SourceHook && e.Fields["agent_id"] == ""
	switch {
	case p.Ack.Prompt && prompt != "" && holds(squeeze(prompt), p.Want):
		p.Met = true
	case hook && slices.Contains(p.Ack.Kinds, e.Kind):
		p.Met = true
	case p.Ack.Working && from != api.StateWorking && d.s.Fold().State == api.StateWorking:
		p.Met = true
	case p.Ack.Dialog && !from.NeedsPerson() && d.s.Fold().State.NeedsPerson():
		p.Met = true
	case p.Ack.Exit && d.s.Fold().State.Ended():
		p.Met = true
	}
	return p.ID, p.Met
}

// holds reports whether the prompt that the agent reports contains the text: agents put
// marks around long pastes, and append a paste to what was typed before.
func holds(prompt, want string) bool {
	const sure = 16 // bytes: no other prompt contains as many by chance
	want = strings.TrimSuffix(want, "…")
	return prompt == want || (len(want) >= sure || strings.Contains(prompt, "<pasted_content")) && strings.Contains(prompt, want)
}

// squeeze drops white space: agents change tabs and line ends of pastes, and wrap pastes in
// their own marks.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
