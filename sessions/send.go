package sessions

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"ccdir/internal/agents"
	"ccdir/internal/api"
	"ccdir/internal/hostwire"
)

// maxPrompt bounds a prompt, in bytes.
const maxPrompt = 1 << 20

// settleAfterStart is how long after its first word an agent that reports no
// program status is given before it is typed to: its first hook comes before
// its input is read.
const settleAfterStart = time.Second

// Outcomes of SendResult.Status.
const (
	statusDelivered = "delivered"
	statusQueued    = "queued"
)

// Send types a prompt into a session and waits for its acknowledgement: for an
// agent with hooks that it took the prompt, otherwise that it was written. A
// repeat with the same id types nothing and returns the first outcome.
func (r *Registry) Send(ctx context.Context, ref string, p api.SendPrompt) (api.SendResult, error) {
	s, err := r.paned(ref)
	if err != nil {
		return api.SendResult{}, err
	}
	text := agents.PromptText(p.Text)
	switch {
	case strings.TrimSpace(text) == "":
		return api.SendResult{}, api.Errorf(api.CodeInvalid, "the prompt is empty")
	case len(text) > maxPrompt:
		return api.SendResult{}, api.Errorf(api.CodeTooLarge, "the prompt is longer than %d bytes", maxPrompt)
	case len(p.ID) > 128:
		return api.SendResult{}, api.Errorf(api.CodeInvalid, "the id is longer than 128 bytes")
	}
	if p.ID == "" {
		p.ID = secret()[:16]
	}
	// One prompt at a time: they arrive in the order of the calls.
	select {
	case s.sending <- struct{}{}:
		defer func() { <-s.sending }()
	case <-ctx.Done():
		return api.SendResult{}, ctx.Err()
	case <-s.done:
		return api.SendResult{}, s.gone()
	}
	if old, known := s.sent.get(p.ID); known {
		return old.result, old.err
	}
	result, err := s.deliver(ctx, p.ID, text, p.Wait)
	if err == nil || api.CodeOf(err) == api.CodeTimeout {
		s.sent.put(p.ID, sendOutcome{result, err})
	}
	s.noteSend(text, result, err)
	return result, err
}

// deliverLater types the first prompt of a session once it takes input.
func (s *session) deliverLater(text string) {
	s.r.wg.Add(1)
	go func() {
		defer s.r.wg.Done()
		_, err := s.r.Send(s.ctx, s.id, api.SendPrompt{Text: text, Wait: true})
		if err != nil && s.ctx.Err() == nil {
			s.r.log.Warn("the first prompt was not delivered", "session", s.id, "error", err)
		}
	}()
}

// noteSend leaves an event of a prompt's fate, and returns when everybody can
// see it, and what the agent answered before it.
func (s *session) noteSend(text string, result api.SendResult, err error) {
	message := result.Status + ": " + agents.Visible(text, 200)
	if err != nil {
		message = "not delivered (" + err.Error() + "): " + agents.Visible(text, 100)
	}
	var committed <-chan error
	if s.do(s.ctx, func() { committed = s.publish(s.plain(api.EventPrompt, message), false) }) == nil {
		_ = wait(s.ctx, committed) // fails only if the session goes
	}
}

// deliver waits until the session takes input, types, and waits for the
// acknowledgement.
func (s *session) deliver(ctx context.Context, id, text string, patient bool) (api.SendResult, error) {
	limit := s.r.o.Config().SendTimeout
	state, err := s.awaitInput(ctx, limit, patient)
	if err != nil {
		return api.SendResult{}, err
	}
	result := api.SendResult{ID: id, Status: statusDelivered}
	if state == api.StateWorking && s.adapter.Managed() {
		result.Status = statusQueued
	}
	acked := s.expect(ctx, text)
	var written hostwire.TxResult
	if err := s.request(ctx, hostwire.MethodTx, promptTx(id, s.adapter.PromptSteps(text)), &written); err != nil {
		return result, err
	}
	if written.Outcome != hostwire.TxWritten {
		return result, api.Errorf(api.CodeUnavailable, "the prompt was not written (%s): look at the pane before sending again", written.Error)
	}
	if written.Repeat || !s.adapter.Managed() || !acknowledges(text) {
		return result, nil
	}
	if acked(limit/2) == nil {
		return result, nil
	}
	// The Enter may have been swallowed; the text is never typed again.
	enter := hostwire.Tx{ID: id + "+enter", Steps: []hostwire.TxStep{{Keys: []string{"Enter"}}}}
	if err := s.request(ctx, hostwire.MethodTx, enter, &written); err != nil {
		return result, err
	}
	if err := acked(limit / 2); err != nil {
		if ctx.Err() != nil {
			return result, ctx.Err()
		}
		return result, api.Errorf(api.CodeTimeout, "the prompt was typed and the agent did not take it within %s: look at the pane", limit)
	}
	return result, nil
}

