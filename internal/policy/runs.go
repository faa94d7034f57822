package policy

import (
	"strings"
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
		"test": runReads, "[": runReads, "unset": runReads, "wait": runReads, "return": runReads, "exit": runReads, "shift": runReads, "break": runReads, "continue": runReads,
		"integer": runReads, "float": runReads, "set": runSet,
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
	for name := range set("crontab zmodload bind complete compgen enable fc history emacs emacsclient systemd-run-shell nc ncat netcat socat telnet zargs sched autoload setopt unsetopt zstyle gnuplot trap-exec edit pico flatpak kotlin dart") {
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
			if strings.ContainsAny(s, "kH") || strings.ContainsAny(s, "oO") && oddShellOption[argAt(args, i+1)] {
				w.opaque("an option that changes what words mean", nil)
			}
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
