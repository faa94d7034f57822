package scan

import (
	"bytes"
	"regexp"
	"strings"
)

// TypeScript are the names that a TypeScript declaration file declares, with the comment
// before each: functions, classes, interfaces, types, values, namespaces, and the members of
// the last three that have a body. It is a scanner of brackets, strings and comments, not a
// parser: what it does not understand it passes over.
func TypeScript(name string, text []byte) []Entry {
	if text == nil {
		return nil
	}
	s := dts{name: name, text: text}
	s.body("", 0)
	return s.entries
}

// maxNested bounds namespaces in namespaces.
const maxNested = 6

type dts struct {
	name    string
	text    []byte
	pos     int
	line    int // lines before counted
	counted int // bytes whose lines are counted
	entries []Entry
}

// declaration begins a statement with a name of its own.
var declaration = regexp.MustCompile(`^(?:export\s+)?(?:declare\s+)?(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?` +
	`(function\*?|class|interface|type|const\s+enum|enum|const|let|var|namespace|module|global)\b\s*((?:["'][^"'\n]+["'])|[\w$.]+)?`)

// member begins a member of a class or interface.
var member = regexp.MustCompile(`^(?:(?:public|static|readonly|abstract|override|get|set|async|declare|accessor)\s+)*(new\b|constructor\b|[\w$]+|["'][^"'\n]+["']|\[Symbol\.\w+\])?\s*[?!]?\s*([(<:;,]|$)`)

// body reads statements up to the bracket that closes the body, or the end of the text.
func (s *dts) body(of string, depth int) {
	comment := ""
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '}':
			s.pos++
			return
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == ',':
			s.pos++
		case bytes.HasPrefix(s.text[s.pos:], []byte("/*")):
			comment = s.comment()
		case bytes.HasPrefix(s.text[s.pos:], []byte("//")):
			s.skipLine()
		case c == '@' || c == '#':
			s.skipLine()
		default:
			before := s.pos
			s.statement(of, comment, depth)
			comment = ""
			if s.pos <= before {
				s.pos = before + 1
			}
		}
	}
}

func (s *dts) skipLine() {
	if i := bytes.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
		s.pos += i + 1
	} else {
		s.pos = len(s.text)
	}
}

// comment reads a block comment; only those that begin with two stars document.
func (s *dts) comment() string {
	end := bytes.Index(s.text[s.pos+2:], []byte("*/"))
	if end < 0 {
		end = len(s.text) - s.pos - 2
	}
	text := string(s.text[s.pos+2 : s.pos+2+end])
	s.pos = min(len(s.text), s.pos+2+end+2)
	if !strings.HasPrefix(text, "*") {
		return ""
	}
	return commentText(strings.TrimPrefix(text, "*"))
}

// commentText drops the stars at the beginnings of lines.
func commentText(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if rest, ok := strings.CutPrefix(l, "*"); ok {
			l = strings.TrimPrefix(rest, " ")
		}
		lines[i] = l
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// statement reads one declaration or member.
func (s *dts) statement(of, comment string, depth int) {
	start := s.pos
	head := s.text[start:min(len(s.text), start+400)]
	found := declaration.FindSubmatch(head)
	inType := of != "" && depth < 0 // members of a class or interface
	if inType || found == nil {
		if inType {
			s.member(of, comment)
		} else {
			s.skip(false)
		}
		return
	}
	keyword, name := string(found[1]), strings.Trim(string(found[2]), `"'`)
	symbol := name
	if of != "" && name != "" {
		symbol = of + "." + name
	}
	switch keyword {
	case "namespace", "module", "global":
		if s.toBody() && depth < maxNested {
			if keyword != "namespace" && bytes.ContainsAny(found[2], `"'`) || keyword == "global" {
				symbol = of // a module's name is no part of its names
			} else if comment != "" {
				s.add(symbol, KindPackage, start, s.pos-1, comment)
			}
			s.body(symbol, depth+1)
		} else {
			s.skip(false)
		}
	case "class", "interface", "enum", "const enum":
		at := len(s.entries)
		if s.toBody() {
			open := s.pos
			s.add(symbol, KindType, start, open-1, comment)
			if depth >= 0 {
				s.body(symbol, -1)
			} else {
				s.pos = open - 1
				s.skip(false)
			}
			s.outline(at, symbol, start, open)
		} else {
			s.skip(false)
		}
	default:
		s.skip(keyword == "type")
		kind := KindValue
		if strings.HasPrefix(keyword, "function") {
			kind = KindFunc
		} else if keyword == "type" {
			kind = KindType
		}
		s.add(symbol, kind, start, s.pos, comment)
	}
}

// outline adds the members' names to a type's text, so that its reader sees them.
func (s *dts) outline(at int, symbol string, _, _ int) {
	if at >= len(s.entries) {
		return
	}
	var names []string
	for _, e := range s.entries[at+1:] {
		if rest, ok := strings.CutPrefix(e.Symbol, symbol+"."); ok && len(names) < 100 {
			names = append(names, rest)
		}
	}
	if len(names) > 0 {
		s.entries[at].Text = strings.TrimSpace(s.entries[at].Text + "\n\nMembers: " + strings.Join(names, ", "))
	}
}

// member reads a member of a class or interface.
func (s *dts) member(of, comment string) {
	start := s.pos
	found := member.FindSubmatch(s.text[start:min(len(s.text), start+400)])
	private := bytes.HasPrefix(s.text[start:], []byte("private ")) || bytes.HasPrefix(s.text[start:], []byte("protected "))
	s.skip(false)
	if found == nil || private {
		return
	}
	name, kind := strings.Trim(string(found[1]), `"'`), KindField
	if mark := string(found[2]); mark == "(" || mark == "<" {
		kind = KindMethod
	}
	if name == "" && kind == KindMethod {
		name = "call" // the signature of the type itself
	}
	if name == "" {
		return
	}
	s.add(of+"."+name, kind, start, s.pos, comment)
}

// toBody goes behind the next "{" of this statement; false: it has none.
func (s *dts) toBody() bool {
	depth := 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '"', '\'', '`':
			s.quoted(c)
			continue
		case '/':
			if s.skipComment() {
				continue
			}
		case '<', '(', '[':
			depth++
		case ')', ']':
			depth--
		case '>':
			if s.pos == 0 || s.text[s.pos-1] != '=' {
				depth--
			}
		case '{':
			if depth <= 0 {
				s.pos++
				return true
			}
			depth++
		case '}':
			if depth <= 0 {
				return false
			}
			depth--
		case ';':
			if depth <= 0 {
				return false
			}
		}
		s.pos++
	}
	return false
}

