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

// secretPatterns are compiled at the first use.
var secretPatterns = sync.OnceValue(func() (p struct{ name, text, header, assigned, flagged, url *regexp.Regexp }) {
	const word = `(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|(?:access|account|auth|encryption|private|signing|shared|storage)[_-]?key|credentials?|authorization|cookie|signature)`
	p.name = regexp.MustCompile(`(?i)(?:^|[^a-z])` + word + `s?$|` + word + `(?:_|$)`)
	p.text = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)` +
		`|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}` +
		`|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{4,}=*|(?i:\bbasic\s+)[A-Za-z0-9+/]{8,}=*` +
		// Tokens with a prefix that names the issuer.
		`|\b(?:npm|hf|gsk|lin_api|shpat|shpss|dop_v1|doo_v1|dckr_pat|glsa|glc|sntrys|figd|ntn|sbp|pscale_tkn|pul|rubygems|tfp|xai|r8|ghs|ATATT|hvs|hvb)[._][A-Za-z0-9_.-]{16,}` +
		`|\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bya29\.[A-Za-z0-9_-]{16,}|\bpypi-[A-Za-z0-9_-]{16,}|\bAGE-SECRET-KEY-[A-Z0-9]+` +
		`|\b(?:NRAK|PMAK|HRKU|key|dapi|glrt|gldt|glptt|AKCp)-?[A-Za-z0-9-]{24,}|\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|hooks\.slack\.com/services/[A-Za-z0-9/_-]+|discord(?:app)?\.com/api/webhooks/[A-Za-z0-9/_-]+`)
	// Headers: the secret lasts until the end of the quotes or of the line.
	p.header = regexp.MustCompile(`(?i)((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z0-9-]*(?:key|token|secret|auth)[a-z0-9-]*)(\s*:\s*)([^"'\n\\]+)`)
	p.assigned = regexp.MustCompile(`(?i)([a-z0-9_-]*` + word + `[a-z0-9_-]*\\?["']?\s*[=:]\s*|\b[a-z0-9_]+_(?:key|pwd|pat|auth|dsn)=)(\\?"[^"]*"|'[^']*'|[^\s&;|,]+)`)
	p.flagged = regexp.MustCompile(`(?i)(--?[a-z0-9-]*` + word + `[a-z0-9-]*\s+)("[^"]*"|'[^']*'|[^\s-][^\s;|&]*)`)
	p.url = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:)[^/\s@]+@|([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s:@]{20,}@`)
	return p
})

// Text replaces likely secrets in a text.
func Text(s string) string {
	p := secretPatterns()
	s = byRules(s)
	s = p.text.ReplaceAllString(s, Mark)
	s = p.url.ReplaceAllString(s, "${1}${2}"+Mark+"@")
	s = p.header.ReplaceAllString(s, "${1}${2}"+Mark)
	s = givenPasswords().ReplaceAllString(s, "${1}${2}${3}"+Mark)
	s = p.assigned.ReplaceAllString(s, "${1}"+Mark)
	return p.flagged.ReplaceAllString(s, "${1}"+Mark)
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
		if secretPatterns().name.MatchString(name) {
			return secret(v)
		}
		if name == "command" {
			return recordOf(v, maxCommand)
		}
		return record(v)
	case json.Number, bool:
		if secretPatterns().name.MatchString(name) {
			return Mark
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
	return Mark
}

// givenPasswords are options of certain programs that are followed by a password,
// or by a user with one.
var givenPasswords = sync.OnceValue(func() *regexp.Regexp {
	const value = `("[^"]*"|'[^']*'|[^\s;|&]+)`
	return regexp.MustCompile(`(\bcurl\b[^;|&\n]*?\s(?:-[a-zA-Z]*[uU]\s*|--(?:proxy-)?user[\s=])["']?[^\s:"'/]*:)[^\s;|&"'/][^\s;|&"']*` +
		`|(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^;|&\n]*?\s-p)[^\s;|&]+` +
		`|(\b(?:sshpass|7z|7za|unzip|zip|redis-cli|htpasswd|mongo|mongosh|mongodump|docker login|podman login|sqlcmd|isql|ldapsearch|ldapmodify)\b[^;|&\n]*?\s-[paPw]\s*)` + value)
})

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
