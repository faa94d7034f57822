package shell

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"ccdir/policy/glob"
)

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// carriageReturn replaces carriage returns before parsing. For a shell they are ordinary
// characters. The parser takes them for blanks, and one between a backslash and a line break
// for nothing.
const carriageReturn = "\ue00d"

// Parse parses a bash script. It refuses scripts that shells could read in different ways.
func Parse(src string) (*syntax.File, error) {
	switch {
	case len(src) > maxCommand:
		return nil, errTooBig
	case strings.Contains(src, glob.Wild):
		return nil, errors.New("contains a NUL")
	case !nestingOK(src):
		return nil, errTooBig
	case strings.Contains(src, "$\\\n"):
		// A shell joins "$" with the first character of the next line, also in double quotes.
		// The parser reads a lone "$".
		return nil, errors.New("continues a line within an expansion")
	}
	src = strings.ReplaceAll(src, "\r", carriageReturn)
	p := parsers.Get().(*syntax.Parser)
	defer parsers.Put(p)
	if strings.IndexByte(src, '#') >= 0 && strings.Contains(src, "\\\n") {
		src = endComments(src)
	}
	f, err := p.Parse(strings.NewReader(src), "")
	if err != nil {
		return nil, fmt.Errorf("does not parse as a shell command: %w", err)
	}
	return f, shellsDisagree(f, src)
}

// endComments ends comments where a shell does: at the end of their line. The parser takes a
// backslash there for a continuation, and the next line for words. Up to the first such
// comment parser and shell agree, so each pass finds one.
func endComments(src string) string {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	out := []byte(src)
	for from := 0; ; {
		f, _ := p.Parse(bytes.NewReader(out), "") // of a faulty script, what was read
		if f == nil {
			return string(out)
		}
		at := -1
		syntax.Walk(f, func(n syntax.Node) bool {
			c, ok := n.(*syntax.Comment)
			if !ok {
				return true
			}
			begin := int(c.Pos().Offset())
			if begin < from || begin >= len(out) {
				return true
			}
			end := bytes.IndexByte(out[begin:], '\n')
			if end > 0 && out[begin+end-1] == '\\' && (at < 0 || begin+end-1 < at) {
				at = begin + end - 1
			}
			return true
		})
		if at < 0 {
			return string(out)
		}
		out[at], from = ' ', at
	}
}

// nestingOK bounds the recursion of the parser.
func nestingOK(src string) bool {
	if len(src) < 1000 {
		return true
	}
	return strings.Count(src, "(")+strings.Count(src, "{")+strings.Count(src, "`")+strings.Count(src, "if")+
		strings.Count(src, "!")+strings.Count(src, "do") < 4000
}
