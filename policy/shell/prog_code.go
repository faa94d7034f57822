package shell

import (
	"cmp"
	"strings"
)

// quietOptions make an interpreter print something and exit.
var quietOptions = set("--version -V --help -h -v")

// progInterpreter handles programs that run code of other languages. Code given inline or on
// standard input is opaque.
func progInterpreter(w *walker, c *call) {
	letters, exact := interpreters[c.name]
	if !exact {
		letters = interpreters[strings.TrimRight(c.name, "0123456789.-")]
	}
	args := c.words[1:]
	if len(args) > 0 && quietOptions[args[0].Text] && len(args) == 1 {
		return
	}
	if len(args) > 0 && (c.name == "deno" || c.name == "bun" || c.name == "php") && (args[0].Text == "eval" || args[0].Text == "repl") {
		w.opaque("code for "+c.name, c.words)
		return
	}
	if (c.name == "deno" || c.name == "bun") && len(args) > 1 && args[0].Text == "run" {
		args = args[1:]
	}
	afterOption, tests := false, false
	for i, a := range args {
		s := a.Text
		if !a.Known() && (a.Several || strings.HasPrefix(s, "-")) {
			w.opaque(c.name+" with arguments that aren't known", c.words)
			return
		}
		if s == "-" || strings.HasPrefix(s, "/dev/") || strings.HasPrefix(s, "/proc/") || !a.Known() {
			w.opaque("code for "+c.name, c.words)
			return
		}
		if module, rest, ok := pythonModule(c.name, s, args[i+1:]); ok {
			if strings.Contains(s[:shortOption(s, 'm', "")], "i") { // reads more code from standard input
				w.opaque("code for "+c.name, c.words)
			}
			w.module(c, module, rest)
			return // other modules are programs with a name
		}
		if len(s) > 1 && (s[0] == '-' || s[0] == '+') {
			long := strings.HasPrefix(s, "--")
			if !long && strings.ContainsAny(codeCluster(c.name, s), letters) && letters != "" || longCode(s) {
				w.opaque("code for "+c.name, c.words)
				return
			}
			tests = tests || s == "--test" && strings.HasPrefix(c.name, "node")
			afterOption = !strings.Contains(s, "=") && !flagOptions[s] && !(len(s) == 2 && strings.Contains("uBOEsSIvbiqdPwnlat", s[1:]))
			continue
		}
		if afterOption {
			afterOption = false
			continue
		}
		w.add(Part{Kind: KindCommand, Command: Command{Words: args[i:]}, Text: quoted(args[i:]), Covered: true, Unclear: !known(args[i:])})
		if has(c.name, scripted) || scriptShells[a.Text+" "+argAt(args, i+1)] {
			break
		}
		w.suffixes(c.name, args[i+1:])
		return
	}
	if tests {
		return // it looks for the tests itself
	}
	w.opaque("code for "+c.name, c.words)
}

// flagOptions are long options of interpreters that take no value.
var flagOptions = set("--test --check --watch --inspect --no-warnings --enable-source-maps --trace-warnings --expose-gc --test-only --inspect-brk --no-deprecation --experimental-strip-types")

// scriptShells are scripts with a subcommand that takes code.
var scriptShells = phrases("artisan tinker", "manage.py shell", "./manage.py shell", "bin/console shell")

