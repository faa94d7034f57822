package config

import (
	"strconv"
	"strings"
)

// lineIndex maps the path of each key in a TOML file (joined by NUL) to its
// line. The TOML decoder tells lines of syntax errors only, so the file is
// scanned once more; it is known to be valid TOML by then.
type lineIndex map[string]int

// line returns the line of the key, or that of the nearest table around it.
func (x lineIndex) line(path ...string) int {
	for n := len(path); n > 0; n-- {
		if at, ok := x[strings.Join(path[:n], "\x00")]; ok {
			return at
		}
	}
	return 0
}

// indexLines finds where keys and tables begin. Elements of [[x]] are x, 0; x,
// 1; and so on. Keys inside inline tables have the line of the table.
func indexLines(text string) lineIndex {
	index := lineIndex{}
	counts := map[string]int{}
	var table []string
	s := scanner{text: text, line: 1}
	for s.skipBlank() {
		at := s.line
		if s.peek() != '[' {
			path := append(append([]string(nil), table...), s.key()...)
			index.add(path, at)
			s.value()
			continue
		}
		s.pos++
		list := s.peek() == '['
		if list {
			s.pos++
		}
		table = s.key()
		if list {
			name := strings.Join(table, "\x00")
			index.add(table, at)
			table = append(table, strconv.Itoa(counts[name]))
			counts[name]++
		}
		index.add(table, at)
		s.restOfLine()
	}
	return index
}

// add notes a path, and the tables around it where nothing noted them before.
func (x lineIndex) add(path []string, line int) {
	for n := 1; n <= len(path); n++ {
		key := strings.Join(path[:n], "\x00")
		if _, known := x[key]; !known || n == len(path) {
			x[key] = line
		}
	}
}

// scanner walks over valid TOML.
type scanner struct {
	text string
	pos  int
	line int
}

func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// skipBlank moves to the next key or table; false at the end.
func (s *scanner) skipBlank() bool {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '\n':
			s.line++
			s.pos++
		case ' ', '\t', '\r':
			s.pos++
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

// key reads a dotted key up to "=" or "]".
func (s *scanner) key() []string {
	var path []string
	var part strings.Builder
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		s.pos++
		switch c {
		case '=', ']', '\n':
			return append(path, part.String())
		case '.':
			path = append(path, part.String())
			part.Reset()
		case '"', '\'':
			for s.pos < len(s.text) && s.text[s.pos] != c {
				if c == '"' && s.text[s.pos] == '\\' {
					s.pos++
				}
				if s.pos < len(s.text) {
					part.WriteByte(s.text[s.pos])
				}
				s.pos++
			}
			s.pos++
		case ' ', '\t', '\r':
		default:
			part.WriteByte(c)
		}
	}
	return append(path, part.String())
}

// value skips a value: to the end of its line, or further when strings,
// brackets or braces go on.
func (s *scanner) value() {
	depth := 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '"', '\'':
			s.quoted(c)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			s.restOfLine()
			continue
		case '\n':
			if depth <= 0 {
				return
			}
			s.line++
		}
		s.pos++
	}
}

// quoted skips a string in any of TOML's four forms.
func (s *scanner) quoted(quote byte) {
	end := strings.Repeat(string(quote), 3)
	if !strings.HasPrefix(s.text[s.pos:], end) {
		end = string(quote)
	}
	s.pos += len(end)
	for s.pos < len(s.text) && !strings.HasPrefix(s.text[s.pos:], end) {
		if quote == '"' && s.text[s.pos] == '\\' {
			s.pos++
		}
		if s.peek() == '\n' {
			s.line++
		}
		s.pos++
	}
	s.pos += len(end)
}