// skip goes behind the statement or member: to ";" or "," outside of brackets, to the end of
// a body or a line that ends it, or to the bracket that closes what is around it. A type may
// go on in lines that begin with an operator.
func (s *dts) skip(isType bool) {
	depth := 0
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch c {
		case '"', '\'', '`':
			s.quoted(c)
			continue
		case '/':
			if s.skipComment() {
				continue
			}
		case '(', '[', '{':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth <= 0 {
				return // closes the body around
			}
			depth--
		case ';':
			if depth <= 0 {
				s.pos++
				return
			}
		case '\n':
			if depth <= 0 && !isType && s.ends() {
				return
			}
		}
		s.pos++
	}
}

// ends reports whether a line break ends a statement: the line is complete, and the next one
// does not go on with it.
func (s *dts) ends() bool {
	before := bytes.TrimRight(s.text[max(0, s.pos-200):s.pos], " \t\r\n")
	after := bytes.TrimLeft(s.text[s.pos:min(len(s.text), s.pos+200)], " \t\r\n")
	if len(before) == 0 || len(after) == 0 {
		return true
	}
	return !bytes.ContainsRune([]byte("=|&,<:?([{"), rune(before[len(before)-1])) && !bytes.HasSuffix(before, []byte("=>")) &&
		!bytes.ContainsRune([]byte("|&=?:>)]"), rune(after[0])) && !bytes.HasPrefix(after, []byte("extends ")) && !bytes.HasPrefix(after, []byte("implements "))
}

func (s *dts) skipComment() bool {
	switch {
	case bytes.HasPrefix(s.text[s.pos:], []byte("//")):
		if i := bytes.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
			s.pos += i
		} else {
			s.pos = len(s.text)
		}
		return true
	case bytes.HasPrefix(s.text[s.pos:], []byte("/*")):
		s.comment()
		return true
	}
	return false
}

// quoted goes behind a string; one that a line break interrupts ends there.
func (s *dts) quoted(quote byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.pos++
		case c == quote:
			s.pos++
			return
		case c == '\n' && quote != '`':
			return
		}
	}
	s.pos = len(s.text)
}

func (s *dts) add(symbol, kind string, start, end int, comment string) {
	if symbol == "" {
		return
	}
	s.line += bytes.Count(s.text[min(s.counted, start):start], []byte("\n"))
	s.counted = max(s.counted, start)
	end = min(end, len(s.text), start+4*maxSignature)
	signature := strings.Join(strings.Fields(string(s.text[start:max(start, end)])), " ")
	signature = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(signature, "export "), "declare "), ";, ")
	comment = strings.Replace(comment, "@deprecated", "Deprecated:", 1)
	s.entries = append(s.entries, Entry{Symbol: symbol, Kind: kind, Signature: signature, Text: comment, File: s.name, Line: s.line + 1, Source: "types"})
}
