package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// gitFiles records the files in the arguments and the standard input of a subcommand of git.
func (w *walker) gitFiles(verb string, args []Word, in stdin) {
	if w.concerns == nil || gitVerbs[verb]&gitRefs != 0 {
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
		case pattern && a.Text != "" && a.Text[0] != '-':
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
	if slices.ContainsFunc(args, func(a Word) bool {
		return strings.Contains(a.Text, "stdin") || strings.HasPrefix(a.Text, "--batch") || strings.HasSuffix(a.Text, "-file=-")
	}) {
		for _, s := range inputNames(in) {
			w.gitFile(verb, Word{Text: s}, false, false)
		}
	}
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

// gitText reports whether an argument of git is an option whose value is text. With next, the
// value is the next argument.
func gitText(verb, s string) (text, next bool) {
	if len(s) < 2 || s[0] != '-' {
		return false, false
	}
	name, _, joined := strings.Cut(s, "=")
	if gitTextOptions[name] {
		return true, !joined
	}
	for _, letter := range []byte(gitTextLetters[verb]) {
		if at := shortOption(s, letter, "CcFtLOn"); at > 0 {
			return true, at == len(s)-1
		}
	}
	return false, false
}
