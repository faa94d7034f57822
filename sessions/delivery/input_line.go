package delivery

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// The input line before and after a prompt is typed. A person's draft there is never lost:
// the agent stashes it and restores it after the prompt, or the prompt is refused.

const (
	// typingPause is the minimum time since a person's last key.
	typingPause = 400 * time.Millisecond
	// lookPause is the pause between two reads of a screen, which sends no event.
	lookPause = 50 * time.Millisecond
	// unreadable is how long a screen may show no input line: a read may hit a redraw.
	unreadable = 600 * time.Millisecond
	// drawTime is how long an agent on a busy machine may take to show what was typed.
	drawTime = 2 * time.Second
	// menuTime bounds how long the completions of a command may take to appear. An agent
	// that was just started reads its commands first.
	menuTime = 2 * time.Second
	// stashTime bounds how long stashing or restoring a draft may take. The key is pressed
	// only once: a second press would restore the draft.
	stashTime = 2 * time.Second
)

// errTyped: a person typed between the read of the input line and the typing.
var errTyped = errors.New("a person typed meanwhile")

// readScreenPatiently is readScreen with the retries of a patient delivery.
func (d *Delivery) readScreenPatiently(ctx context.Context) (view wire.OutputResult, sc agents.Screen, readable bool, err error) {
	for {
		if view, sc, readable, err = d.readScreen(ctx); !d.askAgain(ctx, err) {
			return view, sc, readable, err
		}
	}
}

// readScreen reads the session's screen. readable is false if the adapter cannot read it.
func (d *Delivery) readScreen(ctx context.Context) (view wire.OutputResult, sc agents.Screen, readable bool, err error) {
	err = d.s.Request(ctx, wire.MethodOutput, wire.OutputParams{Format: wire.FormatANSI}, &view)
	if reader, ok := d.o.Adapter.(agents.ScreenReader); ok && err == nil {
		if sc, readable = reader.ReadScreen(view.Text); !readable && blank(view.Text) && d.knowsScreen(ctx) {
			sc.Loading = true // an agent that was just started, or woken, on a busy machine
		}
	}
	return view, sc, readable, err
}

// blank reports whether nothing is to be seen on a screen with its SGR sequences.
func blank(ansi string) bool {
	for _, part := range strings.Split("m"+ansi, "\x1b[") {
		if _, text, _ := strings.Cut(part, "m"); strings.TrimSpace(text) != "" {
			return false
		}
	}
	return true
}

// canReadScreen reports whether the adapter can read the agent's screen.
func (d *Delivery) canReadScreen() bool {
	_, ok := d.o.Adapter.(agents.ScreenReader)
	return ok
}

// knowsScreen reports whether the screen of the agent's version is known, so that a
// missing input line means something.
func (d *Delivery) knowsScreen(ctx context.Context) (known bool) {
	reader, ok := d.o.Adapter.(agents.ScreenReader)
	if ok {
		_ = d.s.Do(ctx, func() { known = reader.ScreenKnown(d.s.Spec().Version) })
	}
	return known
}

// failIfEnded fails if the session has ended.
func (d *Delivery) failIfEnded(ctx context.Context) (err error) {
	doErr := d.s.Do(ctx, func() {
		if d.s.Fold().State.Stopped() {
			err = d.s.NotRunning()
		}
	})
	return errors.Join(doErr, err)
}

// label is the session's name for messages; its id if the actor is gone.
func (d *Delivery) label(ctx context.Context) (name string) {
	if d.s.Do(ctx, func() { name = d.s.Value().Name }) != nil || name == "" {
		return d.o.Session
	}
	return name
}

// stash presses the agent's keys for stashing a draft. typed is the count of a person's
// inputs at the read.
func (d *Delivery) stash(ctx context.Context, tx string, typed uint64) error {
	keys := d.o.Adapter.(agents.ScreenReader).SetAside()
	return d.write(ctx, wire.Tx{ID: tx, NoDialog: d.o.Adapter.Managed(), Typed: &typed, Steps: []wire.TxStep{
		{Keys: keys}, {EchoMS: int(unreadable.Milliseconds())}}})
}

// awaitDraft waits, at most stashTime, until a stashed draft is back in the input line. The
// caller holds Delivery.sending.
func (d *Delivery) awaitDraft(ctx context.Context) {
	for end := time.Now().Add(stashTime); d.stashed && time.Now().Before(end); {
		_, sc, readable, err := d.readScreen(ctx)
		if err != nil || ctx.Err() != nil || !readable || sc.Input != "" {
			break
		}
		time.Sleep(lookPause) // a screen sends no event
	}
	d.stashed = false
}

