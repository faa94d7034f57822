package store

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ccdir/api"
)

// states are the states of the comments on a session's work.
func (w roundsTest) states() (list []api.CommentState) {
	w.t.Helper()
	all, err := w.Comments(w.t.Context(), "s")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range all {
		list = append(list, c.State)
	}
	return list
}

type roundsTest struct {
	*Store
	t *testing.T
}

func (w roundsTest) add(request string) api.ReviewComment {
	w.t.Helper()
	c, err := w.AddComment(api.ReviewComment{Session: "s", Path: "a.go", Line: 3, End: 4, Side: api.SideNew, Text: "why?", Quote: []string{"x"}}, request, 3)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// send sends all drafts.
func (w roundsTest) send(request string) (Round, bool) {
	w.t.Helper()
	r, sent, known, err := w.SendComments(Round{Session: "s", To: "t", Head: "h", At: time.Unix(5, 0).UTC()}, "name", request, 100, 2,
		func(_ int, drafts []api.ReviewComment) (string, []api.ReviewComment, error) {
			return "look", drafts, nil
		})
	if err != nil || len(sent) == 0 || sent[0].State != api.CommentSent || sent[0].Round != r.Round || sent[0].To != "t" {
		w.t.Fatalf("%+v %+v %v", r, sent, err)
	}
	return r, known
}

// TestComments: a comment is made once, is a draft until its round is sent once together with its prompt, and is one again if that is not
// delivered.
func TestComments(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	w := roundsTest{s, t}
	first := w.add("one")
	if again := w.add("one"); again.ID != first.ID || first.ID != "c1" || again.Quote[0] != "x" {
		t.Errorf("%+v, then %+v", first, again)
	}
	w.add("")
	w.add("")
	if _, err := s.AddComment(api.ReviewComment{Session: "s"}, "", 3); api.CodeOf(err) != api.CodeLimit {
		t.Errorf("a fourth draft: %v", err)
	}
	refused := errors.New("too long")
	if _, _, _, err := s.SendComments(Round{Session: "s", To: "t"}, "", "r", 100, 2, func(int, []api.ReviewComment) (string, []api.ReviewComment, error) { return "", nil, refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	draft, sent := api.CommentDraft, api.CommentSent
	if got := w.states(); !slices.Equal(got, []api.CommentState{draft, draft, draft}) {
		t.Errorf("after one that failed: %v", got)
	}
	r, known := w.send("r1")
	if again, knownNow := w.send("r1"); known || !knownNow || again.Round != 1 || again.Pending != r.Pending || again.Prompt != "look" {
		t.Errorf("%+v, then %+v", r, again)
	}
	prompts, err := s.Pending(t.Context(), "t", 10)
	if err != nil || len(prompts) != 1 || prompts[0].Text != "look" || prompts[0].ID != r.Pending {
		t.Fatalf("%+v %v", prompts, err)
	}
	if got := w.states(); !slices.Equal(got, []api.CommentState{sent, sent}) { // two are kept
		t.Errorf("sent: %v", got)
	}
	if open, err := s.OpenRounds(t.Context(), "t"); err != nil || len(open) != 1 || open[0].Delivered || open[0].Head != "h" {
		t.Errorf("%+v %v", open, err)
	}
	if _, err := s.DropPending(r.Pending, func(api.PendingPrompt) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := w.states(); !slices.Equal(got, []api.CommentState{draft, draft}) {
		t.Errorf("taken back: %v", got)
	}
	r, _ = w.send("r2")
	end := func(state api.PendingState) {
		t.Helper()
		if _, err := s.ChangePending(r.Pending, func(p *api.PendingPrompt) error { p.State, p.Ended = state, time.Unix(9, 0); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if end(api.PendingFailed); !slices.Equal(w.states(), []api.CommentState{draft, draft}) {
		t.Errorf("failed: %v", w.states())
	}
	r, _ = w.send("r3")
	end(api.PendingDelivered)
	if open, _ := s.OpenRounds(t.Context(), "t"); len(open) != 1 || !open[0].Delivered {
		t.Errorf("%+v", open)
	}
	for _, id := range []string{"c2", "c3"} {
		if _, err := s.ChangeComment(id, func(c *api.ReviewComment) error { c.State = api.CommentChanged; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if open, _ := s.OpenRounds(t.Context(), "t"); len(open) != 0 {
		t.Errorf("all have changed: %+v", open)
	}
	if for_, err := s.CommentsFor(t.Context(), "t"); err != nil || len(for_) != 2 {
		t.Errorf("%+v %v", for_, err)
	}
	if err := s.PruneComments(t.Context(), func(id string) bool { return id != "s" }); err != nil || len(w.states()) != 0 {
		t.Error(err, w.states())
	}
}

// TestViewed: a file is noted with its content, taken back, bounded, and forgotten with its session.
func TestViewed(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "db"))
	for _, v := range []api.ReviewViewed{{Path: "a", Content: "1", Viewed: true}, {Path: "b", Content: "1", Viewed: true}, {Path: "a", Content: "2", Viewed: true}, {Path: "b"}, {Path: "gone", Viewed: true}} {
		if err := s.SetViewed("s", v, 10); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Viewed(t.Context(), "s"); err != nil || !maps.Equal(got, map[string]string{"a": "2", "gone": ""}) {
		t.Errorf("%v %v", got, err)
	}
	if err := s.SetViewed("s", api.ReviewViewed{Path: "new", Content: "1", Viewed: true}, 2); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Viewed(t.Context(), "s"); err != nil || !maps.Equal(got, map[string]string{"gone": "", "new": "1"}) {
		t.Errorf("%v %v", got, err)
	}
	if err := s.PruneComments(t.Context(), func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Viewed(t.Context(), "s"); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
}
