package tui

import (
	"context"
	"fmt"
	"testing"

	"ccdir/api"
)

// forgeFake is a daemon that can ask a forge.
type forgeFake struct{ *fakeClient }

func (c forgeFake) PullRequest(_ context.Context, n api.NewPullRequest) (api.BranchPullRequest, error) {
	return api.BranchPullRequest{Sent: "test"}, c.note("failing %s %v", n.Tree, n.SendFailing)
}

// TestPullRequest: one key shows a pull request where there is no browser, another one sends the
// failing check; without a pull request both say why not.
func TestPullRequest(t *testing.T) {
	m, c := clientModel(t, fourSessions...)
	m.opts.Client = forgeFake{c}
	news := func(v api.Session) {
		m.inbox.watch(api.WatchMessage{Session: &v})
		_, cmd := m.Update(newsMsg{m.inbox.take()})
		perform(m, cmd)
	}
	do(m, "C-b", "g")
	shows(t, m, "no pull request is known of this session's branch")
	do(m, "C-b", "G")
	shows(t, m, "no pull request is known")
	v := *m.focused()
	v.Branch = "topic"
	v.PullRequest = &api.PullRequest{Number: 12, URL: "https://example.org/12", Title: "mend it\x1b[31m", State: api.PullRequestOpen, Checks: api.ChecksPassing}
	news(v)
	do(m, "C-b", "z")
	shows(t, m, "topic · #12 ✓")
	do(m, "C-b", "G")
	shows(t, m, "no check of #12 has failed")
	v.PullRequest = &api.PullRequest{Number: 12, URL: "https://example.org/12", Title: "mend it\x1b[31m", State: api.PullRequestOpen, Checks: api.ChecksFailing, Failing: []api.Check{{Name: "test"}}}
	news(v)
	do(m, "C-b", "g")
	shows(t, m, "pull request #12 ✗", "https://example.org/12", "failed: test", "C-b G sends its log")
	do(m, "Escape", "C-b", "G")
	shows(t, m, "the log of test was sent")
	if got := calledFor(c, "failing"); fmt.Sprint(got) != "[failing "+v.ID+" true]" {
		t.Errorf("called: %v", got)
	}
}
