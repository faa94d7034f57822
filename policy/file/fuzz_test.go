package file

import "testing"

// FuzzParse: no file makes the loader panic, and each error has its place.
func FuzzParse(f *testing.F) {
	f.Add(Starter)
	f.Add("[roles.dev]\nallow=[1]\n[[roles.dev.rule]]\nmatch='x'\nwhen='a'")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse([]byte(text), "p")
		if err == nil {
			return
		}
		for _, p := range err.(Problems) {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Fatalf("%+v", p)
			}
		}
	})
}
