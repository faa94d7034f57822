package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// lineLook is the result of clearInput: the prompt may be typed if the count of a person's
// inputs is still typed (nil: unknown), after removing lines lines.
type lineLook struct {
	typed *uint64
	lines int
}

// lineWait is one wait for an input line that can take a prompt. Guarded by
// Delivery.sending.
type lineWait struct {
	*Delivery
	// exits: the prompt ends the agent, which could not restore a draft.
	exits bool
	begun time.Time
	// stashedAt is when the draft was stashed; zero before.
	stashedAt time.Time
	// empty counts consecutive reads that found the line empty.
	empty int
}

// lineVerdict is the result of one read: the line is free, or holds a draft that can be
// stashed, or (neither) is read again, unless the delivery is not patient and there is a
// refusal.
type lineVerdict struct {
	free  bool
	lines int // to remove before typing
	draft bool
	// refusal is the error for a delivery that does not wait; nil: none. soon: what it is
	// about may be over soon.
	refusal error
	soon    bool
}

// clearInput waits until the input line can take a prompt, and stashes a draft. tx is the
// id of the transaction that follows.
func (d *Delivery) clearInput(ctx context.Context, tx string, exits, patient bool) (lineLook, error) {
	w := &lineWait{Delivery: d, exits: exits, begun: time.Now()}
	limit := w.begun.Add(d.o.Timeout())
	for {
		view, sc, readable, err := d.readScreenPatiently(ctx)
		switch {
		case err != nil:
			return lineLook{}, err
		case view.Typing == nil: // hosts before typing was counted
			return lineLook{lines: d.inputLines(ctx)}, nil
		}
		d.refusals = sc.Refusals
		typed := view.Typing.Count
		v := w.judge(ctx, *view.Typing, sc, readable)
		switch {
		case v.free:
			return lineLook{typed: &typed, lines: v.lines}, nil
		case v.draft:
			err := d.stash(ctx, tx+"+aside"+rand.Text()[:4], typed)
			if err == nil {
				w.stashedAt, d.stashed = time.Now(), true
			} else if !errors.Is(err, errTyped) {
				return lineLook{}, err
			}
			continue
		case v.refusal != nil && !patient && (!v.soon || time.Now().After(limit)):
			return lineLook{}, v.refusal
		}
		if err := d.lookLater(ctx); err != nil {
			return lineLook{}, err
		}
	}
}

// lookLater pauses before the next read of the screen. It fails if the session has ended or
// ctx is done.
func (d *Delivery) lookLater(ctx context.Context) error {
	select {
	case <-time.After(lookPause):
	case <-d.s.Done():
		return d.s.Gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.failIfEnded(ctx)
}

// judge decides by one read: typing is a person's typing, sc the screen, valid if readable.
func (w *lineWait) judge(ctx context.Context, typing wire.Typing, sc agents.Screen, readable bool) lineVerdict {
	if readable && sc.Input == "" {
		w.empty++
	} else {
		w.empty = 0
	}
	switch {
	case typing.Count > 0 && typing.AgoMS < typingPause.Milliseconds():
		return lineVerdict{soon: true, refusal: api.Errorf(api.CodeDraft,
			"somebody is typing in session %s: try again, or use --wait", w.label(ctx))}
	case w.empty > 0:
		return w.judgeEmpty(ctx, typing, sc.Stashed)
	case readable:
		return w.judgeText(ctx, sc)
	case !w.stashedAt.IsZero() && time.Since(w.stashedAt) < stashTime:
		return lineVerdict{} // the draft is being stashed
	}
	return w.judgeUnread(ctx, typing.Draft, sc)
}

// judgeEmpty decides about an empty line. stashed: the agent keeps a draft.
func (w *lineWait) judgeEmpty(ctx context.Context, typing wire.Typing, stashed bool) lineVerdict {
	draft := typing.Draft // something was typed and not submitted
	switch {
	case !w.restoreOver(ctx):
		return lineVerdict{} // the agent may be about to restore the interrupted prompt
	case w.empty == 1 && (draft || !w.stashedAt.IsZero()), draft && w.stashedAt.IsZero() && typing.AgoMS < drawTime.Milliseconds():
		return lineVerdict{} // a draft may appear in a moment
	case stashed:
		return lineVerdict{free: true}
	}
	return lineVerdict{free: true, lines: w.interruptedLines(ctx)}
}

// judgeText decides about a line with text.
func (w *lineWait) judgeText(ctx context.Context, sc agents.Screen) lineVerdict {
	switch {
	case w.isInterruptedPrompt(ctx, sc.Input):
		return lineVerdict{free: true, lines: 1 + strings.Count(sc.Input, "\n")}
	case !w.stashedAt.IsZero() && time.Since(w.stashedAt) < stashTime:
		return lineVerdict{} // the draft is being stashed
	case sc.Stashed || !w.stashedAt.IsZero() || w.exits || len(w.o.Adapter.(agents.ScreenReader).SetAside()) == 0:
		return lineVerdict{refusal: api.Errorf(api.CodeDraft, "there is a draft in the input line of session %s (%s): submit or remove it, or use --wait",
			w.label(ctx), agents.Visible(sc.Input, 40))}
	}
	return lineVerdict{draft: true}
}

// judgeUnread decides about a screen that shows no complete input line, or that cannot be
// read.
func (w *lineWait) judgeUnread(ctx context.Context, draft bool, sc agents.Screen) lineVerdict {
	switch {
	case sc.Loading:
		return lineVerdict{soon: true, refusal: api.Errorf(api.CodeTimeout,
			"session %s is still taking up its conversation: try again, or use --wait", w.label(ctx))}
	case w.canReadScreen() && time.Since(w.begun) < unreadable:
		return lineVerdict{}
	case sc.CutEmpty && !draft: // nothing typed could be below the screen
		return lineVerdict{free: w.restoreOver(ctx), lines: w.interruptedLines(ctx)}
	case sc.Cut:
		return lineVerdict{refusal: api.Errorf(api.CodeDraft,
			"session %s has too few rows to show what is in its input line: give it more (zoom its pane), or use --wait", w.label(ctx))}
	case w.canReadScreen() && w.knowsScreen(ctx):
		return lineVerdict{refusal: api.Errorf(api.CodeDialogOpen,
			"session %s does not show its input line (a panel or dialog?): close it in the pane, or use --wait", w.label(ctx))}
	case draft && w.o.Adapter.Managed():
		return lineVerdict{refusal: api.Errorf(api.CodeDraft,
			"there may be a draft in the input line of session %s: submit or remove it, or use --wait", w.label(ctx))}
	}
	return lineVerdict{free: true, lines: w.inputLines(ctx)}
}
