package docslookup

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// checkEntries: what a scanner returns lies in its text.
func checkEntries(t *testing.T, entries []entry, text []byte) {
	t.Helper()
	lines := strings.Count(string(text), "\n") + 1
	m := module{name: "m"}
	for i := range entries {
		e := &entries[i]
		if e.line < 1 || e.line > lines {
			t.Errorf("%s: line %d of %d", e.symbol, e.line, lines)
		}
		m.bound(e)
		if !utf8.ValidString(e.text+e.symbol+e.signature) || len(e.text) > 5*maxText {
			t.Errorf("%q is not bounded", e.symbol)
		}
	}
}

func FuzzDeclarations(f *testing.F) {
	f.Add([]byte("/** Doc. */\nexport declare function f<T>(a: { b: string }): void;\nexport interface I {\n  /** x */ m(): `${string}`;\n  y?: number\n}\n"))
	f.Add([]byte("declare module 'x' { namespace N { class C<T extends {}> { private p; constructor(); [Symbol.iterator](): X } } }\nexport type T =\n  | 'a'\n  | 'b'\n"))
	f.Add([]byte("export const a: string, b = '"))
	f.Fuzz(func(t *testing.T, text []byte) { checkEntries(t, declarations("x.d.ts", text), text) })
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("before\n# A `b` [c](d)\ntext\n```\n# no\n```\n### deep\n\nTitle\n=====\nx"))
	f.Fuzz(func(t *testing.T, text []byte) { checkEntries(t, markdown("x.md", text), text) })
}

func FuzzGoPackage(f *testing.F) {
	f.Add([]byte("// Package p does.\npackage p\n\n// F does.\nfunc F(a, b int) (c error) { return nil }\n\ntype T[P any] struct {\n\t// A is.\n\tA, b int\n}\n\nfunc (t *T[P]) M() {}\nconst (\n\tX = iota // x\n\tY\n)\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkEntries(t, goPackage("m/p", map[string][]byte{"p.go": text, "example_test.go": text}), text)
	})
}

func FuzzManifests(f *testing.F) {
	f.Add([]byte("module m\ngo 1.24\nrequire (\n\ta/b v1.2.3 // indirect\n)\nreplace a/b => ./x\nuse ./y\n"))
	f.Add([]byte(`{"name":"a","version":"1","dependencies":{"b":"^1"},"packages":{"node_modules/b":{"version":"1.0.0"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := parseGoMod(text)
		m.add(parseGoMod(text), "/d")
		parsePackage(text)
		if n := len(parseLock(text)); n > maxNodePackages {
			t.Errorf("%d packages", n)
		}
	})
}

func FuzzQuestion(f *testing.F) {
	f.Add(`sync.WaitGroup "quoted" (x)`)
	f.Add("NOT OR AND * ^ NEAR(")
	f.Fuzz(func(t *testing.T, text string) {
		q := ask(text)
		if len(q.terms) > maxTerms {
			t.Errorf("%d terms", len(q.terms))
		}
		for _, match := range []string{q.match, q.pieces} {
			if strings.Count(match, `"`)%2 != 0 {
				t.Errorf("unbalanced: %s", match)
			}
		}
	})
}
