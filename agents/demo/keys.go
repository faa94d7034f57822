package demo

import (
	"context"
	"slices"
	"strings"
	"time"
)

// onInput handles a key, text or an answer of the terminal.
func (a *app) onInput(ctx context.Context, in input) (code int, done bool) {
	if in.osc != "" {
		if strings.HasPrefix(in.osc, "7501;?") && !a.opt.noPSP {
			a.psp = true
			state := "idle"
			if a.turn != nil {
				state = "working"
			}
			a.report(state)
		}
		return 0, false
	}
	if in.key != "ctrl-c" && in.key != "ctrl-d" {
		a.hint = ""
	}
	switch {
	case in.key == "ctrl-c" || in.key == "ctrl-d" && len(a.line) == 0:
		return 0, a.quit(ctx, in.key)
	case in.key == "ctrl-l":
		a.shown = ""
	case a.dialog != nil:
		a.dialogKey(in)
	case in.key == "esc" && a.turn != nil:
		a.interrupt(ctx)
	default:
		return a.edit(ctx, in)
	}
	return 0, false
}

// quit handles Ctrl-C: it interrupts a turn, clears the line, and exits when pressed
// twice.
func (a *app) quit(ctx context.Context, key string) (done bool) {
	if key == "ctrl-c" && a.turn != nil {
		a.interrupt(ctx)
		return false
	}
	if len(a.line) > 0 {
		a.line, a.cursor = nil, 0
		return false
	}
	if time.Since(a.lastQuit) < quitWindow {
		return true
	}
	a.lastQuit = time.Now()
	a.hint = "Press Ctrl-C again to exit"
	return false
}

// interrupt ends the turn without a hook and starts the next queued prompt.
func (a *app) interrupt(ctx context.Context) {
	a.cancelTurn()
	a.record.interrupted()
	a.report("idle")
	a.show("", sgrRed+"  ⎿  Interrupted"+sgrReset)
	a.next(ctx)
}

// dialogKey answers the open dialog: a digit at once, Enter the selected
// choice, Esc none.
func (a *app) dialogKey(in input) {
	d, choice := a.dialog, -2
	switch {
	case in.key == "up":
		d.chosen = max(d.chosen-1, 0)
	case in.key == "down":
		d.chosen = min(d.chosen+1, len(d.choices)-1)
	case in.key == "enter":
		choice = d.chosen
	case in.key == "esc":
		choice = -1
	case len(in.text) == 1 && in.text[0] >= '1' && int(in.text[0]-'1') < len(d.choices):
		choice = int(in.text[0] - '1')
	}
	if choice == -2 {
		return
	}
	if d.kind == "permission" && choice == len(d.choices)-1 {
		choice = -1
	}
	d.answer <- choice // buffered: a dialog is answered once
	a.dialog = nil
	if choice < 0 {
		a.report("idle")
	} else {
		a.report("working")
	}
}

// edit changes the input line and submits it.
func (a *app) edit(ctx context.Context, in input) (code int, done bool) {
	insert := func(text string) {
		r := []rune(text)
		a.line = slices.Insert(a.line, a.cursor, r...)
		a.cursor += len(r)
	}
	switch in.key {
	case "":
		insert(printable(strings.ReplaceAll(in.text, "\r", "\n")))
	case "newline":
		insert("\n")
	case "backspace":
		if a.cursor > 0 {
			a.line = slices.Delete(a.line, a.cursor-1, a.cursor)
			a.cursor--
		}
	case "delete":
		if a.cursor < len(a.line) {
			a.line = slices.Delete(a.line, a.cursor, a.cursor+1)
		}
	case "left":
		a.cursor = max(a.cursor-1, 0)
	case "right":
		a.cursor = min(a.cursor+1, len(a.line))
	case "home":
		a.cursor = 0
	case "end":
		a.cursor = len(a.line)
	case "ctrl-u":
		a.line, a.cursor = slices.Delete(a.line, 0, a.cursor), 0
	case "ctrl-k":
		a.line = a.line[:a.cursor]
	case "enter":
		return a.submit(ctx)
	}
	return 0, false
}

// submit submits the line as a prompt; during a turn it is queued, and its hook is
// called now.
func (a *app) submit(ctx context.Context) (code int, done bool) {
	prompt := strings.TrimSpace(string(a.line))
	a.line, a.cursor = nil, 0
	switch {
	case prompt == "":
		return 0, false
	case prompt == "/exit":
		return 0, true
	case a.turn != nil:
		a.enqueue(ctx, prompt)
	default:
		a.start(ctx, queued{prompt: prompt}, steps(prompt, a.opt.delay))
	}
	return 0, false
}
