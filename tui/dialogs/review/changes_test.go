package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui/uitest"
)

// changer is a client that stages changes and puts them back.
type changer struct {
	*differ
	did    []string
	viewed []api.ReviewViewed
	err    error
}

func (c *changer) Change(_ context.Context, _ string, in api.ReviewChange) (api.ReviewChanged, error) {
	text := fmt.Sprint(in.Do, " ", in.Base, "..", in.Head, " ", in.Path)
	if in.Old != nil {
		text += fmt.Sprintf(" -%d,%d", in.Old.From, in.Old.End)
	}
	if in.New != nil {
		text += fmt.Sprintf(" +%d,%d", in.New.From, in.New.End)
	}
	c.did = append(c.did, text)
	return api.ReviewChanged{Do: in.Do, Path: in.Path, Added: 2, Removed: 1}, c.err
}

func (c *changer) UndoChange(context.Context, string) (api.ReviewChanged, error) {
	c.did = append(c.did, "undo")
	return api.ReviewChanged{Do: api.ReviewPutBack, Path: "x"}, c.err
}

func (c *changer) Viewed(_ context.Context, _ string, v api.ReviewViewed) error {
	c.viewed = append(c.viewed, v)
	return c.err
}

func changing(t *testing.T, cols int) (*uitest.Rig, *changer) {
	c := &changer{differ: worked()}
	env := uitest.Env(cols, 40)
	env.Sessions = []api.Session{session()}
	return uitest.NewRig(t, env, c, New(env, session())), c
}

// TestChanges: a line, the marked ones, a hunk and a file are staged, put back and undone.
func TestChanges(t *testing.T) {
	r, c := changing(t, 80)
	r.Do("s", "j", "x", "j", "s", "j", "s", "j", "j", "x", "v", "j", "j", "s", "u", "}", "}", "s")
	want := []string{
		"stage b..h pool/pool.go", "put_back b..h pool/pool.go -11,12 +11,15", "stage b..h pool/pool.go -11,11", "put_back b..h pool/pool.go +11,11",
		"stage b..h pool/pool.go +11,13", "undo", "stage b..h bin/run",
	}
	if got := strings.Join(c.did, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("it did\n%s\nnot\n%s", got, strings.Join(want, "\n"))
	}
	if said := r.Said(); !strings.Contains(said, "staged bin/run +2 −1 · u undoes it") {
		t.Errorf("said %q", said)
	}
	if n := len(c.asked); n < 6 {
		t.Errorf("it compared %d times", n)
	}
	c.err = errors.New("bin/run is not as it is shown any more: compare again")
	r.Do("x")
	if !strings.Contains(r.Said(), "compare again") {
		t.Errorf("said %q", r.Said())
	}
}

// TestViewed: a file is marked, folded and counted; the next one follows.
func TestViewed(t *testing.T) {
	r, c := changing(t, 130)
	r.Do("n", "V")
	r.Shows("1 of 7 viewed", "▸ pool/pool.go", "✓")
	r.Do("V", "{", "V")
	want := []api.ReviewViewed{{Path: "pool/pool.go", Content: "c-pool/pool.go", Viewed: true}, {Path: "notes.txt", Content: "c-notes.txt", Viewed: true}}
	if len(c.viewed) != 3 || c.viewed[0] != want[0] || c.viewed[1] != want[1] {
		t.Errorf("%+v", c.viewed)
	}
}
