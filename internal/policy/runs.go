package policy

import (
	"slices"
	"strings"
	"unicode"
)

// runs maps a program to what finds the commands that it runs. The program's
// own part is there already when it is called.
var runs map[string]func(*walker, call)

func init() { // a literal would refer to itself
	runs = map[string]func(*walker, call){
		"eval": runEval, "source": runSource, ".": runSource, "trap": runTrap, "alias": runAlias,
		"cd": runCd, "chdir": runCd, "pushd": runCd, "popd": runCd,
		"xargs": runXargs, "find": runFind, "fd": runFd, "git": runGit, "awk": runAwk, "gawk": runAwk, "sed": runSed,
		"ssh": runSSH, "tmux": runTmux, "screen": runScreen, "make": runMake,
		"su": runDashC, "script": runDashC, "emulate": runDashC, "machinectl": runDashC, "scriptlive": runDashC,
		"read": runReads, "mapfile": runReads, "readarray": runReads, "printf": runReads, "getopts": runReads, "vared": runReads,
		"test": runReads, "[": runReads, "unset": runReads, "wait": runReads,
	}
	for name := range isShell {
		runs[name] = runShell
	}
	for name := range interpreters {
		runs[name] = runInterpreter
	}
	for name := range plainWrappers {
		if runs[name] == nil {
			runs[name] = runWrapper
		}
	}
	for name := range set("crontab zmodload bind complete compgen enable fc history emacs emacsclient systemd-run-shell nc ncat netcat socat telnet zargs sched autoload gnuplot trap-exec edit pico flatpak kotlin dart") {
		runs[name] = runAlwaysHidden
	}
	for name := range codeOptions {
		if runs[name] == nil {
			runs[name] = runCodeOptions
		}
	}
}

func runAlwaysHidden(w *walker, c call) { w.opaque(c.name, c.words) }

// runShell takes a shell with -c, a file, or a script on standard input.
func runShell(w *walker, c call) {
	args := c.words[1:]
	inline, fromStdin := false, false
	i := 0
	for ; i < len(args); i++ {
		s := args[i].s
		if !args[i].known() {
			w.opaque("a shell with arguments that aren't known", c.words)
			return
		}
		if s == "-" || s == "--" {
			i++
			break
		}
		if len(s) < 2 || s[0] != '-' && s[0] != '+' {
			break
		}
		switch {
		case strings.HasPrefix(s, "--"):
			if name, value, ok := strings.Cut(s, "="); ok && strings.HasPrefix("--command", name) {
				w.script(value)
				w.opaque("a shell's option "+name, nil)
				return
			}
			if s != "--login" && s != "--norc" && s != "--noprofile" && s != "--posix" && s != "--no-rcs" {
				w.opaque("a shell's option "+s, nil)
			}
			inline = inline || s == "--command"
			if s == "--rcfile" || s == "--init-file" {
				i++
			}
		default:
			inline = inline || strings.ContainsAny(s, "c") && s[0] == '-'
			fromStdin = fromStdin || strings.ContainsAny(s, "s")
			if strings.ContainsAny(s, "oO") {
				i++
			}
			if strings.ContainsAny(s, "i") {
				w.never(c, "an interactive shell reads files that can't be seen")
			}
		}
	}
	rest := args[min(i, len(args)):]
	if !posixShell[c.name] {
		w.opaque(c.name, c.words)
	}
	switch {
	case inline && len(rest) > 0:
		w.inline(c, rest)
	case inline:
		w.opaque("a shell without its command", nil)
	case len(rest) > 0 && !fromStdin && rest[0].s != "/dev/stdin" && rest[0].s != "/proc/self/fd/0" && rest[0].s != "/dev/fd/0":
		w.scriptFile(c, rest)
	default:
		w.fromInput(c)
	}
}

var posixShell = set("sh bash dash zsh ksh ksh93 mksh ash rbash yash hush posh oksh pdksh")

// inline takes `sh -c script name args…`.
func (w *walker) inline(c call, rest []word) {
	if !rest[0].known() {
		w.opaque("a shell script that is put together when it runs", c.words)
		return
	}
	w.positional(rest[1:])
	w.needless(c)
	w.script(rest[0].s)
}

