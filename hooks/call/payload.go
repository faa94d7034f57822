package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// maxKept is the largest value that a shortened payload keeps, in bytes.
const maxKept = 4 << 10

// readPayload reads all of r within patience. A payload over limit is reduced to its short
// values (see shorten), and the rest of the input is discarded, so that the agent does not
// get EPIPE. ok is false if the input did not end in time.
func readPayload(r io.Reader, limit int, patience time.Duration) (payload []byte, ok bool) {
	if in, ok := timed(r, time.Now().Add(patience)); ok {
		payload, err := takePayload(in, limit)
		return payload, !errors.Is(err, errLate)
	}
	done := make(chan []byte, 1)
	go func() {
		data, _ := takePayload(r, limit)
		done <- data
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case payload = <-done:
		return payload, true
	case <-timer.C:
		return nil, false
	}
}

// takePayload reads all of r, or up to an error.
func takePayload(r io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(data) > limit {
		var rest int64
		rest, err = io.Copy(io.Discard, r)
		data = shorten(data[:limit], len(data)+int(rest))
	}
	return data, err
}

// discard reads from r for at most patience.
func discard(r io.Reader, patience time.Duration) {
	if in, ok := timed(r, time.Now().Add(patience)); ok {
		_, _ = io.Copy(io.Discard, in)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, r)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// shorten returns the short members of a JSON object whose text may be cut off anywhere, and
// adds "ccdir_shortened", the payload's original length in bytes. For other text it returns
// that member only.
func shorten(data []byte, length int) []byte {
	out := map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err == nil && t == json.Delim('{') {
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				break
			}
			var value json.RawMessage
			if dec.Decode(&value) != nil {
				break
			}
			if name, ok := key.(string); ok && len(value) <= maxKept {
				out[name] = value
			}
		}
	}
	out["ccdir_shortened"], _ = json.Marshal(length)
	short, _ := json.Marshal(out)
	return short
}
