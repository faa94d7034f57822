package tui

import (
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/terminal"
)

// TestTaskNotices: of a task that needs somebody a person who looks elsewhere is
// told, once, and one who looks at the grid has it there.
func TestTaskNotices(t *testing.T) {
	x := newTeller(t, allWays)
	task := api.Task{ID: "t3", State: api.TaskRunning, Session: "bbbb2222"}
	x.Update(newsMsg{news{snapshot: &api.Snapshot{Sessions: x.Sessions, Tasks: []api.Task{task}}}})
	// becomes gives the task another value and returns what was told elsewhere.
	becomes := func(change func(t *api.Task)) string {
		change(&task)
		task.Since = task.Since.Add(time.Second)
		v := task
		_, c := x.Update(newsMsg{news{tasks: map[string]*api.Task{"t3": &v}}})
		perform(x.model, c)
		out := x.out.String()
		x.out.Reset()
		return out
	}
	x.caps.Extended = true
	stalls := func(t *api.Task) { t.Stalled, t.Reason = true, "no progress for 15m0s\x1b[31m" }
	if got := becomes(stalls); got != "" {
		t.Errorf("to one who looks at it: %q", got)
	}
	if text := x.notice.text; !strings.Contains(text, "task t3 stalls: no progress for 15m0s") || strings.ContainsRune(text, 0x1b) {
		t.Errorf("in the grid: %q", text)
	}
	x.Update(terminal.Typed{Event: uv.BlurEvent{}})
	becomes(func(t *api.Task) { t.Stalled = false })
	for _, tt := range []struct {
		change func(t *api.Task)
		want   string
	}{
		{stalls, "\x1b]777;notify;ccdir: task t3;stalls: no progress"},
		{func(t *api.Task) { t.Reason = "still" }, ""},
		{func(t *api.Task) { t.State, t.Reason = api.TaskWaiting, "step 2 of 3 waits" }, "\x1b]777;notify;ccdir: task t3;waits: step 2 of 3"},
		{func(t *api.Task) { t.State = api.TaskRunning }, ""},
		{func(t *api.Task) { t.State = api.TaskTimedOut }, "\a"},
	} {
		if got := becomes(tt.change); tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	// What its pane asks is told of the pane.
	x.becomes("bbbb2222", api.StatePermission, 0, 2*settleFor)
	task.State = api.TaskRunning
	becomes(func(*api.Task) {})
	if got := becomes(func(t *api.Task) { t.State, t.Reason = api.TaskWaiting, "approve Bash" }); got != "" {
		t.Errorf("told of task and pane: %q", got)
	}
}
