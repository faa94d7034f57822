package shell

import (
	"slices"
	"strings"
	"unicode"

	"ccdir/policy/glob"
)

// progWrapper handles a program whose arguments are options, then a command.
func progWrapper(w *walker, c *call) {
	spec := wrappers[c.name]
	args := c.words[1:]
	if spec.loose {
		if spec.script {
			w.opaque(c.name, c.words)
		}
		progCodeOptions(w, c)
		w.looseShell(c)
		return // suffixes finds what it runs
	}
	if c.name == "command" && len(args) > 0 && (args[0].Text == "-v" || args[0].Text == "-V") {
		return
	}
	i, prefix, taken := w.wrapped(c, spec)
	if taken {
		return
	}
	c.own = i
	rest := args[i:]
	if len(rest) == 0 {
		if has(c.name, startsShell) {
			w.fromInput(c)
			w.parts[c.part].Covered = false
		}
		return
	}
	if spec.transparent && c.part < len(w.parts) && (i == 0 || safeOptions(args[:i])) || c.name == "env" {
		w.cover(c)
	}
	if spec.script {
		if !known(rest) {
			w.opaque(c.name+" with a command that is unknown until it runs", c.words)
			return
		}
		w.script(Join(rest))
		return
	}
	w.command(rest, commandSetting{assigned: prefix, in: c.in})
	if i == spec.skip || spec.assigns && !slices.ContainsFunc(args[:i], func(a Word) bool { return strings.HasPrefix(a.Text, "-") }) {
		w.surelyWraps = c.part + 1
	}
}

// looseShell handles what a loose wrapper runs without a command: a shell on standard input,
// or the command that strace pipes to.
func (w *walker) looseShell(c *call) {
	args := c.words[1:]
	shell := has(c.name, startsShell) || len(args) > 0 && args[0].Text == "shell"
	if shell && c.in.texts != nil {
		w.fromInput(c)
	}
	if c.name != "strace" {
		return
	}
	for _, a := range args {
		file := strings.TrimPrefix(strings.TrimPrefix(a.Text, "--output="), "-o")
		if strings.HasPrefix(file, "|") || strings.HasPrefix(file, "!") {
			w.opaque("a command that strace pipes to", c.words)
		}
	}
}

// wrapped returns where the command of a wrapper begins, and the assignments before it. With
// taken the call has been handled: the command stood in an option, or can't be found.
func (w *walker) wrapped(c *call, spec *wrapper) (i int, before assignments, taken bool) {
	args, values := c.words[1:], strings.Fields(spec.values)
	before = c.assigned
	skip := spec.skip
	for ; i < len(args); i++ {
		a := args[i]
		if !a.Known() && (a.Text == glob.Wild || strings.HasPrefix(a.Text, "-")) {
			w.opaque(c.name+" with arguments that aren't known", c.words)
			return i, before, true
		}
		if a.Text == "--" {
			i++
			break
		}
		if len(a.Text) > 1 && a.Text[0] == '-' || (c.name == "chrt" || c.name == "env") && a.Text == "-" {
			switch {
			case c.name == "env" && w.envSplit(c, args[i:]):
				return i, before, true
			case strings.HasPrefix(a.Text, "--command") || a.Text == "-c" && c.name == "runuser":
				progDashC(w, c)
				return i, before, true
			}
			dir, ok := valueIn(a, args[i+1:], 'C', "uSa", "--chdir")
			if c.name == "sudo" {
				dir, ok = valueIn(a, args[i+1:], 'D', "ugpCrtThURac", "--chdir")
			}
			if ok && (c.name == "env" || c.name == "sudo") {
				w.chdir(dir)
			}
			if takesValue(a.Text, values) {
				i++
			}
			continue
		}
		if name, value, ok := strings.Cut(a.Text, "="); ok && spec.assigns {
			if !isName(name) { // shells import functions from such variables
				w.opaque("a variable with a name that no shell would give it", c.words)
			}
			before.add(w, name, Word{Text: value, dynamic: a.dynamic})
			continue
		}
		if skip == 0 {
			break
		}
		skip--
	}
	return min(i+skip, len(args)), before, false
}

// safeOptions reports whether the options of a transparent wrapper write no file; time -o
// does.
func safeOptions(args []Word) bool {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-o") && len(a.Text) > 1 && strings.ContainsAny(a.Text, "/.") || a.Text == "-o" || strings.HasPrefix(a.Text, "--output") {
			return false
		}
	}
	return true
}

// envSplit handles `env -S string`. It returns false for other options.
func (w *walker) envSplit(c *call, args []Word) bool {
	value, ok := valueIn(args[0], args[1:], 'S', "uCa", "--split-string")
	if !ok {
		return false
	}
	text, rest := value.Text, args[1:]
	if !strings.HasSuffix(args[0].Text, text) || text == "" {
		rest = rest[1:]
	}
	if strings.Contains(text, glob.Wild) || strings.ContainsAny(text, "\\$#") || dynamic(rest) {
		w.opaque("env -S", c.words)
	}
	if len(rest) > 0 {
		text += " " + quoted(rest)
	}
	if !strings.Contains(text, glob.Wild) {
		w.script("env " + text)
	}
	return true
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}

// takesValue reports whether the value of an option is the next word.
func takesValue(s string, values []string) bool {
	if strings.HasPrefix(s, "--") {
		for _, v := range values {
			if s[2:] == v {
				return true
			}
		}
		return false
	}
	// The first letter that takes a value gets the rest of the word, if there is any.
	for i := 1; i < len(s); i++ {
		if slices.Contains(values, s[i:i+1]) {
			return i == len(s)-1
		}
	}
	return false
}

// progDashC handles programs that pass the value of -c to a shell.
func progDashC(w *walker, c *call) {
	args := c.words[1:]
	for i, a := range args {
		if !a.Known() {
			w.opaque(c.name+" with arguments that aren't known", c.words)
			return
		}
		value, ok := valueIn(a, args[i+1:], 'c', "", "--command")
		if ok && !value.Known() {
			w.opaque(c.name+" with a command that is unknown until it runs", c.words)
			return
		}
		if ok {
			w.script(value.Text)
			return
		}
	}
	w.opaque(c.name, c.words)
}
