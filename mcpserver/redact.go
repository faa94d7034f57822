package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// Redacted stands for a secret.
	Redacted = "[redacted]"
	// maxText bounds each string of a record, in bytes; maxItems the items of a
	// list or an object; maxRecord the whole.
	maxText   = 500
	maxItems  = 50
	maxRecord = 8 << 10
	maxDepth  = 8
)

// secretPatterns are compiled at the first use.
var secretPatterns = sync.OnceValue(func() (p struct{ name, text, assigned, flagged, url *regexp.Regexp }) {
	const word = `(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|authorization|cookie)`
	p.name = regexp.MustCompile(`(?i)(?:^|[^a-z])` + word + `s?$|` + word + `(?:_|$)`)
	p.text = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)` +
		`|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}` +
		`|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{8,}=*|(?i:\bbasic\s+)[A-Za-z0-9+/]{8,}=*`)
	p.assigned = regexp.MustCompile(`(?i)([a-z0-9_-]*` + word + `[a-z0-9_-]*["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s&;|,]+)`)
	p.flagged = regexp.MustCompile(`(?i)(--?[a-z0-9-]*` + word + `[a-z0-9-]*\s+)("[^"]*"|'[^']*'|[^\s-][^\s;|&]*)`)
	p.url = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:)[^/\s@]+@`)
	return p
})

// RedactText replaces what looks like a secret in a text.
func RedactText(s string) string {
	p := secretPatterns()
	s = p.text.ReplaceAllString(s, Redacted)
	s = p.url.ReplaceAllString(s, "${1}"+Redacted+"@")
	s = p.assigned.ReplaceAllString(s, "${1}"+Redacted)
	return p.flagged.ReplaceAllString(s, "${1}"+Redacted)
}

// Redact makes the record of a call's arguments: secrets replaced, by the names
// of fields and by their look, long texts and lists cut. The result is JSON of
// at most 8 KiB, whatever the input is.
func Redact(input json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		v = record(string(input[:min(len(input), 1<<20)]))
	}
	out, err := json.Marshal(redact("", v, 0))
	if err != nil || len(out) > maxRecord {
		out, _ = json.Marshal(fmt.Sprintf("%d bytes of arguments", len(input))) // cannot fail
	}
	return out
}

func redact(name string, v any, depth int) any {
	if depth > maxDepth {
		return "…"
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if len(out) == maxItems {
				out["…"] = fmt.Sprintf("%d more", len(v)-maxItems)
				break
			}
			out[shorten(k)] = redact(k, e, depth+1)
		}
		return out
	case []any:
		out := make([]any, 0, min(len(v), maxItems+1))
		for i, e := range v {
			if i == maxItems {
				out = append(out, fmt.Sprintf("… %d more", len(v)-i))
				break
			}
			if s, ok := e.(string); ok && i > 0 && secretFlag(v[i-1]) {
				e = secret(s)
			}
			out = append(out, redact(name, e, depth+1))
		}
		return out
	case string:
		if secretPatterns().name.MatchString(name) {
			return secret(v)
		}
		return record(v)
	case json.Number, bool:
		if secretPatterns().name.MatchString(name) {
			return Redacted
		}
	}
	return v
}

// secretFlag reports whether v is an option whose value, the next item, is a
// secret.
func secretFlag(v any) bool {
	s, ok := v.(string)
	return ok && len(s) > 1 && s[0] == '-' && secretPatterns().name.MatchString(s)
}

func secret(s string) string {
	if s == "" {
		return ""
	}
	return Redacted
}

// record is a text for a record. Only what can be in it is looked through: the
// rest may be megabytes.
func record(s string) string {
	const look = 4 * maxText
	if len(s) <= look {
		return shorten(RedactText(s))
	}
	text := RedactText(strings.ToValidUTF8(s[:look], ""))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return fmt.Sprintf("%s… (%d bytes)", text, len(s))
}

// shorten cuts a text to maxText bytes.
func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
}
