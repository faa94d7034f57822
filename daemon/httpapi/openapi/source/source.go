// Package source reads what packages say of their types, for tests and
// generators: a program has no source.
package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ccdir/daemon/httpapi/openapi"
)

// comments are what was read so far.
type comments openapi.Comments

// Read reads the comments and constants of the packages in directories, tests
// apart. Names of types must differ between them.
func Read(dirs ...string) (openapi.Comments, error) {
	c := openapi.Comments{Types: map[string]string{}, Enums: map[string][]string{}}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			return c, fmt.Errorf("no source in %s", dir)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return c, err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ParseComments)
			if err != nil {
				return c, err
			}
			for _, d := range parsed.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					(*comments)(&c).decl(g)
				}
			}
		}
	}
	return c, nil
}

func (c *comments) decl(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := spec.Doc
			if doc == nil {
				doc = g.Doc
			}
			c.note(spec.Name.Name, doc)
			if s, ok := spec.Type.(*ast.StructType); ok {
				c.structure(spec.Name.Name, s)
			}
		case *ast.ValueSpec:
			kind, ok := spec.Type.(*ast.Ident)
			if g.Tok != token.CONST || !ok {
				continue
			}
			for _, v := range spec.Values {
				lit, ok := v.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING || kind.Name == "string" {
					continue
				}
				if text, err := strconv.Unquote(lit.Value); err == nil {
					c.Enums[kind.Name] = append(c.Enums[kind.Name], text)
				}
			}
		}
	}
}

// structure notes fields; one comment may be about several fields below it.
func (c *comments) structure(name string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		doc := f.Doc
		if doc == nil {
			doc = f.Comment
		}
		for _, n := range f.Names {
			if n.IsExported() {
				c.note(name+"."+n.Name, doc)
			}
		}
	}
}

func (c *comments) note(name string, doc *ast.CommentGroup) {
	if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" {
		c.Types[name] = text
	}
}
