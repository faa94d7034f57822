package usersettings

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// kind of a JSON value.
type kind = hujson.Kind

const (
	kindObject kind = '{'
	kindArray  kind = '['
)

const (
	// maxDepth bounds the nesting of values.
	maxDepth = 200
	// maxLists bounds the objects and arrays of a file: hujson recurses into nested
	// ones without a bound.
	maxLists = 100_000
)

// node is a JSON value with its position in the text.
type node struct {
	kind       kind
	start, end int // text[start:end] is the value
	// members of an object or array, in order.
	members []member
	// comma: a comma follows the last member.
	comma bool
	value hujson.Value
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
// are byte offsets into text; those of comments don't include
// the line end.
func parse(text string) (n node, comments []span, err error) {
	if !utf8.ValidString(text) {
		return n, nil, errors.New("it is not UTF-8")
	}
	if strings.Count(text, "{")+strings.Count(text, "[") > maxLists {
		return n, nil, fmt.Errorf("it has more than %d lists and objects", maxLists)
	}
	// hujson accepts no byte order mark, and wants a line end after every // comment.
	mark := bom(text)
	v, err := hujson.Parse([]byte(strings.Repeat(" ", len(mark)) + text[len(mark):] + "\n"))
	if err != nil {
		// An invalid literal is quoted whole: it may be long, or a secret.
		message, _, literal := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), " literal: ")
		if literal {
			message += " value"
		}
		return n, nil, errors.New(message)
	}
	if n, err = newNode(v, 0); err != nil {
		return n, nil, err
	}
	for v := range v.All() {
		comments = appendComments(comments, v.BeforeExtra, v.StartOffset-len(v.BeforeExtra))
		comments = appendComments(comments, v.AfterExtra, v.EndOffset)
		switch list := v.Value.(type) {
		case *hujson.Object:
			comments = appendComments(comments, list.AfterExtra, v.EndOffset-1-len(list.AfterExtra))
		case *hujson.Array:
			comments = appendComments(comments, list.AfterExtra, v.EndOffset-1-len(list.AfterExtra))
		}
	}
	return n, comments, nil
}

// appendComments appends the comments in the space between values, which begins at
// offset at.
func appendComments(comments []span, space hujson.Extra, at int) []span {
	for rest := string(space); ; {
		n := strings.IndexByte(rest, '/')
		if n < 0 {
			return comments
		}
		at, rest = at+n, rest[n:]
		if strings.HasPrefix(rest, "//") {
			n = strings.IndexByte(rest, '\n')
		} else {
			n = 2 + strings.Index(rest[2:], "*/") + 2
		}
		comments = append(comments, span{at, n})
		at, rest = at+n, rest[n:]
	}
}

// newNode computes the positions of a value's members.
func newNode(v hujson.Value, depth int) (n node, err error) {
	if depth > maxDepth {
		return n, errors.New("values are nested too deep")
	}
	n = node{kind: v.Value.Kind(), start: v.StartOffset, end: v.EndOffset, value: v}
	add := func(key string, start int, v hujson.Value, last bool) {
		m := member{key: key, keyStart: start, comma: -1}
		if err == nil {
			m.value, err = newNode(v, depth+1)
		}
		if n.comma = !last || v.AfterExtra != nil; n.comma { // Pack uses the same condition
			m.comma = v.EndOffset + len(v.AfterExtra)
		}
		n.members = append(n.members, m)
	}
	switch list := v.Value.(type) {
	case *hujson.Object:
		for i, m := range list.Members {
			add(m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value, i == len(list.Members)-1)
		}
	case *hujson.Array:
		for i, v := range list.Elements {
			add("", v.StartOffset, v, i == len(list.Elements)-1)
		}
	}
	return n, err
}

// decode returns the value as encoding/json reads it, without comments and
// trailing commas.
func (n *node) decode() (v any, err error) {
	plain := n.value.Clone()
	plain.Standardize()
	err = json.Unmarshal(plain.Pack(), &v)
	return v, err
}

// bom is the byte order mark that text begins with, or "".
func bom(text string) string {
	const mark = "\ufeff"
	if strings.HasPrefix(text, mark) {
		return mark
	}
	return ""
}
