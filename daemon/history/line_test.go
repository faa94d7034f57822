package history

import "testing"

// TestLineWith: a hit shows the line that has most of the words, by themselves if it can.
func TestLineWith(t *testing.T) {
	const text = "osos\nclose(x)\nimport os\nos.Exit(1)\na disclosure of costs by import"
	for _, c := range []struct {
		words []string
		line  string
	}{
		{[]string{"os"}, "import os"},
		{[]string{"clo"}, "close(x)"},
		{[]string{"import", "cost"}, "a disclosure of costs by import"},
		{[]string{"OS", "exit"}, "os.Exit(1)"},
		{[]string{"none"}, "osos"},
	} {
		if line, _ := lineWith(text, c.words); line != c.line {
			t.Errorf("%q shows %q, not %q", c.words, line, c.line)
		}
	}
}
