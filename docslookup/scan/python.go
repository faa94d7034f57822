package scan

import (
	"path"
	"regexp"
	"strings"
)

// Python collects the names of the modules of one distribution. A name that a package takes
// from one of its modules counts as the package's own, as its documentation writes it; stubs
// (.pyi) add what the sources lack, such as the names of compiled modules.
type Python struct {
	sources, stubs pyFiles
	exports        []export // of sources
}

// pyFiles are the names of several modules.
type pyFiles struct {
	entries []Entry
	kin     []pyKin
}

func (f *pyFiles) add(s *pySource) {
	f.entries, f.kin = append(f.entries, s.entries...), append(f.kin, s.kin...)
}

// Source reads one file; its path from the directory of packages says which module it is.
func (p *Python) Source(file string, text []byte) {
	s := pythonSource(file, text)
	if strings.HasSuffix(file, ".pyi") {
		p.stubs.add(s)
		return
	}
	p.sources.add(s)
	p.exports = append(p.exports, s.exports...)
}

// Entries returns what programs may use of them.
func (p *Python) Entries() []Entry {
	entries, stubs := inherit(p.sources.entries, p.sources.kin), inherit(p.stubs.entries, p.stubs.kin)
	have := map[string]bool{}
	for _, list := range [][]Entry{entries, stubs} {
		apply(list, p.exports, ".", privatePython)
	}
	for _, e := range entries {
		have[e.Package+"\x00"+e.Symbol] = true
	}
	for _, e := range stubs {
		if !have[e.Package+"\x00"+e.Symbol] {
			entries = append(entries, e)
		}
	}
	kept := entries[:0]
	for _, e := range entries {
		if !privatePython(e.Package) && !privatePython(e.Symbol) {
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

// pythonSource are the names of one module with their docstrings, and the names that it takes
// from others. It follows indentation, brackets and strings; it is no parser.
func pythonSource(file string, text []byte) *pySource {
	name := strings.TrimSuffix(strings.TrimSuffix(file, "i"), ".py")
	s := &pySource{file: file, isPackage: path.Base(name) == "__init__", imported: map[string]string{}}
	if s.isPackage {
		name = path.Dir(name)
	}
	s.pkg = strings.ReplaceAll(name, "/", ".")
	s.entries = []Entry{{Package: s.pkg, Symbol: s.pkg[strings.LastIndexByte(s.pkg, '.')+1:], Kind: KindPackage, Signature: "module " + s.pkg, File: file, Line: 1, Source: "source"}}
	s.lastEntry = 0
	lex := pyLexer{text: text, line: 1}
	for {
		l, ok := lex.next()
		if !ok || len(s.entries) > MaxEntries {
			break
		}
		s.statement(l)
	}
	for i := range s.entries {
		s.entries[i].Text = cleanDoc(s.entries[i].Text)
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
	entries   []Entry
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
		if at >= 0 && deeper && s.entries[at].Text == "" {
			s.entries[at].Text = l.value
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
		s.add(symbol, KindType, head, l)
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
	s.entries = append(s.entries, Entry{Package: s.pkg, Symbol: symbol, Kind: kind, Signature: signature, Text: l.comment, File: s.file, Line: l.line, Source: "source"})
	s.lastEntry, s.lastIndent = len(s.entries)-1, l.indent
}

// function adds a function or method. A class's own signature is that of its __init__.
func (s *pySource) function(l pyLine, name, prefix string, class int, decorators []string) {
	all := strings.Join(decorators, "\n")
	signature := header(l.text)
	s.scopes = append(s.scopes, pyScope{indent: l.indent, class: -1, body: true})
	kind := KindFunc
	if class >= 0 {
		kind = KindMethod
	}
	switch {
	case strings.Contains(all, "overload"), strings.Contains(all, ".setter"), strings.Contains(all, ".deleter"):
		return
	case name == "__init__" && class >= 0:
		args := strings.TrimSuffix(strings.TrimPrefix(signature, "def __init__"), " -> None")
		args = strings.Replace(strings.Replace(args, "(self, ", "(", 1), "(self)", "()", 1)
		s.entries[class].Signature += "\n" + prefix[:len(prefix)-1] + args
		if s.entries[class].Text == "" { // documented there instead
			s.lastEntry, s.lastIndent, s.lastIsValue = class, l.indent, false
		}
		return
	case strings.Contains(all, "property"):
		kind = KindField
	}
	s.add(prefix+name, kind, signature, l)
	s.lastIsValue = false
}

// value adds a documented, annotated or upper-case name.
func (s *pySource) value(l pyLine, name, prefix string) {
	if name == "__all__" || strings.HasPrefix(name, "_") {
		return
	}
	kind := KindValue
	if prefix != "" {
		kind = KindField
	}
	s.add(prefix+name, kind, Shorten(oneLine(l.text), 200), l)
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
