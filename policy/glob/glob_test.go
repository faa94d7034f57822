package glob

import "testing"

// TestMatch: what surely matches, and what may match.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		sure, may     bool
	}{
		{"a*c", "abc", true, true}, {"a*c", "ac", true, true}, {"a*c", "ab", false, false}, {"*", "", true, true},
		{"abc", "a" + Wild, false, true}, {"abc", Wild + "b" + Wild, false, true}, {"abc", "x" + Wild, false, false}, {"a*", "a" + Wild, true, true},
		{"a", "a" + Wild, false, true}, {"", Wild, false, true},
	} {
		if got := Match(c.pattern, c.text); got != c.sure {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.text, got)
		}
		if got := MayMatch(c.pattern, c.text, false); got != c.may {
			t.Errorf("MayMatch(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
	if !MayMatch("?.g[oO]", "a.go", true) || MayMatch("?.go", "ab.go", true) {
		t.Error("classes")
	}
}

// TestNames: a pattern of names as a path, and names that file systems take for the same.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{"src/*.go": "src/" + Wild + ".go", "**/x": AnyDepth + "/x", "a[bc]d": "a" + Wild + "d", "a/b": "a/b", "{a,b}": Wild + "a" + Wild + "b" + Wild} {
		if got := FromNames(in); got != want {
			t.Errorf("FromNames(%q) = %q", in, got)
		}
	}
	for _, s := range []string{"Straße", "STRASSE", "straẞe"} {
		if Fold(s) != "strasse" {
			t.Errorf("Fold(%q) = %q", s, Fold(s))
		}
	}
	if Fold("caf\u00e9") != Fold("CAFE\u0301") || Fold("a\u200bb") != "ab" {
		t.Error("Fold keeps what can't be seen")
	}
}

// FuzzMatch: what surely matches may match, whatever the pattern and the text.
func FuzzMatch(f *testing.F) {
	f.Add("a*c", "abc")
	f.Add("*x*", "\x00x")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 200 {
			return
		}
		if Match(pattern, text) && !MayMatch(pattern, text, false) {
			t.Fatalf("%q matches %q and may not", pattern, text)
		}
	})
}
