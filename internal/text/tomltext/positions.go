package tomltext

import (
	"bytes"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Position is a place in a file. Line and Col count from 1, Col in bytes.
type Position struct{ Line, Col int }

// Positions maps the path of each value in a TOML file (joined by NUL) to where it
// begins. Elements of arrays and of [[tables]] have their index as name. An array
// within an array has no position of its own.
type Positions map[string]place

// place is where a value, a table or its header begins.
type place struct {
	Position
	offset int // in bytes
	// length of a string with its quotes, in bytes; 0 for other values.
	length int
	// header: it is a [table] header of exactly this path.
	header bool
}

// At returns the position of the value, or of the nearest one around it; 1:1 if none is
// known.
func (x Positions) At(path ...string) Position {
	for n := len(path); n > 0; n-- {
		if p, ok := x[join(path[:n])]; ok {
			return p.Position
		}
	}
	return Position{1, 1}
}

// Line is At's line, 0 if nothing around the value is known.
func (x Positions) Line(path ...string) int {
	for n := len(path); n > 0; n-- {
		if p, ok := x[join(path[:n])]; ok {
			return p.Line
		}
	}
	return 0
}

func join(path []string) string { return strings.Join(path, "\x00") }

// lines are the offsets at which lines begin.
type lines []int

func newLines(data []byte) lines {
	l := lines{0}
	for i, c := range data {
		if c == '\n' {
			l = append(l, i+1)
		}
	}
	return l
}

func (l lines) position(offset int) Position {
	n := sort.SearchInts(l, offset+1)
	return Position{n, offset - l[n-1] + 1}
}

// maxPath is how deep values are recorded; deeper ones have the position of the value
// around them.
const maxPath = 32

// scanner records the positions of one text.
type scanner struct {
	data  []byte
	lines lines
	found Positions
	// elements counts those of each [[table]], by path.
	elements map[string]int
}

// scan finds where values begin. The decoder tells positions of errors only, so
// the text is parsed a second time.
func scan(text string) Positions {
	data := withoutMark(text)
	s := scanner{data: data, lines: newLines(data), found: Positions{}, elements: map[string]int{}}
	var p unstable.Parser
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.KeyValue {
			s.keyValue(e, table)
		} else {
			table = s.header(e)
		}
	}
	return s.found
}

// note records a position, also for the tables around the value that have none.
func (s *scanner) note(path []string, at place) {
	if len(path) > maxPath {
		return
	}
	at.Position = s.lines.position(at.offset)
	for n := 1; n < len(path); n++ {
		if _, known := s.found[join(path[:n])]; !known {
			s.found[join(path[:n])] = place{Position: at.Position, offset: at.offset}
		}
	}
	s.found[join(path)] = at
}

// key reads the key of an expression and appends it to path. begin and end are
// its offsets.
func key(e *unstable.Node, path []string) (full []string, begin, end int) {
	full, begin = path[:len(path):len(path)], -1
	for it := e.Key(); it.Next(); {
		raw := it.Node().Raw
		if begin < 0 {
			begin = int(raw.Offset)
		}
		end = int(raw.Offset + raw.Length)
		full = append(full, string(it.Node().Data))
	}
	return full, begin, end
}

// header records a [table] or [[table]], and returns its path: elements of [[tables]]
// on it have their index.
func (s *scanner) header(e *unstable.Node) (path []string) {
	names, begin, _ := key(e, nil)
	at := place{offset: bytes.LastIndexByte(s.data[:begin], '[')}
	list := e.Kind == unstable.ArrayTable
	if list {
		at.offset--
	}
	for i, name := range names {
		path = append(path, name)
		n, isList := s.elements[join(path)]
		switch {
		case i == len(names)-1 && list:
			s.elements[join(path)] = n + 1
			path = append(path, strconv.Itoa(n))
		case isList:
			path = append(path, strconv.Itoa(n-1))
		}
	}
	at.header = !list
	s.note(path, at)
	return path
}

// keyValue records key = value of a table or of an inline table.
func (s *scanner) keyValue(e *unstable.Node, table []string) {
	path, begin, end := key(e, table)
	s.note(path, place{offset: begin})
	rest := bytes.TrimLeft(s.data[end:], " \t")
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("=")), " \t")
	s.value(e.Value(), path, len(s.data)-len(rest))
}

// value records a value and the values in it.
func (s *scanner) value(n *unstable.Node, path []string, offset int) {
	at := place{offset: offset}
	if n.Kind == unstable.String {
		at.length = int(n.Raw.Length)
	}
	s.note(path, at)
	if len(path) >= maxPath {
		return
	}
	switch it := n.Children(); n.Kind {
	case unstable.Array:
		for i := 0; it.Next(); i++ {
			if child := it.Node(); child.Raw.Length > 0 {
				s.value(child, append(path[:len(path):len(path)], strconv.Itoa(i)), int(child.Raw.Offset))
			}
		}
	case unstable.InlineTable:
		for it.Next() {
			s.keyValue(it.Node(), path)
		}
	}
}
