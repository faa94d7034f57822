package tui

import (
	"context"
	"errors"
	"testing"

	"ccdir/api"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/underway"
)

// talkFake is a daemon whose agents have conversations.
type talkFake struct {
	*fakeClient
	turns chan api.Turn
	ended chan error // why each stream ended
}

func (c talkFake) FollowTurns(ctx context.Context, _ string, _ int, each func(api.Turn) error) (err error) {
	defer func() { c.ended <- err }()
	for {
		select {
		case t, ok := <-c.turns:
			if !ok {
				return errors.New("its file is gone")
			}
			if err := each(t); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestConversation: its key opens the view, which shows what the daemon tells as it comes;
// the stream ends with the view.
func TestConversation(t *testing.T) {
	m, fake := clientModel(t, api.Session{ID: "aaaa1111", Name: "api", Agent: "claude", State: api.StateWorking})
	c := talkFake{fake, make(chan api.Turn), make(chan error, 1)}
	m.opts.Client = c
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m.ctx = ctx
	told := make(chan underway.Streamed, 1)
	m.wait = func(c cmd) cmd {
		go func() {
			if msg, ok := c().(underway.Streamed); ok {
				told <- msg
			}
		}()
		return nil
	}
	press(m, "C-b")
	_, begun := m.Update(terminal.Typed{Key: &input.Key{Name: "m", Press: keyOf("m"), At: m.now()}})
	go perform(m, begun) // runs the stream until it ends; the harness waits for nothing
	c.turns <- api.Turn{Turn: 1, Prompt: "fix it", Tools: []api.TurnTool{}, Items: []api.TurnItem{{Kind: api.ItemText, Text: "it is fixed"}}}
	m.Update(within(t, told, "what the stream tells"))
	shows(t, m, "fix it", "it is fixed", "CONVERSATION")
	press(m, "Escape")
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
}