// isInterruptedPrompt reports whether the input is the last prompt, which agents restore
// when their turn is interrupted. It is no draft: the agent has it in its history.
func (d *Delivery) isInterruptedPrompt(ctx context.Context, input string) (is bool) {
	_ = d.s.Do(ctx, func() {
		if d.s.Fold().Escaped.IsZero() {
			return
		}
		last := squeeze(strings.ReplaceAll(cmp.Or(d.last, d.s.Value().Prompt), "⏎", ""))
		have := squeeze(strings.ReplaceAll(input, "⏎", ""))
		head, long := strings.CutSuffix(last, "…")
		is = have != "" && (have == last || long && strings.HasPrefix(have, head) || strings.HasPrefix(have, "[Pastedtext#") && strings.HasSuffix(have, "lines]"))
	})
	return is
}

// restoreTime bounds how long after an interrupting key the agent restores its prompt.
const restoreTime = 500 * time.Millisecond

// restoreOver reports whether an interrupted prompt would be restored already.
func (d *Delivery) restoreOver(ctx context.Context) (over bool) {
	_ = d.s.Do(ctx, func() { over = d.o.Now().Sub(d.s.Fold().Escaped) > restoreTime })
	return over
}

// interruptedLines is the number of lines of a prompt that was interrupted; 0 if none was.
func (d *Delivery) interruptedLines(ctx context.Context) int {
	if n := d.inputLines(ctx); n > 1 {
		return n
	}
	lines := 0
	_ = d.s.Do(ctx, func() {
		if !d.s.Fold().Escaped.IsZero() {
			lines = 1
		}
	})
	return lines
}

// inputLines is the most lines that the input of an unreadable agent may have: after an
// interrupt the last prompt may be there again.
func (d *Delivery) inputLines(ctx context.Context) (lines int) {
	lines = 1
	_ = d.s.Do(ctx, func() {
		if !d.s.Fold().Escaped.IsZero() {
			last := cmp.Or(d.last, d.s.Value().Prompt)
			lines += strings.Count(last, "⏎") + strings.Count(last, "\n")
		}
	})
	return lines
}

// typeText types the prompt as transaction tx, at most once, and submits it. A command is
// submitted once its completions were checked.
func (d *Delivery) typeText(ctx context.Context, tx, text string, resumed bool, ack agents.Ack, patient bool) error {
	look := ack.Command && d.canReadScreen() && !strings.ContainsAny(text, " \t\n")
	stand := ack.Wiped && d.canReadScreen() && d.resumed(ctx)
	whole := func(lines int) []agents.Step {
		if queuer, ok := d.o.Adapter.(agents.Queuer); ok && d.queueKeys {
			return queuer.QueueSteps(text, lines)
		}
		return d.o.Adapter.PromptSteps(text, lines)
	}
	steps := func(lines int) []agents.Step {
		all := whole(lines)
		if look || stand {
			return all[:len(all)-1] // without Enter
		}
		return all
	}
	submit := func(err error, typed *uint64) error {
		switch {
		case err != nil:
			return err
		case look:
			err = d.submitCommand(ctx, tx, text)
		case stand:
			err = d.submitStanding(ctx, tx, steps, typed)
		}
		d.half = d.half || errors.As(err, new(dialogError)) // the text is there already
		return err
	}
	if d.half && d.canReadScreen() {
		if stand {
			return submit(nil, nil)
		}
		stands, typed, err := d.stands(ctx, text)
		if err != nil || stands && look {
			return submit(err, typed)
		}
		if all := whole(1); stands {
			return d.submitTyped(ctx, promptTx(tx+"+submit", all[len(all)-1:], d.o.Adapter.Managed(), typed))
		}
	}
	if resumed {
		// An earlier daemon may have begun the transaction: then this types nothing and
		// returns its outcome.
		never := uint64(math.MaxUint64)
		err := d.write(ctx, promptTx(tx, steps(d.inputLines(ctx)), d.o.Adapter.Managed(), &never))
		d.noteHalf(err)
		if !errors.Is(err, errTyped) {
			return submit(err, nil)
		}
	}
	if err := d.awaitEarlier(ctx); err != nil {
		return err
	}
	for {
		line, err := d.clearInput(ctx, tx, ack.Exit, patient)
		if err != nil {
			return err
		}
		err = d.write(ctx, promptTx(tx, steps(line.lines), d.o.Adapter.Managed(), line.typed))
		d.noteHalf(err)
		if !errors.Is(err, errTyped) {
			return submit(err, line.typed)
		}
	}
}

