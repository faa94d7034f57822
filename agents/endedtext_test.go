package agents

import "testing"

// TestEndedText: a blank follows a last word with a mark, and nothing else is changed.
func TestEndedText(t *testing.T) {
	for text, want := range map[string]string{
		"fix @src/map.go": "fix @src/map.go ", "@a": "@a ", "to me@x.com": "to me@x.com ", "a\n@b": "a\n@b ", "echo $HOME": "echo $HOME ",
		"@a is it": "@a is it", "fix @a ": "fix @a ", "plain": "plain", "": "", "@a\n": "@a\n",
	} {
		if got := EndedText(text, "@$"); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
