package sessions

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

// takenPrompt waits until the agent has taken the prompt. At half the limit it presses
// Enter once more, but only if the input line still holds the prompt and not the draft that
// the agent has restored after it.
func (s *session) takenPrompt(ctx context.Context, id, tx, text string, ack agents.Ack, limit time.Duration) error {
	if s.taken(ctx, id, limit/2) == nil {
		return nil
	}
	if ack.Again && ctx.Err() == nil {
		view, sc, readable, err := s.readScreenPatiently(ctx)
		if err != nil {
			return err
		}
		if (readable || s.canReadScreen() && s.knowsScreen(ctx)) && !unsubmitted(text, sc.Input) {
			return s.taken(ctx, id, limit/2)
		}
		// The agent may have swallowed the Enter. The text is never typed again.
		enter := wire.Tx{ID: tx + "+enter", NoDialog: true, Steps: []wire.TxStep{{Keys: []string{"Enter"}}}}
		if view.Typing != nil {
			enter.Typed = &view.Typing.Count
		}
		if err := s.write(ctx, enter); err != nil && !errors.Is(err, errTyped) {
			return err
		}
		s.r.pause(PauseEnter)
	}
	return s.taken(ctx, id, limit/2)
}

// maxWant bounds delivery.Want, in bytes.
const maxWant = 4 << 10

// taken waits until the agent has taken the prompt.
func (s *session) taken(ctx context.Context, id string, limit time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.await(timed, func() bool { return s.delivery != nil && s.delivery.ID == id && s.delivery.Met })
}

// acknowledge marks the prompt in flight as taken if the evidence shows it; in the actor,
// after the fold. prompt is the text of a UserPromptSubmit hook, "" for other evidence.
func (s *session) acknowledge(e api.Evidence, from api.State, prompt string) (met bool) {
	d := s.delivery
	if d == nil || d.Met {
		return false
	}
	hook := e.Source == api.SourceHook && e.Fields["agent_id"] == ""
	switch {
	case d.Ack.Prompt && prompt != "" && holds(squeeze(prompt), d.Want):
		d.Met = true
	case hook && slices.Contains(d.Ack.Hooks, e.Name):
		d.Met = true
	case d.Ack.Working && from != api.StateWorking && s.fold.State == api.StateWorking:
		d.Met = true
	case d.Ack.Dialog && !from.NeedsPerson() && s.fold.State.NeedsPerson():
		d.Met = true
	case d.Ack.Exit && s.fold.State.Ended():
		d.Met = true
	}
	if d.Met && s.turn != nil {
		s.turn = s.turn.begun(d.ID, e.At)
	}
	return d.Met
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
