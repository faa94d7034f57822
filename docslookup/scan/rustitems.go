package scan

import (
	"bytes"
	"regexp"
	"strings"
)

// rustScope is what items are in.
type rustScope struct {
	module string
	entry  int    // gets the documentation of the module itself
	of     string // type or trait
	open   bool   // items need no "pub": those of a trait
}

// rustSource follows brackets, strings and comments of one file; it is no parser.
type rustSource struct {
	crate *Crate
	text  []byte
	name  string
	pos   int
	// line is that of the byte at counted.
	line, counted int
}

// rustMark is what stands before an item.
type rustMark struct {
	doc                 []string
	hidden, test, macro bool
	deprecated          bool
}

var rustItem = regexp.MustCompile(`^(pub(?:\s*\([^)]*\))?\s+)?(?:default\s+)?(?:(?:const|async|unsafe|safe|auto|extern(?:\s*"[^"]*")?)\s+)*` +
	`(fn|struct|enum|union|trait|type|const|static(?:\s+mut)?|mod|use|impl|macro_rules!|extern\s+crate)\b?\s*([A-Za-z_]\w*)?`)

var rustMacro = regexp.MustCompile(`^(?:\w+::)*(cfg_\w+|bitflags)!\s*[({]`)

// items reads to the bracket that closes the scope, or to the end.
func (s *rustSource) items(in rustScope, depth int) {
	var mark rustMark
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' || c == ',':
			s.pos++
		case c == '}':
			s.pos++
			return
		case bytes.HasPrefix(rest, []byte("//")):
			s.lineComment(in, &mark)
		case bytes.HasPrefix(rest, []byte("/*")):
			s.blockComment(in, &mark)
		case c == '#':
			s.attribute(in, &mark)
		default:
			before := s.pos
			s.item(in, mark, depth)
			mark = rustMark{}
			if s.pos <= before {
				s.pos = before + 1
			}
		}
	}
}

func (s *rustSource) lineComment(in rustScope, mark *rustMark) {
	end := bytes.IndexByte(s.text[s.pos:], '\n')
	if end < 0 {
		end = len(s.text) - s.pos
	}
	l := strings.TrimRight(string(s.text[s.pos:s.pos+end]), "\r")
	s.pos += end
	switch {
	case strings.HasPrefix(l, "//!"):
		s.moduleDoc(in, strings.TrimPrefix(l[3:], " "))
	case strings.HasPrefix(l, "///") && !strings.HasPrefix(l, "////"):
		mark.doc = append(mark.doc, strings.TrimPrefix(l[3:], " "))
	}
}

func (s *rustSource) moduleDoc(in rustScope, l string) {
	if in.entry < 0 || len(s.crate.entries[in.entry].Text) > maxText {
		return
	}
	e := &s.crate.entries[in.entry]
	e.Text += l + "\n"
}

// blockComment reads a comment; they nest.
func (s *rustSource) blockComment(in rustScope, mark *rustMark) {
	start := s.pos
	s.skipBlockComment()
	text := strings.TrimSuffix(string(s.text[start:s.pos]), "*/")
	switch {
	case strings.HasPrefix(text, "/*!"):
		s.moduleDoc(in, commentText(text[3:]))
	case strings.HasPrefix(text, "/**") && !strings.HasPrefix(text, "/***"):
		mark.doc = append(mark.doc, commentText(text[3:]))
	}
}

func (s *rustSource) skipBlockComment() {
	depth := 0
	for s.pos < len(s.text) {
		switch rest := s.text[s.pos:]; {
		case bytes.HasPrefix(rest, []byte("/*")):
			depth++
			s.pos += 2
		case bytes.HasPrefix(rest, []byte("*/")):
			s.pos += 2
			if depth--; depth == 0 {
				return
			}
		default:
			s.pos++
		}
	}
}

var rustDoc = regexp.MustCompile(`(?s)^#!?\s*\[\s*doc\s*=\s*r?#*"(.*)"#*\s*\]$`)

