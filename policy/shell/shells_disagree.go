package shell

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Shells end some constructs sooner than the parser does. Text for the parser is commands for
// them, so such scripts are refused.

var (
	errHdoc  = errors.New("has a here-document that some shells end at another line")
	errTicks = errors.New("has a backquote within backquotes")
	errLet   = errors.New("has an operator of the shell in an expression for let")
)

// shellsDisagree returns an error if shells may read the script in another way than the
// parser.
func shellsDisagree(f *syntax.File, src string) (err error) {
	if !strings.Contains(src, "<<") && !strings.Contains(src, "`") && !strings.Contains(src, "let") {
		return nil
	}
	var around []syntax.Node // enclosing nodes, outermost first
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if err != nil {
			return false
		}
		around = append(around, n)
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if n.Backquotes && !inTicks(around[:len(around)-1]) && hasTick(src[n.Left.Offset()+1:n.Right.Offset()]) {
				err = errTicks
			}
		case *syntax.LetClause:
			if strings.ContainsAny(unquotedOf(src[n.Pos().Offset():n.End().Offset()]), "|&<>") {
				err = errLet
			}
		case *syntax.Redirect:
			if (n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc) && !endsWhereItSays(n, src, around) {
				err = errHdoc
			}
		}
		return true
	})
	return err
}

// inTicks reports whether one of the nodes is a substitution in backquotes.
func inTicks(nodes []syntax.Node) bool {
	for _, n := range nodes {
		if c, ok := n.(*syntax.CmdSubst); ok && c.Backquotes {
			return true
		}
	}
	return false
}

// hasTick reports whether s has an unescaped backquote. It ends a substitution even inside
// quotes.
func hasTick(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			return true
		}
	}
	return false
}

// unquotedOf returns s without its quoted parts.
func unquotedOf(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "\"'")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		_, rest, closed := strings.Cut(s[i+1:], s[i:i+1])
		if !closed {
			break
		}
		s = rest
	}
	return b.String() + s
}

// endsWhereItSays reports whether every shell ends the here-document where the parser does:
// no earlier line, continued lines included, could be its end, and the enclosing substitution
// does not end before.
func endsWhereItSays(r *syntax.Redirect, src string, around []syntax.Node) bool {
	end, quoted, plain := hdocEnd(src[r.Word.Pos().Offset():r.Word.End().Offset()])
	if !plain {
		return false
	}
	last := r.Word.End().Offset() // of the delimiter word, or of the line that ends the body
	var lines []string
	if r.Hdoc != nil {
		last = r.Hdoc.End().Offset()
		lines = strings.Split(src[r.Hdoc.Pos().Offset():last], "\n")
	}
	limit, inside := substitutionEnd(around)
	if inside && (last > limit || !strings.Contains(src[r.Word.End().Offset():limit], "\n")) {
		return false
	}
	ends := func(s string) bool {
		if r.Op == syntax.DashHdoc {
			s = strings.TrimLeft(s, "\t")
		}
		return s == end || inside && strings.HasPrefix(s, end) && strings.Contains(s, ")")
	}
	ticks, before := inTicks(around), ""
	for i, line := range lines {
		switch text := strings.TrimRight(line, "\\"); {
		case i == len(lines)-1:
			return before == ""
		case ticks && ends(line): // shells differ in how many backslashes continue a line here
			return false
		case !quoted && (len(line)-len(text))%2 == 1, !quoted && ticks && len(text) < len(line):
			before += line[:len(line)-1]
		case ends(before + line):
			return false
		default:
			before = ""
		}
	}
	return true
}

// hdocEnd returns the line that ends a here-document, from the word behind "<<". plain is
// false if shells could read the word in different ways.
func hdocEnd(word string) (end string, quoted, plain bool) {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\\' && i+1 < len(word) && word[i+1] > ' ':
			quoted = true
			i++
			b.WriteByte(word[i])
		case c == '\'' || c == '"':
			inner, _, closed := strings.Cut(word[i+1:], word[i:i+1])
			if !closed || strings.ContainsAny(inner, "\\$`\n") {
				return "", true, false
			}
			quoted = true
			b.WriteString(inner)
			i += len(inner) + 1
		case c <= ' ' || strings.IndexByte("\\$`()<>|&;", c) >= 0:
			return "", quoted, false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), quoted, true
}

// substitutionEnd returns the end of the innermost enclosing substitution.
func substitutionEnd(around []syntax.Node) (at uint, inside bool) {
	for i := len(around) - 1; i >= 0; i-- {
		switch n := around[i].(type) {
		case *syntax.CmdSubst:
			return n.Right.Offset(), true
		case *syntax.ProcSubst:
			return n.Rparen.Offset(), true
		}
	}
	return 0, false
}
