package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// shortData returns a JSON value compacted if it is small; else its long strings are
// cut, and long lists and deep values are replaced by a note. The result is at most
// about maxData bytes.
func shortData(raw json.RawMessage) json.RawMessage {
	if len(raw) <= maxString {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil && utf8.Valid(b.Bytes()) {
			return b.Bytes()
		}
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	for limit := maxString; limit >= 64; limit /= 4 {
		out, err := json.Marshal(shortValue(v, limit, 12))
		if err == nil && len(out) <= maxData {
			return out
		}
	}
	note, _ := json.Marshal(map[string]any{"ccdir_shortened": len(raw)})
	return note
}

// shortValue cuts strings to limit bytes, lists and objects to limit members
// and nesting to depth.
func shortValue(v any, limit, depth int) any {
	switch v := v.(type) {
	case string:
		return cutString(v, limit)
	case []any:
		if depth == 0 {
			return fmt.Sprintf("… %d elements", len(v))
		}
		out := make([]any, 0, min(len(v), limit+1))
		for i, e := range v {
			if i == limit {
				out = append(out, fmt.Sprintf("… %d more", len(v)-limit))
				break
			}
			out = append(out, shortValue(e, limit, depth-1))
		}
		return out
	case map[string]any:
		if depth == 0 || len(v) > limit {
			return fmt.Sprintf("… %d members", len(v))
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[cutString(k, limit)] = shortValue(e, limit, depth-1)
		}
		return out
	}
	return v
}

// cutString cuts s to limit bytes at a character boundary and marks the cut.
func cutString(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
}
