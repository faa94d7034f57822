package attention

import (
	"context"
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/attention/notify"
	"ccdir/tui/ui"
)

// Remind brings back what was put off, and tells what is due. inView reports whether the
// sign of a session's pane is on the screen and nothing lies over it.
func (s *State) Remind(env ui.Env, by Means, inView func(session string) bool) []ui.Effect {
	effects := s.wakeSnoozed(env)
	due := s.takeTasks(env)
	s.next = time.Time{}
	sees := func(id string) bool { return s.present(env) && inView(id) }
	for id, n := range s.due {
		if env.Now.Before(n.at) {
			effects = append(effects, s.see(env, by, id, n, sees)...)
			if s.next.IsZero() || n.at.Before(s.next) {
				s.next = n.at
			}
			continue
		}
		delete(s.due, id)
		v := env.Session(id)
		if v == nil || v.State != n.state || !v.Since.Equal(n.since) || env.Snoozed(*v, env.Now) || sees(id) {
			continue
		}
		due = append(due, notify.Message{Key: n.key(id), Event: n.event, Session: id, Name: v.Name, Text: noticeText(env, n.event, *v)})
	}
	return append(effects, tellUnseen(by, due)...)
}

// see tells the other grids, before they tell of it, that the person has an event before
// their eyes: that its pane is in view and they pressed a key or the mouse here lately.
// (That the terminal is in front is not enough: its owner may have left.)
func (s *State) see(env ui.Env, by Means, id string, n notice, sees func(string) bool) []ui.Effect {
	if n.seen || by.Claims.File == "" || !typedLately(env) || !sees(id) {
		return nil
	}
	n.seen = true
	s.due[id] = n
	return []ui.Effect{ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		return ui.Result{}, by.Claims.See(n.key(id))
	}}}
}

// tellUnseen tells what is due, but for what the person sees in another grid.
func tellUnseen(by Means, due []notify.Message) []ui.Effect {
	if len(due) == 0 || by.Claims.File == "" {
		return tellAll(by, due)
	}
	return []ui.Effect{ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		var left []notify.Message
		for _, msg := range due {
			if seen, err := by.Claims.Seen(msg.Key); err != nil || !seen {
				left = append(left, msg)
			}
		}
		return ui.Result{Effects: tellAll(by, left)}, nil
	}}}
}

// tellAll tells by every way that is set.
func tellAll(by Means, due []notify.Message) (effects []ui.Effect) {
	var out string
	rang := false
	for _, msg := range due {
		for _, way := range by.Ways[msg.Event] {
			if way == notify.Command {
				effects = append(effects, runCommand(by, msg))
				continue
			}
			seq := notify.Sequence(way, msg, by.Via)
			if seq == "\a" && rang {
				continue // one bell for all of this moment
			}
			rang = rang || seq == "\a"
			out += seq
		}
	}
	if out != "" {
		effects = append(effects, ui.Emit{Bytes: []byte(out)})
	}
	return effects
}

// runCommand runs the person's command, once for all grids.
func runCommand(by Means, msg notify.Message) ui.Effect {
	return ui.Call{
		Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
			first, err := by.Claims.Claim(msg.Key)
			if err != nil || !first {
				return ui.Result{}, err
			}
			return ui.Result{}, notify.Run(ctx, by.Command, by.Env, msg)
		},
		Failed: func(_ ui.Env, err error) []ui.Effect {
			return []ui.Effect{ui.Warn{Text: "telling you of " + textsafe.Line(msg.Name) + " failed: " + ui.Problem(err)}}
		},
	}
}

// noticeText is the text of a notice, in one line.
func noticeText(env ui.Env, event string, v api.Session) string {
	switch event {
	case "permission", "question":
		return "asks: " + env.AskText(v)
	case "done":
		if d := v.LastTurn; d != nil && !d.At.Before(v.Since) { // it comes some tenths of a second after the turn's end
			return "is done: " + d.Line()
		}
		return "is done"
	case "failed":
		if v.ExitCode != nil {
			return fmt.Sprintf("failed with exit code %d", *v.ExitCode)
		}
		return "failed"
	}
	if v.Error != "" {
		return "was lost: " + textsafe.Line(v.Error)
	}
	return "was lost"
}
