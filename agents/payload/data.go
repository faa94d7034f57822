package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"ccdir/internal/text/redact"
)

// Bounds of what is kept of a payload, in bytes: MaxString of a string in it, MaxData of all.
const (
	MaxString = 4 << 10
	MaxData   = 64 << 10
)

// verbatim are the members of a payload that are kept as they are: what a person or the
// agent said, and what identifies things.
var verbatim = map[string]bool{
	"prompt": true, "last_assistant_message": true, "message": true, "title": true,
	"session_id": true, "prompt_id": true, "tool_use_id": true, "agent_id": true,
	"cwd": true, "new_cwd": true, "old_cwd": true, "transcript_path": true, "agent_transcript_path": true, "file_path": true,
}

// Data returns a hook's payload for the event log: likely secrets in inputs and
// outputs of tools are replaced, long strings, lists and deep values are cut. The result is
// at most about MaxData bytes.
func Data(payload json.RawMessage) json.RawMessage {
	var members map[string]any
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	if dec.Decode(&members) != nil {
		return nil
	}
	for limit := MaxString; limit >= 64; limit /= 4 {
		short := make(map[string]any, len(members))
		for k, v := range members {
			if text, ok := v.(string); ok && verbatim[k] {
				short[k] = Cut(text, limit)
			} else if len(short) < limit {
				short[Cut(k, limit)] = redact.Value(v, limit)
			}
		}
		if out := encode(short); out != nil && len(out) <= MaxData {
			return out
		}
	}
	return encode(map[string]any{"ccdir_shortened": len(payload)})
}

// Input is a tool's input without likely secrets, with long strings cut; nil if it is
// too large even so.
func Input(input json.RawMessage) json.RawMessage {
	var v any
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	if out := encode(redact.Value(v, MaxString)); len(out) <= MaxData {
		return out
	}
	return nil
}

// encode is JSON as the agents write it: & and < stay themselves.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil // decoded JSON can be encoded
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Cut cuts s to limit bytes at a character boundary and marks the cut.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
}
