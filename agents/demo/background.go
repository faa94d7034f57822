package demo

import (
	"context"
	"encoding/base64"
)

// enqueue queues a prompt; like the real agent's, its hook is called now and not when
// its turn begins.
func (a *app) enqueue(ctx context.Context, prompt string) {
	a.queue = append(a.queue, queued{prompt: prompt, submitted: true})
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		a.hooks.call(ctx, "UserPromptSubmit", map[string]any{"prompt": prompt})
	}()
}

// background runs a background task: its end starts a turn of its own.
func (a *app) background(ctx context.Context, end *turnEnd) {
	if a.psp {
		title := base64.StdEncoding.EncodeToString([]byte("background task"))
		a.write("\x1b]7501;state=working:app=demo-agent:id=bg1:title=" + title + "\a")
	}
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		if pause(ctx, end.after) {
			select {
			case a.updates <- update{later: end.background}:
			case <-ctx.Done():
			}
		}
	}()
}

// taskNote is the prompt that the end of a background task submits.
const taskNote = "<task-notification>\n<task-id>bg1</task-id>\n<status>completed</status>\n" +
	"<summary>Background task finished</summary>\n</task-notification>"

// backgroundDone starts the turn of a background task's end, after the running
// one if there is one.
func (a *app) backgroundDone(ctx context.Context, todo []step) {
	if a.psp {
		a.write("\x1b]7501;state=clear:app=demo-agent:id=bg1\a")
	}
	if a.turn != nil {
		a.background(ctx, &turnEnd{background: todo, after: a.opt.delay})
		return
	}
	a.start(ctx, queued{prompt: taskNote}, todo)
}
