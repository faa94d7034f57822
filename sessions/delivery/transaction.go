package delivery

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/hostlink"
	"ccdir/wire"
)

// silentPause is the pause between two requests to a host that does not answer.
const silentPause = time.Second

// askAgain pauses and reports whether a delivery retries a request: the host did not
// answer, or is not connected, and the delivery is patient. Retries are idempotent:
// transactions have ids, other requests only read. The retries end with ctx, or when a
// request reports the end of the process. The caller holds
// Delivery.sending.
func (d *Delivery) askAgain(ctx context.Context, err error) bool {
	var silent *hostlink.SilentHost
	if !d.patient || !errors.As(err, &silent) && !errors.Is(err, hostlink.ErrNoHost) {
		return false
	}
	if !d.hostMissed {
		d.hostMissed = true
		d.o.Logger.Warn("a prompt waits for a host that does not answer", "session", d.o.Session)
	}
	select {
	case <-time.After(silentPause):
		return true
	case <-ctx.Done():
		return false
	}
}

// runningPause is the pause between two questions about a running transaction.
const runningPause = 50 * time.Millisecond

// write has the host carry out a transaction and translates its outcome.
func (d *Delivery) write(ctx context.Context, tx wire.Tx) error {
	end, err := d.beginKeys(ctx)
	if err != nil {
		return err
	}
	defer end()
	for {
		var r wire.TxResult
		if err := d.s.Request(ctx, wire.MethodTx, tx, &r); err != nil {
			if d.askAgain(ctx, err) {
				continue
			}
			return err
		}
		switch {
		case r.Outcome == wire.TxWritten:
			return nil
		case r.Outcome == wire.TxRunning: // begun by an earlier daemon
			select {
			case <-time.After(runningPause):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		case r.Outcome == wire.TxRefused && r.Reason == wire.TxTyped:
			return errTyped
		case r.Outcome == wire.TxRefused && r.Reason == wire.TxDialog:
			return dialogError{dialogOpen(d.label(ctx), ""), r.Written}
		case r.Outcome == wire.TxRefused:
			return api.Errorf(api.CodeTimeout, "the application in session %s does not ask for pastes: nothing was typed", d.label(ctx))
		}
		return api.Errorf(api.CodeUnavailable, "the prompt was not written (%s): look at the pane before sending again", r.Error)
	}
}

// dialogOpen is the error of a prompt for a session that shows a dialog; question is what it
// asks, "" if that is not known.
func dialogOpen(name, question string) error {
	shows := "shows a dialog or panel"
	if question != "" {
		shows = "asks \"" + agents.Visible(question, maxQuestion) + "\""
	}
	return api.Errorf(api.CodeDialogOpen, "session %s %s: answer it first, in its pane (a request also with `ccdir approve`), or use --wait", name, shows)
}

// promptTx translates an adapter's steps into a transaction of the host.
func promptTx(id string, steps []agents.Step, managed bool, typed *uint64) wire.Tx {
	tx := wire.Tx{ID: id, NoDialog: managed, Typed: typed}
	if managed {
		tx.Steps = append(tx.Steps, wire.TxStep{ReadyMS: int(readyLimit.Milliseconds())})
	}
	for _, st := range steps {
		step := wire.TxStep{Keys: st.Keys, EchoMS: int(st.Echo.Milliseconds())}
		if st.Paste != "" {
			step.Paste = &st.Paste
		}
		tx.Steps = append(tx.Steps, step)
	}
	return tx
}

// Input writes keys, a paste or bytes to the session's terminal. A retry with the same ID,
// unless that is "", writes nothing.
func (d *Delivery) Input(ctx context.Context, in api.RawInput) error {
	step, err := inputStep(in)
	if err != nil {
		return err
	}
	if in.ID == "" && in.Keys != nil {
		return d.s.Request(ctx, wire.MethodKeys, wire.KeysParams{Keys: in.Keys}, nil)
	}
	tx := wire.Tx{ID: in.ID, Person: true, Steps: []wire.TxStep{step}}
	if tx.ID == "" {
		tx.ID = rand.Text()[:16]
	}
	for {
		var result wire.TxResult
		if err := d.s.Request(ctx, wire.MethodTx, tx, &result); err != nil {
			return err
		}
		switch result.Outcome {
		case wire.TxWritten:
			return nil
		case wire.TxRunning: // begun by an earlier daemon
			select {
			case <-time.After(runningPause):
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return api.Errorf(api.CodeUnavailable, "the input was not written: %s", result.Error)
	}
}

// inputStep translates an input into a transaction's step.
func inputStep(in api.RawInput) (step wire.TxStep, err error) {
	given := 0
	if in.Keys != nil {
		given, step.Keys = given+1, in.Keys
	}
	if in.Paste != nil {
		given, step.Paste = given+1, in.Paste
	}
	if in.Data != nil {
		given, step.Raw = given+1, in.Data
	}
	if given != 1 {
		return step, api.Errorf(api.CodeInvalid, "give exactly one of keys, paste and data")
	}
	return step, nil
}
