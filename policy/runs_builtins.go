package policy

import "strings"

// runReads takes builtins that set variables, or that evaluate a subscript in
// the name of one.
func runReads(w *walker, c call) {
	switch c.name {
	case "read", "mapfile", "readarray", "getopts", "vared":
		w.reads = true
	}
	for i, a := range c.words[1:] {
		if dangerousVar(a.s) && c.name != "test" && c.name != "[" {
			w.opaque("a value for "+a.s, c.words)
		}
		if c.name == "printf" && strings.HasPrefix(a.s, "-v") && i == 0 {
			w.reads = true
			w.subscripts(c)
		}
		if (c.name == "mapfile" || c.name == "readarray") && strings.HasPrefix(a.s, "-") && strings.ContainsAny(a.s, "Cc") {
			w.opaque("a callback", c.words)
		}
		if (c.name == "test" || c.name == "[") && (a.s == "-v" || a.s == "-R" || !a.known() && a.multi) {
			w.subscripts(c)
		}
	}
	switch c.name {
	case "read", "unset", "mapfile", "readarray", "getopts", "wait":
		w.subscripts(c)
		return
	}
	for _, a := range c.words[1:] {
		if evaluated(a.s) { // zsh takes numbers for arithmetic
			w.opaque("an expression", c.words)
			return
		}
	}
}

func (w *walker) subscripts(c call) {
	for _, a := range c.words[1:] {
		if strings.Contains(a.s, "[") && strings.ContainsAny(a.s, "$`"+wild) || !a.known() {
			w.opaque("a subscript", c.words)
			return
		}
	}
}

// oddShellOption are options of shells that make words mean something else: variables
// behind the command's name, lines taken from the history.
var oddShellOption = set("keyword history histexpand expand_aliases")

// runSet takes set: options that change what the words of later commands mean.
func runSet(w *walker, c call) {
	for i, a := range c.words[1:] {
		if a.s == "--" || a.s == "-" {
			return
		}
		if len(a.s) < 2 || a.s[0] != '-' && a.s[0] != '+' {
			continue
		}
		if strings.ContainsAny(a.s, "kH") || strings.Contains(a.s, "o") && oddShellOption[argAt(c.words[1:], i+1)] {
			w.opaque("an option that changes what words mean", c.words)
			return
		}
	}
}
