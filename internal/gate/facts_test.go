package gate

import (
	"testing"

	"ccdir/internal/api"
)

// TestTaskFacts: conditions about labels, cost and tokens get those of the task
// that runs in the session, as it is now.
func TestTaskFacts(t *testing.T) {
	p := newRig(t, `
[[roles.dev.rule]]
match = "Bash"
effect = "deny"
when = '"frozen" in labels'
[[roles.dev.rule]]
match = "Bash"
effect = "ask"
when = 'cost > 2 || tokens > 1000 || label == "risky"'
`, nil)
	task := api.Task{ID: "t1"}
	p.o.Task = func(id string) (api.Task, bool) { return task, id == task.ID }
	use := func(task string) string {
		c := p.sessions["dev"]
		c.Task = task
		return p.Use(c, api.ToolUse{Tool: "Bash", Input: bash("ls")}).Effect
	}
	for _, c := range []struct {
		change func()
		task   string
		want   string
	}{
		{func() {}, "t1", api.EffectNone},
		{func() { task.Labels = []string{"risky", "other"} }, "t1", api.EffectAsk},
		{func() {}, "t2", api.EffectNone},
		{func() {}, "", api.EffectNone},
		{func() { task.Labels = []string{"other", "risky"} }, "t1", api.EffectNone},
		{func() { task.Result.Cost = 2.5 }, "t1", api.EffectAsk},
		{func() { task.Result = api.TaskResult{Tokens: 1001} }, "t1", api.EffectAsk},
		{func() { task.Labels = []string{"other", "frozen"} }, "t1", api.EffectDeny},
	} {
		c.change()
		if got := use(c.task); got != c.want {
			t.Errorf("%+v, task %q: %s, want %s", task, c.task, got, c.want)
		}
	}
}
