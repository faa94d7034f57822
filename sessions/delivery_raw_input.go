package sessions

import (
	"context"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

// Input writes keys, a paste or bytes to the session's terminal. A retry with the same ID,
// unless that is "", writes nothing.
func (r *Registry) Input(ctx context.Context, ref string, in api.RawInput) error {
	s, err := r.paned(ref)
	if err != nil {
		return err
	}
	step, err := inputStep(in)
	if err != nil {
		return err
	}
	if in.ID == "" && in.Keys != nil {
		return s.request(ctx, wire.MethodKeys, wire.KeysParams{Keys: in.Keys}, nil)
	}
	tx := wire.Tx{ID: in.ID, Person: true, Steps: []wire.TxStep{step}}
	if tx.ID == "" {
		tx.ID = secret()[:16]
	}
	for {
		var result wire.TxResult
		if err := s.request(ctx, wire.MethodTx, tx, &result); err != nil {
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
