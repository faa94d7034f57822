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

// carriageReturn stands for a carriage return in what is parsed. A shell takes that
// for a letter like any other; the parser for a blank, and "\\\r\n" for a continued
// line.
const carriageReturn = "\ue00d"

// parse parses src as a script of bash.
func Parse(src string) (*syntax.File, error) {
	switch {
	case len(src) > maxCommand:
		return nil, errTooBig
	case strings.Contains(src, glob.Wild):
		return nil, errors.New("contains a NUL")
	case !nestingOK(src):
		return nil, errTooBig
	case strings.Contains(src, "$\\\n"):
		// For a shell this is "$" and what the next line begins with, also in
		// double quotes; for the parser a lone "$".
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

// endComments makes comments end where they do for a shell: at the end of their
// line. The parser takes a backslash there for a continuation, and what follows for
// words. Up to the first such comment it reads what a shell does, so that one is
// found; then the next.
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

// nestingOK bounds how deep the parser can recurse.
func nestingOK(src string) bool {
	if len(src) < 1000 {
		return true
	}
	return strings.Count(src, "(")+strings.Count(src, "{")+strings.Count(src, "`")+strings.Count(src, "if")+
		strings.Count(src, "!")+strings.Count(src, "do") < 4000
}
