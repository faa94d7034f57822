package orchestrator

import (
	"reflect"
	"slices"
	"strings"

	"ccdir/api"
)

// edit changes a queued task.
func (c *Core) edit(e Edit) error {
	old, err := c.Find(e.Task)
	if err != nil {
		return err
	}
	r, ch := *old, e.Change
	switch {
	case r.State != api.TaskQueued:
		return api.Errorf(api.CodeConflict, "task %s is %s: only queued tasks can be edited", r.ID, r.State)
	case r.Attempt > 0 && r.Resume != r.Conversation && (ch.Prompt != nil || ch.Agent != nil || ch.Model != nil || ch.CWD != nil || ch.Worktree != nil || ch.Base != nil):
		return api.Errorf(api.CodeConflict, "task %s goes on with its conversation: its prompt, agent, directory and work tree stay; cancel it and add another", r.ID)
	}
	r.NewTask = Edited(r.NewTask, ch)
	if ch.Hold != nil {
		r.Hold = *ch.Hold
	}
	if reflect.DeepEqual(r.NewTask, old.NewTask) && r.Hold == old.Hold { // a retry
		return nil
	}
	if err := Check(r.NewTask); err != nil {
		return err
	}
	if ch.Priority != nil {
		r.Rank = (r.Seq - int64(r.Priority)*boost) * rankStep
	}
	if ch.After != nil {
		if r.Unmet, err = c.unmet(r); err != nil {
			return err
		}
	}
	c.put(r)
	reason := "edited by a person"
	if r.Hold != old.Hold {
		reason = map[bool]string{true: "held back by a person", false: "let go by a person"}[r.Hold]
	}
	c.trail = append(c.trail, Transition{Task: r.ID, From: r.State, To: r.State, Reason: reason, Note: api.EventQueue})
	c.resolve(r.ID)
	return nil
}

// Edited returns a task with the change.
func Edited(n api.NewTask, ch api.EditTask) api.NewTask {
	for _, text := range []struct {
		to   *string
		from *string
	}{{&n.Prompt, ch.Prompt}, {&n.Agent, ch.Agent}, {&n.Model, ch.Model}, {&n.CWD, ch.CWD}, {&n.Worktree, ch.Worktree}, {&n.Base, ch.Base}} {
		if text.from != nil {
			*text.to = *text.from
		}
	}
	if ch.Priority != nil {
		n.Priority = *ch.Priority
	}
	if ch.Retries != nil {
		n.Retries = *ch.Retries
	}
	if ch.After != nil {
		n.After = slices.Clone(*ch.After)
	}
	return n
}

// unmet resolves what an edited task comes after to ids. A cycle is refused.
func (c *Core) unmet(r Record) (after []api.TaskAfter, err error) {
	lists, err := c.dependencies([]api.NewTask{r.NewTask}, nil, nil)
	if err != nil {
		return nil, err
	}
	var path func(id string) []string // from id to r, nil if there is none
	seen := map[string]bool{}
	path = func(id string) []string {
		switch {
		case id == r.ID:
			return []string{id}
		case seen[id] || c.tasks[id] == nil:
			return nil
		}
		seen[id] = true
		for _, a := range c.tasks[id].Unmet {
			if rest := path(a.Task); rest != nil {
				return append([]string{id}, rest...)
			}
		}
		return nil
	}
	for _, a := range lists[0] {
		if loop := path(a.Task); loop != nil {
			return nil, api.Errorf(api.CodeInvalid, "the dependencies form a cycle: %s", strings.Join(append([]string{r.ID}, loop...), " → "))
		}
	}
	return lists[0], nil
}
