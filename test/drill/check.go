package drill

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"ccdir/api"
	"ccdir/client"
)

// addTask adds a task to the queue; an agent in a pane and one without, in turn. A
// prompt is sent once, so it identifies the task.
func (r *run) addTask(ctx context.Context) error {
	n := len(r.tasks) + 1
	t := api.NewTask{Prompt: fmt.Sprintf("say drill-task-%d.", n), CWD: r.Home, Env: r.Env}
	if n%2 == 0 {
		t.Kind = api.TaskPrint
	}
	if _, err := r.client.AddTasks(ctx, []api.NewTask{t}); err != nil {
		return fmt.Errorf("adding a task: %w", err)
	}
	r.tasks = append(r.tasks, t.Prompt)
	return nil
}

// check ends the loads and looks for everything that was accepted.
func (r *run) check(ctx context.Context) error {
	r.Log("checking")
	r.hooks.stop()
	r.bridge.stop()
	r.making.stop()
	if err := r.making.check(ctx, r.client); err != nil {
		return err
	}
	r.result.Made, r.result.MadeTasks, r.result.Repeats = len(r.making.sessions), len(r.making.tasks), r.making.repeats
	if r.hooks.err != nil {
		return r.hooks.err
	}
	if err := r.checkLines(ctx); err != nil {
		return err
	}
	if err := r.checkTasks(ctx); err != nil {
		return err
	}
	if err := r.checkMessages(ctx); err != nil {
		return err
	}
	if err := r.checkEvents(ctx); err != nil {
		return err
	}
	return r.sameSessions(ctx)
}

// checkTasks waits until every task is done, and present once.
func (r *run) checkTasks(ctx context.Context) error {
	list, err := r.client.Tasks(ctx)
	if err != nil {
		return err
	}
	ids := map[string]string{}
	for _, t := range list {
		if other, twice := ids[t.Prompt]; twice {
			return fmt.Errorf("the task %q is there twice, as %s and %s", t.Prompt, other, t.ID)
		}
		ids[t.Prompt] = t.ID
	}
	for _, prompt := range r.tasks {
		id, there := ids[prompt]
		if !there {
			return fmt.Errorf("the task %q was accepted and is gone", prompt)
		}
		t, err := r.client.WaitTask(ctx, id, nil, 2*patience)
		if err != nil {
			r.Log("task %s does not end:%s", id, r.whyTask(ctx, id))
			if now, told := r.client.Task(ctx, id); told == nil {
				t = now
			}
			return fmt.Errorf("task %s (%q, %s: %s) does not end: %w", id, prompt, t.State, t.Reason, err)
		}
		if t.State != api.TaskDone || t.Attempt != 1 {
			r.Log("task %s did not end well:%s", id, r.whyTask(ctx, id))
			return fmt.Errorf("task %s (%q) is %s after %d attempts: %s", id, prompt, t.State, t.Attempt, t.Reason)
		}
	}
	r.result.Tasks = len(r.tasks)
	return nil
}

// readMessages empties the user's mailbox before it is full.
func (r *run) readMessages(ctx context.Context) error {
	sent, err := r.bridge.accepted()
	if err != nil || len(sent)-r.result.Messages < 400 {
		return err
	}
	return r.takeMessages(ctx)
}

// takeMessages records the messages in the mailbox and acknowledges them.
func (r *run) takeMessages(ctx context.Context) error {
	list, err := r.client.Messages(ctx, "", false, 1000)
	if err != nil {
		return err
	}
	var ids []int64
	for _, m := range list {
		ids = append(ids, m.ID)
		if n, ok := marked(messageMark, m.Text); ok && !slices.Contains(r.messages[n], m.ID) {
			r.messages[n] = append(r.messages[n], m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err = r.client.AckMessages(ctx, ids)
	sent, _ := r.bridge.accepted()
	r.result.Messages = len(sent)
	return err
}

// checkMessages looks for each accepted message.
func (r *run) checkMessages(ctx context.Context) error {
	if err := r.takeMessages(ctx); err != nil {
		return err
	}
	sent, err := r.bridge.accepted()
	if err != nil {
		return err
	}
	for n, ids := range r.messages {
		if len(ids) > 1 {
			return fmt.Errorf("message %d is there %d times", n, len(ids))
		}
	}
	for _, n := range sent {
		if len(r.messages[n]) != 1 {
			return fmt.Errorf("message %d was accepted and is gone", n)
		}
	}
	r.result.Messages = len(sent)
	return nil
}

var (
	hookMark    = regexp.MustCompile(`drill-hook-(\d+)\.`)
	messageMark = regexp.MustCompile(`drill-message-(\d+)\.`)
	taskMark    = regexp.MustCompile(`drill-task-(\d+)\.`)
)

// marked finds the number of a marked text.
func marked(mark *regexp.Regexp, text string) (int, bool) {
	m := mark.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// readEvents reads the new events, since the daemon keeps only the newest: their
// numbers have no gap.
func (r *run) readEvents(ctx context.Context) error {
	for {
		list, err := r.client.Events(ctx, client.EventFilter{Since: r.result.Events, Limit: 500})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, e := range list {
			if e.Seq != r.result.Events+1 {
				return fmt.Errorf("event %d where event %d belongs", e.Seq, r.result.Events+1)
			}
			r.result.Events = e.Seq
			if n, ok := marked(hookMark, e.Message+string(e.Data)); ok && e.Type == "Notification" {
				r.logged[n]++
			}
			if n, ok := marked(taskMark, e.Message+string(e.Data)); ok && e.Type == "UserPromptSubmit" {
				r.prompts[n]++
			}
		}
	}
}

// checkEvents reads the rest of the log: every hook call that ended is in it once, and
// every task's prompt was accepted once.
func (r *run) checkEvents(ctx context.Context) error {
	if err := r.readEvents(ctx); err != nil {
		return err
	}
	if r.result.Events < r.newest {
		return fmt.Errorf("the log ends at event %d, and event %d was seen", r.result.Events, r.newest)
	}
	for n := range r.tasks {
		if r.prompts[n+1] != 1 {
			return fmt.Errorf("the prompt %q was taken %d times", r.tasks[n], r.prompts[n+1])
		}
	}
	return r.checkHooks(r.logged)
}

// checkHooks compares the calls that were made with those in the log.
func (r *run) checkHooks(logged map[int]int) error {
	for n, times := range logged {
		if times > 1 {
			return fmt.Errorf("hook call %d is in the log %d times", n, times)
		}
	}
	for _, n := range r.hooks.ended {
		if logged[n] != 1 {
			return fmt.Errorf("hook call %d ended and is not in the log", n)
		}
	}
	r.result.Hooks, r.result.HooksKilled = len(r.hooks.ended), len(r.hooks.killed)
	for _, n := range r.hooks.killed {
		r.result.HooksKept += logged[n]
	}
	return nil
}
