package queue

import (
	"strings"
	"testing"

	"ccdir/api"
)

func TestSessionName(t *testing.T) {
	long := strings.Repeat("n", 64)
	for _, c := range []struct {
		name    string
		attempt int
		want    string
	}{{"", 1, "t7"}, {"", 3, "t7-3"}, {"build", 1, "build"}, {long, 1, long}, {long, 12, long[:61] + "-12"}} {
		task := api.Task{ID: "t7", Attempt: c.attempt}
		task.Name = c.name
		if got := sessionName(task); got != c.want {
			t.Errorf("%q, attempt %d: %q", c.name, c.attempt, got)
		}
	}
}