func phrases(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// codeCluster returns the part of an option's letters that are options themselves. For Python
// the text behind -W or -X is a value.
func codeCluster(name, s string) string {
	if strings.HasPrefix(name, "py") {
		return beforeValue(s[1:], "WXQ")
	}
	return s[1:]
}

func argAt(args []Word, i int) string {
	if i >= len(args) {
		return ""
	}
	return args[i].Text
}

// inlineModules are Python modules that run code from their arguments or standard input.
var inlineModules = set("xonsh timeit code codeop pdb asyncio idlelib IPython ptpython bpython")

// runnerModules are Python modules that run a script, or another module, from their arguments.
var runnerModules = set("cProfile profile trace runpy coverage")

// module handles `python -m module rest…`.
func (w *walker) module(c *call, module string, rest []Word) {
	code := inlineModules[module]
	if runnerModules[module] {
		for i, a := range rest {
			inner, _, ok := pythonModule(c.name, a.Text, rest[i+1:])
			code = code || ok && inlineModules[inner] || inlineModules[a.Text] || codeFile(a, true)
		}
	}
	if code {
		w.opaque("code for "+c.name, c.words)
	}
	w.suffixes(c.name, rest)
}

// pythonModule returns the module that an option of Python names with -m, also behind other
// letters, and the arguments behind it.
func pythonModule(program, option string, args []Word) (module string, rest []Word, ok bool) {
	at := shortOption(option, 'm', "WXQc")
	switch {
	case at == 0 || !strings.HasPrefix(program, "py"):
		return "", nil, false
	case at+1 < len(option):
		return option[at+1:], args, true
	case len(args) == 0:
		return "", nil, true
	}
	return args[0].Text, args[1:], true
}

func longCode(s string) bool {
	for _, p := range []string{"--eval", "--print", "--command", "--execute", "--run", "--expr", "--require", "--import", "--loader", "--experimental-loader", "-Command", "-EncodedCommand", "-require", "-r="} {
		if name, _, _ := strings.Cut(s, "="); len(name) > 3 && strings.HasPrefix(p, name) {
			return true
		}
	}
	return false
}

// code adds an opaque part for the program text of a command.
func (w *walker) code(c *call, what string) {
	c.code = true
	w.opaque(what, c.words)
}

// progAwk handles awk. A program that starts no process and opens no file is harmless.
func progAwk(w *walker, c *call) {
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !a.Known() && a.Several {
			break
		}
		s := a.Text
		switch {
		case s == "--":
			continue
		case s == "-F" || s == "-v" || s == "--field-separator" || s == "--assign":
			i++
			continue
		case strings.HasPrefix(s, "-F"), strings.HasPrefix(s, "-v"):
			continue
		case len(s) > 1 && s[0] == '-':
			w.code(c, "a program for awk")
			return
		}
		if a.Known() && harmlessAwk(s) {
			return
		}
		break
	}
	w.code(c, "a program for awk")
}

// harmlessAwk reports whether an awk program certainly runs nothing and opens no file besides
// its arguments. ">" and "|" are redirections only behind a print; elsewhere they are
// operators.
func harmlessAwk(s string) bool {
	for _, word := range []string{"@", "system", "getline", "close", "ARGV"} {
		if strings.Contains(s, word) {
			return false
		}
	}
	at := strings.Index(s, "print")
	return at < 0 || !strings.ContainsAny(s[at:], "|>")
}

// progRename handles rename. Perl's takes code: only names, and a substitution without code in it, are harmless.
func progRename(w *walker, c *call) {
	for _, a := range c.words[1:] {
		switch s := a.Text; {
		case len(s) > 1 && s[0] == '-':
			if s != "--" && strings.ContainsAny(s, "eE") && !strings.HasPrefix(s, "--v") {
				w.opaque("code for rename", c.words)
				return
			}
		case !a.Known() || strings.ContainsAny(s, "{`;") || strings.ContainsAny(s, " '\"") && !harmlessSed(s) || strings.IndexByte("sy", cmp.Or(s, " ")[0]) >= 0 && len(s) > 1 && !isLetter(s[1]) && !harmlessSed(s):
			w.opaque("code for rename", c.words)
			return
		default:
			return // files follow
		}
	}
}

