package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// commenter is a client that keeps comments.
type commenter struct {
	*differ
	list    []api.ReviewComment
	refuses error
	sent    []api.SendComments
	answers map[string]api.Answer
}

func (c *commenter) Comments(context.Context, string) ([]api.ReviewComment, error) {
	return append([]api.ReviewComment{}, c.list...), nil
}

func (c *commenter) AddComment(_ context.Context, ref string, n api.NewComment) (api.ReviewComment, error) {
	if c.refuses != nil {
		return api.ReviewComment{}, c.refuses
	}
	v := api.ReviewComment{ID: fmt.Sprint(len(c.list) + 1), Session: ref, Path: n.Path, Line: n.Line, End: n.End, Side: n.Side, Text: n.Text, Question: n.Question, State: api.CommentDraft}
	c.list = append(c.list, v)
	return v, nil
}

func (c *commenter) EditComment(_ context.Context, _, id string, e api.EditComment) (api.ReviewComment, error) {
	for i := range c.list {
		if c.list[i].ID == id {
			c.list[i].Text, c.list[i].Question = *e.Text, *e.Question
			return c.list[i], nil
		}
	}
	return api.ReviewComment{}, errors.New("there is no such comment")
}

func (c *commenter) DropComment(_ context.Context, _, id string) error {
	for i := range c.list {
		if c.list[i].ID == id {
			c.list = append(c.list[:i], c.list[i+1:]...)
			return nil
		}
	}
	return errors.New("there is no such comment")
}

func (c *commenter) SendComments(_ context.Context, _ string, s api.SendComments) (api.SentComments, error) {
	c.sent = append(c.sent, s)
	for i := range c.list {
		c.list[i].State, c.list[i].Round = api.CommentSent, 1
	}
	return api.SentComments{Round: 1, To: "aaaa1111", Comments: c.list}, nil
}

// desk is a review and what it opens.
type desk struct {
	*uitest.Rig
	c *commenter
}

func newDesk(t *testing.T, cols, rows int) *desk {
	t.Helper()
	c := &commenter{differ: worked()}
	env := uitest.Env(cols, rows)
	env.Sessions = []api.Session{session(), {ID: "bbbb2222", Name: "web", Agent: "claude", State: api.StateIdle}, {ID: "cccc3333", Name: "sh", Agent: "sh", Plain: "shell", State: api.StateIdle}}
	return &desk{uitest.NewRig(t, env, c, New(env, session())), c}
}

// opened is a rig of what was opened last, with what it tells passed on to the review.
func (d *desk) opened() *uitest.Rig {
	d.T.Helper()
	open, ok := d.Asked[len(d.Asked)-1].(ui.Open)
	if !ok {
		d.T.Fatalf("nothing was opened: %T %q", d.Asked[len(d.Asked)-1], d.Said())
	}
	return uitest.NewRig(d.T, d.Env, d.c, open.Component)
}

// done passes on what a rig tells.
func (d *desk) done(r *uitest.Rig) {
	for _, e := range r.Asked {
		if t, ok := e.(ui.Tell); ok {
			d.Tell(t.Value, nil)
			d.Settle()
		}
	}
}

// write writes a comment.
func (d *desk) write(text string, keys ...string) {
	r := d.opened()
	r.C = r.C.(ui.Paster).Paste(r.Env, text)
	r.Do(append(keys, "Enter")...)
	d.done(r)
}

