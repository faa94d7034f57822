package policy

import (
	"encoding/json"
	"errors"
	"fmt"
)

// input is the input of a tool: one raw JSON value for each key.
type input map[string]json.RawMessage

var errNoObject = errors.New("the tool's input is no JSON object")

// parseInput reads a JSON object. A duplicate key is an error, because readers differ in
// which value they take.
func parseInput(raw json.RawMessage) (input, error) {
	// The document is validated as a whole, then its top level is cut by hand: a decoder
	// costs as much as parsing the command in it.
	if !json.Valid(raw) {
		return nil, errNoObject
	}
	s := scanner{raw, 0}
	if s.next() != '{' {
		return nil, errNoObject
	}
	s.at++
	in := make(input, 4)
	for s.next() != '}' {
		if raw[s.at] == ',' {
			s.at++
			s.next()
		}
		key, err := textOf(s.value())
		if err != nil {
			return nil, errNoObject
		}
		s.next()
		s.at++ // the colon
		s.next()
		if _, twice := in[key]; twice {
			return nil, fmt.Errorf("the tool's input has the key %q twice", key)
		}
		in[key] = s.value()
	}
	return in, nil
}

// scanner cuts a valid JSON document. The zero value of at is its beginning.
type scanner struct {
	raw []byte
	at  int
}

// next skips white space and returns the byte that follows.
func (s *scanner) next() byte {
	for s.raw[s.at] == ' ' || s.raw[s.at] == '\t' || s.raw[s.at] == '\n' || s.raw[s.at] == '\r' {
		s.at++
	}
	return s.raw[s.at]
}

// value returns the value that begins here and moves behind it.
func (s *scanner) value() json.RawMessage {
	from, depth := s.at, 0
	for ; s.at < len(s.raw); s.at++ {
		switch c := s.raw[s.at]; c {
		case '"':
			for s.at++; s.raw[s.at] != '"'; s.at++ {
				if s.raw[s.at] == '\\' {
					s.at++
				}
			}
			if depth == 0 {
				s.at++
				return s.raw[from:s.at]
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // end of the enclosing value
				return s.raw[from:s.at]
			}
			if depth--; depth == 0 {
				s.at++
				return s.raw[from:s.at]
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return s.raw[from:s.at]
			}
		}
	}
	return s.raw[from:]
}

// textOf decodes a JSON string.
func textOf(raw json.RawMessage) (s string, err error) {
	if len(raw) >= 2 && raw[0] == '"' {
		plain := true
		for _, c := range raw {
			plain = plain && c != '\\' && c < 0x80
		}
		if plain {
			return string(raw[1 : len(raw)-1]), nil
		}
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}

// into decodes the value at key into v.
func (in input) into(key string, v any) error {
	if raw, ok := in[key]; ok && json.Unmarshal(raw, v) != nil {
		return fmt.Errorf("the value of %q in the tool's input can't be read", key)
	}
	return nil
}

// texts returns the list of strings at key; none if the key is missing or null.
func (in input) texts(key string) (list []string, err error) { return list, in.into(key, &list) }

// text returns the string at key; ok is false if the key is missing or null. A value of
// another type is an error.
func (in input) text(key string) (s string, ok bool, err error) {
	raw, ok := in[key]
	if !ok || string(raw) == "null" {
		return "", false, nil
	}
	if s, err = textOf(raw); err != nil {
		return "", true, fmt.Errorf("the value of %q in the tool's input is no text", key)
	}
	return s, true, nil
}
