package review

import (
	"context"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui/uitest"
)

// Answer keeps the answer to a plan.
func (c *commenter) Answer(_ context.Context, id string, a api.Answer) (api.Decision, error) {
	if c.answers == nil {
		c.answers = map[string]api.Answer{}
	}
	c.answers[id] = a
	return api.Decision{}, nil
}

const planText = "# The plan\n\nFirst the tests: they say what is wanted, and they fail as long as the pool gives out connections that were closed before; then the pool.\n\n- tests\n- the pool\n"

// newPlan is a review of a plan that waits.
func newPlan(t *testing.T, cols, rows int, comments ...api.ReviewComment) *desk {
	t.Helper()
	lines := strings.Split(strings.TrimRight(planText, "\n"), "\n")
	added, removed := len(lines), 0
	h := api.ReviewHunk{NewStart: 1, NewLines: added}
	for _, text := range lines {
		h.Lines = append(h.Lines, api.ReviewLine{Kind: api.LineAdded, Text: text})
	}
	c := &commenter{differ: worked(), list: comments}
	c.diffs[api.DiffPlan] = api.ReviewDiff{Scope: api.DiffPlan, Head: "req1", Added: added, Files: []api.ReviewFile{
		{Path: api.PlanPath, Status: api.FileAdded, Added: &added, Removed: &removed, Hunks: []api.ReviewHunk{h}}}}
	env := uitest.Env(cols, rows)
	env.Sessions = []api.Session{session()}
	env.Requests = []api.Request{{ID: "req1", Session: session().ID, Kind: api.RequestPlan, Modes: []string{api.ModeManual, "acceptEdits"}}}
	return &desk{uitest.NewRig(t, env, c, New(env, session())), c}
}

// TestPlan: a plan that waits opens instead of a turn, whole words on each line; comments on its lines refuse it, and so it closes.
func TestPlan(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		d := newPlan(t, size[0], size[1])
		d.Do("j", "j", "j", "v", "j", "c")
		d.write("shorter")
		d.Do("g", "c")
		d.write("and docs", "Tab")
		want := []api.ReviewComment{{Path: api.PlanPath, Line: 3, End: 3, Text: "shorter"}, {Path: api.PlanPath, Text: "and docs", Question: true}}
		for i, got := range d.c.list {
			d.c.list[i].Scope, d.c.list[i].Head = api.DiffPlan, "req1" // as the daemon does
			if w := want[i]; got.Path != w.Path || got.Line != w.Line || got.End != w.End || got.Text != w.Text || got.Question != w.Question {
				t.Errorf("comment %d is %+v", i, got)
			}
		}
		d.Tell(again{}, nil)
		d.Settle()
		d.Do("g")
		if size[0] == 80 {
			uitest.Golden(t, d.Env, d.C, "plan-80x24")
		} else {
			uitest.Golden(t, d.Env, d.C, "plan-120x36")
		}
		for _, key := range []string{"s", "x", "u", "V", "E"} {
			if d.Do(key); !strings.Contains(d.Said(), "a plan is no file") {
				t.Errorf("%s says %q", key, d.Said())
			}
		}
		d.Do("S")
		r := d.opened()
		r.Shows("refuse it with 2 comments", "approve it, in manual mode", "2 drafts not sent")
		r.Do("Enter")
		if d.done(r); len(d.c.sent) != 1 || d.c.sent[0].Scope != api.DiffPlan || d.c.sent[0].Request == "" || d.C != nil {
			t.Errorf("sent %+v, and it is open: %v", d.c.sent, d.C != nil)
		}
	}
}

// TestPlanApproved: with the mode that follows; and nothing once it was answered elsewhere.
func TestPlanApproved(t *testing.T) {
	d := newPlan(t, 100, 30)
	d.Do("Enter", "Enter", "j", "Enter") // the head folds it; the text answers
	r := d.opened()
	r.Do("j", "Enter")
	if d.done(r); d.c.answers["req1"].Mode != "acceptEdits" || d.c.answers["req1"].Behavior != api.AnswerAllow || d.C != nil {
		t.Errorf("%+v", d.c.answers)
	}
	d = newPlan(t, 100, 30)
	d.Env.Requests = nil
	d.Settle()
	d.Shows("the plan was answered")
	if d.Do("S"); !strings.Contains(d.Said(), "was answered meanwhile") || len(d.c.answers) > 0 {
		t.Errorf("said %q", d.Said())
	}
}

// TestPlanScope: Tab leaves the plan for the files, whose comments are others; a draft on a plan that was answered is there.
func TestPlanScope(t *testing.T) {
	d := newPlan(t, 100, 30,
		api.ReviewComment{ID: "c1", Path: api.PlanPath, Line: 1, End: 1, Text: "of this plan", Scope: api.DiffPlan, Head: "req1", State: api.CommentDraft},
		api.ReviewComment{ID: "c2", Path: api.PlanPath, Line: 1, End: 1, Text: "of the plan before", Scope: api.DiffPlan, Head: "req0", State: api.CommentChanged, Round: 1},
		api.ReviewComment{ID: "c3", Path: api.PlanPath, Line: 1, End: 1, Text: "came too late", Scope: api.DiffPlan, Head: "req0", State: api.CommentDraft},
		api.ReviewComment{ID: "c4", Path: "pool/pool.go", Line: 12, End: 12, Side: api.SideNew, Text: "of the files", State: api.CommentDraft})
	d.Shows("of this plan", "an earlier plan, round 1, its lines were changed: of the plan before", "1 draft")
	for _, not := range []string{"too late", "of the files"} {
		if strings.Contains(d.Dump(), not) {
			t.Errorf("it shows %q", not)
		}
	}
	d.Do("Tab")
	d.Shows("of the files", "came too late", "2 drafts", " plan ")
	if strings.Contains(d.Dump(), "of this plan") {
		t.Error("the files have the plan's comments")
	}
	d.Do("BTab")
	d.Shows("of this plan")
}

// TestCuts: every part fits, and together they are the line.
func TestCuts(t *testing.T) {
	for _, line := range []string{"", "short", "one two three four five six seven", strings.Repeat("x", 95), "\tand\ttabs here and there", "漢字 漢字漢字漢字漢字漢字漢字漢字漢字漢字 x"} {
		at := int32(0)
		for _, p := range cuts(line, 20) {
			if p[0] != at || p[1] > 21 { // the space behind the last word may stand out
				t.Errorf("%q: %v", line, cuts(line, 20))
			}
			at = p[0] + p[1]
		}
	}
	if got := cuts("one two three four five six", 20); len(got) != 2 || got[1][0] != 19 {
		t.Errorf("not between words: %v", got)
	}
}
