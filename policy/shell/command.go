package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// commandSetting is the context of a simple command.
type commandSetting struct {
	assigned assignments
	in       stdin
	// moreArgs: unknown words may follow (xargs). targets are the files that they name; nil
	// if unknown.
	moreArgs bool
	targets  *findTargets
	// covered: the command itself needs no allow rule.
	covered bool
}

// maxSuffixes bounds the words of one command that are tried as commands themselves.
const maxSuffixes = 64

// command adds the parts of a simple command: itself, its files, and what it runs.
func (w *walker) command(words []Word, c commandSetting) {
	if w.spent.depth++; w.spent.depth > maxDepth {
		w.err = errTooBig
	}
	defer func() { w.spent.depth-- }()
	if w.spent.work += len(words); w.spent.work > maxWork {
		w.err = errTooBig
	}
	if w.err != nil || len(words) == 0 {
		return
	}
	w.alternatives(words, c)
	if !words[0].Known() {
		p := Part{Kind: KindCommand, Command: Command{Words: words, Assigned: c.assigned.text}}
		w.finish(&p)
		p.Barred = "the program is unknown until it runs"
		w.add(p)
		return
	}
	if words[0].Text == "" { // an empty name runs nothing; "$(cmd)" alone is not empty
		w.add(Part{Kind: KindCommand, Command: Command{Words: words}, Text: quoted(words)})
		return
	}
	p := Part{Kind: KindCommand, Command: Command{Words: words, Assigned: c.assigned.text}, Covered: c.covered}
	if c.moreArgs {
		p.Command.Words = append(words[:len(words):len(words)], Word{Text: glob.Wild, Several: true, dynamic: !has(ProgramName(words[0].Text), data), targets: c.targets})
	}
	w.finish(&p)
	p.Command.UnsafeVar = c.assigned.unsafeVar
	at := len(w.parts)
	w.add(p)
	name := ProgramName(words[0].Text)
	args := p.Command.Words[1:]
	if verb, ok := strings.CutPrefix(name, "git-"); ok && gitVerbs[verb] != 0 {
		before := len(w.parts)
		w.command(append(lits("git", verb), args...), c)
		for i := before; i < len(w.parts); i++ {
			w.parts[i].Covered = true
		}
		return
	}
	for _, a := range args {
		if a.unquoted && (a.Text == "{" || a.Text == "}") {
			w.opaque("a brace that some shells take for the end of a block", words)
		}
	}
	w.renamed(name, args)
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		w.opaque("a program whose name can look like another's", words)
	}
	called := &call{part: at, name: name, words: p.Command.Words, own: len(args), moreArgs: c.moreArgs, in: c.in, assigned: c.assigned}
	if run := handlerOf(name); run != nil {
		run(w, called)
	}
	w.fileArgs(called)
	if w.surelyWraps != at+1 && (has(name, mayChange) || !has(name, noFiles|reads|changes|shell) && interpreters[name] == "") {
		w.suffixes(name, args)
	}
}

// renamed adds an opaque part if a watched program may get another name: its file is an
// argument of a program that copies or reads files. A loose wrapper runs programs by their names, but
// what a pattern finds is not known as one.
func (w *walker) renamed(name string, args []Word) {
	wrapper := wrappers[name]
	if len(w.watched) == 0 || has(name, noFiles|shell) || wrapper != nil && !wrapper.loose || name == "ls" || name == "file" || name == "stat" {
		return
	}
	for _, a := range args {
		if wrapper == nil || !a.Known() {
			w.copied(a, has(name, copies))
		}
	}
}

// copied adds an opaque part if a word is, or as a pattern may be, the path of a watched program. Without anywhere
// only paths in programDirs count.
func (w *walker) copied(a Word, anywhere bool) {
	if a.targets != nil {
		for _, start := range a.targets.starts {
			w.copied(Word{Text: start + "/" + cmp.Or(a.targets.names, glob.Wild)}, false)
		}
		return
	}
	at := strings.LastIndexByte(a.Text, '/')
	if !w.watches(a, a.Text[at+1:]) {
		return
	}
	if at < 0 {
		if slices.ContainsFunc(w.cwd.known, func(dir string) bool { return programDirs[path.Base(dir)] }) {
			w.opaque("another name for "+ProgramName(a.Text), nil)
		}
		return
	}
	dir := a.Text[:at]
	if _, value, ok := strings.Cut(dir, "="); ok {
		dir = value
	}
	if anywhere && a.Text[at+1:] != glob.Wild && !strings.HasPrefix(a.Text[at+1:], "git-") || slices.ContainsFunc(strings.Split(dir, "/"), func(s string) bool { return programDirs[s] }) {
		w.opaque("another name for "+ProgramName(a.Text), nil)
	}
}

