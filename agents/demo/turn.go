package demo

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// update is a message of the turn to the app. Exactly one field is set.
type update struct {
	print  []string
	dialog *dialog
	// closed: the dialog was answered elsewhere (by a hook).
	closed *dialog
	// report is a state for the terminal.
	report string
	// ended: the turn is over; turnEnd has the steps of a background task.
	ended *turnEnd
	// later is a background task's prompt.
	later []step
	// exit ends the program with that code; crashed: without cleaning up.
	exit    *int
	crashed bool
}

// turnEnd is how a turn ended.
type turnEnd struct {
	background []step
	after      time.Duration
}

// turn is one run of steps. It belongs to its goroutine.
type turn struct {
	hooks   *hooker
	record  *record
	updates chan<- update
	delay   time.Duration
	last    string
	// allowed are the tool calls that need no further permission, shared by all turns.
	allowed *sync.Map
	// active: the answer to the Stop hook continued the turn.
	active bool
}

// tell sends an update to the app; false if the turn was cancelled.
func (t *turn) tell(ctx context.Context, u update) bool {
	select {
	case t.updates <- u:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause waits; false if the turn was cancelled.
func pause(ctx context.Context, d time.Duration) bool {
	if d < 0 {
		<-ctx.Done()
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// run executes the steps and ends the turn with a Stop hook. An interrupted turn ends
// silently, as in the real agents.
func (t *turn) run(ctx context.Context, steps []step) {
	begun := time.Now()
	for i, s := range steps {
		if s.verb == "background" {
			t.record.ended(begun)
			t.hooks.call(ctx, "Stop", t.stop([]map[string]any{{"id": "bg1", "type": "shell", "status": "running", "description": "demo"}}))
			t.tell(ctx, update{ended: &turnEnd{background: append([]step{}, steps[i+1:]...), after: s.duration}})
			return
		}
		if !t.step(ctx, s) {
			return
		}
	}
	if t.goOn(ctx) {
		t.record.ended(begun)
		t.tell(ctx, update{ended: &turnEnd{}})
	}
}

// goOn ends the turn, unless the answer to its Stop hook continues it; false if it was
// cancelled.
func (t *turn) goOn(ctx context.Context) bool {
	for {
		text := blocked(t.hooks.call(ctx, "Stop", t.stop([]map[string]any{})))
		if text == "" {
			return ctx.Err() == nil
		}
		t.active = true
		first, _, _ := strings.Cut(text, "\n")
		if !t.step(ctx, step{verb: "say", text: "I go on: " + first}) {
			return false
		}
	}
}

func (t *turn) stop(tasks []map[string]any) map[string]any {
	return map[string]any{"stop_hook_active": t.active, "last_assistant_message": t.last,
		"background_tasks": tasks, "session_crons": []any{}}
}

// step executes one step; false ends the turn without a Stop.
func (t *turn) step(ctx context.Context, s step) bool {
	switch s.verb {
	case "say":
		t.last = s.text
		if !pause(ctx, t.delay) {
			return false
		}
		t.record.text(s.text)
		return t.tell(ctx, update{print: []string{"", "⏺ " + s.text}})
	case "think", "spin":
		t.record.thinking("I think about it.")
		return pause(ctx, s.duration)
	case "await":
		t.record.thinking("I wait for it.")
		return await(ctx, s.text)
	case "tool", "permit":
		return t.tool(ctx, s)
	case "ask":
		return t.ask(ctx, s)
	case "use":
		t.record.used(s.text, s.n)
	case "cost":
		t.hooks.call(ctx, "StatusLine", map[string]any{"cost": map[string]any{"total_cost_usd": s.usd}})
	case "flood":
		return t.flood(ctx, s.n)
	case "fail":
		t.record.failed("API Error: " + s.text)
		t.hooks.call(ctx, "StopFailure", map[string]any{"error": "unknown", "last_assistant_message": "API Error: " + s.text})
		t.tell(ctx, update{print: []string{"", sgrRed + "API Error: " + s.text + sgrReset}})
		t.tell(ctx, update{report: "error" + pspMessage(s.text)})
		t.tell(ctx, update{ended: &turnEnd{}})
		return false
	case "crash":
		t.tell(ctx, update{exit: &s.n, crashed: true})
		return false
	case "exit":
		code := 0
		t.tell(ctx, update{exit: &code})
		return false
	}
	return true
}

// awaitPause is the pause between two looks at a file.
const awaitPause = 50 * time.Millisecond

// await waits until a file exists; false if ctx ended before.
func await(ctx context.Context, file string) bool {
	for {
		if _, err := os.Stat(file); err == nil {
			return true
		}
		if !pause(ctx, awaitPause) {
			return false
		}
	}
}

// tool plays a tool call, for "permit" after a permission.
func (t *turn) tool(ctx context.Context, s step) bool {
	id := newToolID()
	members := map[string]any{"tool_name": s.tool, "tool_input": toolInput(s.tool, s.text), "tool_use_id": id}
	t.record.call(id, s.tool, members["tool_input"])
	v := decision(t.hooks.call(ctx, "PreToolUse", members))
	if v.behavior == "deny" {
		t.record.result(id, "denied: "+v.message, "permission-rule")
		return t.tell(ctx, update{print: []string{"", "⏺ " + s.title(), "  ⎿  denied: " + v.message}})
	}
	_, known := t.allowed.Load(s.title())
	if s.verb == "permit" && v.behavior != "allow" && !known || v.behavior == "ask" {
		v = t.permission(ctx, s, members)
		if ctx.Err() != nil {
			return false
		}
		if v.behavior != "allow" {
			// The real agents stop here without a hook.
			t.record.result(id, cmp.Or(v.message, "rejected"), "user-rejected")
			t.record.interrupted()
			t.tell(ctx, update{print: []string{"", "⏺ " + s.title(), "  ⎿  " + cmp.Or(v.message, "rejected")}})
			t.tell(ctx, update{ended: &turnEnd{}})
			return false
		}
		if v.always {
			t.allowed.Store(s.title(), true)
		}
		if v.input != nil {
			s.text, members["tool_input"] = toolText(v.input), v.input
		}
	}
	if !pause(ctx, t.delay) {
		return false
	}
	t.record.result(id, "Done", "")
	members["tool_response"] = map[string]any{"stdout": "", "stderr": "", "interrupted": false}
	members["duration_ms"] = t.delay.Milliseconds()
	t.hooks.call(ctx, "PostToolUse", members)
	return t.tell(ctx, update{print: []string{"", sgrGreen + "⏺" + sgrReset + " " + s.title(), "  ⎿  Done"}})
}

// title is the display form of a tool call.
func (s step) title() string { return s.tool + "(" + s.text + ")" }

// permission opens the dialog and calls the hook concurrently: the first answer wins.
func (t *turn) permission(ctx context.Context, s step, members map[string]any) verdict {
	d := &dialog{
		kind: "permission", title: s.tool + " command", detail: s.text,
		choices: []string{"Yes", "Yes, and don't ask again", "No, and tell the agent what to do (esc)"},
		answer:  make(chan int, 1),
	}
	choice, v := t.question(ctx, d, members)
	if choice == 0 || choice == 1 {
		v = verdict{behavior: "allow", always: choice == 1}
	}
	return v
}

// question shows a dialog until a key or the PermissionRequest hook answers it.
func (t *turn) question(ctx context.Context, d *dialog, members map[string]any) (choice int, v verdict) {
	request := map[string]any{"permission_suggestions": []any{}}
	for k, v := range members {
		if k != "tool_use_id" {
			request[k] = v
		}
	}
	// A hook whose dialog was answered by a key is not killed: its late reply is
	// ignored. It ends with the turn. It is called after the dialog has opened, so that
	// a client that learns of the request from it can type the answer.
	if !t.tell(ctx, update{dialog: d}) {
		return -1, v
	}
	replies := make(chan []byte, 1)
	go func() { replies <- t.hooks.call(ctx, "PermissionRequest", request) }()
	for {
		select {
		case choice = <-d.answer:
			return choice, v
		case reply := <-replies:
			said := decision(reply)
			if said.behavior == "" {
				replies = nil // the user decides
				continue
			}
			t.tell(ctx, update{closed: d})
			return -1, said
		case <-ctx.Done():
			return -1, v
		}
	}
}

// ask plays AskUserQuestion.
func (t *turn) ask(ctx context.Context, s step) bool {
	members := map[string]any{"tool_name": "AskUserQuestion", "tool_input": questionInput(s.text, s.choices), "tool_use_id": newToolID()}
	id := members["tool_use_id"].(string)
	t.record.call(id, "AskUserQuestion", members["tool_input"])
	t.hooks.call(ctx, "PreToolUse", members)
	d := &dialog{kind: "question", title: s.text, choices: s.choices, answer: make(chan int, 1)}
	choice, v := t.question(ctx, d, members)
	if ctx.Err() != nil {
		return false
	}
	if choice < 0 && v.behavior != "allow" {
		t.record.result(id, "declined", "user-rejected")
		t.record.interrupted()
		t.tell(ctx, update{print: []string{"", "⏺ " + s.text, "  ⎿  declined"}})
		t.tell(ctx, update{ended: &turnEnd{}})
		return false
	}
	answer := s.choices[max(choice, 0)]
	if choice < 0 {
		answer = cmp.Or(answered(v.input, s.text), answer)
	}
	t.record.result(id, answer, "")
	input := members["tool_input"].(map[string]any)
	input["answers"] = map[string]any{s.text: answer}
	t.hooks.call(ctx, "PostToolUse", members)
	return t.tell(ctx, update{print: []string{"", "⏺ " + s.text, "  ⎿  " + answer}})
}

// flood prints numbered lines, in writes of about a screen.
func (t *turn) flood(ctx context.Context, n int) bool {
	const batch = 50
	for i := 0; i < n; i += batch {
		var lines []string
		for j := i; j < min(i+batch, n); j++ {
			lines = append(lines, fmt.Sprintf("%08d %s", j+1, strings.Repeat("abcdefghij ", 5)))
		}
		if !t.tell(ctx, update{print: lines}) {
			return false
		}
	}
	return true
}

func newToolID() string {
	var b [12]byte
	_, _ = rand.Read(b[:])
	return "toolu_" + hex.EncodeToString(b[:])
}
