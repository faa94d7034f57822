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

// shellCall is how a shell was called.
type shellCall struct {
	// inline: with -c, and rest begins with the script; stdin: with -s.
	inline, stdin bool
	// rest are the words behind the options.
	rest []word
}

// runShell takes a shell with -c, a file, or a script on standard input.
func runShell(w *walker, c call) {
	sh, known := w.shellOptions(c)
	if !known {
		return
	}
	if !posixShell[c.name] {
		w.opaque(c.name, c.words)
	}
	switch {
	case sh.inline && len(sh.rest) > 0:
		w.inline(c, sh.rest)
	case sh.inline:
		w.opaque("a shell without its command", nil)
	case len(sh.rest) > 0 && !sh.stdin && !namesStdin(sh.rest[0].s):
		w.scriptFile(c, sh.rest)
	default:
		w.fromInput(c)
	}
}

// namesStdin reports whether a path is standard input.
func namesStdin(path string) bool {
	return path == "/dev/stdin" || path == "/proc/self/fd/0" || path == "/dev/fd/0"
}

// shellOptions reads a shell's options; known is false if nothing more can be said
// about the call than it has noted.
func (w *walker) shellOptions(c call) (sh shellCall, known bool) {
	args := c.words[1:]
	i := 0
	for ; i < len(args); i++ {
		s := args[i].s
		if !args[i].known() {
			w.opaque("a shell with arguments that aren't known", c.words)
			return sh, false
		}
		if s == "-" || s == "--" {
			i++
			break
		}
		if len(s) < 2 || s[0] != '-' && s[0] != '+' {
			break
		}
		valued := false
		if strings.HasPrefix(s, "--") {
			if valued, known = w.longShellOption(&sh, s); !known {
				return sh, false
			}
		} else {
			valued = w.shortShellOptions(c, &sh, s, argAt(args, i+1))
		}
		if valued {
			i++
		}
	}
	sh.rest = args[min(i, len(args)):]
	return sh, true
}

// longShellOption takes an option such as --rcfile; valued: the next word is its value.
func (w *walker) longShellOption(sh *shellCall, s string) (valued, known bool) {
	if name, value, ok := strings.Cut(s, "="); ok && strings.HasPrefix("--command", name) {
		w.script(value)
		w.opaque("a shell's option "+name, nil)
		return false, false
	}
	if s != "--login" && s != "--norc" && s != "--noprofile" && s != "--posix" && s != "--no-rcs" {
		w.opaque("a shell's option "+s, nil)
	}
	sh.inline = sh.inline || s == "--command"
	return s == "--rcfile" || s == "--init-file", true
}

// shortShellOptions takes options such as -ec, before the word next; valued: that is
// the value of one.
func (w *walker) shortShellOptions(c call, sh *shellCall, s, next string) (valued bool) {
	sh.inline = sh.inline || strings.ContainsAny(s, "c") && s[0] == '-'
	sh.stdin = sh.stdin || strings.ContainsAny(s, "s")
	valued = strings.ContainsAny(s, "oO")
	if strings.ContainsAny(s, "kH") || valued && oddShellOption[next] {
		w.opaque("an option that changes what words mean", nil)
	}
	if strings.ContainsAny(s, "i") {
		w.never(c, "an interactive shell reads files that can't be seen")
	}
	return valued
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
	if p.Command.Script == "" {
		p.Command.Script = rest[0].s
	}
	w.add(Part{Kind: KindCommand, Command: Command{Words: rest}, Text: quoted(rest), Covered: true, Unclear: !known(rest)})
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
		w.parts[i].Covered = true
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
	case namesStdin(args[0].s):
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
