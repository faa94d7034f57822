package policy

import (
	"path"
	"slices"
	"strings"
)

// surroundings are what surrounds a simple command.
type surroundings struct {
	prefix prefix
	in     stdin
	// tail: words that aren't known may follow (xargs).
	tail bool
	// needless: this command need not be allowed itself.
	needless bool
}

// maxSuffixes bounds how many words of a command are tried as commands of their
// own.
const maxSuffixes = 64

// command adds a simple command and what it runs.
func (w *walker) command(words []word, c surroundings) {
	if w.depth++; w.depth > maxDepth {
		w.err = errTooBig
	}
	defer func() { w.depth-- }()
	if w.work += len(words); w.work > maxWork {
		w.err = errTooBig
	}
	if w.err != nil || len(words) == 0 {
		return
	}
	w.alternatives(words, c)
	if !words[0].known() {
		p := part{kind: partCommand, words: words, prefix: c.prefix.text}
		w.finish(&p)
		p.never = "which program it runs is known only when it runs"
		w.add(p)
		return
	}
	if words[0].s == "" { // an empty name runs nothing; "$(cmd)" alone is not empty
		w.add(part{kind: partCommand, words: words, text: quoted(words)})
		return
	}
	p := part{kind: partCommand, words: words, prefix: c.prefix.text, needless: c.needless}
	if c.tail {
		p.words = append(words[:len(words):len(words)], word{s: wild, multi: true, dynamic: !takesData[programName(words[0].s)]})
	}
	w.finish(&p)
	p.unsafe = c.prefix.unsafe
	at := len(w.parts)
	w.add(p)
	name := programName(words[0].s)
	args := p.words[1:]
	w.fileArgs(name, args, c.tail)
	if verb, ok := strings.CutPrefix(name, "git-"); ok && gitCommands[verb] {
		before := len(w.parts)
		w.command(append(lits("git", verb), args...), c)
		for i := before; i < len(w.parts); i++ {
			w.parts[i].needless = true
		}
		return
	}
	if copies[name] {
		w.renamed(args)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		w.opaque("a program whose name can look like another's", words)
	}
	if run := runOf(name); run != nil {
		run(w, call{part: at, name: name, words: p.words, in: c.in, prefix: c.prefix})
	}
	if w.certainInner != at+1 && !keepsToItself[name] {
		w.suffixes(args)
	}
}

// copies give a file another name.
var copies = set("cp ln mv install link")

// renamed notes that a program which rules are about gets another name.
func (w *walker) renamed(args []word) {
	for _, a := range args {
		if strings.Contains(a.s, "/") && w.names[programName(a.s)] {
			w.opaque("another name for "+programName(a.s), nil)
			return
		}
	}
}

// runOf finds a program's function, also under a name with a version such as
// python3.12.
func runOf(name string) func(*walker, call) {
	if run := runs[name]; run != nil {
		return run
	}
	short := strings.TrimRight(name, "0123456789.-")
	if _, code := interpreters[short]; code || isShell[short] {
		return runs[short]
	}
	return nil
}

// call is a command that runs others, on its way to be taken apart.
type call struct {
	// part is the command's own place in walker.parts.
	part   int
	name   string
	words  []word
	in     stdin
	prefix prefix
}

// needless says that the command itself need not be allowed, what it runs must.
func (w *walker) needless(c call) { w.parts[c.part].needless = true }

// never says that the command is never allowed by itself.
func (w *walker) never(c call, why string) {
	if w.parts[c.part].never == "" {
		w.parts[c.part].never = why
	}
}

// alternatives adds what words with variables of known values turn out as.
func (w *walker) alternatives(words []word, c surroundings) {
	var all [][]word
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
		w.command(alt, surroundings{prefix: c.prefix, in: c.in, tail: c.tail})
		for i := before; i < len(w.parts); i++ {
			w.parts[i].needless = true
		}
	}
}

// replace puts the value of an expansion in the place of a word.
func replace(words []word, i int, value string) []word {
	out := append([]word(nil), words[:i]...)
	if words[i].multi {
		out = append(out, lits(strings.Fields(value)...)...)
	} else {
		out = append(out, word{s: value})
	}
	return append(out, words[i+1:]...)
}

