package docslookup

import (
	"bytes"
	"context"
	"go/ast"
	gobuild "go/build"
	"go/doc"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// goDirectory reports whether a directory of a module may have importable packages.
func goDirectory(module, dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || part == "internal" || part == "vendor" || part == "node_modules" || part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return module != goStd || dir != "cmd" && dir != "builtin/internal"
}

// goFile selects the sources of packages, and of tests those that hold examples.
func goFile(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".go") && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "_") &&
		(!strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "example"))
}

// scanGo reads the packages of a module by go/doc, some at a time, in a fixed order.
func scanGo(ctx context.Context, m *module, t *tree) []entry {
	files := t.walk(ctx, m)
	byDir := map[string][]string{}
	var documents []found
	for _, f := range files {
		if goFile(f.name) {
			byDir[path.Dir(f.name)] = append(byDir[path.Dir(f.name)], f.name)
		} else {
			documents = append(documents, f)
		}
	}
	var dirs []string
	for dir, names := range byDir {
		// A directory with its own go.mod is another module.
		if m.std() || !nestedModule(t, dir) {
			dirs = append(dirs, dir)
		}
		slices.Sort(names)
	}
	slices.Sort(dirs)
	type source struct {
		at    int
		texts map[string][]byte
	}
	results := make([][]entry, len(dirs))
	work := make(chan source)
	var wg sync.WaitGroup
	for range min(4, runtime.NumCPU()) {
		wg.Go(func() {
			for s := range work {
				pkg := m.name
				if m.std() {
					pkg = dirs[s.at]
				} else if dirs[s.at] != "." {
					pkg = m.name + "/" + dirs[s.at]
				}
				results[s.at] = goPackage(pkg, s.texts)
			}
		})
	}
	for i, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		texts := map[string][]byte{}
		for _, name := range byDir[dir] {
			if text := t.text(name); text != nil && goBuilds(name, text) {
				texts[name] = text
			}
		}
		work <- source{i, texts}
	}
	close(work)
	wg.Wait()
	entries := slices.Concat(results...)
	for _, f := range documents {
		entries = append(entries, markdown(f.name, t.text(f.name))...)
	}
	return entries
}

func nestedModule(t *tree, dir string) bool {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if t.has(path.Join(dir, "go.mod")) {
			return true
		}
	}
	return false
}

// goBuilds applies the build constraints of this system.
func goBuilds(name string, text []byte) bool {
	c := gobuild.Default
	c.CgoEnabled = true
	c.JoinPath = path.Join
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	base := path.Base(name)
	ok, err := c.MatchFile(path.Dir(name), base)
	return err == nil && ok
}

// goPackage returns the exported names of one package. Of a file that does not parse it takes
// the declarations that the parser could read.
func goPackage(importPath string, texts map[string][]byte) (entries []entry) {
	fset := token.NewFileSet()
	var files []*ast.File
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	main := ""
	for _, name := range names {
		if deepNesting(texts[name]) {
			continue
		}
		f, _ := parser.ParseFile(fset, name, texts[name], parser.ParseComments|parser.SkipObjectResolution)
		if f == nil || f.Name == nil || f.Name.Name == "" || f.Name.Name == "_" {
			continue
		}
		if !strings.HasSuffix(name, "_test.go") {
			if main == "" {
				main = f.Name.Name
			}
			if f.Name.Name != main {
				continue
			}
		}
		files = append(files, f)
	}
	if main == "" || main == "main" || main == "documentation" {
		return nil
	}
	p, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		return nil
	}
	s := goScan{fset: fset, pkg: importPath}
	s.all(p)
	return s.entries
}

// deepNesting reports whether a file nests brackets deeper than any that people write: the
// parser and the printer recurse.
func deepNesting(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			if depth++; depth > 2000 {
				return true
			}
		case ')', ']', '}':
			depth--
		}
	}
	return false
}

type goScan struct {
	fset    *token.FileSet
	pkg     string
	entries []entry
}