// watches reports whether a word is the name of a watched program, or a pattern that may find its file. base is the
// word without directory.
func (w *walker) watches(a Word, base string) bool {
	if strings.HasPrefix(base, "git-") {
		return w.watched["git"] // a subcommand
	}
	if a.Known() {
		return w.watched[ProgramName(a.Text)]
	}
	if base = strings.ToLower(base); !a.dynamic {
		for name := range w.watched {
			if glob.MayMatch(name, base, false) {
				return true
			}
		}
	}
	return false
}

// programDirs are names of directories that hold programs.
var programDirs = set("bin sbin libexec git-core")

// handlerOf returns the handler of a program, also for a name with a version such as
// python3.12. Nil if there is none.
func handlerOf(name string) func(*walker, *call) {
	if run := handlers[name]; run != nil {
		return run
	}
	short := strings.TrimRight(name, "0123456789.-")
	if _, code := interpreters[short]; code || has(short, shell) {
		return handlers[short]
	}
	return nil
}

// call is a command whose handler is running.
type call struct {
	// part is the index of the command's own part in walker.parts.
	part  int
	name  string
	words []Word
	// own is the number of arguments before the command that this one runs; all if the
	// handler found none.
	own int
	// moreArgs: unknown words may follow; see commandSetting.
	moreArgs bool
	in       stdin
	assigned assignments
	// code: its program text (sed, awk) may do more than edit text.
	code bool
}

// cover marks the command as covered: it needs no allow rule, the commands that it runs do.
func (w *walker) cover(c *call) { w.parts[c.part].Covered = true }

// bar makes the command impossible to allow.
func (w *walker) bar(c *call, why string) {
	if w.parts[c.part].Barred == "" {
		w.parts[c.part].Barred = why
	}
}

// alternatives adds the commands that result from known values of variables.
func (w *walker) alternatives(words []Word, c commandSetting) {
	var all [][]Word
	for i, x := range words {
		for _, alt := range x.alts {
			if len(all) >= maxAlts {
				return
			}
			all = append(all, replace(words, i, alt))
		}
	}
	if len(all) == 0 {
		return
	}
	// All words at once, each with its first value, covers `$a $b`.
	every := words
	for i := len(words) - 1; i >= 0; i-- {
		if len(words[i].alts) > 0 {
			every = replace(every, i, words[i].alts[0])
		}
	}
	for _, alt := range append(all, every) {
		before := len(w.parts)
		for i := range alt {
			alt[i].alts = nil
		}
		w.command(alt, commandSetting{assigned: c.assigned, in: c.in, moreArgs: c.moreArgs, targets: c.targets})
		for i := before; i < len(w.parts); i++ {
			w.parts[i].Covered = true
		}
	}
}

// replace returns words with the i-th one replaced by a value of its expansion.
func replace(words []Word, i int, value string) []Word {
	out := append([]Word(nil), words[:i]...)
	if words[i].Several {
		out = append(out, lits(strings.Fields(value)...)...)
	} else {
		out = append(out, Word{Text: value})
	}
	return append(out, words[i+1:]...)
}

// ProgramName returns the name of a program without directory, in the spelling of the tables.
func ProgramName(s string) string {
	s = strings.TrimPrefix(s, "=") // zsh: =rm is the path of rm
	if strings.IndexByte(s, '/') >= 0 {
		s = path.Base(path.Clean(s))
	}
	s = strings.ToLower(s) // macOS does not distinguish RM from rm
	if rest, ok := strings.CutSuffix(s, ".exe"); ok {
		s = rest
	}
	if same, ok := otherNames[s]; ok {
		return same
	}
	if rest, ok := strings.CutPrefix(s, "g"); ok && isListed(rest) && !isListed(s) {
		return rest // GNU's version, where the system has its own
	}
	return strings.TrimPrefix(s, "zf_")
}

// isListed reports whether the tables know a program.
func isListed(name string) bool { return traits[name] != 0 || handlers[name] != nil }

