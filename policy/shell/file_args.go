package shell

import (
	"slices"
	"strings"
)

// fileArgs adds the files that well-known programs read and write. They need no
// allowing, the command does; but deny and ask rules about files hold for them.
func (w *walker) fileArgs(name string, args []Word, tail bool) {
	reads, writes := readers[name], writers[name]
	w.optionFiles(KindEdit, name, args, strings.Fields(outputOptions[name]))
	w.optionFiles(KindRead, name, args, strings.Fields(inputOptions[name]))
	if !reads && !writes {
		return
	}
	if name == "sed" {
		writes = slices.ContainsFunc(args, func(a Word) bool {
			return strings.HasPrefix(a.Text, "--i") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text, "i")
		})
	}
	below := readsBelow(name, args)
	if name == "zip" || name == "tar" && below {
		w.archive(name, args)
	}
	if below && reads && (name == "rg" || name == "ag" || name == "ack" || name == "grep") {
		w.add(Part{Kind: KindRead, Text: ".", Covered: true, File: File{Below: true}})
	}
	text := textArg(name, args)
	for i, a := range args {
		s := fileOf(name, a.Text)
		if i == text || s == "" || i == 0 && name == "tar" && a.Text[0] != '-' {
			continue
		}
		if strings.HasPrefix(s, "~/") && a.unquoted {
			s = w.home + s[1:]
		}
		p := Part{Text: s, Covered: true, Unclear: !a.Known(), File: File{Below: below, Whole: name == "rm" || name == "mv" || name == "rmdir", Receives: fillsDirs[name]}}
		p.File.Alias = name == "ln" || name == "mv"
		p.File.Anything = a.dynamic || tail && i == len(args)-1
		if reads {
			w.argFile(p, KindRead, a.targets)
		}
		if writes {
			w.argFile(p, KindEdit, a.targets)
		}
	}
}

// fileArg adds a file that an argument names, or those that find found for it.
func (w *walker) argFile(p Part, kind Kind, found *findTargets) {
	if found == nil {
		p.Kind = kind
		w.add(p)
		return
	}
	for _, start := range found.starts {
		w.add(Part{Kind: kind, Text: start, Covered: true, File: File{Below: true, NamePattern: found.names}})
	}
}

// readsBelow reports whether a program reads, or changes, all that is below the
// directories it is given.
func readsBelow(name string, args []Word) bool {
	if name == "tar" { // it reads files only to put them into an archive
		for i, a := range args {
			if strings.HasPrefix(a.Text, "--c") && strings.HasPrefix("--create", a.Text) || strings.HasPrefix(a.Text, "--ap") || strings.HasPrefix(a.Text, "--up") {
				return true
			}
			if (i == 0 || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-') && strings.ContainsAny(beforeValue(a.Text, "fbCTXHVgKLNIF"), "cruA") {
				return true
			}
		}
		return false
	}
	return recursive[name] || slices.ContainsFunc(args, func(a Word) bool {
		return strings.HasPrefix(a.Text, "--rec") || strings.HasPrefix(a.Text, "--arc") || strings.HasPrefix(a.Text, "--der") || strings.HasSuffix(a.Text, "recurse") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(a.Text, recursiveLetters[name])
	})
}

// beforeValue is the beginning of a cluster of letters up to the first that takes a
// value.
func beforeValue(s, values string) string {
	if i := strings.IndexAny(s, values); i >= 0 {
		return s[:i]
	}
	return s
}

// textArg is the place of the argument that is a pattern or a program's text, -1
// if there is none.
func textArg(name string, args []Word) int {
	switch {
	case !firstIsText[name]:
		return -1
	case !patternFirst[name]:
		return 0
	}
	first := -1
	for i, a := range args {
		switch s := a.Text; {
		case strings.HasPrefix(s, "--reg") || strings.HasPrefix(s, "--file") || strings.HasPrefix(s, "--from") || strings.HasPrefix(s, "--exp") || strings.HasPrefix(s, "--so") || strings.HasPrefix(s, "--mat"):
			return -1
		case len(s) > 1 && s[0] == '-':
			if s[1] != '-' && strings.ContainsAny(s, "ef") {
				return -1 // the pattern is in an option
			}
		case first < 0:
			first = i
		}
	}
	return first
}

// fileOf is the file in an argument, "" if there is none.
func fileOf(name, s string) string {
	if strings.HasPrefix(s, "-") {
		if i := strings.IndexByte(s, '='); i > 0 {
			s = s[i+1:]
		} else if len(s) > 2 && s[1] != '-' && name != "ls" && name != "rm" {
			s = s[2:]
		} else {
			return ""
		}
	} else if i := strings.IndexByte(s, '='); i > 0 && name == "dd" {
		s = s[i+1:]
	}
	if rest, ok := strings.CutPrefix(s, "file://"); ok && name == "curl" {
		return rest[max(strings.IndexByte(rest, '/'), 0):]
	}
	if name == "curl" { // -d @file, -F name=@file, -F name=<file
		if _, value, ok := strings.Cut(s, "="); ok && strings.IndexAny(value, "@<") == 0 {
			s = value
		}
		if strings.IndexAny(s, "@<") == 0 {
			file, _, _ := strings.Cut(s[1:], ";") // ;type=…;filename=…
			return strings.Trim(file, `"`)
		}
		if i := strings.LastIndexAny(s, "@<"); i >= 0 && !strings.Contains(s, "://") {
			s = s[i+1:]
		}
	}
	return s
}