// TestComments: on a line, a range, a file and all of it; they stand where they belong, are edited, dropped and sent.
func TestComments(t *testing.T) {
	d := newDesk(t, 120, 36)
	d.Do("j", "j", "j", "c")
	d.write("why was this removed?", "Tab")
	d.Do("/")
	d.C = d.C.(ui.Paster).Paste(d.Env, "if !ok")
	d.Do("Enter", "Escape", "v", "j", "j", "c")
	d.write("use the helper")
	d.Do("}", "c")
	d.write("this file is not needed")
	d.Do("C")
	d.write("too much at once")
	want := []string{"pool/pool.go 11-11 old true", "pool/pool.go 12-14 new false", "notes.txt 0-0  false", " 0-0  false"}
	for i, c := range d.c.list {
		if got := fmt.Sprintf("%s %d-%d %s %v", c.Path, c.Line, c.End, c.Side, c.Question); got != want[i] {
			t.Errorf("comment %d is on %q, want %q", i, got, want[i])
		}
	}
	d.Do("g")
	uitest.Golden(t, d.Env, d.C, "comments-120x36")
	d.Do("g", ")")
	if c := d.C.(dialog).noteHere(); c == nil || c.Text != "why was this removed?" {
		t.Errorf("the first comment is %+v", c)
	}
	d.Do(")", "e")
	d.write(" for that")
	d.Shows("use the helper for that", "4 drafts")
	d.Do("d")
	r := d.opened()
	r.Do("y")
	d.done(r)
	d.Shows("3 drafts")
	d.Do("}", "j", "Enter")
	r = d.opened()
	r.Shows("send 3 comments (1 question) as one prompt", "whose work it is", "to web", "new reviewer")
	if strings.Contains(r.Dump(), "to sh") {
		t.Errorf("comments could go to a shell:\n%s", r.Dump())
	}
	r.Do("Enter")
	d.done(r)
	if len(d.c.sent) != 1 || d.c.sent[0].Request == "" || d.c.sent[0].To != "" {
		t.Errorf("sent %+v", d.c.sent)
	}
	d.Do("g")
	d.Shows("round 1, sent")
	d.Do("S")
	if !strings.Contains(d.Said(), "there is no draft") {
		t.Errorf("said %q", d.Said())
	}
}

// TestRefused: a comment that the daemon does not take comes back with its text and the reason.
func TestRefused(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.c.refuses = errors.New("line 11 is not in the difference any more: it says \"x\"")
	d.Do("j", "j", "c")
	r := d.opened()
	r.C = r.C.(ui.Paster).Paste(r.Env, "a long thought")
	r.Do("Enter")
	back := uitest.NewRig(t, d.Env, d.c, r.Asked[len(r.Asked)-1].(ui.Open).Component)
	back.Shows("a long thought", "line 11 is not in the difference any more")
	back.Do("Escape")
	back.Shows("Esc once more drops what is written")
	back.Do("Escape")
	if back.C != nil {
		t.Error("Escape does not close it")
	}
}

// TestAcrossFiles: one comment is on lines of one file.
func TestAcrossFiles(t *testing.T) {
	d := newDesk(t, 80, 40)
	d.Do("n", "v", "}", "j", "j", "c")
	if !strings.Contains(d.Said(), "one file") {
		t.Errorf("said %q", d.Said())
	}
}

// TestFates: the next round shows what became of each comment, also of a file that is not in the difference.
func TestFates(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.c.list = []api.ReviewComment{
		{ID: "1", Path: "pool/pool.go", Line: 11, End: 11, Side: api.SideNew, Text: "rename\x1b[31m it", State: api.CommentChanged, Round: 1},
		{ID: "2", Path: "other.go", Line: 3, End: 3, Side: api.SideNew, Text: "why?", Question: true, State: api.CommentAnswered, Reply: "because of the lock", Round: 1},
		{ID: "3", Path: "pool/pool.go", Line: 16, End: 16, Side: api.SideNew, Text: "shorter", State: api.CommentUntouched, Round: 1},
	}
	d.Tell(again{}, nil)
	d.Settle()
	d.Do("g")
	uitest.Golden(t, d.Env, d.C, "fates-80x24")
	d.Do("o", "o", "t", "z", "y", "E", "(", ")")
}

// TestNextRound: after comments were sent it opens on what was changed since.
func TestNextRound(t *testing.T) {
	c := &commenter{differ: worked(), list: []api.ReviewComment{{ID: "1", Path: "pool/pool.go", Line: 11, End: 11, Side: api.SideNew, Text: "shorter", State: api.CommentUntouched, Round: 1}}}
	env := uitest.Env(80, 24)
	env.Sessions = []api.Session{session()}
	r := uitest.NewRig(t, env, c, New(env, session()))
	r.Shows("round 1, untouched: shorter", "1 file")
	if d := r.C.(dialog); d.scope != api.DiffSeen {
		t.Errorf("it opens on %s", d.scope)
	}
	r.Do("BTab")
	if d := r.C.(dialog); d.scope != api.DiffTurn {
		t.Errorf("a person's choice leads to %s", d.scope)
	}
}

// TestOnlyComments: without a difference they can be read all the same.
func TestOnlyComments(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.c.list = []api.ReviewComment{{ID: "1", Path: "a.go", Line: 1, End: 1, Text: "good", State: api.CommentChanged, Round: 2}}
	d.c.diffs[api.DiffTurn] = api.ReviewDiff{Scope: api.DiffTurn}
	d.Do("r")
	d.Shows("round 2, its lines were changed: good")
	d.Do("j", "n", "}", "c", "Enter", "o", "y", "E", "v", "z", "t", "G", "g", "{", "N")
}

