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
			codeFile(makefile(a, args[i+1:])),
			assigned && s[0] != '-' && (strings.ContainsAny(s, "$`") || strings.HasPrefix(s, "SHELL") || strings.HasPrefix(s, ".SHELL") || strings.HasPrefix(s, "MAKE")):
			w.opaque("code for make", c.words)
			return
		case assigned && s[0] != '-':
			w.possibly(func() { w.script(value) })
		}
	}
}

// makefile returns the value of make's option for its file; ok is false for other options.
func makefile(a Word, rest []Word) (file Word, ok bool) {
	if file, ok = valueIn(a, rest, 'f', "CIjloWOE", "--file"); !ok {
		file, ok = valueIn(a, rest, 0, "", "--makefile")
	}
	return file, ok
}

// codeFile reports whether a file with code cannot be inspected in advance.
func codeFile(file Word, ok bool) bool {
	return ok && (file.Text == "-" || strings.HasPrefix(file.Text, "/dev/") || strings.HasPrefix(file.Text, "/proc/") || !file.Known())
}