// outputOptions are, by program, options that are followed by a file to write; inputOptions
// those that are followed by one to read.
var (
	outputOptions = map[string]string{
		"curl": "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc", "wget": "-O --output-document -o --output-file -a --append-output -P --directory-prefix",
		"tar": "-C --directory --one-top-level", "unzip": "-d", "7z": "-o", "sort": "-o --output", "gcc": "-o", "cc": "-o", "clang": "-o", "xmllint": "-o --output", "openssl": "-out", "pandoc": "-o --output", "ssh-keygen": "-f", "tcpdump": "-w", "csplit": "-f --prefix",
	}
	inputOptions = map[string]string{"date": "-f --file -r --reference", "xargs": "-a --arg-file", "git commit": "-F --file -t --template", "git tag": "-F --file", "git notes": "-F --file", "git merge": "-F --file", "git config": "-f --file"}
)

// valueLetters are, by program, the letters of options that have the rest of the word, or
// the next one, for their value: other letters may stand before one.
var valueLetters = map[string]string{
	"curl": "AbcCdDeEFHKmoPQrtTuUwxXyYz", "wget": "aoOeBtTwQPUlARDIXi", "sort": "kStTo", "tar": clusters["tar"].values, "xargs": "nPLsdEaRSIJeli", "git commit": "CcFmtSu", "csplit": "fbn",
}

// gitShows and gitChanges are subcommands of git that show, or change, the files that
// they are given.
var (
	gitShows   = set("show cat-file blame annotate diff grep log archive merge-file hash-object")
	gitChanges = set("mv rm restore checkout")
)

// gitFiles adds the files in the arguments of git. What checkout is given is a file
// only behind "--"; one that looks like ccdir's counts anywhere.
func (w *walker) gitFiles(verb string, args []Word) {
	w.optionFiles(KindRead, "git "+verb, args, strings.Fields(inputOptions["git "+verb]))
	shows, changes := gitShows[verb], gitChanges[verb]
	if !shows && !changes {
		return
	}
	sure := verb != "checkout"
	for _, a := range args {
		s := a.Text
		switch {
		case s == "--":
			sure = true
			continue
		case s == "" || s[0] == '-':
			continue
		}
		if s = gitFile(s, shows); s == "" {
			continue
		}
		p := Part{Text: s, Covered: true, Unclear: !a.Known(), File: File{Anything: a.dynamic}}
		if shows {
			w.argFile(p, KindRead, a.targets)
		}
		if changes && (sure || strings.Contains(s, ".ccdir")) {
			w.argFile(p, KindEdit, a.targets)
		}
	}
}

// gitFile is the file in an argument of git: REVISION:file and :STAGE:file where
// revisions are taken, :/file and :(top)file anywhere; "" if it is one to leave out.
func gitFile(s string, revisions bool) string {
	magic := s[0] == ':'
	if at := strings.LastIndexByte(s, ':'); at >= 0 && (revisions || magic) {
		s = s[at+1:]
	}
	if !magic {
		return s
	}
	if what, rest, ok := strings.Cut(s, ")"); ok && strings.HasPrefix(what, "(") {
		if strings.Contains(what, "exclude") {
			return ""
		}
		s = rest
	}
	return strings.TrimPrefix(s, "/")
}

// optionFiles adds the files that such options name.
func (w *walker) optionFiles(kind Kind, name string, args []Word, options []string) {
	for i, a := range args {
		for _, o := range options {
			file := a
			switch at := shortIn(name, a.Text, o); {
			case (a.Text == o || at > 0 && at == len(a.Text)-1) && i+1 < len(args):
				file = args[i+1]
			case strings.HasPrefix(o, "--") && strings.HasPrefix(a.Text, o+"="):
				file.Text = a.Text[len(o)+1:]
			case at > 0:
				file.Text = a.Text[at+1:]
			default:
				continue
			}
			if file.Text != "-" && !strings.HasPrefix(file.Text, "/dev/") {
				w.add(Part{Kind: kind, Text: w.untilde(file), Covered: true, Unclear: !file.Known(), File: File{Anything: file.dynamic, Receives: true}})
			}
		}
	}
}

// shortIn is the place of a program's option of one letter in a word, 0 if it isn't
// there.
func shortIn(name, s, option string) int {
	if len(option) != 2 {
		return 0
	}
	if letters := valueLetters[name]; letters != "" {
		return shortOption(s, option[1], letters)
	}
	if len(s) > 2 && strings.HasPrefix(s, option) {
		return 1
	}
	return 0
}

// archive adds the file that tar or zip writes.
func (w *walker) archive(name string, args []Word) {
	for i, a := range args {
		at := 0
		switch {
		case name == "zip" && !strings.HasPrefix(a.Text, "-"):
			w.add(Part{Kind: KindEdit, Text: w.untilde(a), Covered: true, Unclear: !a.Known(), File: File{Anything: a.dynamic}})
			return
		case name == "zip":
			continue
		case strings.HasPrefix(a.Text, "--file="):
			at = len("--file")
		case a.Text == "--file":
			at = len(a.Text) - 1
		case i == 0 && a.Text != "" && a.Text[0] != '-':
			if at = strings.IndexByte(a.Text, 'f'); at >= 0 { // all of the first word is letters
				at = len(a.Text) - 1
			}
		default:
			at = shortOption(a.Text, 'f', clusters["tar"].values)
		}
		file := a
		switch {
		case at <= 0 && !(i == 0 && a.Text == "f"):
			continue
		case at < len(a.Text)-1:
			file.Text = a.Text[at+1:]
		case i+1 < len(args):
			file = args[i+1]
		}
		if file.Text != "-" {
			w.add(Part{Kind: KindEdit, Text: w.untilde(file), Covered: true, Unclear: !file.Known(), File: File{Anything: file.dynamic}})
		}
	}
}
