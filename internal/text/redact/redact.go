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
	// maxDepthValue is maxDepth for Value.
	maxDepthValue = 12
)

// word is a part of names that secrets have.
const word = `(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|(?:access|account|auth|encryption|private|signing|shared|storage)[_-]?key|credentials?|authorization|cookie|signature)`

// secretName matches the names of fields and options with a secret.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^a-z])` + word + `s?$|` + word + `(?:_|$)`)
})

// secretVariable matches the names of environment variables with a secret. It matches more
// than secretName: a value that is withheld needlessly costs little.
var secretVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:KEY|TOKEN|SECRET|PASS|PWD|AUTH|CREDS?|DSN|COOKIE|SIGNATURE)S?$`)
})

// Variable reports whether an environment variable likely has a secret, by its name or by
// the form of its value.
func Variable(name, value string) bool {
	if value == "" || name == "PATH" || name == "PWD" || name == "OLDPWD" {
		return false
	}
	return secretVariable().MatchString(name) || secretName().MatchString(name) || Text(name+"="+value) != name+"="+value
}

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
		v = record.string("", string(input[:min(len(input), 1<<20)]))
	}
	out, err := json.Marshal(record.of("", v, 0))
	if err != nil || len(out) > maxRecord {
		out, _ = json.Marshal(fmt.Sprintf("%d bytes of arguments", len(input))) // cannot fail
	}
	return out
}

// Value replaces secrets in a decoded JSON value, by the names of fields and by their form.
// Strings are cut to limit bytes, lists and objects to limit members.
func Value(v any, limit int) any {
	return bounds{text: limit, command: limit, items: limit, depth: maxDepthValue}.of("", v, 0)
}

// bounds are those of a record: of strings and commands in bytes, of lists and objects in
// members, and of nesting.
type bounds struct{ text, command, items, depth int }

var record = bounds{maxText, maxCommand, maxItems, maxDepth}

func (b bounds) of(name string, v any, depth int) any {
	if depth > b.depth {
		return "…"
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if len(out) == b.items {
				out["…"] = fmt.Sprintf("%d more", len(v)-b.items)
				break
			}
			out[shortenTo(k, b.text)] = b.of(k, e, depth+1)
		}
		return out
	case []any:
		out := make([]any, 0, min(len(v), b.items+1))
		for i, e := range v {
			if i == b.items {
				out = append(out, fmt.Sprintf("… %d more", len(v)-i))
				break
			}
			if s, ok := e.(string); ok && i > 0 && secretFlag(v[i-1]) {
				e = secret(s)
			}
			out = append(out, b.of(name, e, depth+1))
		}
		return out
	case string:
		return b.string(name, v)
	case json.Number, bool:
		if secretName().MatchString(name) {
			return Mark
		}
	}
	return v
}

// string is the record of a field's text.
func (b bounds) string(name, s string) string {
	switch {
	case secretName().MatchString(name):
		return secret(s)
	case name == "command":
		return recordOf(s, b.command)
	}
	return recordOf(s, b.text)
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

// recordOf redacts a text and cuts it to size bytes. Only the part that can be in the record
// is searched, and what a secret at its end may need: the rest may be megabytes.
func recordOf(s string, size int) string {
	look := min(4*size, size+maxCommand)
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