// programName is the name of a program without directory, in the form that the
// tables use.
func programName(s string) string {
	s = strings.TrimPrefix(s, "=") // zsh: =rm is the path of rm
	if strings.IndexByte(s, '/') >= 0 {
		s = path.Base(path.Clean(s))
	}
	s = strings.ToLower(s) // file systems of macOS don't tell RM from rm
	if rest, ok := strings.CutSuffix(s, ".exe"); ok {
		s = rest
	}
	if same, ok := otherNames[s]; ok {
		return same
	}
	return strings.TrimPrefix(s, "zf_")
}

// suffixes tries the words after an unknown program as a command of their own:
// most programs that run others take them like that. What is found can only ask.
func (w *walker) suffixes(args []word) {
	if w.guessing || len(w.names) == 0 {
		return
	}
	tried := 0
	for i, a := range args {
		if tried++; tried > maxSuffixes {
			w.opaque("a long list of arguments", nil)
			return
		}
		s := a.s
		if !a.known() && !(a.dynamic && i == 0) {
			continue
		}
		if i := strings.IndexByte(s, '='); i > 0 && strings.HasPrefix(s, "-") {
			s = s[i+1:]
		}
		switch {
		case strings.ContainsAny(s, " \t\n;|&") && w.mentions(s):
			w.guess(func() { w.script(s) })
		case w.names[programName(s)]:
			w.guess(func() { w.command(args[i:], surroundings{}) })
		case w.mentionsRunner(s):
			w.guess(func() { w.command(args[i:], surroundings{}) })
		}
	}
}

// mentions reports whether a name that rules are about occurs in s, or a program
// that could hide one.
func (w *walker) mentions(s string) bool {
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()`$'\"{}<>=,\\", r) }) {
		if n := programName(f); w.names[n] || runs[n] != nil {
			return true
		}
	}
	return strings.ContainsAny(s, "$`\\'\"{*?[")
}

// mentionsRunner reports whether s is a program that runs others by name, such
// as sh or env.
func (w *walker) mentionsRunner(s string) bool {
	n := programName(s)
	return isShell[n] || plainWrappers[n] != nil
}

// fileArgs adds the files that well-known programs read and write. They need no
// allowing, the command does; but deny and ask rules about files hold for them.
func (w *walker) fileArgs(name string, args []word, tail bool) {
	reads, writes := readers[name], writers[name]
	if !reads && !writes {
		return
	}
	if name == "sed" {
		writes = slices.ContainsFunc(args, func(a word) bool {
			return strings.HasPrefix(a.s, "--i") || len(a.s) > 1 && a.s[0] == '-' && a.s[1] != '-' && strings.Contains(a.s, "i")
		})
	}
	below := recursive[name] || slices.ContainsFunc(args, func(a word) bool {
		return a.s == "--recursive" || len(a.s) > 1 && a.s[0] == '-' && a.s[1] != '-' && strings.ContainsAny(a.s, "rRa")
	})
	if below && reads && (name == "rg" || name == "ag" || name == "ack" || name == "grep") {
		w.add(part{kind: partRead, text: ".", needless: true, below: true})
	}
	for i, a := range args {
		s := a.s
		if strings.HasPrefix(s, "-") {
			if i := strings.IndexByte(s, '='); i > 0 {
				s = s[i+1:]
			} else if len(s) > 2 && s[1] != '-' && name != "ls" && name != "rm" {
				s = s[2:]
			} else {
				continue
			}
		} else if i := strings.IndexByte(s, '='); i > 0 && name == "dd" {
			s = s[i+1:]
		} else if name == "curl" && strings.HasPrefix(s, "@") {
			s = s[1:]
		}
		if i == 0 && firstIsText[name] || s == "" {
			continue
		}
		if strings.HasPrefix(s, "~/") && a.bare {
			s = w.home + s[1:]
		}
		p := part{text: s, needless: true, hidden: !a.known(), below: below}
		p.anyPath = a.dynamic || tail && i == len(args)-1
		if reads {
			p.kind = partRead
			w.add(p)
		}
		if writes {
			p.kind = partEdit
			w.add(p)
		}
	}
}
