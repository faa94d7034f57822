package docslookup

import (
	"strings"
	"testing"
)

func FuzzManifests(f *testing.F) {
	f.Add([]byte("packages:\n  /a@1.2.3:\n  '@s/b@2.0.0(x@1)':\nimporters:\n  .:\n    dependencies:\n      c:\n        specifier: ^1\n        version: 1.0.0(d@2)\n"))
	f.Add([]byte("\"a@^1\", a@^1.2:\n  version \"1.2.3\"\n\"@s/b@npm:^2\":\n  version: 2.0.0\n"))
	f.Add([]byte("[[package]]\nname = \"a\"\nversion = \"1\"\nsource = \"registry\"\n"))
	f.Add([]byte("module m\ngo 1.24\nrequire (\n\ta/b v1.2.3 // indirect\n)\nreplace a/b => ./x\nuse ./y\n"))
	f.Add([]byte(`{"name":"a","version":"1","dependencies":{"b":"^1"},"packages":{"node_modules/b":{"version":"1.0.0"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := parseGoMod(text)
		m.add(parseGoMod(text), "/d")
		parsePackage(text)
		for _, l := range nodeLocks {
			if n := len(l.parse(text)); n > maxNodePackages+1 {
				t.Errorf("%s: %d packages", l.file, n)
			}
		}
		lockedPackages(text)
		iniValues(text)
		metadata(text)
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
