package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// looksOnly are the first arguments by which a program that runs commands only shows what there
// is, or whether a port is open.
var looksOnly = map[string]map[string]bool{
	"nc": set("-z -zv -vz"), "ncat": set("-z -zv -vz"), "screen": set("-ls -list"),
	"tmux": set("ls list-sessions list-windows list-panes lsw lsp list-clients lsc has-session has capture-pane capturep kill-session kill-window kill-pane select-window select-pane"),
}

// progOpaque handles programs that run commands from files, settings or the network.
func progOpaque(w *walker, c *call) {
	runs := func(a Word) bool { // a further command of tmux, or an option of nc
		return !a.Known() || c.name == "tmux" && (strings.Contains(a.Text, "#(") || strings.Contains(a.Text, ";")) || c.name[0] == 'n' && strings.HasPrefix(a.Text, "-") && a.Text != "-w" && a.Text != "-v"
	}
	if looksOnly[c.name][argAt(c.words, 1)] && !slices.ContainsFunc(c.words[2:], runs) {
		return
	}
	w.opaque(c.name, c.words)
}

// shellCall is the parsed command line of a shell.
type shellCall struct {
	// inline: -c, rest starts with the script. stdin: -s.
	inline, stdin bool
	// rest are the words behind the options.
	rest []Word
}

// progShell handles a shell with -c, a file, or a script on standard input.
func progShell(w *walker, c *call) {
	sh, known := w.shellOptions(c)
	if !known {
		return
	}
	if !has(c.name, posix) {
		w.opaque(c.name, c.words)
	}
	switch {
	case sh.inline && len(sh.rest) > 0:
		w.inline(c, sh.rest)
	case sh.inline:
		w.opaque("a shell without its command", nil)
	case len(sh.rest) > 0 && !sh.stdin && !namesStdin(sh.rest[0].Text):
		w.scriptFile(c, sh.rest)
	default:
		w.fromInput(c)
	}
}

// namesStdin reports whether a path is standard input.
func namesStdin(path string) bool {
	return path == "/dev/stdin" || path == "/proc/self/fd/0" || path == "/dev/fd/0"
}

