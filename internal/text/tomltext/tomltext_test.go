package tomltext

import (
	"errors"
	"strings"
	"testing"
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

func TestPositions(t *testing.T) {
	_, at, err := Decode(sample)
	if err != nil {
		t.Fatal(err)
	}
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

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\nx =\n":             "line 2: expected a value, found the end of the line",
		"a = 1\nb = 'x\xff'\n":     "line 2: invalid UTF-8",
		"a = 1\na = 2\n":           "line 2: key a is already defined",
		"\ufeff[a]\n\n[a]\n":       "line 3: table a already exists",
		"x = \"a\n\"":              "line 1: basic strings cannot have new lines",
		"x = 99999999999999999999": "line 1: decimal number is too large to fit in a 64-bit signed integer",
	} {
		if _, _, err := Decode(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	var doc struct{ A []string }
	if err := Unmarshal("b = 1\na = 'x'", &doc); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("a text for a list: %v", err)
	}
}

// FuzzEdit: edits of a good text leave a good text, in which the value is.
func FuzzEdit(f *testing.F) {
	f.Add("[t]\nl = []\n", "x")
	f.Add("[t] # c\nl = [ # d\n 'a',\n]", "\x00\"\\\n")
	f.Fuzz(func(t *testing.T, text, value string) {
		var doc struct{ T struct{ L []string } }
		e := NewEditor(text) // nothing panics, whatever the text is
		if _, places, err := Decode(text); err == nil {
			for path, p := range places {
				if p.Line < 1 || p.Col < 1 || p.offset < 0 || p.offset+p.length > len(text) {
					t.Fatalf("%q is at %+v of %q", path, p, text)
				}
			}
		} else if bad := new(Error); !errors.As(err, &bad) || bad.Line < 1 || bad.Line > strings.Count(text, "\n")+1 || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q: %v", text, err)
		}
		if err := Unmarshal(text, &doc); err != nil || !e.Has("t", "l") {
			return
		}
		before := len(doc.T.L)
		if e.Prepend(Quote(value), "t", "l") != nil {
			return
		}
		if doc.T.L = nil; len(value) > 0 && value == string([]rune(value)) {
			if err := Unmarshal(e.Text(), &doc); err != nil || len(doc.T.L) != before+1 || doc.T.L[0] != value {
				t.Fatalf("%q became %q: %v %q", text, e.Text(), err, doc.T.L)
			}
		}
	})
}
