package delivery

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// Screens that show no input line: covered by something, or not there yet.
const (
	covered = "(covered)"
	loading = "(loading)"
	nothing = "\x1b[0m \n\x1b[38;5;1m\n"
)

// liner is an agent whose whole screen is its input line.
type liner struct{ agents.Adapter }

func (liner) Managed() bool { return true }
func (liner) PromptSteps(text string, _ int) []agents.Step {
	return []agents.Step{{Paste: text}, {Keys: []string{"Enter"}}}
}
func (liner) ReadScreen(ansi string) (agents.Screen, bool) {
	if ansi == covered || ansi == loading || ansi == nothing {
		return agents.Screen{Loading: ansi == loading}, false
	}
	return agents.Screen{Input: ansi}, true
}
func (liner) ScreenKnown(string) bool { return true }
func (liner) SetAside() []string      { return nil }

// lineSession is a session that took up a conversation, with its host.
type lineSession struct {
	Session
	began time.Time
	// line is what the input line shows at a time after the begin, when the text was pasted that
	// many times; typed is the count of a person's inputs then. Nil: none.
	line  func(at time.Duration, pasted int) string
	typed func(at time.Duration) uint64
	// dialog: the host refuses keys that may not go into a dialog; nil: never.
	dialog func(at time.Duration) bool
	mu     sync.Mutex // held while a function is in the actor
	// draft: the host knows a transaction of this id, which runs until drafted; then the line shows a
	// draft from shown on, and a person's input is counted from drafted on. "": there is none.
	draft          string
	drafted, shown time.Duration
	// pasted counts the pastes; wrote are the transactions carried out, and when.
	pasted int
	wrote  []string
}

func (s *lineSession) Do(_ context.Context, fn func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
	return nil
}
func (s *lineSession) Await(ctx context.Context, cond func() bool) error {
	for met := false; ; time.Sleep(10 * time.Millisecond) {
		if _ = s.Do(ctx, func() { met = cond() }); met || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
func (s *lineSession) Done() <-chan struct{} { return nil }
func (s *lineSession) Fold() *state.Fold     { return &state.Fold{} }
func (s *lineSession) Spec() *launch.Spec    { return &launch.Spec{} }
func (s *lineSession) Value() *api.Session   { return &api.Session{Name: "one"} }
func (s *lineSession) Resumed() bool         { return true }

func (s *lineSession) count() uint64 {
	if s.typed == nil {
		return 0
	}
	return s.typed(time.Since(s.began))
}

func (s *lineSession) Request(_ context.Context, method string, params, out any) error {
	if method == wire.MethodOutput && s.draft != "" {
		at := time.Since(s.began)
		typing := wire.Typing{Draft: at >= s.drafted, AgoMS: (at - s.drafted).Milliseconds()}
		text := ""
		if at >= s.drafted {
			typing.Count = 1
		}
		if at >= s.shown {
			text = "half a thought"
		}
		*out.(*wire.OutputResult) = wire.OutputResult{Text: text, Typing: &typing}
		return nil
	}
	if method == wire.MethodOutput {
		*out.(*wire.OutputResult) = wire.OutputResult{Text: s.line(time.Since(s.began), s.pasted), Typing: &wire.Typing{Count: s.count(), AgoMS: time.Hour.Milliseconds()}}
		return nil
	}
	tx, result := params.(wire.Tx), out.(*wire.TxResult)
	switch {
	case s.draft != "" && tx.ID == s.draft:
		*result = wire.TxResult{Outcome: wire.TxWritten}
		if time.Since(s.began) < s.drafted {
			result.Outcome = wire.TxRunning
		}
		return nil
	case tx.Typed != nil && *tx.Typed != s.count():
		*result = wire.TxResult{Outcome: wire.TxRefused, Reason: wire.TxTyped}
		return nil
	case tx.NoDialog && s.dialog != nil && s.dialog(time.Since(s.began)):
		*result = wire.TxResult{Outcome: wire.TxRefused, Reason: wire.TxDialog}
		return nil
	}
	for _, step := range tx.Steps {
		if step.Paste != nil {
			s.pasted++
		}
	}
	last := tx.Steps[len(tx.Steps)-1]
	s.wrote = append(s.wrote, time.Since(s.began).Round(100*time.Millisecond).String()+" "+tx.ID+" "+strings.Join(last.Keys, " "))
	*result = wire.TxResult{Outcome: wire.TxWritten}
	return nil
}

// lineDelivery is a delivery into that session.
func lineDelivery(ctx context.Context, s *lineSession) *Delivery {
	s.began = time.Now()
	return New(s, Options{Session: "s1", Adapter: liner{}, Context: ctx, Go: func(fn func()) { go fn() }, Timeout: func() time.Duration { return 20 * time.Second },
		Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
}

// TestBehindDraft: a prompt is not typed behind a draft that an earlier daemon began to put back, however
// late the host types it and the agent shows it.
func TestBehindDraft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &lineSession{draft: "draft-1", drafted: 3 * time.Second, shown: 7 * time.Second}
		d := lineDelivery(t.Context(), s)
		d.RestoreDraft("draft-1")
		d.sending <- struct{}{}
		err := d.typeText(t.Context(), "p", "do it", false, agents.Ack{Prompt: true}, false)
		if api.CodeOf(err) != api.CodeDraft || len(s.wrote) != 0 || time.Since(s.began) < s.shown {
			t.Errorf("after %s: %v, wrote %q", time.Since(s.began), err, s.wrote)
		}
	})
}

// TestStanding: the first text for an agent that took up a conversation is submitted once it has
// stood for a second, and typed again when it was wiped; never twice, and nothing of a person's.
func TestStanding(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		line  func(at time.Duration, pasted int) string
		typed func(at time.Duration) uint64
		taken bool
		want  []string
		code  api.Code
	}{
		"it stands": {line: func(time.Duration, int) string { return "do it" }, want: []string{"0s p ", "1s p+go Enter"}},
		"it appears late": {line: func(at time.Duration, _ int) string {
			if at < 1900*ms {
				return ""
			}
			return "do it"
		}, want: []string{"0s p ", "2.9s p+go Enter"}},
		"it is wiped": {line: func(at time.Duration, pasted int) string {
			if at > 500*ms && pasted == 1 {
				return ""
			}
			return "do it"
		}, want: []string{"0s p ", "2.6s p+again1 ", "3.6s p+go Enter"}},
		"covered meanwhile": {line: func(at time.Duration, _ int) string {
			if at > 500*ms && at < 4*time.Second {
				return covered
			}
			return "do it"
		}, want: []string{"0s p ", "5s p+go Enter"}},
		"it never stands": {line: func(time.Duration, int) string { return covered }, want: []string{"0s p "}, code: api.CodeTimeout},
		"somebody types behind it": {line: func(at time.Duration, _ int) string {
			if at > 600*ms { // echoed late
				return "do it now"
			}
			return "do it"
		}, typed: func(at time.Duration) uint64 {
			if at > 300*ms {
				return 1
			}
			return 0
		}, want: []string{"0s p "}, code: api.CodeDraft},
		"somebody clicks": {line: func(time.Duration, int) string { return "do it" }, typed: func(at time.Duration) uint64 {
			if at > 500*ms {
				return 1
			}
			return 0
		}, want: []string{"0s p ", "1.6s p+go Enter"}},
		"somebody types after it was wiped": {line: func(at time.Duration, _ int) string {
			if at > time.Second {
				return "my own"
			}
			return ""
		}, typed: func(at time.Duration) uint64 {
			if at > time.Second {
				return 1
			}
			return 0
		}, want: []string{"0s p "}, code: api.CodeDraft},
		"taken already": {line: func(time.Duration, int) string { return "" }, taken: true, want: []string{"0s p "}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The input line is empty until the text was pasted.
				s := &lineSession{typed: c.typed, line: func(at time.Duration, pasted int) string {
					if pasted == 0 {
						return ""
					}
					return c.line(at, pasted)
				}}
				d := lineDelivery(t.Context(), s)
				d.flight = &InFlight{ID: "p", Met: c.taken}
				err := d.typeText(t.Context(), "p", "do it", false, agents.Ack{Prompt: true, Wiped: true}, true)
				if (err == nil) != (c.code == "") || err != nil && api.CodeOf(err) != c.code {
					t.Errorf("the error is %v", err)
				}
				if !slices.Equal(s.wrote, c.want) {
					t.Errorf("typed %q, want %q", s.wrote, c.want)
				}
			})
		})
	}
}