// shellOptions parses a shell's options. If known is false the call has been handled.
func (w *walker) shellOptions(c *call) (sh shellCall, known bool) {
	args := c.words[1:]
	i := 0
	for ; i < len(args); i++ {
		s := args[i].Text
		if !args[i].Known() {
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

// longShellOption handles an option such as --rcfile. With valued the next word is its value.
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

// shortShellOptions handles a cluster such as -ec, with next as the following word. With
// valued next is its value.
func (w *walker) shortShellOptions(c *call, sh *shellCall, s, next string) (valued bool) {
	sh.inline = sh.inline || strings.ContainsAny(s, "c") && s[0] == '-'
	sh.stdin = sh.stdin || strings.ContainsAny(s, "s")
	valued = strings.ContainsAny(s, "oO")
	if strings.ContainsAny(s, "kH") || strings.Contains(s, "4") || valued && changesWords(next) {
		w.opaque("an option that changes what words mean", nil)
	}
	if strings.ContainsAny(s, "i") {
		w.bar(c, "an interactive shell reads files that can't be seen")
	}
	return valued
}

// inline handles `sh -c script name args…`.
func (w *walker) inline(c *call, rest []Word) {
	if !rest[0].Known() {
		w.opaque("a shell script that is put together when it runs", c.words)
		return
	}
	w.positional(rest[1:])
	w.cover(c)
	w.script(rest[0].Text)
}

// positional records the values of $0, $1, … and $@.
func (w *walker) positional(args []Word) {
	if len(args) == 0 {
		return
	}
	if w.vars.values == nil {
		w.vars.values = map[string][]string{}
	}
	for i, a := range args {
		if i > 9 {
			break
		}
		if a.Known() {
			n := string(rune('0' + i))
			w.vars.values[n] = append(w.vars.values[n], a.Text)
		}
	}
	if known(args) {
		for _, n := range []string{"@", "*"} {
			w.vars.values[n] = append(w.vars.values[n], Join(args[1:]))
		}
	}
}

// scriptFile handles a script in a file, rest[0], and its arguments.
func (w *walker) scriptFile(c *call, rest []Word) {
	p := &w.parts[c.part]
	if !rest[0].Known() {
		w.opaque("a script whose name isn't known", c.words)
		return
	}
	if p.Command.Script == "" {
		p.Command.Script = rest[0].Text
	}
	w.add(Part{Kind: KindCommand, Command: Command{Words: rest}, Text: quoted(rest), Covered: true, Unclear: !known(rest)})
}

// fromInput handles a shell that reads its script from standard input.
func (w *walker) fromInput(c *call) {
	if c.in.sure {
		w.cover(c)
		w.script(c.in.texts[0])
		return
	}
	w.opaque("a script from standard input", c.words)
	for _, text := range c.in.texts {
		if !strings.Contains(text, glob.Wild) {
			w.certain(text)
		}
	}
}

// certain adds a script that certainly runs. Its parts need no allow rules.
func (w *walker) certain(text string) {
	before := len(w.parts)
	w.script(text)
	for i := before; i < len(w.parts); i++ {
		w.parts[i].Covered = true
	}
}

func progEval(w *walker, c *call) {
	args := c.words[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if !known(args) {
		w.opaque("eval of text that is unknown until it runs", c.words)
		return
	}
	w.cover(c)
	w.script(Join(args))
}

func progSource(w *walker, c *call) {
	args := c.words[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
	case namesStdin(args[0].Text):
		w.fromInput(c)
	case args[0].Known() && strings.HasSuffix(args[0].Text, "/bin/activate"): // of Python's virtual environments: it sets PATH
	default:
		w.scriptFile(c, args)
	}
}

func progTrap(w *walker, c *call) {
	args := c.words[1:]
	for len(args) > 0 && (args[0].Text == "--" || args[0].Text == "-p" || args[0].Text == "-l") {
		args = args[1:]
	}
	switch {
	case len(args) < 2 || args[0].Text == "-" || args[0].Text == "":
	case !args[0].Known():
		w.opaque("a trap of text that is unknown until it runs", c.words)
	default:
		w.script(args[0].Text)
	}
}

func progAlias(w *walker, c *call) {
	for _, a := range c.words[1:] {
		if _, value, ok := strings.Cut(a.Text, "="); ok || !a.Known() {
			w.opaque("an alias", c.words)
			if a.Known() {
				w.possibly(func() { w.script(value) })
			}
		}
	}
}

func progCd(w *walker, c *call) {
	args := c.words[1:]
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		args = args[1:]
	}
	switch {
	case c.name == "popd" || c.name == "pushd" && len(args) == 0 || len(args) > 1:
		w.cwd.unknown = true
	case len(args) == 0:
		w.chdir(Word{Text: ""})
	default:
		w.chdir(args[0])
	}
}

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
// command's name, history expansion, patterns that find hidden files.
var oddShellOption = set("keyword history histexpand expandaliases dotglob globdots")

// changesWords reports whether a shell option is one of oddShellOption. zsh does not mind case and underscores.
func changesWords(option string) bool {
	return oddShellOption[strings.ToLower(strings.ReplaceAll(option, "_", ""))]
}

// progSet handles set with options that change the meaning of later words.
func progSet(w *walker, c *call) {
	for i, a := range c.words[1:] {
		if a.Text == "--" || a.Text == "-" {
			return
		}
		if c.name == "shopt" && changesWords(a.Text) {
			w.opaque("an option that changes what words mean", c.words)
			return
		}
		if len(a.Text) < 2 || a.Text[0] != '-' && a.Text[0] != '+' {
			continue
		}
		if strings.ContainsAny(a.Text, "kH4") || strings.Contains(a.Text, "o") && changesWords(argAt(c.words[1:], i+1)) {
			w.opaque("an option that changes what words mean", c.words)
			return
		}
	}
}
