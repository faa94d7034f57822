package tui

import (
	"context"
	"testing"

	"ccdir/api"
)

// reviewFake is a daemon that knows what sessions changed.
type reviewFake struct{ *fakeClient }

func (c reviewFake) Diff(_ context.Context, _ string, q api.DiffQuestion) (api.ReviewDiff, error) {
	n, turn := 1, 2
	lines := func(list ...string) (out []api.ReviewLine) {
		for _, l := range list {
			out = append(out, api.ReviewLine{Kind: map[byte]api.LineKind{' ': api.LineContext, '+': api.LineAdded, '-': api.LineRemoved}[l[0]], Text: l[1:]})
		}
		return out
	}
	return api.ReviewDiff{Scope: q.Scope, Turn: &turn, Head: "h", Added: 1, Removed: 1, Files: []api.ReviewFile{{
		Path: "pool/pool.go", Status: api.FileChanged, Added: &n, Removed: &n, Hunks: []api.ReviewHunk{{OldStart: 3, OldLines: 5, NewStart: 3, NewLines: 5, Lines: lines(
			" package pool // free connections", " ", " type Pool struct{ size int }", "-func New() *Pool { return &Pool{size: 8} }", "+func New() *Pool { return &Pool{size: 16} }", " var name = \"pool\"")}},
	}, {Path: "go.sum", Status: api.FileChanged, LeftOut: api.LeftOutGenerated, Hunks: []api.ReviewHunk{}}}}, nil
}

func (c reviewFake) Looked(context.Context, string, string) error { return c.note("Looked") }

// reviewing shows the review of a session.
func reviewing(t *testing.T) *model {
	m, fake := clientModel(t, fourSessions...)
	m.opts.Client = reviewFake{fake}
	m.setFocus("aaaa1111")
	return m
}

// TestReview: its key opens it for the focused session, the menu for any, and Escape leaves it.
func TestReview(t *testing.T) {
	m := reviewing(t)
	do(m, "C-b", "v")
	shows(t, m, "REVIEW", "pool/pool.go", "return &Pool{size: 16}", "2 files +1 −1")
	do(m, "Tab", "G", "Escape")
	if m.overlay != nil {
		t.Error("Escape does not leave it")
	}
	do(m, "C-b", "M", "v")
	shows(t, m, "REVIEW")
}

// TestReviewOfPlan: C-b v of a session whose plan waits, and v in the answer bar, show the plan; Escape from that goes back to the bar.
func TestReviewOfPlan(t *testing.T) {
	plan := bash("r1", "bbbb2222", "x", 1)
	plan.Kind, plan.Tool = api.RequestPlan, "ExitPlanMode"
	m, fake := asked(t, plan)
	m.opts.Client = reviewFake{fake.fakeClient}
	do(m, "C-b", "2", "C-b", "v")
	shows(t, m, "REVIEW", " plan ", "refuse or approve")
	do(m, "Escape", "C-b", "a", "v")
	shows(t, m, "REVIEW", " plan ", "refuse or approve")
	if do(m, "Escape"); m.bar() == nil {
		t.Errorf("the answer bar has gone:\n%s", m.picture().Dump())
	}
}
