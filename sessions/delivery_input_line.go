package sessions

import (
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

// The input line before and after a prompt is typed. What a person typed there
// is never lost: it is set aside by the agent's own means, which puts it back
// after the prompt, or the prompt is refused.

const (
	// typingPause is how long a person's last key must be past.
	typingPause = 400 * time.Millisecond
	// lookPause is between two looks at a screen, which sends no event.
	lookPause = 50 * time.Millisecond
	// unreadable is how long a screen may show no input line: it may be caught
	// in the middle of being drawn.
	unreadable = 600 * time.Millisecond
	// menuTime is how long the completions of a command may take to be shown.
	// An agent that was just started reads its commands first.
	menuTime = 2 * time.Second
	// stashTime is how long a draft may take to be set aside, or put back. The key
	// is pressed once: a second time it would bring the draft back.
	stashTime = 2 * time.Second
)

// errTyped: a person typed between a look at the input line and the typing.
var errTyped = errors.New("a person typed meanwhile")

// screenSoon is screen for a delivery.
func (s *session) screenSoon(ctx context.Context) (view wire.OutputResult, sc agents.Screen, readable bool, err error) {
	for {
		if view, sc, readable, err = s.screen(ctx); !s.askAgain(ctx, err) {
			return view, sc, readable, err
		}
	}
}

// screen reads the session's screen. readable is false where its adapter cannot.
func (s *session) screen(ctx context.Context) (view wire.OutputResult, sc agents.Screen, readable bool, err error) {
	err = s.request(ctx, wire.MethodOutput, wire.OutputParams{Format: wire.FormatANSI}, &view)
	if reader, ok := s.adapter.(agents.ScreenReader); ok && err == nil {
		sc, readable = reader.ReadScreen(view.Text)
	}
	return view, sc, readable, err
}

// reads reports whether the agent's screen can be read at all.
func (s *session) reads() bool {
	_, ok := s.adapter.(agents.ScreenReader)
	return ok
}

// readsVersion reports whether the agent's version is one whose screen is known,
// so that one without an input line means something.
func (s *session) readsVersion(ctx context.Context) (known bool) {
	_ = s.do(ctx, func() { known = agents.ClaudeScreenKnown(s.spec.Version) })
	return known
}

// stillOpen fails when the session ended while its input line was waited for.
func (s *session) stillOpen(ctx context.Context) (err error) {
	doErr := s.do(ctx, func() {
		if s.fold.State.Ended() {
			err = s.notRunning()
		}
	})
	return errors.Join(doErr, err)
}

// label is the session's name, for messages.
func (s *session) label(ctx context.Context) (name string) {
	if s.do(ctx, func() { name = s.cur.Name }) != nil || name == "" {
		return s.id
	}
	return name
}

// setAside presses the agent's keys for keeping a draft.
func (s *session) stash(ctx context.Context, tx string, typed uint64) error {
	keys := s.adapter.(agents.ScreenReader).SetAside()
	return s.write(ctx, wire.Tx{ID: tx, NoDialog: s.adapter.Managed(), Typed: &typed, Steps: []wire.TxStep{
		{Keys: keys}, {EchoMS: int(unreadable.Milliseconds())}}})
}

// awaitDraft waits until a draft that was set aside stands in the input line
// again, but not long. It is used by the one that holds session.sending.
func (s *session) awaitDraft(ctx context.Context) {
	for end := time.Now().Add(stashTime); s.stashed && time.Now().Before(end); {
		_, sc, readable, err := s.screen(ctx)
		if err != nil || ctx.Err() != nil || !readable || sc.Input != "" {
			break
		}
		time.Sleep(lookPause) // a screen sends no event
	}
	s.stashed = false
}

// isInterruptedPrompt reports whether the input is the last prompt, which an agent puts
// back when its turn is interrupted: it is no draft, and in its history.
func (s *session) isInterruptedPrompt(ctx context.Context, input string) (is bool) {
	_ = s.do(ctx, func() {
		if s.fold.Interrupted.IsZero() {
			return
		}
		last := squeeze(strings.ReplaceAll(s.cur.Prompt, "⏎", ""))
		have := squeeze(strings.ReplaceAll(input, "⏎", ""))
		head, long := strings.CutSuffix(last, "…")
		is = have != "" && (have == last || long && strings.HasPrefix(have, head) || strings.HasPrefix(have, "[Pastedtext#") && strings.HasSuffix(have, "lines]"))
	})
	return is
}

// putBackTime is how long after a key that interrupted a turn the agent may put
// its prompt back into the input line.
const putBackTime = 500 * time.Millisecond

// putBack reports whether a prompt that was interrupted would be back by now.
func (s *session) putBack(ctx context.Context) (over bool) {
	_ = s.do(ctx, func() { over = s.r.now().Sub(s.fold.Interrupted) > putBackTime })
	return over
}

// interrupted is how many lines an interrupted prompt has; 0 without one.
func (s *session) interruptedLines(ctx context.Context) int {
	if n := s.inputLines(ctx); n > 1 {
		return n
	}
	lines := 0
	_ = s.do(ctx, func() {
		if !s.fold.Interrupted.IsZero() {
			lines = 1
		}
	})
	return lines
}

// leftover is how many lines may be in the input of an agent whose screen
// cannot be read: after a turn was interrupted its prompt may be there again.
func (s *session) inputLines(ctx context.Context) (lines int) {
	lines = 1
	_ = s.do(ctx, func() {
		if !s.fold.Interrupted.IsZero() {
			lines += strings.Count(s.cur.Prompt, "⏎") + strings.Count(s.cur.Prompt, "\n")
		}
	})
	return lines
}

// typeText has the prompt typed as transaction tx, once whatever happens, and
// submitted unless it is a command whose completions are to be looked at.
func (s *session) typeText(ctx context.Context, tx, text string, resumed bool, ack agents.Ack, patient bool) error {
	look := ack.Command && s.reads() && !strings.ContainsAny(text, " \t\n")
	steps := func(lines int) []agents.Step {
		all := s.adapter.PromptSteps(text, lines)
		if look {
			return all[:len(all)-1] // without Enter
		}
		return all
	}
	if resumed {
		// A daemon before this one may have begun it: then nothing is typed.
		never := uint64(math.MaxUint64)
		err := s.write(ctx, promptTx(tx, steps(s.inputLines(ctx)), s.adapter.Managed(), &never))
		if !errors.Is(err, errTyped) {
			return s.submitted(ctx, tx, text, look, err)
		}
	}
	for {
		line, err := s.clearInput(ctx, tx, ack.Exit, patient)
		if err != nil {
			return err
		}
		err = s.write(ctx, promptTx(tx, steps(line.lines), s.adapter.Managed(), line.typed))
		if !errors.Is(err, errTyped) {
			return s.submitted(ctx, tx, text, look, err)
		}
	}
}

// submitted submits what was typed without Enter.
func (s *session) submitted(ctx context.Context, tx, text string, look bool, err error) error {
	if err != nil || !look {
		return err
	}
	return s.submitCommand(ctx, tx, text)
}

// submitCommand presses Enter behind a typed command, if Enter runs this command
// and not the first of those that begin like it. Otherwise it is taken out of
// the input again.
func (s *session) submitCommand(ctx context.Context, tx, text string) error {
	var typed *uint64
	for end := time.Now().Add(menuTime); ; {
		view, sc, readable, err := s.screenSoon(ctx)
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
			if err := s.write(ctx, undo); err != nil && !errors.Is(err, errTyped) {
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
	err := s.write(ctx, enter)
	if errors.Is(err, errTyped) {
		return api.Errorf(api.CodeDraft, "somebody typed into session %s behind %s: look at the pane", s.label(ctx), text)
	}
	return err
}

func unknownCommand(text string, offers []string) error {
	if len(offers) == 0 {
		return api.Errorf(api.CodeInvalid, "the agent knows no command %s", text)
	}
	return api.Errorf(api.CodeInvalid, "the agent knows no command %s (it offers %s)", text, strings.Join(offers[:min(len(offers), 5)], ", "))
}

// takenCommand waits until a command or shell line was taken: by evidence, or
// because it has left the input line. queued: it waits for the turn's end.
func (s *session) takenCommand(ctx context.Context, id, text string, limit time.Duration) (queued bool, err error) {
	end := time.Now().Add(limit)
	consumed, enough := 0, 20 // looks: the word about an unknown command comes late
	if !strings.HasPrefix(text, "/") {
		enough = 3
	}
	for {
		met := s.taken(ctx, id, lookPause) == nil
		if met {
			enough = 3
			time.Sleep(lookPause) // taken returned at once
		}
		_, sc, readable, err := s.screenSoon(ctx)
		if err != nil {
			if met || s.stillOpen(ctx) != nil { // it was /exit
				return false, nil
			}
			return false, err
		}
		word := strings.Fields(text)[0]
		switch {
		case readable && sc.Input == "" && strings.Contains(sc.Refused, word) && (sc.Refusals > s.refusals || consumed+1 >= enough):
			return false, api.Errorf(api.CodeInvalid, "the agent did not take it: %s", agents.Visible(sc.Refused, 100))
		case readable && sc.Input == "", !readable && met:
			consumed++
		}
		if queued = slices.ContainsFunc(sc.Queued, func(q string) bool { return squeeze(q) == squeeze(text) }); queued || consumed >= enough {
			return queued, s.met(ctx, id, text, queued)
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if time.Now().After(end) {
			return false, s.taken(ctx, id, time.Millisecond)
		}
	}
}

// met notes that the agent took the prompt on its way.
func (s *session) met(ctx context.Context, id, text string, queued bool) error {
	return s.commit(ctx, func() (committed <-chan error, _ error) {
		if queued {
			s.enqueue(text)
			s.cur.Queued = len(s.cur.QueuedPrompts)
			committed = s.publish(change{}, true)
		}
		if d := s.delivery; d != nil && d.ID == id && !d.Met {
			d.Met = true
			committed = s.publish(change{always: true}, false)
		}
		return committed, nil
	})
}

// unsubmitted reports whether the input line still holds a prompt that was typed,
// as far as it is shown.
func unsubmitted(text, input string) bool {
	const sure = 64 // bytes; of long prompts only a part may be on the screen
	return sameQueued(text, input) && (len(squeeze(input)) >= min(len(squeeze(text)), sure) || strings.Contains(input, "[Pasted text #"))
}
