package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// maxKept is how long a value may be to be kept in a shortened payload.
const maxKept = 4 << 10

// readPayload reads all of r within the time. A payload over limit is
// shortened to its short values (see shorten), and the rest of the input is
// read away so that the agent does not see a broken pipe. ok is false when the
// input did not end in time.
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

// takePayload reads all of r. What cannot be read ends the payload, as the error
// tells.
func takePayload(r io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(data) > limit {
		var rest int64
		rest, err = io.Copy(io.Discard, r)
		data = shorten(data[:limit], len(data)+int(rest))
	}
	return data, err
}

// discard reads r away for at most that long.
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

// shorten keeps of a JSON object's text, which may be cut off anywhere, the
// members up to the cut whose values are short, and adds "ccdir_shortened": the
// length in bytes that the payload had. Other text gives that member alone.
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
