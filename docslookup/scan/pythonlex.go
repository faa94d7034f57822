package scan

import (
	"bytes"
	"strings"
)

// pyLine is a logical line of Python: a statement, or the header of a block.
type pyLine struct {
	indent int
	line   int
	text   string
	// isString: it is a string and nothing else; value is its first literal.
	isString bool
	value    string
	// comment has the lines "#:" before it, which document a name.
	comment string
}

// maxLogical bounds a logical line, in bytes.
const maxLogical = 256 << 10

// pyLexer cuts a text into logical lines.
type pyLexer struct {
	text []byte
	pos  int
	line int
}

// next returns the next logical line that is not empty.
func (x *pyLexer) next() (l pyLine, ok bool) {
	for x.pos < len(x.text) {
		indent := 0
		for ; x.pos < len(x.text); x.pos++ {
			if c := x.text[x.pos]; c == '\t' {
				indent = indent/8*8 + 8
			} else if c == ' ' {
				indent++
			} else if c != '\f' {
				break
			}
		}
		if x.pos == len(x.text) {
			break
		}
		switch x.text[x.pos] {
		case '\n', '\r':
			x.endLine()
			l.comment = ""
			continue
		case '#':
			if rest := x.restOfLine(); strings.HasPrefix(rest, "#:") {
				l.comment = strings.TrimSpace(l.comment + "\n" + strings.TrimSpace(rest[2:]))
			}
			x.endLine()
			continue
		}
		l.indent, l.line = indent, x.line
		x.logical(&l)
		return l, true
	}
	return l, false
}

func (x *pyLexer) restOfLine() string {
	end := bytes.IndexByte(x.text[x.pos:], '\n')
	if end < 0 {
		end = len(x.text) - x.pos
	}
	return string(x.text[x.pos : x.pos+end])
}

func (x *pyLexer) endLine() {
	if i := bytes.IndexByte(x.text[x.pos:], '\n'); i >= 0 {
		x.pos += i + 1
		x.line++
	} else {
		x.pos = len(x.text)
	}
}

// logical reads to the end of a statement: a line break outside of brackets and strings.
func (x *pyLexer) logical(l *pyLine) {
	start, depth, others := x.pos, 0, false
	for x.pos < len(x.text) {
		c := x.text[x.pos]
		switch {
		case c == '\n':
			x.line++
			x.pos++
			if depth <= 0 {
				l.text = strings.TrimSpace(Shorten(string(x.text[start:x.pos-1]), maxLogical))
				l.isString = l.isString && !others
				return
			}
			continue
		case c == '\\' && x.pos+1 < len(x.text):
			if x.text[x.pos+1] == '\n' {
				x.line++
			}
			x.pos += 2
			continue
		case c == '#':
			x.pos += len(x.restOfLine())
			continue
		case c == '"' || c == '\'':
			value := x.quoted(c)
			if !l.isString && !others {
				l.isString, l.value = true, value
			}
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		if c != ' ' && c != '\t' && c != '\r' && !x.prefix() {
			others = true
		}
		x.pos++
	}
	l.text = strings.TrimSpace(Shorten(string(x.text[start:]), maxLogical))
	l.isString = l.isString && !others
}

// prefix reports whether the letter here belongs to a string: r, b, f or u, or two of them.
func (x *pyLexer) prefix() bool {
	for i := x.pos; i < len(x.text) && i < x.pos+3; i++ {
		switch c := x.text[i]; {
		case c == '"' || c == '\'':
			return i > x.pos
		case !strings.ContainsRune("rRbBfFuU", rune(c)):
			return false
		}
	}
	return false
}

// quoted goes behind a string and returns what is in it.
func (x *pyLexer) quoted(quote byte) string {
	end := []byte{quote}
	if triple := []byte{quote, quote, quote}; bytes.HasPrefix(x.text[x.pos:], triple) {
		end = triple
	}
	x.pos += len(end)
	start := x.pos
	for x.pos < len(x.text) {
		switch c := x.text[x.pos]; {
		case c == '\\' && x.pos+1 < len(x.text):
			if x.text[x.pos+1] == '\n' {
				x.line++
			}
			x.pos++
		case c == '\n' && len(end) == 1:
			return string(x.text[start:x.pos]) // it ends with the line
		case c == '\n':
			x.line++
		case bytes.HasPrefix(x.text[x.pos:], end):
			value := x.text[start:x.pos]
			x.pos += len(end)
			return string(value[:min(len(value), 4*maxText)])
		}
		x.pos++
	}
	return string(x.text[start:min(len(x.text), start+4*maxText)])
}