// positional notes what $0, $1, … and $@ are.
func (w *walker) positional(args []word) {
	if len(args) == 0 {
		return
	}
	if w.vars == nil {
		w.vars = map[string][]string{}
	}
	for i, a := range args {
		if i > 9 {
			break
		}
		if a.known() {
			n := string(rune('0' + i))
			w.vars[n] = append(w.vars[n], a.s)
		}
	}
	if known(args) {
		for _, n := range []string{"@", "*"} {
			w.vars[n] = append(w.vars[n], join(args[1:]))
		}
	}
}

// scriptFile notes a script that is named: rest[0] and its arguments.
func (w *walker) scriptFile(c call, rest []word) {
	p := &w.parts[c.part]
	if !rest[0].known() {
		w.opaque("a script whose name isn't known", c.words)
		return
	}
	if p.pinned == "" {
		p.pinned = rest[0].s
	}
	w.add(part{kind: partCommand, words: rest, text: quoted(rest), needless: true, hidden: !known(rest)})
}

// fromInput takes a shell that reads its script from standard input.
func (w *walker) fromInput(c call) {
	if c.in.sure {
		w.needless(c)
		w.script(c.in.texts[0])
		return
	}
	w.opaque("a script from standard input", c.words)
	for _, text := range c.in.texts {
		if !strings.Contains(text, wild) {
			w.certain(text)
		}
	}
}

// certain takes a script that surely runs, in parts that need no allowing.
func (w *walker) certain(text string) {
	before := len(w.parts)
	w.script(text)
	for i := before; i < len(w.parts); i++ {
		w.parts[i].needless = true
	}
}

func runEval(w *walker, c call) {
	args := c.words[1:]
	if len(args) > 0 && args[0].s == "--" {
		args = args[1:]
	}
	if !known(args) {
		w.opaque("eval of what is known only when it runs", c.words)
		return
	}
	w.needless(c)
	w.script(join(args))
}

func runSource(w *walker, c call) {
	args := c.words[1:]
	if len(args) > 0 && args[0].s == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
	case args[0].s == "/dev/stdin" || args[0].s == "/dev/fd/0" || args[0].s == "/proc/self/fd/0":
		w.fromInput(c)
	default:
		w.scriptFile(c, args)
	}
}

func runTrap(w *walker, c call) {
	args := c.words[1:]
	for len(args) > 0 && (args[0].s == "--" || args[0].s == "-p" || args[0].s == "-l") {
		args = args[1:]
	}
	switch {
	case len(args) < 2 || args[0].s == "-" || args[0].s == "":
	case !args[0].known():
		w.opaque("a trap of what is known only when it runs", c.words)
	default:
		w.script(args[0].s)
	}
}

func runAlias(w *walker, c call) {
	for _, a := range c.words[1:] {
		if _, value, ok := strings.Cut(a.s, "="); ok || !a.known() {
			w.opaque("an alias", c.words)
			if a.known() {
				w.guess(func() { w.script(value) })
			}
		}
	}
}

func runCd(w *walker, c call) {
	args := c.words[1:]
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' {
		args = args[1:]
	}
	switch {
	case c.name == "popd" || c.name == "pushd" && len(args) == 0 || len(args) > 1:
		w.anywhere = true
	case len(args) == 0:
		w.chdir(word{s: ""})
	default:
		w.chdir(args[0])
	}
}

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

// runWrapper takes a program whose arguments are options and a command.
func runWrapper(w *walker, c call) {
	spec := plainWrappers[c.name]
	args := c.words[1:]
	if spec.loose {
		if spec.script {
			w.opaque(c.name, c.words)
		}
		runCodeOptions(w, c)
		return // suffixes finds what it runs
	}
	if c.name == "command" && len(args) > 0 && (args[0].s == "-v" || args[0].s == "-V") {
		return
	}
	i, prefix, taken := w.wrapped(c, spec)
	if taken {
		return
	}
	rest := args[i:]
	if len(rest) == 0 {
		if startsShell[c.name] {
			w.fromInput(c)
			w.parts[c.part].needless = false
		}
		return
	}
	if spec.free && c.part < len(w.parts) && (i == 0 || safeOptions(args[:i])) || c.name == "env" {
		w.needless(c)
	}
	if spec.script {
		if !known(rest) {
			w.opaque(c.name+" of what is known only when it runs", c.words)
			return
		}
		w.script(join(rest))
		return
	}
	w.command(rest, surroundings{prefix: prefix, in: c.in})
	if i == spec.skip || spec.assigns && !slices.ContainsFunc(args[:i], func(a word) bool { return strings.HasPrefix(a.s, "-") }) {
		w.certainInner = c.part + 1
	}
}