func (s *rustSource) attribute(in rustScope, mark *rustMark) {
	start := s.pos
	open := bytes.IndexByte(s.text[s.pos:min(len(s.text), s.pos+16)], '[')
	if open < 0 {
		s.pos++
		return
	}
	s.pos += open
	s.balanced()
	text := string(s.text[start:s.pos])
	if found := rustDoc.FindStringSubmatch(text); found != nil {
		l := strings.TrimPrefix(strings.ReplaceAll(found[1], `\"`, `"`), " ")
		if strings.HasPrefix(text, "#!") {
			s.moduleDoc(in, l)
		} else {
			mark.doc = append(mark.doc, l)
		}
		return
	}
	text = strings.Join(strings.Fields(text), "")
	mark.hidden = mark.hidden || strings.Contains(text, "doc(hidden") || strings.HasPrefix(text, "#[doc(") && strings.Contains(text, "hidden")
	mark.test = mark.test || strings.HasPrefix(text, "#[cfg(test)") || strings.HasPrefix(text, "#[test]")
	mark.macro = mark.macro || strings.HasPrefix(text, "#[macro_export")
	mark.deprecated = mark.deprecated || strings.HasPrefix(text, "#[deprecated") || strings.HasPrefix(text, "#[rustc_deprecated")
}

func (s *rustSource) item(in rustScope, mark rustMark, depth int) {
	start := s.pos
	head := s.text[start:min(len(s.text), start+300)]
	found := rustItem.FindSubmatch(head)
	if found == nil {
		if rustMacro.Match(head) && depth < maxNested {
			s.pos += bytes.IndexAny(s.text[s.pos:], "({") + 1
			s.macroItems(in, depth)
			return
		}
		s.end()
		return
	}
	public := len(found[1]) > 0 && !bytes.Contains(found[1], []byte("(")) || in.open
	keyword, name := strings.Fields(string(found[2]))[0], string(found[3])
	shown := public && !mark.hidden && !mark.test
	switch keyword {
	case "mod":
		s.module(in, name, shown, mark, depth)
	case "use":
		s.end()
		if shown && in.of == "" {
			s.uses(in.module, string(s.text[start+bytes.Index(s.text[start:], []byte("use"))+3:s.pos]))
		}
	case "impl":
		s.impl(in, mark, depth)
	case "macro_rules!":
		s.end()
		if mark.macro && !mark.hidden {
			s.add(rustScope{module: s.crate.lib}, name, KindFunc, "macro_rules! "+name, mark, start)
		}
	case "fn":
		signature := s.signature()
		if shown {
			kind := KindFunc
			if in.of != "" {
				kind = KindMethod
			}
			s.add(in, name, kind, signature, mark, start)
		}
	case "struct", "enum", "union", "trait":
		s.declaration(in, keyword, name, shown, mark, depth)
	default: // type, const, static, extern crate
		s.end()
		if shown && keyword != "extern" {
			kind := KindValue
			if keyword == "type" {
				kind = KindType
			}
			s.add(in, name, kind, s.between(start, s.pos), mark, start)
		}
	}
}

// macroItems reads the items in a macro that only chooses by configuration.
func (s *rustSource) macroItems(in rustScope, depth int) {
	for s.pos < len(s.text) {
		rest := bytes.TrimLeft(s.text[s.pos:], " \t\r\n")
		s.pos = len(s.text) - len(rest)
		if !bytes.HasPrefix(rest, []byte("if ")) && !bytes.HasPrefix(rest, []byte("else")) {
			break
		}
		open := bytes.IndexByte(rest, '{')
		if open < 0 {
			return
		}
		s.pos += open + 1
		in.entry = -1
		s.items(in, depth+1)
	}
	in.entry = -1
	s.items(in, depth+1)
}

func (s *rustSource) module(in rustScope, name string, shown bool, mark rustMark, depth int) {
	path := in.module + "::" + name
	s.crate.public[path] = s.crate.public[path] || shown
	open := bytes.IndexAny(s.text[s.pos:], "{;")
	if open < 0 || s.text[s.pos+open] == ';' || mark.test || depth >= maxNested {
		s.end()
		return
	}
	start := s.pos
	s.pos += open + 1
	at := -1
	if shown {
		s.add(rustScope{module: path}, name, KindPackage, "mod "+path, mark, start)
		at = len(s.crate.entries) - 1
	}
	s.items(rustScope{module: path, entry: at}, depth+1)
}

