// Package tomltext decodes TOML, finds where values begin in its text, and edits
// such a text in one place: everything else stays as it was, comments included.
//
// Contract: errors are of type *Error and name a line. A byte order mark at the
// beginning is skipped. Positions and edits of text that is not valid TOML are of
// no use, and nothing panics.
package tomltext

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// Error is a mistake in a TOML text, or a value of a type that does not fit.
type Error struct {
	Position
	Message string
}

// Error is "line N: message".
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Decode returns the values of a text, and where they begin. Tables are
// map[string]any; lists, those of [[tables]] among them, are []any.
func Decode(text string) (map[string]any, Positions, error) {
	values := map[string]any{}
	if err := Unmarshal(text, &values); err != nil {
		return nil, nil, err
	}
	return values, scan(text), nil
}

// Unmarshal decodes a text into a struct; keys that it lacks are skipped.
func Unmarshal(text string, v any) error {
	data := withoutMark(text)
	if !utf8.ValidString(text) {
		valid := 0
		for r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRuneInString(text[valid:]) {
			valid += n
		}
		return &Error{newLines(data).position(valid), "invalid UTF-8"}
	}
	err := toml.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	e := &Error{Position{1, 1}, strings.TrimPrefix(err.Error(), "toml: ")}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		e.Line, e.Col = decode.Position()
	}
	if strings.HasPrefix(e.Message, "unexpected character U+000A") {
		e.Message = "expected a value, found the end of the line"
	}
	return e
}

// Tables returns a decoded list whose elements are all tables, however it is
// written.
func Tables(v any) (list []map[string]any, ok bool) {
	items, ok := v.([]any)
	for _, item := range items {
		table, isTable := item.(map[string]any)
		list, ok = append(list, table), ok && isTable
	}
	return list, ok
}

// withoutMark replaces a byte order mark, which go-toml refuses, by spaces: the offsets
// stay.
func withoutMark(text string) []byte {
	data := []byte(text)
	if strings.HasPrefix(text, "\ufeff") {
		copy(data, "   ")
	}
	return data
}
