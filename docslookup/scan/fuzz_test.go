package scan

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// checkEntries: what a scanner returns lies in its text.
func checkEntries(t *testing.T, entries []Entry, text []byte) {
	t.Helper()
	lines := strings.Count(string(text), "\n") + 1
	for i := range entries {
		e := &entries[i]
		if e.Line < 1 || e.Line > lines {
			t.Errorf("%s: line %d of %d", e.Symbol, e.Line, lines)
		}
		e.Bound("m")
		if !utf8.ValidString(e.Text+e.Symbol+e.Signature) || len(e.Text) > 5*maxText {
			t.Errorf("%q is not bounded", e.Symbol)
		}
	}
}

func FuzzDeclarations(f *testing.F) {
	f.Add([]byte("/** Doc. */\nexport declare function f<T>(a: { b: string }): void;\nexport interface I {\n  /** x */ m(): `${string}`;\n  y?: number\n}\n"))
	f.Add([]byte("declare module 'x' { namespace N { class C<T extends {}> { private p; constructor(); [Symbol.iterator](): X } } }\nexport type T =\n  | 'a'\n  | 'b'\n"))
	f.Add([]byte("export const a: string, b = '"))
	f.Fuzz(func(t *testing.T, text []byte) { checkEntries(t, TypeScript("x.d.ts", text), text) })
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("before\n# A `b` [c](d)\ntext\n```\n# no\n```\n### deep\n\nTitle\n=====\nx"))
	f.Fuzz(func(t *testing.T, text []byte) { checkEntries(t, Markdown("x.md", text), text) })
}

func FuzzGoPackage(f *testing.F) {
	f.Add([]byte("// Package p does.\npackage p\n\n// F does.\nfunc F(a, b int) (c error) { return nil }\n\ntype T[P any] struct {\n\t// A is.\n\tA, b int\n}\n\nfunc (t *T[P]) M() {}\nconst (\n\tX = iota // x\n\tY\n)\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkEntries(t, GoPackage("m/p", map[string][]byte{"p.go": text, "example_test.go": text}), text)
	})
}

func FuzzPython(f *testing.F) {
	f.Add([]byte("\"\"\"Doc.\"\"\"\nfrom .core import (A, B as C)  # x\n@property\ndef f(a, b='):') -> int:\n    r'''Doc\n      more'''\nclass K(A):\n  x: int = 1\nclass J(K, m.L[T], metaclass=M):\n  y = 1\n  \"x\"\n  def __init__(self, a): pass\nif True:\n\tN = [\n1]\n#: doc\nM = 2\\\n+3\n"))
	f.Add([]byte("def f(\n'''"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var sources, stubs Python
		sources.Source("a/b.py", text)
		checkEntries(t, sources.Entries(), text)
		stubs.Source("a/b.pyi", text)
		checkEntries(t, stubs.Entries(), text)
	})
}

func FuzzRust(f *testing.F) {
	f.Add([]byte("//! Crate.\n/// Doc.\n#[doc = \"more\"]\npub fn f<'a>(x: &'a str) -> char { '{' }\npub mod m { pub use super::{f as g, K::*}; /** x */ pub struct S { /// a\n pub a: u8, } impl<T> S { pub const fn h() {} } }\n#[macro_export]\nmacro_rules! v { () => { r#\"}\"# } }\npub enum E { /// V\n V(u8), }\ncfg_rt! { pub trait T { fn t(&self); } }"))
	f.Add([]byte("pub use a::{b, {c"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := NewCrate("m")
		c.Source("m", "lib.rs", text)
		c.Source("m::a", "a.rs", text)
		checkEntries(t, c.Entries(), text)
	})
}

func FuzzRoff(f *testing.F) {
	f.Add([]byte(".TH X 1\n.SH NAME\nx \\- does\n.SH OPTIONS\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\nText \\(bu \\[em] \\\\.\n.IP \"\\-b \\fIx\\fP\" 4\n.RS\n.PP\nmore\n.RE\n"))
	f.Add([]byte(".Dd x\n.Sh NAME\n.Nm y\n.Nd does\n.Sh DESCRIPTION\n.Bl -tag\n.It Fl L Xo\n.Oo Ar a : Oc\n.Xc\nText\n.Xr ssh 1 .\n.El\n.de xx\n"))
	f.Fuzz(func(t *testing.T, text []byte) { checkEntries(t, ManPage("page", "page.1", text), text) })
}