// wrapped finds where the command begins in the arguments of a wrapper, and the
// assignments before it; taken: the command was found in an option, or can't be
// found.
func (w *walker) wrapped(c call, spec *plainWrapper) (i int, before prefix, taken bool) {
	args, values := c.words[1:], strings.Fields(spec.values)
	before = c.prefix
	skip := spec.skip
	for ; i < len(args); i++ {
		a := args[i]
		if !a.known() && (a.s == wild || strings.HasPrefix(a.s, "-")) {
			w.opaque(c.name+" with arguments that aren't known", c.words)
			return i, before, true
		}
		if a.s == "--" {
			i++
			break
		}
		if len(a.s) > 1 && a.s[0] == '-' || c.name == "chrt" && a.s == "-" {
			switch {
			case c.name == "env" && w.envSplit(c, args[i:]):
				return i, before, true
			case strings.HasPrefix(a.s, "--command") || a.s == "-c" && c.name == "runuser":
				runDashC(w, c)
				return i, before, true
			case takesValue(a.s, values):
				i++
			}
			continue
		}
		if name, value, ok := strings.Cut(a.s, "="); ok && spec.assigns {
			if !isName(name) { // shells take functions from such
				w.opaque("a variable with a name that no shell would give it", c.words)
			}
			before.add(w, name, word{s: value, dynamic: a.dynamic})
			continue
		}
		if skip == 0 {
			break
		}
		skip--
	}
	return min(i+skip, len(args)), before, false
}

// safeOptions reports whether options of a free wrapper write nothing: time -o
// does.
func safeOptions(args []word) bool {
	for _, a := range args {
		if strings.HasPrefix(a.s, "-o") && len(a.s) > 1 && strings.ContainsAny(a.s, "/.") || a.s == "-o" || strings.HasPrefix(a.s, "--output") {
			return false
		}
	}
	return true
}

// envSplit takes `env -S string`.
func (w *walker) envSplit(c call, args []word) bool {
	s := args[0].s
	text, rest := "", args[1:]
	switch {
	case strings.HasPrefix(s, "--s"):
		_, value, ok := strings.Cut(s, "=")
		if text = value; !ok && len(rest) > 0 {
			text, rest = rest[0].s, rest[1:]
		}
	case !strings.HasPrefix(s, "--") && strings.Contains(s, "S"):
		if text = s[strings.IndexByte(s, 'S')+1:]; text == "" && len(rest) > 0 {
			text, rest = rest[0].s, rest[1:]
		}
	default:
		return false
	}
	if strings.Contains(text, wild) || strings.ContainsAny(text, "\\$#") || dynamic(rest) {
		w.opaque("env -S", c.words)
	}
	if len(rest) > 0 {
		text += " " + quoted(rest)
	}
	if !strings.Contains(text, wild) {
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

// takesValue reports whether an option's value is the next word.
func takesValue(s string, values []string) bool {
	if strings.HasPrefix(s, "--") {
		for _, v := range values {
			if s[2:] == v {
				return true
			}
		}
		return false
	}
	for _, v := range values { // the last letter of a cluster may take one
		if len(v) == 1 && s[len(s)-1] == v[0] {
			return true
		}
	}
	return false
}

// runDashC takes programs that hand the value of -c to a shell.
func runDashC(w *walker, c call) {
	args := c.words[1:]
	for i, a := range args {
		value, found := "", false
		switch {
		case !a.known():
			w.opaque(c.name+" with arguments that aren't known", c.words)
			return
		case strings.HasPrefix(a.s, "--c") && strings.Contains(a.s, "="):
			_, value, found = strings.Cut(a.s, "=")
		case strings.HasPrefix(a.s, "--c") || len(a.s) > 1 && a.s[0] == '-' && a.s[1] != '-' && a.s[len(a.s)-1] == 'c':
			if found = i+1 < len(args); found {
				if !args[i+1].known() {
					w.opaque(c.name+" of what is known only when it runs", c.words)
					return
				}
				value = args[i+1].s
			}
		case len(a.s) > 2 && a.s[:2] == "-c":
			value, found = a.s[2:], true
		}
		if found {
			w.script(value)
			return
		}
	}
	w.opaque(c.name, c.words)
}