// TestAgentComments: what an agent says meanwhile is shown at once, once.
func TestAgentComments(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.Env.Events = append(d.Env.Events, api.Event{Seq: 7, Type: api.EventReview, Session: "bbbb2222"})
	d.c.list = []api.ReviewComment{{ID: "c1", Path: "pool/pool.go", Line: 11, End: 11, Side: api.SideNew, Text: "leaks", Author: "reviewer", State: api.CommentDraft}}
	if d.Settle(); strings.Contains(d.Dump(), "leaks") {
		t.Fatal("an event of another session's work is one of this")
	}
	d.Env.Events = append(d.Env.Events, api.Event{Seq: 8, Type: api.EventReview, Session: session().ID})
	d.Settle()
	d.Shows("by reviewer, draft: leaks")
	d.c.list = nil
	d.Settle()
	d.Shows("leaks") // nothing was asked again
}

// TestWrittenWordByWord: the daemon has what is being written, so that it outlives the grid; given up, it is dropped, or as it was.
func TestWrittenWordByWord(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.Do("j", "j", "j", "c")
	r := d.opened()
	for _, k := range strings.Split("use Space the Space helper", " ") {
		if k != "Space" {
			r.C = r.C.(ui.Paster).Paste(r.Env, k)
			continue
		}
		r.Do(k)
	}
	if len(d.c.list) != 1 || d.c.list[0].Text != "use the" {
		t.Fatalf("the daemon has %+v", d.c.list)
	}
	r.Do("Tab", "Enter")
	d.done(r)
	if len(d.c.list) != 1 || d.c.list[0].Text != "use the helper" || !d.c.list[0].Question {
		t.Errorf("the daemon has %+v", d.c.list)
	}
	d.Do(")", "e")
	r = d.opened()
	r.Do("x", "Space")
	if d.c.list[0].Text != "use the helperx" {
		t.Errorf("the daemon has %+v", d.c.list)
	}
	r.Do("Escape")
	if d.done(r); d.c.list[0].Text != "use the helper" {
		t.Errorf("given up, the daemon has %+v", d.c.list)
	}
	d.Do("C")
	r = d.opened()
	r.Do("n", "o", "Space", "Escape", "Escape")
	if d.done(r); len(d.c.list) != 1 || r.C != nil {
		t.Errorf("given up, the daemon has %+v", d.c.list)
	}
	// What the daemon does not take is said while it is written, once, and Enter tries again.
	d.c.refuses = errors.New("the lines are gone")
	d.Do("C")
	r = d.opened()
	r.Do("n", "o", "Space")
	r.Shows("the lines are gone")
	d.c.refuses = nil
	r.Do("w", "Enter")
	if d.done(r); len(d.c.list) != 2 || d.c.list[1].Text != "no w" {
		t.Errorf("the daemon has %+v", d.c.list)
	}
}

// TestWrittenMeanwhile: what is written while the daemon is asked, or in the middle of the text, reaches it, too.
func TestWrittenMeanwhile(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.Do("C")
	r := d.opened()
	asked := func(effects []ui.Effect) ui.Call {
		t.Helper()
		if len(effects) != 1 {
			t.Fatalf("%d effects", len(effects))
		}
		return effects[0].(ui.Call)
	}
	answer := func(call ui.Call) []ui.Effect {
		t.Helper()
		res, err := call.Run(t.Context(), d.c)
		var effects []ui.Effect
		r.C, effects = r.C.(ui.Receiver).Receive(r.Env, res.Value, err)
		return effects
	}
	c, effects := uitest.Press(r.Env, r.C, "o", "n", "e", "Space", "t", "w", "o", "Space", "t")
	r.C = c
	call := asked(effects)
	if effects = answer(call); d.c.list[0].Text != "one" {
		t.Errorf("the daemon has %+v", d.c.list)
	}
	if effects = answer(asked(effects)); d.c.list[0].Text != "one two t" || len(effects) > 0 {
		t.Errorf("the daemon has %+v, and is asked %d times more", d.c.list, len(effects))
	}
	r.C, effects = uitest.Press(r.Env, r.C, "Home", "a", "Space")
	if answer(asked(effects)); d.c.list[0].Text != "a one two t" {
		t.Errorf("the daemon has %+v", d.c.list)
	}
}