func (s *goScan) add(symbol, kind, signature, text string, pos token.Pos, examples []*doc.Example) {
	at := s.fset.Position(pos)
	text = strings.TrimSpace(text)
	for _, x := range examples {
		var b bytes.Buffer
		if len(text) > maxText || format.Node(&b, s.fset, x.Code) != nil {
			break
		}
		text += "\n\nExample" + strings.TrimRight(" "+x.Suffix, " ") + ":\n\n" + b.String()
		if x.Output != "" {
			text += "\nOutput:\n" + x.Output
		}
	}
	s.entries = append(s.entries, entry{pkg: s.pkg, symbol: symbol, kind: kind, signature: signature, text: text, file: at.Filename, line: at.Line, source: "source"})
}

func (s *goScan) all(p *doc.Package) {
	s.values(p.Consts)
	s.values(p.Vars)
	s.funcs("", p.Funcs)
	for _, t := range p.Types {
		s.add(t.Name, kindType, s.typeText(t.Decl), t.Doc, t.Decl.Pos(), t.Examples)
		s.values(t.Consts)
		s.values(t.Vars)
		s.funcs("", t.Funcs)
		s.funcs(t.Name, t.Methods)
		s.members(t)
	}
	at := entry{pkg: s.pkg, symbol: p.Name, kind: kindPackage, signature: "package " + p.Name + ` // import "` + s.pkg + `"`, text: p.Doc, line: 1, source: "source"}
	for _, name := range p.Filenames {
		if at.file == "" || path.Base(name) == "doc.go" {
			at.file = name
		}
	}
	s.entries = append(s.entries, at)
}

func (s *goScan) values(list []*doc.Value) {
	for _, v := range list {
		signature := s.node(v.Decl)
		for _, spec := range v.Decl.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			text := strings.TrimSpace(vs.Doc.Text() + vs.Comment.Text())
			if text == "" || len(v.Decl.Specs) == 1 {
				text = strings.TrimSpace(text + "\n\n" + v.Doc)
			}
			for _, n := range vs.Names {
				if !n.IsExported() {
					continue
				}
				one := signature
				if len(v.Decl.Specs) > 1 {
					one = v.Decl.Tok.String() + " " + s.node(vs)
				}
				s.add(n.Name, kindValue, one, text, n.Pos(), nil)
			}
		}
	}
}

func (s *goScan) funcs(of string, list []*doc.Func) {
	for _, f := range list {
		name, kind := f.Name, kindFunc
		if of != "" {
			name, kind = of+"."+f.Name, kindMethod
		}
		decl := *f.Decl
		decl.Doc, decl.Body = nil, nil
		s.add(name, kind, s.node(&decl), f.Doc, f.Decl.Pos(), f.Examples)
	}
}

// members are the documented fields of a struct and the methods of an interface.
func (s *goScan) members(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok || ts.Name.Name != t.Name {
			continue
		}
		var list *ast.FieldList
		kind := kindField
		switch typ := ts.Type.(type) {
		case *ast.StructType:
			list = typ.Fields
		case *ast.InterfaceType:
			list, kind = typ.Methods, kindMethod
		default:
			continue
		}
		for _, f := range list.List {
			text := f.Doc.Text() + f.Comment.Text()
			for _, n := range f.Names {
				if n.IsExported() && (text != "" || kind == kindMethod) {
					signature := n.Name + " " + s.node(f.Type)
					if kind == kindMethod {
						signature = n.Name + strings.TrimPrefix(s.node(f.Type), "func")
					}
					s.add(t.Name+"."+n.Name, kind, signature, text, n.Pos(), nil)
				}
			}
		}
	}
}

// typeText is a type's declaration without comments of its fields.
func (s *goScan) typeText(d *ast.GenDecl) string {
	decl := *d
	decl.Doc = nil
	return s.node(&decl)
}

// node prints a piece of syntax, bounded.
func (s *goScan) node(n any) string {
	var b bytes.Buffer
	w := &limited{b: &b, left: 4 * maxSignature}
	_ = (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(w, s.fset, n)
	return strings.TrimSpace(b.String())
}

// limited drops what is beyond its bound.
type limited struct {
	b    *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, io.ErrShortWrite
	}
	l.b.Write(p[:min(len(p), l.left)])
	l.left -= len(p)
	return len(p), nil
}
