package prompt

import (
	"context"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// laterClient is a client whose sessions show dialogs, and that keeps prompts for them.
type laterClient struct {
	*client
	kept []string
}

func (c *laterClient) SendPrompt(context.Context, string, api.SendPrompt) (api.SendResult, error) {
	return api.SendResult{}, api.Errorf(api.CodeDialogOpen, "a dialog is open")
}

func (c *laterClient) SendLater(_ context.Context, ref, text, key string) (api.PendingPrompt, error) {
	c.kept = append(c.kept, ref+" "+text+" "+strings.SplitAfter(key, "-")[0])
	return api.PendingPrompt{ID: "p1"}, c.err
}

func (c *laterClient) Pending(context.Context, string) ([]api.PendingPrompt, error) {
	return nil, c.err
}

func (c *laterClient) CancelPending(context.Context, string) error { return c.err }

// TestKeptForLater: a text for a session that shows a dialog is kept by the daemon; if that
// fails, the bar says why it was not sent.
func TestKeptForLater(t *testing.T) {
	for _, fails := range []bool{false, true} {
		r := newRig(t, session("aaaa1111", "api", api.StateIdle))
		c := &laterClient{client: &client{}}
		if fails {
			c.err = ui.ErrUnknown
		}
		r.Rig = uitest.NewRig(t, r.Env, c, r.C)
		r.OnClose = func() { r.Env.Writing, r.left = false, true }
		r.open("fix it")
		r.Do("Enter")
		if want := "aaaa1111 fix it later-"; len(c.kept) != 1 || c.kept[0] != want {
			t.Errorf("kept %q, want %q", c.kept, want)
		}
		if said := r.Said(); strings.Contains(said, "kept for later: api") == fails {
			t.Errorf("fails %v: it says %q; the bar has %q", fails, said, r.b.Text())
		}
		if (r.b.Text() == "") == fails {
			t.Errorf("fails %v: the bar has %q", fails, r.b.Text())
		}
	}
}
