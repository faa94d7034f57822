package gate

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"ccdir/internal/textsafe"
)

const (
	// redacted stands for a secret.
	redacted = "[redacted]"
	// maxText bounds each text of a record in bytes, maxItems the elements of a
	// list or object, maxDepth the nesting.
	maxText  = 2000
	maxItems = 50
	maxDepth = 8
)

// secrets are compiled at the first use.
var secrets = sync.OnceValue(func() (p struct{ name, token, assigned, url *regexp.Regexp }) {
	const word = `(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|cookie)`
	p.name = regexp.MustCompile(`(?i)` + word + `s?$`)
	p.token = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)` +
		`|\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9]{16,}[A-Za-z0-9_-]*|\bgh[a-z]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[a-z]-[\w-]{10,}` +
		`|\bA[KS]IA[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?i:\b(?:bearer|basic)\s+)[\w.~+/-]{8,}=*`)
	p.assigned = regexp.MustCompile(`(?i)([\w-]*` + word + `[\w-]*["']?(?:\s*[=:]\s*|\s+))("[^"]*"|'[^']*'|[^\s"'&;|,)]+)`)
	p.url = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^/\s:@]*:)[^/\s@]+@`)
	return p
})

// redactText replaces what looks like a secret.
func redactText(s string) string {
	p := secrets()
	s = p.token.ReplaceAllString(s, redacted)
	s = p.url.ReplaceAllString(s, "${1}"+redacted+"@")
	return p.assigned.ReplaceAllString(s, "${1}"+redacted)
}

// redact is a tool's input for the record: secrets replaced, long texts cut.
func redact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		v = redactText(textsafe.Cut(string(raw), maxText))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(redactValue(v, maxDepth)) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

func redactValue(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return redactText(cutBytes(v))
	case []any:
		if depth == 0 || len(v) > maxItems {
			return "…"
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = redactValue(e, depth-1)
		}
		return out
	case map[string]any:
		if depth == 0 || len(v) > maxItems {
			return "…"
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			if secrets().name.MatchString(k) {
				e = redacted
			}
			out[cutBytes(k)] = redactValue(e, depth-1)
		}
		return out
	}
	return v
}

// cutBytes shortens a text to maxText, at a character's edge.
func cutBytes(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}
