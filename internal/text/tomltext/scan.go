// Package tomltext finds where values begin in the text of a TOML file, and
// edits such a text in one place: everything else stays as it was, comments
// included.
//
// Contract: the text is valid TOML, which the caller has decoded already; for
// other texts results are of no use, and nothing panics.
package tomltext

import (
	"strconv"
	"strings"
)

// Position is a place in a file. Line and Col count from 1, Col in bytes.
type Position struct{ Line, Col int }

// Positions maps the path of each value in a TOML file (joined by NUL) to where
// it begins. Elements of arrays and of [[tables]] have their index as name. The
// TOML decoder tells positions of syntax errors only, so the file is scanned
// once more; it is known to be valid TOML by then.
type Positions map[string]Position

// At returns the place of the value, or that of the nearest one around it.
func (x Positions) At(path ...string) Position {
	for n := len(path); n > 0; n-- {
		if p, ok := x[strings.Join(path[:n], "\x00")]; ok {
			return p
		}
	}
	return Position{1, 1}
}

// Line is At's line, 0 if nothing around the value is known.
func (x Positions) Line(path ...string) int {
	for n := len(path); n > 0; n-- {
		if p, ok := x[strings.Join(path[:n], "\x00")]; ok {
			return p.Line
		}
	}
	return 0
}

// Scan finds where values begin.
func Scan(text string) Positions {
	s := scanner{text: text, line: 1, found: Positions{}}
	counts := map[string]int{}
	var table []string
	for s.skipBlank() {
		at := s.here()
		if s.peek() != '[' {
			path := s.key(table)
			s.found.note(path, at)
			s.value(path)
			continue
		}
		s.pos++
		list := s.peek() == '['
		if list {
			s.pos++
		}
		table = s.resolve(s.key(nil), counts, list)
		s.found.note(table, at)
		s.restOfLine()
	}
	return s.found
}

// note keeps a place, and gives it to the tables around it that have none.
func (x Positions) note(path []string, at Position) {
	path = path[:min(len(path), maxPath)]
	for n := 1; n <= len(path); n++ {
		key := strings.Join(path[:n], "\x00")
		if _, known := x[key]; !known || n == len(path) {
			x[key] = at
		}
	}
}

// scanner walks over valid TOML.
type scanner struct {
	text  string
	pos   int
	line  int
	start int // offset of the line
	found Positions
}

func (s *scanner) here() Position { return Position{s.line, s.pos - s.start + 1} }

func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// next moves over one byte.
func (s *scanner) next() {
	if s.peek() == '\n' {
		s.line++
		s.start = s.pos + 1
	}
	s.pos++
}

// skipBlank moves over white space, line ends, commas and comments; false at
// the end.
func (s *scanner) skipBlank() bool {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\n', ' ', '\t', '\r', ',':
			s.next()
		case '#':
			s.restOfLine()
		default:
			return true
		}
	}
	return false
}

func (s *scanner) restOfLine() {
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		s.pos++
	}
}

// resolve gives the elements of arrays of tables on a table's path their index.
func (s *scanner) resolve(path []string, counts map[string]int, list bool) []string {
	var out []string
	for i, part := range path {
		out = append(out, part)
		name := strings.Join(out, "\x00")
		n, isList := counts[name]
		switch {
		case i == len(path)-1 && list:
			s.found.note(out, s.here())
			out = append(out, strconv.Itoa(n))
			counts[name] = n + 1
		case isList:
			out = append(out, strconv.Itoa(n-1))
		}
	}
	return out
}

// key reads a dotted key up to "=" or "]" and appends it to table.
func (s *scanner) key(table []string) []string {
	path := append([]string(nil), table...)
	var part strings.Builder
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch c {
		case '=', ']':
			s.pos++
			return append(path, part.String())
		case '.':
			s.pos++
			path = append(path, part.String())
			part.Reset()
		case '"', '\'':
			part.WriteString(s.str())
		case ' ', '\t', '\r':
			s.pos++
		default:
			s.next()
			part.WriteByte(c)
		}
	}
	return append(path, part.String())
}

// maxPath is how deep values are noted; what lies deeper is only moved over.
const maxPath = 32

// in is the path of an element, or path itself where it is deep enough.
func in(path []string, name string) []string {
	if len(path) >= maxPath {
		return path
	}
	return append(path[:len(path):len(path)], name)
}

// value moves over a value and notes it and what is in it.
func (s *scanner) value(path []string) {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.pos++
	}
	s.found.note(path, s.here())
	switch s.peek() {
	case '"', '\'':
		s.str()
	case '[':
		s.pos++
		for i := 0; s.skipBlank() && s.peek() != ']'; i++ {
			before := s.pos
			s.value(in(path, strconv.Itoa(i)))
			if s.pos == before {
				s.next() // no TOML: a value has at least one byte
			}
		}
		s.pos++
	case '{':
		s.pos++
		for s.skipBlank() && s.peek() != '}' {
			s.value(s.key(path[:min(len(path), maxPath)]))
		}
		s.pos++
	default:
		for s.pos < len(s.text) && !strings.ContainsRune(",]}\n#", rune(s.text[s.pos])) {
			s.pos++
		}
	}
}

// str moves over a string in any of TOML's four forms and returns what is
// between the quotes, escapes as they are written.
func (s *scanner) str() string {
	quote := s.peek()
	end := strings.Repeat(string(quote), 3)
	if !strings.HasPrefix(s.text[s.pos:], end) {
		end = string(quote)
	}
	s.pos += len(end)
	begin := s.pos
	for s.pos < len(s.text) && !strings.HasPrefix(s.text[s.pos:], end) {
		if quote == '"' && s.text[s.pos] == '\\' {
			s.pos++
		}
		s.next()
	}
	inside := s.text[min(begin, len(s.text)):min(s.pos, len(s.text))]
	s.pos = min(s.pos+len(end), len(s.text))
	for len(end) == 3 && s.peek() == quote { // """a"""" ends with a quote of its own
		s.pos++
	}
	return inside
}
