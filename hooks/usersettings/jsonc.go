package usersettings

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind of a JSON value.
type kind byte

const (
	kindObject kind = '{'
	kindArray  kind = '['
	kindString kind = '"'
	kindOther  kind = '0' // numbers, true, false, null
)

// maxDepth bounds the nesting of values.
const maxDepth = 200

// node is a JSON value with its place in the text.
type node struct {
	kind       kind
	start, end int // text[start:end] is the value
	// members of an object or array, in order.
	members []member
	// comma: a comma follows the last member.
	comma bool
}

// member is one member of an object, or one element of an array.
type member struct {
	key      string // decoded; objects only
	keyStart int    // where the member begins: its key, or the value
	value    node
	// comma is the position of the comma after the member, -1 if there is none.
	comma int
}

// find returns the member of that name; duplicates is how many there are.
func (n *node) find(key string) (m *member, duplicates int) {
	for i := range n.members {
		if n.members[i].key == key {
			m = &n.members[i]
			duplicates++
		}
	}
	return m, duplicates
}

// parse reads JSON with comments (// and /* */) and trailing commas. Positions
// are byte offsets into text. What strict JSON allows is read as by
// encoding/json. comments are in order.
func parse(text string) (n node, comments []span, err error) {
	p := parser{text: text, pos: len(bom(text))}
	if !utf8.ValidString(text) {
		return n, nil, errors.New("it is not UTF-8")
	}
	if err = p.space(); err == nil {
		n, err = p.value(0)
	}
	if err == nil {
		err = p.space()
	}
	if err == nil && p.pos < len(text) {
		err = p.errorf("unexpected text after the end")
	}
	return n, p.comments, err
}

// bom is the byte order mark that text begins with, or "".
func bom(text string) string {
	const mark = "\ufeff"
	if strings.HasPrefix(text, mark) {
		return mark
	}
	return ""
}

type parser struct {
	text     string
	pos      int
	comments []span
}

func (p *parser) errorf(format string, args ...any) error {
	line := 1 + strings.Count(p.text[:p.pos], "\n")
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// space skips white space and comments.
func (p *parser) space() error {
	for p.pos < len(p.text) {
		switch rest := p.text[p.pos:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.pos++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			p.comments = append(p.comments, span{p.pos, n})
			p.pos += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return p.errorf("a comment is not closed")
			}
			p.comments = append(p.comments, span{p.pos, n + 4})
			p.pos += n + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, p.errorf("values are nested too deep")
	}
	start := p.pos
	switch c := p.peek(); {
	case c == '{' || c == '[':
		return p.list(depth)
	case c == '"':
		_, err := p.str()
		return node{kind: kindString, start: start, end: p.pos}, err
	case c == 0 && p.pos == len(p.text):
		return node{}, p.errorf("unexpected end")
	}
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n,]}:/\"", p.text[p.pos]) < 0 {
		p.pos++
	}
	word := p.text[start:p.pos]
	if word == "" || !json.Valid([]byte(word)) {
		p.pos = start
		return node{}, p.errorf("a value was expected")
	}
	return node{kind: kindOther, start: start, end: p.pos}, nil
}

// str reads a string and returns what it means.
func (p *parser) str() (string, error) {
	start := p.pos
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch p.text[p.pos] {
		case '\\':
			p.pos++
		case '"':
			p.pos++
			var s string
			if json.Unmarshal([]byte(p.text[start:p.pos]), &s) != nil {
				p.pos = start
				return "", p.errorf("a string is malformed")
			}
			return s, nil
		}
	}
	p.pos = start
	return "", p.errorf("a string is not closed")
}

// list reads an object or an array.
func (p *parser) list(depth int) (node, error) {
	n := node{kind: kind(p.peek()), start: p.pos}
	closing := byte(']')
	if n.kind == kindObject {
		closing = '}'
	}
	p.pos++
	for {
		if err := p.space(); err != nil {
			return n, err
		}
		if p.peek() == closing {
			p.pos++
			n.end = p.pos
			return n, nil
		}
		if len(n.members) > 0 && !n.comma {
			return n, p.errorf("a comma or %q was expected", closing)
		}
		m := member{keyStart: p.pos, comma: -1}
		var err error
		if n.kind == kindObject {
			if m.key, err = p.key(); err != nil {
				return n, err
			}
		}
		if m.value, err = p.value(depth + 1); err != nil {
			return n, err
		}
		if err := p.space(); err != nil {
			return n, err
		}
		if n.comma = p.peek() == ','; n.comma {
			m.comma = p.pos
			p.pos++
		}
		n.members = append(n.members, m)
	}
}

// key reads a member's name and the colon after it.
func (p *parser) key() (string, error) {
	if p.peek() != '"' {
		return "", p.errorf("a name in quotes was expected")
	}
	key, err := p.str()
	if err != nil {
		return "", err
	}
	if err := p.space(); err != nil {
		return "", err
	}
	if p.peek() != ':' {
		return "", p.errorf("a colon was expected after %.40q", key)
	}
	p.pos++
	return key, p.space()
}

// decode returns the value of n as encoding/json would read it, without
// comments and trailing commas.
func (n *node) decode(text string) (any, error) {
	switch n.kind {
	case kindObject:
		out := map[string]any{}
		for i := range n.members {
			v, err := n.members[i].value.decode(text)
			if err != nil {
				return nil, err
			}
			out[n.members[i].key] = v
		}
		return out, nil
	case kindArray:
		out := make([]any, 0, len(n.members))
		for i := range n.members {
			v, err := n.members[i].value.decode(text)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	var v any
	err := json.Unmarshal([]byte(text[n.start:n.end]), &v)
	return v, err
}