var rustGenerics = regexp.MustCompile(`<[^<>]*>`)

// impl reads the methods of a type; those of traits are documented with the trait.
func (s *rustSource) impl(in rustScope, mark rustMark, depth int) {
	start := s.pos
	if !s.toBody() {
		return
	}
	text := strings.TrimPrefix(s.between(start, s.pos-1), "impl")
	text, _, _ = strings.Cut(text, " where ")
	for i := 0; i < 20 && strings.Contains(text, "<"); i++ {
		text = rustGenerics.ReplaceAllString(strings.ReplaceAll(text, "->", " "), " ")
	}
	name := lastIdentifier(text)
	if strings.Contains(text, " for ") || name == "" || mark.test || depth >= maxNested {
		s.pos--
		s.balanced()
		return
	}
	at := len(s.crate.entries)
	s.items(rustScope{module: in.module, entry: -1, of: name}, depth+1)
	for i := at; i < len(s.crate.entries); i++ {
		s.crate.impls = append(s.crate.impls, i)
	}
}

func lastIdentifier(text string) string {
	list := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// declaration reads a type or trait with its documented fields, variants or methods.
func (s *rustSource) declaration(in rustScope, keyword, name string, shown bool, mark rustMark, depth int) {
	start := s.pos
	body := s.toBody()
	if shown {
		end := s.pos
		if body {
			end--
		}
		s.add(in, name, KindType, s.between(start, end), mark, start)
	}
	if !body {
		return
	}
	of := name
	if in.of != "" {
		of = in.of + "::" + name
	}
	switch {
	case !shown || depth >= maxNested:
		s.pos--
		s.balanced()
	case keyword == "trait":
		s.items(rustScope{module: in.module, entry: -1, of: of, open: true}, depth+1)
	default:
		s.fields(rustScope{module: in.module, entry: -1, of: of}, keyword == "enum")
	}
}

var rustField = regexp.MustCompile(`^(pub\s+)?([A-Za-z_]\w*)`)

// fields reads the documented fields of a struct or variants of an enum.
func (s *rustSource) fields(in rustScope, variants bool) {
	var mark rustMark
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
			s.pos++
		case c == '}':
			s.pos++
			return
		case bytes.HasPrefix(rest, []byte("//")):
			s.lineComment(in, &mark)
		case bytes.HasPrefix(rest, []byte("/*")):
			s.blockComment(in, &mark)
		case c == '#':
			s.attribute(in, &mark)
		default:
			start := s.pos
			found := rustField.FindSubmatch(rest[:min(len(rest), 200)])
			for s.pos < len(s.text) && s.text[s.pos] != ',' && s.text[s.pos] != '}' {
				s.token()
			}
			if s.pos == start {
				s.pos++
			}
			if found != nil && (variants || len(found[1]) > 0) && len(mark.doc) > 0 && !mark.hidden {
				s.add(in, string(found[2]), KindField, s.between(start, s.pos), mark, start)
			}
			mark = rustMark{}
		}
	}
}

func (s *rustSource) add(in rustScope, name, kind, signature string, mark rustMark, start int) {
	if name == "" || len(s.crate.entries) > 2*MaxEntries {
		return
	}
	if in.of != "" {
		name = in.of + "::" + name
	}
	if start < s.counted {
		s.line, s.counted = 1, 0
	}
	s.line += bytes.Count(s.text[s.counted:start], []byte("\n"))
	s.counted = start
	text := strings.Join(mark.doc, "\n")
	if mark.deprecated {
		text = "Deprecated: " + text
	}
	s.crate.entries = append(s.crate.entries, Entry{Package: in.module, Symbol: name, Kind: kind, Signature: signature, Text: strings.TrimSpace(text), File: s.name, Line: s.line, Source: "source"})
}

func (s *rustSource) between(start, end int) string {
	return strings.TrimRight(oneLine(string(s.text[start:max(start, min(end, len(s.text), start+4*maxSignature))])), "; ")
}