// submitCommand presses Enter after a typed command if Enter runs this command, and not
// another one that begins like it. Otherwise it removes the command from the input.
func (d *Delivery) submitCommand(ctx context.Context, tx, text string) error {
	var typed *uint64
	for end := time.Now().Add(menuTime); ; {
		view, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			return err
		}
		if view.Typing != nil {
			typed = &view.Typing.Count
		}
		if readable && sc.Input == text && (sc.NoMatch || len(sc.Chosen) > 0) {
			if !sc.NoMatch && slices.Contains(sc.Chosen, text) {
				break
			}
			undo := wire.Tx{ID: tx + "+undo", Typed: typed, Steps: []wire.TxStep{{Keys: []string{"C-u"}}}}
			if err := d.write(ctx, undo); err != nil && !errors.Is(err, errTyped) {
				return err
			}
			return unknownCommand(text, sc.Menu)
		}
		if time.Now().After(end) {
			break
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	enter := wire.Tx{ID: tx + "+go", NoDialog: true, Typed: typed, Steps: []wire.TxStep{{Keys: []string{"Enter"}}}}
	err := d.write(ctx, enter)
	if errors.Is(err, errTyped) {
		return api.Errorf(api.CodeDraft, "somebody typed into session %s behind %s: look at the pane", d.label(ctx), text)
	}
	return err
}

func unknownCommand(text string, offers []string) error {
	if len(offers) == 0 {
		return api.Errorf(api.CodeInvalid, "the agent knows no command %s", text)
	}
	return api.Errorf(api.CodeInvalid, "the agent knows no command %s (it offers %s)", text, strings.Join(offers[:min(len(offers), 5)], ", "))
}

// takenCommand waits until a command or shell line was taken: evidence shows it, or it has
// left the input line. queued: the agent keeps it until the turn's end.
func (d *Delivery) takenCommand(ctx context.Context, id, text string, limit time.Duration) (queued bool, err error) {
	end := time.Now().Add(limit)
	consumed, enough := 0, 20 // reads: the message about an unknown command is late
	if !strings.HasPrefix(text, "/") {
		enough = 3
	}
	for {
		met := d.taken(ctx, id, lookPause) == nil
		if met {
			enough = 3
			time.Sleep(lookPause) // taken returned at once
		}
		_, sc, readable, err := d.readScreenPatiently(ctx)
		if err != nil {
			if met || d.failIfEnded(ctx) != nil { // it was /exit
				return false, nil
			}
			return false, err
		}
		word := strings.Fields(text)[0]
		switch {
		case readable && sc.Input == "" && strings.Contains(sc.Refused, word) && (sc.Refusals > d.refusals || consumed+1 >= enough):
			return false, api.Errorf(api.CodeInvalid, "the agent did not take it: %s", agents.Visible(sc.Refused, 100))
		case readable && sc.Input == "", !readable && met:
			consumed++
		}
		if queued = slices.ContainsFunc(sc.Queued, func(q string) bool { return squeeze(q) == squeeze(text) }); queued || consumed >= enough {
			return queued, d.met(ctx, id, text, queued)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if time.Now().After(end) {
			return false, d.taken(ctx, id, time.Millisecond)
		}
	}
}

// met marks the prompt in flight as taken.
func (d *Delivery) met(ctx context.Context, id, text string, queued bool) error {
	_, err := d.s.Commit(ctx, func() (committed <-chan error, _ error) {
		if queued {
			d.enqueue(text)
			d.s.Value().Queued = len(d.s.Value().QueuedPrompts)
			committed = d.s.Publish("", "", "")
		}
		if p := d.flight; p != nil && p.ID == id && !p.Met {
			p.Met = true
			committed = d.s.Publish("", "", "")
		}
		return committed, nil
	})
	return err
}

// unsubmitted reports whether the input line still shows the typed prompt.
func unsubmitted(text, input string) bool {
	const sure = 64 // bytes: the screen may show only a part of a long prompt
	return sameQueued(text, input) && (len(squeeze(input)) >= min(len(squeeze(text)), sure) || strings.Contains(input, "[Pasted text #"))
}
