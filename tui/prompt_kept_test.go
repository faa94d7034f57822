package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
)

// keeperClient is a client that keeps prompts for later.
type keeperClient struct {
	*fakeClient
	kept []api.PendingPrompt
}

func (c *keeperClient) SendLater(_ context.Context, ref, text, _ string) (api.PendingPrompt, error) {
	p := api.PendingPrompt{ID: fmt.Sprintf("p%d", len(c.kept)+1), Session: ref, Name: ref, Text: text, State: api.PendingWaits, At: epoch}
	c.kept = append(c.kept, p)
	return p, nil
}

func (c *keeperClient) Pending(context.Context, string) ([]api.PendingPrompt, error) {
	return c.kept, nil
}

func (c *keeperClient) CancelPending(_ context.Context, id string) error {
	n := len(c.kept)
	if c.kept = slices.DeleteFunc(c.kept, func(p api.PendingPrompt) bool { return p.ID == id }); len(c.kept) == n {
		return api.Errorf(api.CodeConflict, "the prompt %s is being typed", id)
	}
	return nil
}

// TestKeptForLater: a text for a session that asks or has ended is kept; what is kept is
// listed, comes back into the bar to be changed, and can be cancelled.
func TestKeptForLater(t *testing.T) {
	m, fake := clientModel(t, named("aaaa1111", "api", api.StatePermission, 0), ended("bbbb2222", "web", 1))
	c := &keeperClient{fakeClient: fake}
	m.opts.Client = c
	fake.fails("send", api.Errorf(api.CodeDialogOpen, "a dialog is open"))
	do(m, "C-b", ":")
	typeIn(m, "first")
	do(m, "Enter")
	shows(t, m, "kept for later: api")
	do(m, "C-b", ":", "C-t")
	shows(t, m, "web  has ended: when it was started again")
	typeIn(m, "web")
	do(m, "Enter")
	shows(t, m, "to web, when it was started again")
	typeIn(m, "second")
	do(m, "Enter")
	shows(t, m, "kept for later: web")
	if len(c.kept) != 2 || c.kept[1].Session != "bbbb2222" || c.kept[1].Text != "second" {
		t.Fatalf("kept %+v", c.kept)
	}

	do(m, "C-b", ":")
	typeIn(m, "a draft")
	do(m, "C-l")
	shows(t, m, "for later:", "first  for aaaa1111", "second  for bbbb2222")
	typeIn(m, "sec")
	do(m, "Enter")
	shows(t, m, "to web, when it was started again")
	if m.prompt.Text() != "second" || len(c.kept) != 1 {
		t.Errorf("in the bar is %q, kept are %+v", m.prompt.Text(), c.kept)
	}
	if do(m, "Down"); m.prompt.Text() != "a draft" {
		t.Errorf("the draft is gone: %q", m.prompt.Text())
	}
	do(m, "C-l")
	c.kept[0].ID = "p9" // typed meanwhile
	do(m, "C-x")
	if !strings.Contains(m.prompt.Problem(), "is being typed") {
		t.Errorf("problem %q", m.prompt.Problem())
	}
	if do(m, "C-l", "C-x"); len(c.kept) != 0 {
		t.Errorf("kept are %+v", c.kept)
	}
	do(m, "C-l")
	shows(t, m, "nothing is kept for later")
}
