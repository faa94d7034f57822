package tomltext

import (
	"testing"

	"github.com/BurntSushi/toml"
)

const sample = `# top
a = 1
[x.y]
'b c' = ["one", # first
  "two"]
[[list]]
k = { in = 1 }
[[list]]
k = """
two
lines"""
after = true
`

func TestScan(t *testing.T) {
	at := Scan(sample)
	for _, c := range []struct {
		path []string
		want Position
	}{
		{[]string{"a"}, Position{Line: 2, Col: 5}},
		{[]string{"x", "y"}, Position{Line: 3, Col: 1}},
		{[]string{"x", "y", "b c", "1"}, Position{Line: 5, Col: 3}},
		{[]string{"list", "0", "k", "in"}, Position{Line: 7, Col: 12}},
		{[]string{"list", "1", "after"}, Position{Line: 12, Col: 9}},
		{[]string{"list", "1", "gone"}, Position{Line: 8, Col: 1}},
		{[]string{"gone"}, Position{Line: 1, Col: 1}},
	} {
		if got := at.At(c.path...); got != c.want {
			t.Errorf("%v is at %v, want %v", c.path, got, c.want)
		}
	}
	if at.Line("gone") != 0 || at.Line("list", "1", "after") != 12 {
		t.Error("lines")
	}
}

// FuzzEdit: edits of a good text leave a good text, in which the value is.
func FuzzEdit(f *testing.F) {
	f.Add("[t]\nl = []\n", "x")
	f.Add("[t] # c\nl = [ # d\n 'a',\n]", "\x00\"\\\n")
	f.Fuzz(func(t *testing.T, text, value string) {
		var doc struct{ T struct{ L []string } }
		e := NewEditor(text) // nothing panics, whatever the text is
		if _, err := toml.Decode(text, &doc); err != nil || !e.Has("t", "l") {
			return
		}
		before := len(doc.T.L)
		if e.Prepend(Quote(value), "t", "l") != nil {
			return
		}
		if doc.T.L = nil; len(value) > 0 && value == string([]rune(value)) {
			if _, err := toml.Decode(e.Text(), &doc); err != nil || len(doc.T.L) != before+1 || doc.T.L[0] != value {
				t.Fatalf("%q became %q: %v %q", text, e.Text(), err, doc.T.L)
			}
		}
	})
}
