package host

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ccdir/sessions/host/keyenc"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

const (
	// rememberedTxs is the number of outcomes kept.
	rememberedTxs = 1024
	maxTxID       = 256
	maxTxSteps    = 64
	maxEcho       = time.Minute
	// echoQuiet is how long the screen must stand still after it changed.
	echoQuiet = 20 * time.Millisecond
)

// txStep is a step that checkTx has parsed.
type txStep struct {
	keys  []keyenc.Key
	paste *string
	raw   []byte
	echo  time.Duration
	ready time.Duration
}

// checkTx parses a whole transaction before any of it is written.
func checkTx(tx wire.Tx) ([]txStep, error) {
	if tx.ID == "" || len(tx.ID) > maxTxID {
		return nil, fmt.Errorf("a transaction needs an id of at most %d bytes", maxTxID)
	}
	if len(tx.Steps) == 0 || len(tx.Steps) > maxTxSteps {
		return nil, fmt.Errorf("a transaction has 1 to %d steps", maxTxSteps)
	}
	steps := make([]txStep, len(tx.Steps))
	for i, s := range tx.Steps {
		set := 0
		for _, is := range [...]bool{len(s.Keys) > 0, s.Paste != nil, len(s.Raw) > 0, s.EchoMS > 0, s.ReadyMS > 0} {
			if is {
				set++
			}
		}
		if set != 1 {
			return nil, fmt.Errorf("step %d must have exactly one of keys, paste, raw, echo_ms and ready_ms", i+1)
		}
		keys, err := keyenc.ParseAll(s.Keys)
		if err != nil {
			return nil, err
		}
		steps[i] = txStep{keys: keys, paste: s.Paste, raw: s.Raw,
			echo: min(time.Duration(s.EchoMS)*time.Millisecond, maxEcho), ready: min(time.Duration(s.ReadyMS)*time.Millisecond, maxEcho)}
	}
	return steps, nil
}

// errBusy is the error of input for which the process's full input buffer has no room.
var errBusy = errors.New("the process does not read its input")

// requestTx runs a transaction, or returns the outcome of an earlier one with its id. done
// is called once, with h.mu held.
func (h *host) requestTx(tx wire.Tx, done func(any, error)) {
	steps, err := checkTx(tx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		done(nil, err)
		return
	}
	if r, ok := h.txs.Get(tx.ID); ok { // also after the process has ended
		r.Repeat = true
		done(r, nil)
		return
	}
	if h.reaped {
		done(nil, errEnded)
		return
	}
	h.txs.Put(tx.ID, wire.TxResult{Outcome: wire.TxRunning})
	if !h.tryEnqueue(func() { h.runTx(tx, steps, done) }) {
		h.txs.Forget(tx.ID)
		done(nil, errBusy)
	}
}

// runTx carries out a transaction. The writer calls it.
func (h *host) runTx(tx wire.Tx, steps []txStep, done func(any, error)) {
	defer h.hold()()
	r := wire.TxResult{Outcome: wire.TxWritten}
	var before uint64 // the screen's generation at the last write
	for i, s := range steps {
		if i == 0 && !h.untouched(tx) {
			r.Outcome, r.Reason = wire.TxRefused, wire.TxTyped
			break
		}
		if s.ready > 0 && !h.awaitScreen(s.ready, func() bool { return h.state().Modes.BracketedPaste }) {
			r.Outcome, r.Reason = wire.TxRefused, wire.TxNotReady
			break
		}
		if tx.NoDialog && h.blocked() {
			r.Outcome, r.Reason = wire.TxRefused, wire.TxDialog
			break
		}
		if s.ready > 0 {
			continue
		}
		if s.echo > 0 {
			r.EchoSeen = h.awaitEcho(before, s.echo)
			continue
		}
		h.mu.Lock()
		before = h.generation()
		h.typed++
		if tx.Person {
			h.noteTypedStep(s)
		}
		m := h.state().Modes
		h.mu.Unlock()
		p := s.encode(m)
		// Checked before the write: this step may make the process end.
		gone := h.isReaped()
		err := h.write(p)
		if tx.Person && strings.Contains(stepEvidence(s), "C-z") {
			h.suspended()
		}
		if err != nil || gone {
			r.Outcome, r.Error = wire.TxFailed, fmt.Sprintf("step %d of %d: %v", i+1, len(steps), errEnded)
			break
		}
		r.Written = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.txs.Update(tx.ID, r)
	if r.Reason == wire.TxTyped {
		h.txs.Forget(tx.ID)
		done(r, nil)
		return
	}
	h.record(wire.EvidenceTx, field{"id", tx.ID}, field{"outcome", r.Outcome})
	done(r, nil)
}

// encode returns the bytes of a step in the given modes.
func (s txStep) encode(m screen.Modes) []byte {
	p := s.raw
	switch {
	case s.paste != nil:
		p = keyenc.AppendPaste(nil, []byte(*s.paste), m)
	case len(s.keys) > 0:
		for _, k := range s.keys {
			p = keyenc.Append(p, k, m)
		}
	}
	return p
}

// generation is the engine's generation. h.mu is held.
func (h *host) generation() (g uint64) {
	h.guard("Gen", func() { g = h.eng.Gen() })
	return g
}

// awaitEcho waits until the screen has changed since generation before and then stood
// still, at most limit. Terminal replies are written meanwhile: the application may wait
// for them.
func (h *host) awaitEcho(before uint64, limit time.Duration) (seen bool) {
	h.watch(true)
	defer h.watch(false)
	end := time.NewTimer(limit)
	defer end.Stop()
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	last := before
	look := func() {
		h.mu.Lock()
		g := h.generation()
		h.mu.Unlock()
		if g != last {
			last, seen = g, true
			quiet.Reset(echoQuiet)
		}
	}
	for look(); ; {
		select {
		case <-h.changed:
			look()
		case <-h.replyWake:
			h.writeReplies()
		case <-quiet.C:
			return seen
		case <-end.C:
			return seen
		case <-h.over:
			return seen
		}
	}
}

// awaitScreen waits until cond holds, at most limit. cond is called with h.mu held after
// each output of the application. Terminal replies are written meanwhile.
func (h *host) awaitScreen(limit time.Duration, cond func() bool) bool {
	h.watch(true)
	defer h.watch(false)
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		h.mu.Lock()
		ok := cond()
		h.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-h.changed:
		case <-h.replyWake:
			h.writeReplies()
		case <-end.C:
			return false
		case <-h.over:
			return false
		}
	}
}

// blocked reports whether the application's own program status is a dialog.
func (h *host) blocked() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.evidence.psp[""].Fields["state"] == "blocked"
}

func (h *host) watch(on bool) {
	h.mu.Lock()
	h.watching = on
	h.mu.Unlock()
}
