package tomltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Quote returns s as a TOML string.
func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // encoding a string cannot fail
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// Key returns s as a TOML key.
func Key(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return s
	}
	return Quote(s)
}

// Editor changes a text in one place; afterwards its positions are stale, so it is used
// once.
type Editor struct {
	text string
	pos  Positions
}

// NewEditor makes an editor of a text.
func NewEditor(text string) *Editor { return &Editor{text, scan(text)} }

// Text is the text as it is now.
func (e *Editor) Text() string { return e.text }

// Has reports whether the value itself is written somewhere.
func (e *Editor) Has(path ...string) bool {
	_, ok := e.pos[join(path)]
	return ok
}

// Header reports whether the table has a header of its own.
func (e *Editor) Header(path ...string) bool { return e.pos[join(path)].header }

// Below writes a line after the header of a table.
func (e *Editor) Below(line string, path ...string) {
	at := e.pos[join(path)].offset
	n := strings.IndexByte(e.text[at:], '\n')
	if n < 0 {
		e.text += "\n" + line + "\n"
		return
	}
	e.text = e.text[:at+n+1] + line + "\n" + e.text[at+n+1:]
}

// AtEnd writes a table at the end.
func (e *Editor) AtEnd(table string) {
	if e.text != "" {
		e.text = strings.TrimRight(e.text, "\n") + "\n\n"
	}
	e.text += table
}

// Prepend puts an element at the beginning of a list, on a line of its own where
// the list has such.
func (e *Editor) Prepend(element string, path ...string) error {
	at := e.pos[join(path)].offset
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

// Replace puts a string in the place of another.
func (e *Editor) Replace(value string, path ...string) error {
	at := e.pos[join(path)]
	if at.length == 0 {
		return errors.New("the value isn't where it is expected")
	}
	e.text = e.text[:at.offset] + value + e.text[at.offset+at.length:]
	return nil
}
