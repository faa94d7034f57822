// Package redact removes likely secrets from text that is recorded and shown: by the
// names of fields and options, and by their form. Pure functions. They find what people
// and programs commonly write; no more can be promised.
package redact

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
	// Mark replaces a secret.
	Mark = "[redacted]"
	// maxText bounds each string of a record, in bytes; maxItems the items of a
	// list or an object; maxRecord the whole.
	maxText = 500
	// maxCommand is maxText for commands: the record of one should be all of it.
	maxCommand = 4 << 10
	maxItems   = 50
	maxRecord  = 8 << 10
	maxDepth   = 8
)

// word is a part of names that secrets have.
const word = `(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|(?:access|account|auth|encryption|private|signing|shared|storage)[_-]?key|credentials?|authorization|cookie|signature)`

// secretName matches the names of fields and options with a secret.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^a-z])` + word + `s?$|` + word + `(?:_|$)`)
})

// Text replaces likely secrets in a text.
func Text(s string) string {
	for _, rules := range [][]rule{formRules, gitleaksRules, placeRules} {
		// A rule may leave a text in which the next one finds its keyword: lower stays
		// that of the whole text, which only costs a search in vain.
		lower := strings.ToLower(s)
		for i := range rules {
			if r := &rules[i]; r.concerns(lower) {
				s = r.replace(s)
			}
		}
	}
	return s
}

// JSON makes the record of a call's arguments: secrets are replaced, by the names of
// fields and by their form; long texts and lists are cut. The result is JSON of at most
// 8 KiB, whatever the input is.
func JSON(input json.RawMessage) json.RawMessage {
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
			out[Shorten(k)] = redact(k, e, depth+1)
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
		if secretName().MatchString(name) {
			return secret(v)
		}
		if name == "command" {
			return recordOf(v, maxCommand)
		}
		return record(v)
	case json.Number, bool:
		if secretName().MatchString(name) {
			return Mark
		}
	}
	return v
}

// secretFlag reports whether v is an option whose value, the next item, is a
// secret.
func secretFlag(v any) bool {
	s, ok := v.(string)
	return ok && len(s) > 1 && s[0] == '-' && secretName().MatchString(s)
}

func secret(s string) string {
	if s == "" {
		return ""
	}
	return Mark
}

// record redacts a text and cuts it for a record.
func record(s string) string { return recordOf(s, maxText) }

// recordOf is record for a text of at most size bytes. Only the part that can be in the
// record is searched: the rest may be megabytes.
func recordOf(s string, size int) string {
	look := 4 * size
	if len(s) <= look {
		return shortenTo(Text(s), size)
	}
	text := Text(strings.ToValidUTF8(s[:look], ""))
	if len(text) > size {
		text = strings.ToValidUTF8(text[:size], "")
	}
	return fmt.Sprintf("%s… (%d bytes)", text, len(s))
}

// Shorten cuts a text to the length of texts in a record.
func Shorten(s string) string { return shortenTo(s, maxText) }

func shortenTo(s string, size int) string {
	if len(s) <= size {
		return s
	}
	cut := size
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
}

// Args returns a command line with its secrets replaced: values of options with the
// name of a secret, in the same argument or the next, and texts with the form of one.
func Args(args []string) []string {
	out := make([]string, len(args))
	for i, s := range args {
		if i > 0 && secretFlag(args[i-1]) && !strings.HasPrefix(s, "-") {
			out[i] = secret(s)
			continue
		}
		out[i] = Text(s)
	}
	return out
}