// progSed handles sed, whose commands e, w and r, and flags e and w of s, run programs or
// open files.
func progSed(w *walker, c *call) {
	args := c.words[1:]
	w.namesOfFiles(c)
	scripts, given := []Word(nil), false
	for i := 0; i < len(args); i++ {
		a := args[i]
		s := a.Text
		switch {
		case !a.Known() && a.Several && given && !a.dynamic && s[0] != '-':
			continue // file names
		case !a.Known() && a.Several:
			w.code(c, "a script for sed")
			return
		case s == "-e" || s == "--expression":
			if given = true; i+1 < len(args) {
				i++
				scripts = append(scripts, args[i])
			}
		case strings.HasPrefix(s, "--expression="):
			given = true
			scripts = append(scripts, Word{Text: s[len("--expression="):], dynamic: a.dynamic})
		case s == "-l" || s == "--line-length":
			i++
		case strings.HasPrefix(s, "--"):
			if strings.HasPrefix(s, "--f") || strings.HasPrefix(s, "--e") {
				w.code(c, "a script for sed")
				return
			}
		case len(s) > 1 && s[0] == '-':
			if j := strings.IndexAny(s, "ef"); j > 0 && !strings.HasPrefix(s, "-i") {
				if s[j] == 'f' {
					w.code(c, "a script for sed")
					return
				}
				given = true
				if rest := s[j+1:]; rest != "" {
					scripts = append(scripts, Word{Text: rest})
				} else if i+1 < len(args) {
					i++
					scripts = append(scripts, args[i])
				}
			}
		case !given && len(scripts) == 0:
			given = true
			scripts = append(scripts, a)
		}
	}
	for _, s := range scripts {
		if !s.Known() || strings.Trim(s.Text, "0123456789") == "" || !harmlessSed(s.Text) {
			w.code(c, "a script for sed")
			return
		}
	}
}

// harmlessSed reports whether a sed script certainly only edits text.
func harmlessSed(s string) bool {
	for s != "" {
		s = strings.TrimLeft(s, " \t\n;{}!")
		if s == "" {
			return true
		}
		var ok bool
		if s, ok = sedAddress(s); !ok || s == "" {
			return ok
		}
		cmd := s[0]
		s = s[1:]
		switch cmd {
		case 's', 'y':
			if s, ok = sedSubstitute(s); !ok {
				return false
			}
		case 'p', 'd', 'q', 'Q', '=', 'n', 'N', 'D', 'P', 'h', 'H', 'g', 'G', 'x', 'l', 'z', '}':
			s = strings.TrimLeft(s, "0123456789 \t")
			if s != "" && !strings.ContainsRune(";\n}", rune(s[0])) {
				return false
			}
		case 'b', 't', 'T', ':':
			i := strings.IndexAny(s, ";\n")
			if i < 0 {
				return true
			}
			s = s[i:]
		case 'a', 'i', 'c', '#':
			i := strings.IndexByte(s, '\n')
			if i < 0 {
				return true
			}
			if strings.HasSuffix(s[:i], "\\") {
				return false
			}
			s = s[i:]
		default:
			return false
		}
	}
	return true
}

// sedAddress skips the addresses before a command.
func sedAddress(s string) (string, bool) {
	for {
		switch {
		case s == "":
			return s, true
		case strings.IndexByte("0123456789$,~+! \t{", s[0]) >= 0:
			s = s[1:]
		case s[0] == '/':
			i := sedDelimiter(s[1:], '/')
			if i < 0 {
				return s, false
			}
			s = strings.TrimLeft(s[i+2:], "IM")
		default:
			return s, s[0] != '\\'
		}
	}
}

func sedSubstitute(s string) (string, bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' {
		return s, false
	}
	d := s[0]
	s = s[1:]
	for range 2 {
		i := sedDelimiter(s, d)
		if i < 0 {
			return s, false
		}
		s = s[i+1:]
	}
	s = strings.TrimLeft(s, "gpiIMm0123456789 \t")
	return s, s == "" || strings.ContainsRune(";\n}", rune(s[0]))
}

// sedDelimiter returns the index of the next unescaped d, -1 if there is none. A bracket
// expression that contains d is ambiguous and counts as none.
func sedDelimiter(s string, d byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if end := strings.IndexByte(s[i:], ']'); end > 0 && strings.IndexByte(s[i:i+end], d) >= 0 {
				return -1
			}
		case d:
			return i
		}
	}
	return -1
}
