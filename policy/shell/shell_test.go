package shell

import (
	"slices"
	"strings"
	"testing"
)

var everything = Context{Home: "/home/u", Dir: "/p", Watched: map[string]bool{"git": true}, Concerns: func(*Part) bool { return true }}

// show renders parts: the kind's letter, "?" for one that may not exist, and the text.
func show(parts []Part) (out []string) {
	for _, p := range parts {
		s := string("tcrefno"[p.Kind])
		if p.Possible {
			s += "?"
		}
		out = append(out, s+" "+p.Text)
	}
	return out
}

// TestSplit: which commands and files a command has.
func TestSplit(t *testing.T) {
	for command, want := range map[string]string{
		"ls -l | wc":                    "c ls -l, c wc, r . ",
		"cat a > b":                     "e b, c cat a, r a",
		"timeout 5 cat a":               "c timeout 5 cat a, c cat a, r? 5, e? 5, r a",
		"git show HEAD:a":               "c git show HEAD:a, r a",
		"foo -x=a":                      "c foo -x=a, r? a, e? a",
		"foo -xa/b":                     "c foo -xa/b, r? a/b, e? a/b",
		"cat < {a,b}":                   "r a, r b, c cat",
		"echo a":                        "c echo a",
		"sh -c 'rm a'":                  "c sh -c 'rm a', c rm a, e a, r rm a, e? rm a",
		"git commit -m a":               "c git commit -m a",
		"python3 -c x":                  "c python3 -c x, o code for python3",
		"find . -name a -exec cat {} +": "c find . -name a -exec cat {} +, r ., c cat .\x00, r .",
	} {
		parts, err := Split(command, everything, nil)
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		got := show(parts)
		for _, w := range strings.Split(want, ", ") {
			if w = strings.TrimSpace(w); w != "r ." && !slices.Contains(got, w) {
				t.Errorf("%s: no %q in %q", command, w, got)
			}
		}
	}
}

// FuzzSplit: no command makes Split panic, or find more than its bounds.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"ls", "git show a:b -L1,2:c", "foo -x=a:b,c@d", "cat < {a,b}", "sh -c 'x $y'", "ln -s a", "python3 -Im x", "psql -c 'select 1'", "git -C", "find -exec {} +"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		parts, err := Split(command, everything, nil)
		if err == nil && len(parts) > maxParts+2*maxUses+8 {
			t.Fatalf("%d parts", len(parts))
		}
		for _, p := range parts {
			if (p.Kind == KindRead || p.Kind == KindEdit) && p.Possible && !p.Covered {
				t.Fatalf("%q may not exist and needs an allow rule", p.Text)
			}
		}
	})
}
