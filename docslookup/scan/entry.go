// Package scan reads what source files and documents say: the names of a Go package, of
// TypeScript declarations, Python modules and Rust crates with their documentation, the options
// of a manual page, the sections of a Markdown file.
//
// Contract: it opens no file. Texts are hostile: no scanner fails, panics or recurses without a
// bound; what it cannot read it leaves out. Lines are those of the text. Entries are not
// bounded in length before Bound.
package scan

import (
	"strings"
	"unicode/utf8"

	"ccdir/internal/text/textsafe"
)

// Entry is a piece of documentation: a symbol, or a section of a document.
type Entry struct {
	// Package is the import path; "" is the module's name.
	Package string
	// Symbol is the name in its package, or the heading of a section.
	Symbol    string
	Kind      string // KindPackage and so on
	Signature string
	Heading   string // path of headings of a section
	Text      string
	File      string // relative to the module's directory
	Line      int
	Source    string // "source", or the document's: "docs", "readme", "changelog", "metadata"
}

// Bounds of one entry, in bytes, and how many of one module are kept.
const (
	maxText      = 24 << 10
	maxSignature = 1 << 10
	maxSymbol    = 200
	MaxEntries   = 40000
)

// Kinds of entries.
const (
	KindPackage = "package"
	KindFunc    = "func"
	KindMethod  = "method"
	KindType    = "type"
	KindValue   = "value"
	KindField   = "field"
	KindSection = "section"
	// KindInherited is a method or field that a class has from another one.
	KindInherited = "inherited"
)

// Bound makes a scanned entry short and harmless to display; pkg is its package if it names
// none.
func (e *Entry) Bound(pkg string) {
	if e.Package == "" {
		e.Package = pkg
	}
	e.Package, e.Symbol = textsafe.Line(Shorten(e.Package, maxSymbol)), textsafe.Line(Shorten(e.Symbol, maxSymbol))
	e.Signature = textsafe.Block(Shorten(e.Signature, maxSignature))
	e.Heading, e.Text = textsafe.Line(Shorten(e.Heading, maxSignature)), textsafe.Block(Shorten(e.Text, maxText))
}

// Shorten cuts a text at a word within n bytes.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) {
		s = s[:len(s)-1]
	}
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return s + "…"
}
