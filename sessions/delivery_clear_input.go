package sessions

import (
	"context"
	"errors"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/wire"
)

// lineLook is what was found in the input line: the prompt may be typed if
// nobody has typed since, after that many lines are removed.
type lineLook struct {
	typed *uint64
	lines int
}

// lineWait is one wait for an input line that can take a prompt. It is used by the
// one that holds session.sending.
type lineWait struct {
	s *session
	// exits: the prompt ends the agent, which could not put a draft back.
	exits bool
	begun time.Time
	// aside is when the draft was set aside, zero before.
	aside time.Time
	// empty counts the looks in a row that found the line empty.
	empty int
}

// lineVerdict is what follows from one look: the line is free, it holds a draft that
// can be set aside, or (neither) it is looked at again, unless the caller is not
// patient and there is a refusal.
type lineVerdict struct {
	free  bool
	lines int // to remove before typing
	draft bool
	// refusal says why not; typing: because somebody types, who may stop soon.
	refusal error
	typing  bool
}

// clearInput waits until the input line can take a prompt, and sets a draft
// aside. tx names the transaction that follows.
func (s *session) clearInput(ctx context.Context, tx string, exits, patient bool) (lineLook, error) {
	w := &lineWait{s: s, exits: exits, begun: time.Now()}
	limit := w.begun.Add(s.r.o.Config().SendTimeout)
	for {
		view, sc, readable, err := s.screenSoon(ctx)
		switch {
		case err != nil:
			return lineLook{}, err
		case view.Typing == nil: // an older host
			return lineLook{lines: s.inputLines(ctx)}, nil
		}
		s.refusals = sc.Refusals
		typed := view.Typing.Count
		v := w.judge(ctx, *view.Typing, sc, readable)
		switch {
		case v.free:
			return lineLook{typed: &typed, lines: v.lines}, nil
		case v.draft:
			err := s.stash(ctx, tx+"+aside"+secret()[:4], typed)
			if err == nil {
				w.aside, s.stashed = time.Now(), true
			} else if !errors.Is(err, errTyped) {
				return lineLook{}, err
			}
			continue
		case v.refusal != nil && !patient && (!v.typing || time.Now().After(limit)):
			return lineLook{}, v.refusal
		}
		if err := s.lookLater(ctx); err != nil {
			return lineLook{}, err
		}
	}
}

// lookLater waits before the next look at the screen; it fails when the session has
// ended or the caller gives up.
func (s *session) lookLater(ctx context.Context) error {
	select {
	case <-time.After(lookPause):
	case <-s.done:
		return s.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.stillOpen(ctx)
}

// judge looks at the input line once: typing is what was typed into the session, sc
// the screen, if it is readable.
func (w *lineWait) judge(ctx context.Context, typing wire.Typing, sc agents.Screen, readable bool) lineVerdict {
	s := w.s
	if readable && sc.Input == "" {
		w.empty++
	} else {
		w.empty = 0
	}
	switch {
	case typing.Count > 0 && typing.AgoMS < typingPause.Milliseconds():
		return lineVerdict{typing: true, refusal: api.Errorf(api.CodeDraft,
			"somebody is typing in session %s: try again, or use --wait", s.label(ctx))}
	case w.empty > 0:
		return w.judgeEmpty(ctx, typing.Draft, sc.Stashed)
	case readable:
		return w.judgeText(ctx, sc)
	case !w.aside.IsZero() && time.Since(w.aside) < stashTime:
		return lineVerdict{} // the draft is on its way
	}
	return w.judgeUnread(ctx, typing.Draft, sc)
}

// judgeEmpty is about a line that is shown empty. draft: something was typed that was
// not submitted; stashed: the agent keeps a draft.
func (w *lineWait) judgeEmpty(ctx context.Context, draft, stashed bool) lineVerdict {
	switch {
	case !w.s.putBack(ctx):
		return lineVerdict{} // the agent may be about to put the interrupted prompt back
	case w.empty == 1 && (draft || !w.aside.IsZero()):
		return lineVerdict{} // a draft may be on its way
	case stashed:
		return lineVerdict{free: true}
	}
	return lineVerdict{free: true, lines: w.s.interruptedLines(ctx)}
}

// judgeText is about a line that shows text.
func (w *lineWait) judgeText(ctx context.Context, sc agents.Screen) lineVerdict {
	s := w.s
	switch {
	case s.isInterruptedPrompt(ctx, sc.Input):
		return lineVerdict{free: true, lines: 1 + strings.Count(sc.Input, "\n")}
	case !w.aside.IsZero() && time.Since(w.aside) < stashTime:
		return lineVerdict{} // it is being set aside
	case sc.Stashed || !w.aside.IsZero() || w.exits:
		return lineVerdict{refusal: api.Errorf(api.CodeDraft, "there is a draft in the input line of session %s (%s): submit or remove it, or use --wait",
			s.label(ctx), agents.Visible(sc.Input, 40))}
	}
	return lineVerdict{draft: true}
}

// judgeUnread is about a screen on which no input line was found or only a part of it, or
// whose agent's cannot be read.
func (w *lineWait) judgeUnread(ctx context.Context, draft bool, sc agents.Screen) lineVerdict {
	s := w.s
	switch {
	case s.reads() && time.Since(w.begun) < unreadable:
		return lineVerdict{}
	case sc.CutEmpty && !draft: // nothing was typed that could be below
		return lineVerdict{free: s.putBack(ctx), lines: s.interruptedLines(ctx)}
	case sc.Cut:
		return lineVerdict{refusal: api.Errorf(api.CodeDraft,
			"session %s has too few rows to show what is in its input line: give it more (zoom its pane), or use --wait", s.label(ctx))}
	case s.reads() && s.readsVersion(ctx):
		return lineVerdict{refusal: api.Errorf(api.CodeDialogOpen,
			"session %s does not show its input line (a panel or dialog?): close it in the pane, or use --wait", s.label(ctx))}
	case draft && s.adapter.Managed():
		return lineVerdict{refusal: api.Errorf(api.CodeDraft,
			"there may be a draft in the input line of session %s: submit or remove it, or use --wait", s.label(ctx))}
	}
	return lineVerdict{free: true, lines: s.inputLines(ctx)}
}
