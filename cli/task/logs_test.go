package task

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ccdir/api"
	"ccdir/cli/verb"
)

// TestSettled: what is followed is printed by whole lines, when it has stopped to change.
func TestSettled(t *testing.T) {
	for _, c := range []struct{ before, now, want string }{
		{"", "a\nb\n", ""},
		{"a\nb\n", "a\nb\nc", "a\nb\n"},
		{"a\nwork 1\n", "a\nwork 2\n", "a\n"},
		{"a", "a", ""},
		{"a\né", "a\nè\n", "a\n"},
		{"a\nb\n", "a\n", "a\n"},
	} {
		if got := settled(c.before, c.now); got != c.want {
			t.Errorf("%q, then %q: %q, wanted %q", c.before, c.now, got, c.want)
		}
	}
}

// TestFollow: each line is printed once, over parts and attempts, to the end of the task.
func TestFollow(t *testing.T) {
	type look struct {
		attempt int
		state   api.TaskState
		text    string
		more    bool
	}
	looks := []look{
		{1, api.TaskRunning, "one\ntw", true}, // a part of a long text
		{1, api.TaskRunning, "one\ntwo\nwork 1", false},
		{1, api.TaskRunning, "one\ntwo\nwork 2", false},
		{2, api.TaskRunning, "again\n", false},
		{2, api.TaskDone, "again\nend", false},
		{2, api.TaskDone, "again\nend", false},
	}
	told, err := os.Create(filepath.Join(t.TempDir(), "told"))
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	var out bytes.Buffer
	n := 0
	err = followLog(t.Context(), &verb.App{Out: &out, Process: verb.Process{Stderr: told}}, func(from int) (api.Task, string, bool, error) {
		l := looks[n]
		n++
		return api.Task{ID: "t1", State: l.state, Attempt: l.attempt}, l.text[min(from, len(l.text)):], l.more, nil
	})
	if want := "one\ntwo\nagain\nend"; err != nil || out.String() != want {
		t.Errorf("%q, %v; wanted %q", out.String(), err, want)
	}
	if info, err := told.Stat(); err != nil || info.Size() == 0 {
		t.Error("nobody was told of the second attempt")
	}
}