// TestStandingDialog: a dialog that opened while the text stood holds Enter back; after it the text
// is submitted, not typed again.
func TestStandingDialog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &lineSession{line: func(_ time.Duration, pasted int) string { return strings.Repeat("do it", pasted) },
			dialog: func(at time.Duration) bool { return at > standTime/2 && at <= standTime }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		d := lineDelivery(ctx, s)
		ack := agents.Ack{Prompt: true, Wiped: true}
		err := d.typeText(ctx, "p", "do it", false, ack, true)
		if !errors.As(err, new(dialogError)) {
			t.Fatalf("the error is %v", err)
		}
		if err := d.typeText(ctx, "p+2", "do it", true, ack, true); err != nil {
			t.Fatal(err)
		}
		if want := []string{"0s p ", "2s p+2+go Enter"}; !slices.Equal(s.wrote, want) {
			t.Errorf("typed %q, want %q", s.wrote, want)
		}
	})
}

// TestLoading: a prompt for an agent that is still taking up its conversation is typed when that
// shows its input line, not refused as if a panel covered it, also if it has drawn nothing yet; there is a limit all the same.
func TestLoading(t *testing.T) {
	for _, first := range []string{loading, nothing} {
		testLoading(t, first)
	}
}

func testLoading(t *testing.T, first string) {
	for loaded, want := range map[time.Duration][]string{5 * time.Second: {"5s p ", "6s p+go Enter"}, time.Hour: nil} {
		synctest.Test(t, func(t *testing.T) {
			s := &lineSession{line: func(at time.Duration, pasted int) string {
				if at < loaded {
					return first
				}
				return strings.Repeat("do it", pasted)
			}}
			d := lineDelivery(t.Context(), s)
			err := d.typeText(t.Context(), "p", "do it", false, agents.Ack{Prompt: true, Wiped: true}, false)
			if !slices.Equal(s.wrote, want) || (want == nil) != (err != nil) || err != nil && api.CodeOf(err) != api.CodeTimeout {
				t.Errorf("typed %q, want %q: %v", s.wrote, want, err)
			}
		})
	}
}
