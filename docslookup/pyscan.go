package docslookup

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"
)

// scanPython reads the modules of a distribution and its description. A name that a package
// takes from one of its modules counts as the package's own, as its documentation writes it;
// stubs (.pyi) add what the sources lack, such as the names of compiled modules.
func scanPython(ctx context.Context, m *module, t *tree) []entry {
	var entries, stubs []entry
	var kin, stubKin []pyKin
	var exports []export
	for _, f := range t.walk(ctx, m) {
		if ctx.Err() != nil {
			break
		}
		text := t.text(f.name)
		switch {
		case text == nil:
		case f.name == m.info:
			entries = append(entries, description(m, f.name, text)...)
		case strings.HasSuffix(f.name, ".pyi"):
			s := pythonSource(f.name, text)
			stubs, stubKin = append(stubs, s.entries...), append(stubKin, s.kin...)
		case strings.HasSuffix(f.name, ".py"):
			s := pythonSource(f.name, text)
			entries, exports, kin = append(entries, s.entries...), append(exports, s.exports...), append(kin, s.kin...)
		}
	}
	entries, stubs = inherit(entries, kin), inherit(stubs, stubKin)
	have := map[string]bool{}
	for _, list := range [][]entry{entries, stubs} {
		apply(list, exports, ".", privatePython)
	}
	for _, e := range entries {
		have[e.pkg+"\x00"+e.symbol] = true
	}
	for _, e := range stubs {
		if !have[e.pkg+"\x00"+e.symbol] {
			entries = append(entries, e)
		}
	}
	kept := entries[:0]
	for _, e := range entries {
		if e.kind == kindSection || !privatePython(e.pkg) && !privatePython(e.symbol) {
			kept = append(kept, e)
		}
	}
	return kept
}