// IsOtherName reports whether the tables know programs of that name under another one.
func IsOtherName(name string) bool { return otherNames[name] != "" }

// suffixes tries each argument of an unknown program as the start of a command, since most
// programs that run others take them like that. What it finds can only ask.
func (w *walker) suffixes(name string, args []Word) {
	if w.possible || len(w.watched) == 0 && w.concerns == nil {
		return
	}
	tried := 0
	for i, a := range args {
		if tried++; tried > maxSuffixes {
			w.opaque("a long list of arguments", nil)
			return
		}
		s := a.Text
		if !a.Known() && !(a.dynamic && i == 0) {
			continue
		}
		if at := strings.IndexByte(s, '='); at > 0 && strings.HasPrefix(s, "-") {
			s = s[at+1:]
			if w.watched[ProgramName(s)] && namesProgram(a.Text[:at]) {
				w.opaque("a program in the option "+a.Text[:at], nil)
			}
		}
		program := ProgramName(s)
		switch {
		case i > 0 && isProse(name, args[i-1].Text) || len(s) < len(a.Text) && isProse(name, a.Text[:len(a.Text)-len(s)-1]):
		case strings.ContainsAny(s, " \t\n;|&!(") && w.mentions(s):
			w.possibly(func() { w.script(s) })
			w.embedded(s)
		case w.watched[program] || w.usesFiles(program) && !talkers[name]: // gh pr is not the program pr
			w.possibly(func() { w.command(args[i:], commandSetting{}) })
		case !has(name, packages) && mentionsRunner(program, args[i+1:]):
			w.possibly(func() { w.command(args[i:], commandSetting{}) })
		}
	}
}

// proseOptions are, for programs of talkers, options followed by text for people, skipOptions, for those of
// skippers, by names that the program skips. To other programs the same words may mean anything.
var (
	proseOptions = set("--body --message --title --subject --description --comment --notes --reason")
	talkers      = set("gh glab tea jira aws az gcloud jj hg svn docker npm alembic notify-send")
	skipOptions  = set("--exclude --exclude-dir --ignore --ignore-pattern")
	skippers     = set("tar rsync grep egrep fgrep zgrep diff du rg ag tree eslint prettier pytest mypy flake8 ruff black restic borg")
)

// isProse reports whether the value of a program's option is text for people, or names files that are skipped.
func isProse(program, option string) bool {
	return proseOptions[option] && talkers[program] || skipOptions[option] && skippers[program]
}

// embedded searches code in any language for a watched program followed by its arguments,
// whatever punctuation stands between.
func (w *walker) embedded(code string) {
	if !strings.ContainsAny(code, "!([{.\\") {
		return // prose
	}
	words := strings.FieldsFunc(code, notInWord)
	for i, s := range words {
		if w.watched[ProgramName(s)] {
			w.possibly(func() { w.command(lits(words[i:min(i+8, len(words))]...), commandSetting{}) })
		}
	}
}

// notInWord reports whether code has the character between words.
func notInWord(r rune) bool { return strings.ContainsRune(" \t\n;|&()[]`$'\"{}<>=,\\!:", r) }

// mentions reports whether s contains a watched program, or one that could run it.
func (w *walker) mentions(s string) bool {
	for _, f := range strings.FieldsFunc(s, notInWord) {
		if n := ProgramName(f); w.watched[n] || handlers[n] != nil || w.usesFiles(n) {
			return true
		}
	}
	return strings.ContainsAny(s, "$`\\'\"{*?[")
}

// namesProgram reports whether the name of an option suggests that its value is run.
func namesProgram(option string) bool {
	option = strings.ToLower(option)
	for _, s := range []string{"exec", "command", "cmd", "run", "program", "shell", "tool"} {
		if strings.Contains(option, s) {
			return true
		}
	}
	return false
}

// usesFiles reports whether a program reads or changes files, if there are rules about
// files.
func (w *walker) usesFiles(program string) bool {
	return w.concerns != nil && has(program, reads|changes)
}

// mentionsRunner reports whether a program runs others by name, such as sh or env,
// or an interpreter that is given code in args.
func mentionsRunner(program string, args []Word) bool {
	if _, code := interpreters[program]; code {
		return len(args) > 0 && strings.HasPrefix(args[0].Text, "-")
	}
	return has(program, shell) || wrappers[program] != nil
}
