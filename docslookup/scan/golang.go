package scan

import (
	"bytes"
	"go/ast"
	gobuild "go/build"
	"go/doc"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"
)

// GoBuilds applies the build constraints of this system.
func GoBuilds(name string, text []byte) bool {
	c := gobuild.Default
	c.CgoEnabled = true
	c.JoinPath = path.Join
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	base := path.Base(name)
	ok, err := c.MatchFile(path.Dir(name), base)
	return err == nil && ok
}

// GoPackage returns the exported names of one package. Of a file that does not parse it takes
// the declarations that the parser could read.
func GoPackage(importPath string, texts map[string][]byte) (entries []Entry) {
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
	entries []Entry
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
	s.entries = append(s.entries, Entry{Package: s.pkg, Symbol: symbol, Kind: kind, Signature: signature, Text: text, File: at.Filename, Line: at.Line, Source: "source"})
}

func (s *goScan) all(p *doc.Package) {
	s.values(p.Consts)
	s.values(p.Vars)
	s.funcs("", p.Funcs)
	for _, t := range p.Types {
		s.add(t.Name, KindType, s.typeText(t.Decl), t.Doc, t.Decl.Pos(), t.Examples)
		s.values(t.Consts)
		s.values(t.Vars)
		s.funcs("", t.Funcs)
		s.funcs(t.Name, t.Methods)
		s.members(t)
	}
	at := Entry{Package: s.pkg, Symbol: p.Name, Kind: KindPackage, Signature: "package " + p.Name + ` // import "` + s.pkg + `"`, Text: p.Doc, Line: 1, Source: "source"}
	for _, name := range p.Filenames {
		if at.File == "" || path.Base(name) == "doc.go" {
			at.File = name
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
				s.add(n.Name, KindValue, one, text, n.Pos(), nil)
			}
		}
	}
}

func (s *goScan) funcs(of string, list []*doc.Func) {
	for _, f := range list {
		name, kind := f.Name, KindFunc
		if of != "" {
			name, kind = of+"."+f.Name, KindMethod
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
		kind := KindField
		switch typ := ts.Type.(type) {
		case *ast.StructType:
			list = typ.Fields
		case *ast.InterfaceType:
			list, kind = typ.Methods, KindMethod
		default:
			continue
		}
		for _, f := range list.List {
			text := f.Doc.Text() + f.Comment.Text()
			for _, n := range f.Names {
				if n.IsExported() && (text != "" || kind == KindMethod) {
					signature := n.Name + " " + s.node(f.Type)
					if kind == KindMethod {
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