// privatePython reports whether a dotted name has an element that is not for others.
func privatePython(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// description are the summary and the sections of METADATA.
func description(m *module, name string, text []byte) (entries []entry) {
	if summary := metadata(text).Get("Summary"); summary != "" {
		entries = append(entries, entry{symbol: m.name, kind: kindPackage, signature: "package " + m.name + " " + m.version, text: summary, file: name, line: 1, source: "metadata"})
	}
	head, body, _ := bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	lines := bytes.Count(head, []byte("\n")) + 2
	for _, e := range markdown(name, body) {
		e.line += lines
		e.source = "readme"
		entries = append(entries, e)
	}
	return entries
}

// pythonSource are the names of one module with their docstrings, and the names that it takes
// from others. It follows indentation, brackets and strings; it is no parser.
func pythonSource(file string, text []byte) *pySource {
	name := strings.TrimSuffix(strings.TrimSuffix(file, "i"), ".py")
	s := &pySource{file: file, isPackage: path.Base(name) == "__init__", imported: map[string]string{}}
	if s.isPackage {
		name = path.Dir(name)
	}
	s.pkg = strings.ReplaceAll(name, "/", ".")
	s.entries = []entry{{pkg: s.pkg, symbol: s.pkg[strings.LastIndexByte(s.pkg, '.')+1:], kind: kindPackage, signature: "module " + s.pkg, file: file, line: 1, source: "source"}}
	s.lastEntry = 0
	lex := pyLexer{text: text, line: 1}
	for {
		l, ok := lex.next()
		if !ok || len(s.entries) > maxIndexed {
			break
		}
		s.statement(l)
	}
	for i := range s.entries {
		s.entries[i].text = cleanDoc(s.entries[i].text)
	}
	return s
}

// pyScope is a block that statements are in.
type pyScope struct {
	indent int // of its header
	symbol string
	class  int // its entry, -1: no class
	body   bool
}

type pySource struct {
	file, pkg string
	isPackage bool
	entries   []entry
	exports   []export
	kin       []pyKin
	// imported are the names that are taken from other modules: "Base" is "lib.core.Base".
	imported map[string]string
	scopes   []pyScope
	// lastEntry gets the string that follows it as its documentation, if that is in a block
	// deeper than lastIndent; -1: nothing does.
	lastEntry, lastIndent int
	lastIsValue           bool
	decorators            []string
}

var (
	pyDef    = regexp.MustCompile(`^(?:async\s+)?def\s+(\w+)\s*[(\[]`)
	pyClass  = regexp.MustCompile(`^class\s+(\w+)`)
	pyBlock  = regexp.MustCompile(`^(?:if|elif|else|try|except|finally|with|for|while|match|case)\b`)
	pyFrom   = regexp.MustCompile(`(?s)^from\s+(\.*)([\w.]*)\s+import\s+(.*)$`)
	pyAssign = regexp.MustCompile(`(?s)^(\w+)\s*(:[^=]+)?(=[^=].*)?$`)
)

func (s *pySource) statement(l pyLine) {
	for len(s.scopes) > 0 && s.scopes[len(s.scopes)-1].indent >= l.indent {
		s.scopes = s.scopes[:len(s.scopes)-1]
	}
	at, deeper := s.lastEntry, s.lastIsValue && l.indent == s.lastIndent || !s.lastIsValue && l.indent > s.lastIndent || len(s.entries) == 1 && s.lastEntry == 0
	s.lastEntry = -1
	if l.isString {
		if at >= 0 && deeper && s.entries[at].text == "" {
			s.entries[at].text = l.value
		}
		return
	}
	hidden, class, prefix := false, -1, ""
	for _, scope := range s.scopes {
		hidden = hidden || scope.body
		if scope.class >= 0 {
			class, prefix = scope.class, scope.symbol+"."
		}
	}
	if hidden {
		return
	}
	decorators := s.decorators
	s.decorators = nil
	switch {
	case strings.HasPrefix(l.text, "@"):
		s.decorators = append(decorators, l.text)
	case pyDef.MatchString(l.text):
		s.function(l, pyDef.FindStringSubmatch(l.text)[1], prefix, class, decorators)
	case pyClass.MatchString(l.text):
		symbol := prefix + pyClass.FindStringSubmatch(l.text)[1]
		head := header(l.text)
		s.add(symbol, kindType, head, l)
		s.lastIsValue = false
		s.kin = append(s.kin, pyKin{s.pkg, symbol, baseNames(head), s.imported})
		s.scopes = append(s.scopes, pyScope{indent: l.indent, symbol: symbol, class: len(s.entries) - 1})
	case pyBlock.MatchString(l.text):
		s.scopes = append(s.scopes, pyScope{indent: l.indent, class: -1, body: strings.HasPrefix(l.text, "if __name__")})
	case strings.HasPrefix(l.text, "from ") && class < 0:
		s.imports(l.text)
	default:
		if found := pyAssign.FindStringSubmatch(l.text); found != nil && found[2]+found[3] != "" {
			s.value(l, found[1], prefix)
		}
	}
}

func (s *pySource) add(symbol, kind, signature string, l pyLine) {
	s.entries = append(s.entries, entry{pkg: s.pkg, symbol: symbol, kind: kind, signature: signature, text: l.comment, file: s.file, line: l.line, source: "source"})
	s.lastEntry, s.lastIndent = len(s.entries)-1, l.indent
}

// function adds a function or method. A class's own signature is that of its __init__.
func (s *pySource) function(l pyLine, name, prefix string, class int, decorators []string) {
	all := strings.Join(decorators, "\n")
	signature := header(l.text)
	s.scopes = append(s.scopes, pyScope{indent: l.indent, class: -1, body: true})
	kind := kindFunc
	if class >= 0 {
		kind = kindMethod
	}
	switch {
	case strings.Contains(all, "overload"), strings.Contains(all, ".setter"), strings.Contains(all, ".deleter"):
		return
	case name == "__init__" && class >= 0:
		args := strings.TrimSuffix(strings.TrimPrefix(signature, "def __init__"), " -> None")
		args = strings.Replace(strings.Replace(args, "(self, ", "(", 1), "(self)", "()", 1)
		s.entries[class].signature += "\n" + prefix[:len(prefix)-1] + args
		if s.entries[class].text == "" { // documented there instead
			s.lastEntry, s.lastIndent, s.lastIsValue = class, l.indent, false
		}
		return
	case strings.Contains(all, "property"):
		kind = kindField
	}
	s.add(prefix+name, kind, signature, l)
	s.lastIsValue = false
}

// value adds a documented, annotated or upper-case name.
func (s *pySource) value(l pyLine, name, prefix string) {
	if name == "__all__" || strings.HasPrefix(name, "_") {
		return
	}
	kind := kindValue
	if prefix != "" {
		kind = kindField
	}
	s.add(prefix+name, kind, shorten(oneLine(l.text), 200), l)
	s.lastIsValue = true
}

// imports notes what a module takes from others, as its own if it is a package or takes all.
func (s *pySource) imports(text string) {
	found := pyFrom.FindStringSubmatch(text)
	if found == nil {
		return
	}
	from := found[2]
	if dots := len(found[1]); dots > 0 {
		base := strings.Split(s.pkg, ".")
		up := dots
		if s.isPackage {
			up--
		}
		if up > len(base) {
			return
		}
		base = base[:len(base)-up]
		if from != "" {
			base = append(base, from)
		}
		from = strings.Join(base, ".")
	}
	names, _, _ := strings.Cut(found[3], "#")
	if strings.Contains(found[3], "(") {
		names = pyComment.ReplaceAllString(found[3], "")
	}
	for item := range strings.SplitSeq(strings.Trim(names, "() \n\t"), ",") {
		words := strings.Fields(item)
		if len(words) == 3 && words[1] == "as" {
			words = []string{words[0], words[2]}
		}
		if len(words) == 0 || len(words) > 2 {
			continue
		}
		as := words[len(words)-1]
		s.imported[as] = from + "." + words[0]
		if s.isPackage || words[0] == "*" {
			s.exports = append(s.exports, export{s.pkg, from, words[0], as})
		}
	}
}

var pyComment = regexp.MustCompile(`#[^\n]*`)

// header is the first line of a block without its colon.
func header(text string) string {
	depth, end := 0, len(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			if j := strings.IndexByte(text[i+1:], c); j >= 0 {
				i += j + 1
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ':':
			if depth == 0 {
				end = min(end, i)
			}
		}
	}
	return strings.NewReplacer("( ", "(", ", )", ")", " )", ")", "[ ", "[", ", ]", "]", " ]", "]").Replace(oneLine(pyComment.ReplaceAllString(text[:end], "")))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cleanDoc drops the indentation of a docstring.
func cleanDoc(doc string) string {
	lines := strings.Split(strings.ReplaceAll(doc, "\r\n", "\n"), "\n")
	margin := -1
	for _, l := range lines[1:] {
		if text := strings.TrimLeft(l, " \t"); text != "" && (margin < 0 || len(l)-len(text) < margin) {
			margin = len(l) - len(text)
		}
	}
	for i, l := range lines {
		if i == 0 || margin < 0 {
			lines[i] = strings.TrimSpace(l)
		} else {
			lines[i] = strings.TrimRight(l[min(margin, len(l)):], " \t")
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