// promptTx makes an adapter's steps a transaction of the host.
func promptTx(id string, steps []agents.Step) hostwire.Tx {
	tx := hostwire.Tx{ID: id}
	for _, st := range steps {
		step := hostwire.TxStep{Keys: st.Keys, EchoMS: int(st.Echo.Milliseconds())}
		if st.Paste != "" {
			step.Paste = &st.Paste
		}
		tx.Steps = append(tx.Steps, step)
	}
	return tx
}

// acknowledges reports whether the agent confirms such a prompt by a hook:
// commands of its own (/…) and of the shell (!…) may not.
func acknowledges(text string) bool {
	return !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "!")
}

// awaitInput blocks until a prompt may be typed, and returns the state then.
func (s *session) awaitInput(ctx context.Context, limit time.Duration, patient bool) (state api.State, err error) {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if patient {
		timed = ctx
	}
	// Looked at again when something changes, and once when the agent has had
	// its time to settle.
	for {
		var settle time.Duration
		ready := func() bool {
			state, err = s.fold.State, nil
			switch {
			case state.Ended() || state == api.StateExiting:
				err = s.notRunning()
			case state.NeedsPerson():
				if !patient {
					err = api.Errorf(api.CodeDialogOpen, "session %s asks something: answer in its pane first, or use --wait", s.cur.Name)
				}
				return err != nil
			case state == api.StateIdle && s.fold.Rule == "hook-session-start" && s.fold.Status == "":
				settle = max(settleAfterStart-s.r.now().Sub(s.fold.Since), 0)
				return true
			case state == api.StateStarting:
				return false
			}
			return true
		}
		if waitErr := s.await(timed, ready); waitErr != nil {
			if errors.Is(waitErr, context.DeadlineExceeded) && ctx.Err() == nil {
				waitErr = api.Errorf(api.CodeTimeout, "the session is %s and did not take input within %s: look at the pane", state, limit)
			}
			return state, waitErr
		}
		if err != nil || settle <= 0 {
			return state, err
		}
		settled, stop := context.WithTimeout(timed, settle)
		_ = s.await(settled, func() bool { return s.fold.Status != "" || s.fold.Rule != "hook-session-start" })
		stop()
	}
}

// expect begins to watch for the agent's acknowledgement of a prompt; the
// function it returns waits for it, at most that long.
func (s *session) expect(ctx context.Context, text string) func(time.Duration) error {
	want := squeeze(text)
	var from int
	met := false
	_ = s.do(ctx, func() { from = s.prompts })
	return func(limit time.Duration) error {
		timed, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return s.await(timed, func() bool {
			met = met || s.tookSince(from, want)
			return met
		})
	}
}

// tookSince reports whether one of the prompts taken after the first n holds
// the text.
func (s *session) tookSince(n int, want string) bool {
	for i := max(n, s.prompts-len(s.took)); i < s.prompts; i++ {
		if strings.Contains(s.took[i%len(s.took)], want) {
			return true
		}
	}
	return false
}

// squeeze drops white space: agents change tabs and line ends of what was
// pasted, and wrap it in marks of their own.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// sendOutcome is what one delivery came to.
type sendOutcome struct {
	result api.SendResult
	err    error
}

// sendMemory remembers the outcomes of the newest deliveries. It is used by the
// one that holds session.sending.
type sendMemory struct {
	outcomes map[string]sendOutcome
	order    []string
}

// sendsKept bounds it: as many as a host remembers.
const sendsKept = 1024

func (m *sendMemory) get(id string) (sendOutcome, bool) {
	o, ok := m.outcomes[id]
	return o, ok
}

func (m *sendMemory) put(id string, o sendOutcome) {
	if m.outcomes == nil {
		m.outcomes = map[string]sendOutcome{}
	}
	if len(m.order) >= sendsKept {
		delete(m.outcomes, m.order[0])
		m.order = m.order[1:]
	}
	m.outcomes[id] = o
	m.order = append(m.order, id)
}
