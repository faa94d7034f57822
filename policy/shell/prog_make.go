package shell

import "strings"

// progMake handles make: code on its command line or standard input, and values of variables,
// which recipes may run.
func progMake(w *walker, c *call) {
	args := c.words[1:]
	for i, a := range args {
		s := a.Text
		name, value, assigned := strings.Cut(s, "=")
		switch {
		case !a.Known() && (a.Several || strings.HasPrefix(s, "-")),
			strings.HasPrefix(s, "--e") && strings.HasPrefix("--eval", name),
			shortOption(s, 'E', "CfIjloWO") > 0,
			codeFile(makefile(s, args[i+1:])),
			assigned && s[0] != '-' && (strings.ContainsAny(s, "$`") || strings.HasPrefix(s, "SHELL") || strings.HasPrefix(s, ".SHELL") || strings.HasPrefix(s, "MAKE")):
			w.opaque("code for make", c.words)
			return
		case assigned && s[0] != '-':
			w.possibly(func() { w.script(value) })
		}
	}
}

// makefile returns the value of make's option for its file; ok is false for other options.
func makefile(s string, rest []Word) (file Word, ok bool) {
	name, value, given := strings.Cut(s, "=")
	at := shortOption(s, 'f', "CIjloWOE")
	long := len(name) > 2 && (strings.HasPrefix("--file", name) || strings.HasPrefix("--makefile", name))
	switch {
	case at > 0 && at+1 < len(s):
		return lit(s[at+1:]), true
	case long && given:
		return lit(value), true
	case (at > 0 || long) && len(rest) > 0:
		return rest[0], true
	}
	return Word{}, false
}

// codeFile reports whether a file with code cannot be inspected in advance.
func codeFile(file Word, ok bool) bool {
	return ok && (file.Text == "-" || strings.HasPrefix(file.Text, "/dev/") || strings.HasPrefix(file.Text, "/proc/") || !file.Known())
}
