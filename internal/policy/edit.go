package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// AddRule returns the text of a policy file with one more rule in a role's list,
// everything else as it was, comments included, and the rule's line. text must
// be a good policy file; file names it in errors.
func AddRule(text []byte, file, role string, effect Effect, rule string) (out []byte, line int, err error) {
	if _, err := parseRule(rule, effect); err != nil {
		return nil, 0, err
	}
	doc, err := goodDocument(text, file)
	if err != nil {
		return nil, 0, err
	}
	e := editor{text: string(text), pos: doc.pos}
	key := []string{"roles", role, string(effect)}
	switch {
	case e.has(key...):
		err = e.prepend(quote(rule), key...)
	case e.header("roles", role):
		e.below(fmt.Sprintf("%s = [%s]", effect, quote(rule)), "roles", role)
	default:
		table := fmt.Sprintf("[roles.%s]\n", tomlKey(role))
		if lower := doc.lower(role); lower != "" && doc.roles[role] == nil {
			table += fmt.Sprintf("inherits = %s\n", quote(lower)) // as it was without the table
		}
		e.atEnd(table + fmt.Sprintf("%s = [%s]\n", effect, quote(rule)))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	return checkAdded([]byte(e.text), file, role, effect, rule)
}

// checkAdded reads what an edit made: it must be a good file with the rule in it.
func checkAdded(text []byte, file, role string, effect Effect, rule string) ([]byte, int, error) {
	doc, err := goodDocument(text, file)
	if err != nil {
		return nil, 0, fmt.Errorf("the rule can't be added by itself, write it by hand: %w", err)
	}
	if r := doc.roles[role]; r != nil {
		for _, have := range r.rules {
			if have.text == rule && have.effect == effect && have.when == nil {
				return text, have.at.line, nil
			}
		}
	}
	return nil, 0, fmt.Errorf("%s: the rule can't be added by itself: write it by hand", file)
}

// SetTrust returns the text of the user's policy file (o.User) with the
// fingerprint of o.Project's in [trust], everything else as it was.
func SetTrust(text []byte, o Options, fingerprint string) ([]byte, error) {
	file := o.User
	doc, err := goodDocument(text, file)
	if err != nil {
		return nil, err
	}
	dir := doc.trustKey(o)
	e := editor{text: string(text), pos: doc.pos}
	entry := quote(dir) + " = " + quote(fingerprint)
	switch {
	case e.has("trust", dir):
		err = e.replace(quote(fingerprint), "trust", dir)
	case e.header("trust"):
		e.below(entry, "trust")
	default:
		e.atEnd("[trust]\n" + entry + "\n")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	doc, err = goodDocument([]byte(e.text), file)
	if err != nil || doc.trust[dir] != fingerprint {
		return nil, fmt.Errorf("%s: the project can't be trusted by itself: write it by hand", file)
	}
	return []byte(e.text), nil
}

func goodDocument(text []byte, file string) (*document, error) {
	doc := readDocument(text, file)
	if len(doc.problems) > 0 {
		return nil, doc.sorted()
	}
	return doc, nil
}

// lower is the role whose rules one without a table has, "" for none.
func (d *document) lower(role string) string {
	for i := slices.Index(hierarchy, role) - 1; i >= 0; i-- {
		if d.roles[hierarchy[i]] != nil {
			return hierarchy[i]
		}
	}
	return ""
}

// quote is a TOML string.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

func tomlKey(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return s
	}
	return quote(s)
}

// editor changes the text of a good TOML file in one place.
type editor struct {
	text string
	pos  positions
}

// has reports whether the value itself is written somewhere.
func (e *editor) has(path ...string) bool {
	_, ok := e.pos[strings.Join(path, "\x00")]
	return ok
}

// offset is where the value or table begins, in bytes.
func (e *editor) offset(path ...string) int {
	at := e.pos[strings.Join(path, "\x00")]
	rest := 0
	for range at.line - 1 {
		rest += strings.IndexByte(e.text[rest:], '\n') + 1
	}
	return rest + at.col - 1
}

// header reports whether the table has a header of its own.
func (e *editor) header(path ...string) bool {
	if !e.has(path...) {
		return false
	}
	at := e.text[e.offset(path...):]
	if !strings.HasPrefix(at, "[") || strings.HasPrefix(at, "[[") {
		return false
	}
	// It may be that of a table within it.
	s := scanner{text: at, pos: 1, line: 1, found: positions{}}
	return slices.Equal(s.key(nil), path)
}

// below writes a line after the header of a table.
func (e *editor) below(line string, path ...string) {
	at := e.offset(path...)
	n := strings.IndexByte(e.text[at:], '\n')
	if n < 0 {
		e.text += "\n" + line + "\n"
		return
	}
	e.text = e.text[:at+n+1] + line + "\n" + e.text[at+n+1:]
}

// atEnd writes a table at the end.
func (e *editor) atEnd(table string) {
	if e.text != "" {
		e.text = strings.TrimRight(e.text, "\n") + "\n\n"
	}
	e.text += table
}

// prepend puts an element at the beginning of a list, on a line of its own where
// the list has such.
func (e *editor) prepend(element string, path ...string) error {
	at := e.offset(path...)
	if !strings.HasPrefix(e.text[at:], "[") {
		return errors.New("the list isn't where it is expected")
	}
	head, rest := e.text[:at+1], e.text[at+1:]
	line, after, more := strings.Cut(rest, "\n")
	blank := strings.TrimSpace(line)
	switch {
	case more && (blank == "" || strings.HasPrefix(blank, "#")):
		indent := after[:len(after)-len(strings.TrimLeft(after, " \t"))]
		if strings.HasPrefix(strings.TrimLeft(after, " \t"), "]") {
			indent += "  "
		}
		e.text = head + line + "\n" + indent + element + ",\n" + after
	case strings.HasPrefix(blank, "]"):
		e.text = head + element + rest
	default:
		e.text = head + element + ", " + rest
	}
	return nil
}

// replace puts a string in the place of another.
func (e *editor) replace(value string, path ...string) error {
	at := e.offset(path...)
	s := scanner{text: e.text, pos: at, line: 1, found: positions{}}
	if q := s.peek(); q != '"' && q != '\'' {
		return errors.New("the value isn't where it is expected")
	}
	s.str()
	e.text = e.text[:at] + value + e.text[s.pos:]
	return nil
}
