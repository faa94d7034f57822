// Package jsonscan reads single values out of JSON text without decoding the rest. It is
// for long files of foreign lines of which a fraction is needed: a value that is skipped
// costs a search for its end.
//
// Contract: pure, and tolerant. It never fails on malformed text: what has no end, or no
// member, is not found. For well-formed JSON it finds what encoding/json does (fuzzed).
// Slices that it returns alias the input.
package jsonscan

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Members iterates over the members of an object, or the elements of an array, in the
// order of the text. The zero value has none.
type Members struct {
	data  []byte
	pos   int
	array bool
	// Key is the name of the current member, as it is written; nil in arrays.
	Key []byte
	// Value is the text of the current value.
	Value []byte
}

// Object returns the members of the object that data is; of anything else none.
func Object(data []byte) Members { return begin(data, '{') }

// Array returns the elements of the array that data is; of anything else none.
func Array(data []byte) Members { return begin(data, '[') }

func begin(data []byte, open byte) Members {
	i := space(data, 0)
	if i >= len(data) || data[i] != open {
		return Members{}
	}
	return Members{data: data, pos: i + 1, array: open == '['}
}

// Next moves on to the next member; false at the end, or where the text is malformed.
func (m *Members) Next() bool {
	i := space(m.data, m.pos)
	if i < len(m.data) && m.data[i] == ',' {
		i = space(m.data, i+1)
	}
	if i >= len(m.data) || m.data[i] == '}' || m.data[i] == ']' {
		return m.end()
	}
	if !m.array {
		end := stringEnd(m.data, i)
		if end < 0 {
			return m.end()
		}
		m.Key = m.data[i+1 : end-1]
		if i = space(m.data, end); i >= len(m.data) || m.data[i] != ':' {
			return m.end()
		}
		i = space(m.data, i+1)
	}
	end := valueEnd(m.data, i)
	if end <= i {
		return m.end()
	}
	m.Value, m.pos = m.data[i:end], end
	return true
}

func (m *Members) end() bool {
	*m = Members{}
	return false
}

// Get returns the value of the object's last member of that name; nil without one.
func Get(object []byte, key string) (value []byte) {
	for m := Object(object); m.Next(); {
		if string(m.Key) == key {
			value = m.Value
		}
	}
	return value
}

// Whole reports whether data is one value and nothing but space after it.
func Whole(data []byte) bool {
	i := space(data, 0)
	end := valueEnd(data, i)
	return end > i && space(data, end) == len(data)
}

func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the position after the string that begins at i; -1: there is none, or
// it does not end.
func stringEnd(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	begin := i + 1
	for at := begin; ; {
		n := bytes.IndexByte(data[at:], '"')
		if n < 0 {
			return -1
		}
		quote, slashes := at+n, 0
		for quote-slashes > begin && data[quote-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return quote + 1
		}
		at = quote + 1
	}
}

// valueEnd returns the position after the value that begins at i; -1 if it does not end.
func valueEnd(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
		return nestedEnd(data, i)
	}
	for i < len(data) && !structural[data[i]] {
		i++
	}
	return i
}

// structural are the bytes at which a number or word ends.
var structural = [256]bool{',': true, ']': true, '}': true, ':': true, '"': true, ' ': true, '\t': true, '\n': true, '\r': true}

// nestedEnd is valueEnd for objects and arrays. It does not recurse, so depth costs
// nothing.
func nestedEnd(data []byte, i int) int {
	for depth := 0; i < len(data); {
		switch data[i] {
		case '"':
			if i = stringEnd(data, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// Text returns the text of a JSON string, at most limit bytes of it (cut between
// characters), valid UTF-8; cut counts the bytes of its JSON text that were left out.
// Of anything but a string it returns "".
func Text(value []byte, limit int) (text string, cut int) {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", 0
	}
	in := value[1 : len(value)-1]
	if !utf8.Valid(in) {
		in = []byte(string([]rune(string(in)))) // U+FFFD for each invalid byte
	}
	if len(in) <= limit && bytes.IndexByte(in, '\\') < 0 {
		return string(in), 0
	}
	out := make([]byte, 0, min(len(in), limit))
	for len(in) > 0 {
		// Up to the next escape in one piece.
		run := bytes.IndexByte(in, '\\')
		if run < 0 {
			run = len(in)
		}
		if room := limit - len(out); run > room {
			return string(append(out, in[:back(in, room)]...)), len(in) - back(in, room)
		}
		out = append(out, in[:run]...)
		if in = in[run:]; len(in) == 0 {
			break
		}
		r, n := escape(in)
		if len(out)+utf8.RuneLen(r) > limit {
			return string(out), len(in)
		}
		out, in = utf8.AppendRune(out, r), in[n:]
	}
	return string(out), 0
}

// back moves a cut to the beginning of the character that it is in.
func back(in []byte, at int) int {
	for n := 0; n < utf8.UTFMax && at > 0 && !utf8.RuneStart(in[at]); n++ {
		at--
	}
	return at
}

// escape reads the escape sequence at the beginning of in, which is a backslash; n is its
// length. A malformed one is U+FFFD.
func escape(in []byte) (r rune, n int) {
	if len(in) < 2 {
		return utf8.RuneError, len(in)
	}
	switch in[1] {
	case '"', '\\', '/':
		return rune(in[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		first, ok := hex4(in[2:])
		if !ok {
			return utf8.RuneError, 2
		}
		if !utf16.IsSurrogate(first) {
			return first, 6
		}
		if len(in) >= 12 && in[6] == '\\' && in[7] == 'u' {
			if second, ok := hex4(in[8:]); ok {
				if both := utf16.DecodeRune(first, second); both != utf8.RuneError {
					return both, 12
				}
			}
		}
		return utf8.RuneError, 6
	}
	_, size := utf8.DecodeRune(in[1:])
	return utf8.RuneError, 1 + size
}

func hex4(in []byte) (rune, bool) {
	if len(in) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(in[:4]), 16, 16)
	return rune(n), err == nil
}

// Int returns the integer that value is; 0 for anything else.
func Int(value []byte) int64 {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// True reports whether value is true.
func True(value []byte) bool { return string(value) == "true" }
