package shell

import (
	"strings"

	"ccdir/policy/glob"
)

// progReads handles builtins that set variables, or that evaluate a subscript in the name of
// one.
func progReads(w *walker, c *call) {
	switch c.name {
	case "read", "mapfile", "readarray", "getopts", "vared":
		w.arith.input = true
	}
	for i, a := range c.words[1:] {
		if dangerousVar(a.Text) && c.name != "test" && c.name != "[" {
			w.opaque("a value for "+a.Text, c.words)
		}
		if c.name == "printf" && strings.HasPrefix(a.Text, "-v") && i == 0 {
			w.arith.input = true
			w.subscripts(c)
		}
		if (c.name == "mapfile" || c.name == "readarray") && strings.HasPrefix(a.Text, "-") && strings.ContainsAny(a.Text, "Cc") {
			w.opaque("a callback", c.words)
		}
		if (c.name == "test" || c.name == "[") && (a.Text == "-v" || a.Text == "-R" || !a.Known() && a.Several) {
			w.subscripts(c)
		}
	}
	switch c.name {
	case "read", "unset", "mapfile", "readarray", "getopts", "wait":
		w.subscripts(c)
		return
	}
	for _, a := range c.words[1:] {
		if evaluated(a.Text) { // zsh evaluates numbers as arithmetic
			w.opaque("an expression", c.words)
			return
		}
	}
}

func (w *walker) subscripts(c *call) {
	for _, a := range c.words[1:] {
		if strings.Contains(a.Text, "[") && strings.ContainsAny(a.Text, "$`"+glob.Wild) || !a.Known() {
			w.opaque("a subscript", c.words)
			return
		}
	}
}

// oddShellOption are shell options that change the meaning of words: assignments behind the
// command's name, history expansion.
var oddShellOption = set("keyword history histexpand expand_aliases")

// progSet handles set with options that change the meaning of later words.
func progSet(w *walker, c *call) {
	for i, a := range c.words[1:] {
		if a.Text == "--" || a.Text == "-" {
			return
		}
		if len(a.Text) < 2 || a.Text[0] != '-' && a.Text[0] != '+' {
			continue
		}
		if strings.ContainsAny(a.Text, "kH") || strings.Contains(a.Text, "o") && oddShellOption[argAt(c.words[1:], i+1)] {
			w.opaque("an option that changes what words mean", c.words)
			return
		}
	}
}
