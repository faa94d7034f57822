package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// gitFiles records the files in the arguments and the standard input of a subcommand of git.
func (w *walker) gitFiles(verb string, args []Word, in stdin) {
	if w.concerns == nil || gitVerbs[verb]&gitRefs != 0 && !showsFiles(verb, args) {
		return
	}
	w.inside(gitVerbs[verb]&gitReads == 0)
	below := slices.ContainsFunc(args, func(a Word) bool { return a.Text == "--no-index" || a.Text == "--untracked" })
	dashes := false
	pattern := verb == "grep" && textArg("grep", args) >= 0
	named := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		text, next := gitText(verb, a.Text)
		switch {
		case a.Text == "--":
			dashes = true
		case next:
			i++
			pattern = pattern && verb != "grep"
		case text:
		case pattern && (a.Text == "" || a.Text[0] != '-'): // an empty pattern is one, too
			pattern = false
		default:
			named = named || a.Text != "" && a.Text[0] != '-'
			w.gitFile(verb, a, dashes, below)
		}
	}
	if below && !named {
		w.gitFile(verb, lit("."), true, true)
	}
	if in.texts == nil && slices.ContainsFunc(args, func(a Word) bool { return a.Text == "--batch" || a.Text == "--stdin-paths" }) {
		w.use(fileUse{text: ".", kind: KindRead, possible: true, file: File{Anything: true}}) // any names
	}
	switch {
	case slices.ContainsFunc(args, func(a Word) bool {
		return strings.Contains(a.Text, "stdin") || strings.HasPrefix(a.Text, "--batch") || strings.HasPrefix(a.Text, "--pathspec-f") || strings.HasSuffix(a.Text, "-file=-")
	}):
		for _, s := range inputNames(in, "git") {
			w.gitFile(verb, Word{Text: s}, false, false)
		}
	case verb == "apply" || verb == "am":
		for _, s := range patchedNames(in) {
			w.gitFile(verb, Word{Text: s}, false, false)
		}
	}
}

// showsFiles reports whether a subcommand that shows names only shows or reads files by its arguments.
func showsFiles(verb string, args []Word) bool {
	return slices.ContainsFunc(args, func(a Word) bool {
		return verb == "status" && (strings.HasPrefix(a.Text, "--v") || shortOption(a.Text, 'v', "") > 0) || verb == "bisect" && a.Text == "replay"
	})
}

// gitFile records the files that one argument of git may name. sure: the argument is a path,
// because it stands behind "--". below: git reads everything below a directory.
func (w *walker) gitFile(verb string, a Word, sure, below bool) {
	var note func(s string, sure, above bool)
	note = func(s string, sure, above bool) {
		if at := strings.LastIndexByte(s, '/') + 1; at < len(s) && strings.IndexByte("*?[", s[at]) >= 0 { // git's patterns find hidden files
			note(s[:at]+"."+s[at+1+max(strings.IndexByte(s[at:], ']'), 0):], sure, above)
			if rest := strings.TrimLeft(s[at:], "*?"); strings.HasPrefix(rest, ".") {
				note(s[:at]+rest, sure, above)
			}
		}
		if strings.ContainsAny(s, "*?[") {
			w.gitPattern(verb, s)
			s = glob.FromNames(s)
		}
		u := fileUse{text: w.expandTilde(s, a), kind: KindRead, possible: !sure && !strings.ContainsAny(s, "/."), above: above, file: File{Below: below && !strings.Contains(strings.TrimLeft(s[strings.LastIndexByte(s, '/')+1:], "."), "."), Anything: a.dynamic}}
		if s == glob.Wild && a.dynamic {
			return // the command can't be allowed
		}
		if verb != "rm" { // it only removes
			w.use(u)
		}
		if gitVerbs[verb]&gitReads == 0 {
			u.kind, u.possible, u.file.Receives = KindEdit, !(sure || gitVerbs[verb]&gitChanges != 0), true
			w.use(u)
		}
	}
	if a.targets != nil {
		for _, start := range a.targets.starts {
			w.use(fileUse{text: start, kind: KindRead, possible: true, file: File{Below: true, NamePattern: a.targets.names}})
		}
	}
	if magic, _, _ := strings.Cut(a.Text, ")"); strings.HasPrefix(magic, ":!") || strings.HasPrefix(magic, ":^") || strings.HasPrefix(magic, ":(") && strings.Contains(magic, "exclude") {
		return
	}
	pieces(a.Text, "git", func(s string, whole bool) {
		if !whole {
			note(s, false, false)
			return
		}
		at := strings.LastIndexByte(s, ':')
		if at < 0 {
			note(s, sure, false)
			return
		}
		// REVISION:file, :STAGE:file, :file, :/file, :(magic)file, and -L1,9:file
		path := s[at+1:]
		if magic, rest, ok := strings.Cut(path, ")"); ok && strings.HasPrefix(magic, "(") {
			path = rest
		}
		note(strings.TrimPrefix(path, "/"), true, true)
	})
}

// gitPattern records the files that a subcommand changes by a pattern: for git "*" also stands for slashes.
func (w *walker) gitPattern(verb, s string) {
	if gitVerbs[verb]&gitReads != 0 {
		return
	}
	fixed := s[:strings.IndexAny(s, "*?[")]
	leaf := s[strings.LastIndexByte(s, '/')+1:]
	w.use(fileUse{text: fixed[:strings.LastIndexByte(fixed, '/')+1] + glob.AnyDepth + "/" + glob.FromNames(leaf), kind: KindEdit, possible: true})
}

// gitText reports whether an argument of git is an option whose value is text. With next, the
// value is the next argument.
func gitText(verb, s string) (text, next bool) {
	if len(s) < 2 || s[0] != '-' {
		return false, false
	}
	name, _, joined := strings.Cut(s, "=")
	if gitTextOptions[verb][name] {
		return true, !joined && (name != "--orphan" || verb != "worktree") // there it takes none
	}
	if joined && name == "--pretty" {
		return true, false // its value stands in the same word, if any
	}
	flags := "achilnopqrvwzEFGHILPW"
	if verb != "grep" {
		flags = "afpqsv"
	}
	for _, letter := range []byte(gitTextLetters[verb]) {
		// Behind another letter it may be the value of that one.
		if at := strings.IndexByte(s[1:], letter) + 1; at > 0 && s[1] != '-' && strings.Trim(s[1:at], strings.ReplaceAll(flags, string(letter), "")) == "" {
			return true, at == len(s)-1
		}
	}
	return false, false
}
