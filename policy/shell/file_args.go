package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// Rules about files hold for whatever a command names, not only for the files of programs
// that are known. Each word, and each piece of a word that an option, a revision or a
// separator sets apart, may be a file. The command reads it, and changes it unless the
// program is known only to read. Programs that look at no file are the exception (noFiles),
// as are texts for people.
//
// Certain is what the tables know: what a well-known program does with its arguments. The
// rest is Possible, so that it asks and never denies.

// maxUses bounds the files of one command, maxUseBytes their names in total. Beyond them
// the command is opaque.
const (
	maxUses     = 2048
	maxUseBytes = 64 << 10
)

// fileUse is a file that a command may read or change.
type fileUse struct {
	text string // as in Part.Text
	kind Kind   // KindRead or KindEdit
	// possible: see Part.Possible. Relative paths then start in known directories only.
	possible bool
	// above: the path may also start in any directory above, like git's paths from the top of
	// the repository.
	above bool
	file  File // From is set by useParts
}

// use records a file for rules about files. useParts makes a part of it if rules are about
// it.
func (w *walker) use(u fileUse) {
	if w.concerns == nil || u.text == "" || len(w.uses) > maxUses || w.useBytes > maxUseBytes {
		return
	}
	u.possible = u.possible || w.possible
	w.uses = append(w.uses, u)
	if w.useBytes += len(u.text); len(w.uses) > maxUses || w.useBytes > maxUseBytes {
		w.opaque("a long list of files", nil)
	}
}

// useParts adds a part for each recorded file that rules are about.
func (w *walker) useParts() {
	if w.err != nil { // the command is refused; what is clear so far may name the rule
		w.uses = w.uses[:min(len(w.uses), 64)]
	}
	if len(w.uses) == 0 {
		return
	}
	starts := w.starts()
	var above []string
	p := new(Part)
	for _, u := range w.uses {
		*p = Part{Kind: u.kind, Text: u.text, Covered: true, Possible: u.possible, Unclear: strings.Contains(u.text, glob.Wild), File: u.file}
		if p.File.From = starts; u.possible {
			p.File.From = w.cwd.known
		}
		if u.above {
			if above == nil {
				above = withParents(w.cwd.known)
			}
			p.File.From = above
		}
		if w.concerns(p) {
			w.parts = append(w.parts, *p)
		}
	}
}

// withParents returns dirs and all directories above them.
func withParents(dirs []string) []string {
	out := slices.Clone(dirs)
	for _, d := range dirs {
		for i := strings.LastIndexByte(d, '/'); i > 0; i = strings.LastIndexByte(d[:i], '/') {
			out = append(out, d[:i])
		}
	}
	return out
}

// fileHabit says how a program uses the files that its arguments name.
type fileHabit struct {
	known   bool // in the tables, so that the fields below are certain
	reads   bool
	changes bool
	copies  bool // it may copy all that is below a directory
	file    File
}

// unknownHabit is that of a program which is not in the tables.
var unknownHabit = fileHabit{reads: true, changes: true, file: File{Receives: true}}

// habitOf returns what a program does with files.
func habitOf(name string, args []Word) fileHabit {
	short := strings.TrimRight(name, "0123456789.-")
	h := fileHabit{known: true, file: File{Below: readsBelow(name, args), Receives: has(name, fillsDirs|mayChange), Names: has(name, names), Alias: name == "ln" || name == "mv", Whole: name == "rm" || name == "mv" || name == "rmdir"}}
	switch {
	case name == "sed" || name == "yq":
		h.reads, h.changes = true, slices.ContainsFunc(args, func(a Word) bool {
			return strings.HasPrefix(a.Text, "--i") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text, "i")
		})
	case has(name, reads|changes):
		h.file.NamePattern, h.file.Visible = searched(name, args)
		h.reads, h.changes = has(name, reads), has(name, changes|mayChange)
	default:
		h = unknownHabit
		h.copies = copiesTrees(args)
		if _, code := interpreters[short]; code || has(short, shell) || name == "source" || name == "." {
			h.known, h.copies = true, false // scripts are read; what else they do is open
		}
	}
	return h
}

// saysWhere reports whether a search certainly names its directories, behind the pattern.
func saysWhere(name string, args []Word) bool {
	values, known := clusters[name]
	words, value := 0, false
	for _, a := range args {
		switch s := a.Text; {
		case value:
			value = false
		case !a.Known() && a.Several && (a.dynamic || s[0] != '-'):
			return false
		case strings.HasPrefix(s, "--"):
			value = !strings.Contains(s, "=") // perhaps
		case len(s) > 1 && s[0] == '-':
			at := strings.IndexAny(s, values.values)
			value = at == len(s)-1
		default:
			words++
		}
	}
	return known && words > 1
}

// searched returns which of the files below a directory a search reads: a pattern of their
// names, "" for all, and whether hidden ones are left out.
func searched(name string, args []Word) (names string, visible bool) {
	short, long := byte('g'), "--glob" // of rg
	switch name {
	case "rg":
		visible = !slices.ContainsFunc(args, func(a Word) bool {
			return strings.HasPrefix(a.Text, "--hid") || strings.HasPrefix(a.Text, "--unr") || strings.HasPrefix(a.Text, "--ig") || strings.HasPrefix(a.Text, "--pre") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(a.Text, ".u") || !a.Known() && a.Several
		})
	case "grep", "egrep", "fgrep":
		short, long = 0, "--include"
	default:
		return "", false
	}
	for i, a := range args {
		if v, ok := valueIn(a, args[i+1:], short, clusters["rg"].values, long); ok {
			if names != "" || v.dynamic || strings.ContainsAny(v.Text, "!/{") || v.Text == "" {
				return "", false // -g .env also finds hidden ones
			}
			if names = glob.Fold(v.Text); v.Known() { // else the shell knows it for a pattern of file names
				names = glob.FromNames(names)
			}
		}
	}
	return names, visible
}

// treeVerbs are subcommands by which unknown programs copy directories.
var treeVerbs = set("cp copy sync mirror upload upload-batch mv move mount backup")

// copiesTrees reports whether a verb among the arguments of an unknown program suggests that
// it copies directories to another place.
func copiesTrees(args []Word) bool {
	return slices.ContainsFunc(args[:min(len(args), 4)], func(a Word) bool { return treeVerbs[a.Text] })
}

// fileArgs records the files that a command's own arguments, or its standard input, may name.
func (w *walker) fileArgs(c *call) {
	name, args := c.name, c.words[1:1+c.own]
	if (name == "du" || name == "find") && slices.ContainsFunc(args, func(a Word) bool {
		return strings.HasPrefix(a.Text, "--fi") || a.Text == "-files0-from"
	}) {
		name = "wc" // it reads names from a file
	}
	if w.concerns == nil || has(name, noFiles) {
		return
	}
	h := habitOf(name, args)
	h.changes = h.changes || c.code
	h.file.Alias = h.file.Alias || mounts[name] || slices.ContainsFunc(args, func(a Word) bool { return strings.Contains(a.Text, "type=bind") || a.Text == "--rootfs" })
	w.outputs(name, args)
	if name == "zip" || name == "unzip" || name == "tar" {
		w.archive(name, args, name == "zip" || name == "tar" && h.file.Below)
	}
	w.inside(has(name, fillsDirs))
	if h.file.Below && has(name, patternFirst) && !saysWhere(name, args) {
		w.use(fileUse{text: ".", kind: KindRead, file: File{Below: true, NamePattern: h.file.NamePattern, Visible: h.file.Visible}})
	}
	text := textArg(name, args)
	if c.code {
		text = -1
	}
	for i, a := range args {
		if i == text || i == 0 && name == "tar" && a.Text != "" && a.Text[0] != '-' || i > 0 && isProse(name, args[i-1].Text) && !strings.HasPrefix(a.Text, "@") && !strings.HasPrefix(a.Text, "file") || a.pipe {
			continue
		}
		if option, _, joined := strings.Cut(a.Text, "="); joined && isProse(name, option) {
			continue
		}
		if !h.known && a.dynamic && a.targets == nil && a.Text == glob.Wild {
			continue // no part of its name is known, so the command can't be allowed
		}
		w.argFiles(h, name, a, c.moreArgs && i == c.own-1)
		if h.known && !h.changes && writes(name, args, i) {
			w.argFiles(fileHabit{changes: true, file: File{Receives: true}}, name, a, false)
		}
	}
	if name == "ln" && len(args) > 1 { // where a link leads starts from its own directory
		link := args[len(args)-1].Text
		for i, a := range args {
			if dir, ok := valueIn(a, args[i+1:], 't', "S", "--target-directory"); ok {
				link = dir.Text + "/"
			}
		}
		for _, a := range args {
			for _, dir := range []string{link, link[:strings.LastIndexByte(link, '/')+1]} {
				if dir == "" {
					continue
				}
				for _, kind := range []Kind{KindRead, KindEdit} {
					w.use(fileUse{text: dir + "/" + a.Text, kind: kind, possible: kind == KindEdit, file: File{Alias: true, Anything: a.dynamic}})
				}
			}
		}
	}
	listed := listsOnInput(name, args)
	if c.in.texts == nil && listed {
		w.argFiles(h, name, Word{Text: glob.Wild, dynamic: true, targets: c.in.targets}, false)
	}
	if !h.known || listed || has(name, inputFiles) {
		for _, s := range inputNames(c.in, name) {
			w.argFiles(fileHabit{reads: h.reads, changes: h.changes}, name, Word{Text: s}, false)
		}
	}
	if name == "patch" {
		for _, s := range patchedNames(c.in) {
			w.use(fileUse{text: s, kind: KindEdit, possible: true, file: h.file})
		}
	}
}

// mounts are programs by which a directory in the arguments gets another name, or becomes the root.
var mounts = set("mount bindfs bwrap proot systemd-nspawn chroot fakechroot unshare schroot firejail fuse-overlayfs unionfs mergerfs")

// inside records the directory that a command is in, if it may not be the project's: being where
// nothing may be read is enough to ask. fills: the command may put files there.
func (w *walker) inside(fills bool) {
	if !w.away && len(w.cwd.known) < 2 {
		return
	}
	w.use(fileUse{text: ".", kind: KindRead, possible: true, file: File{Inside: true}})
	if fills {
		w.use(fileUse{text: ".", kind: KindEdit, possible: true, file: File{Inside: true, Receives: true}})
	}
}

// isDirectory reports whether a path looks like one of a directory.
func isDirectory(s string) bool {
	base := s[strings.LastIndexByte(s, '/')+1:]
	return base == "" || base == "." || base == ".."
}

// argFiles records the files that one argument may name. With more, further arguments are
// unknown.
func (w *walker) argFiles(h fileHabit, name string, a Word, more bool) {
	cluster := len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-'
	note := func(text string, sure bool) {
		u := fileUse{text: w.expandTilde(text, a), possible: !h.known || !sure, file: h.file}
		if !sure && !strings.ContainsAny(text, "/.~"+glob.Wild) {
			if u.file.Literal = true; strings.Trim(text, "0123456789") == "" {
				return
			}
		}
		u.file.Anything = h.known && sure && (a.dynamic || more)
		u.file.Below = u.file.Below || h.copies && isDirectory(text)
		if mount, _, ok := strings.Cut(text, ":/"); ok && !h.known && mount != "" && !strings.HasPrefix(text, "file:") {
			u.text, u.file.Alias = w.expandTilde(mount, a), true // a directory gets a name in a container
		}
		if cluster && !strings.ContainsAny(text, "/.~"+glob.Wild) {
			u.file.Below = false // its letters, rather than a directory
		}
		if h.reads {
			u.kind = KindRead
			w.use(u)
		}
		if h.changes {
			u.kind, u.possible = KindEdit, u.possible || !has(name, changes)
			w.use(u)
		}
		if at := strings.LastIndexByte(text, '/'); name == "rename" && at > 0 { // its new name may be any
			w.use(fileUse{text: w.expandTilde(text[:at], a), kind: KindEdit, possible: true, file: h.file})
		}
	}
	if a.targets != nil {
		h.file, more, a.dynamic = File{Below: true, NamePattern: a.targets.names}, false, false
		for _, start := range a.targets.starts {
			note(start, true)
		}
		return
	}
	pieces(a.Text, name, note)
}

// expandTilde expands "~" at the start of a path. Inside a word the program may expand it.
func (w *walker) expandTilde(s string, a Word) string {
	if strings.HasPrefix(s, "~/") && (a.unquoted || s != a.Text) {
		return w.home + s[1:]
	}
	return s
}

// readsBelow reports whether a program reads or changes everything below the directories in
// its arguments.
func readsBelow(name string, args []Word) bool {
	if name == "tar" { // it reads files only to put them into an archive
		return slices.ContainsFunc(args, func(a Word) bool {
			return strings.HasPrefix(a.Text, "--cr") || strings.HasPrefix(a.Text, "--ap") || strings.HasPrefix(a.Text, "--up") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(beforeValue(a.Text, clusters["tar"].values), "cruA")
		}) || len(args) > 0 && strings.ContainsAny(beforeValue(args[0].Text, clusters["tar"].values), "cruA")
	}
	return has(name, recursive) || slices.ContainsFunc(args, func(a Word) bool {
		return strings.HasPrefix(a.Text, "--rec") || strings.HasPrefix(a.Text, "--arc") || strings.HasPrefix(a.Text, "--der") || strings.HasSuffix(a.Text, "recurse") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(a.Text, recursiveLetters[name])
	})
}

// beforeValue returns the letters of a cluster before the first that takes a value.
func beforeValue(s, values string) string {
	if i := strings.IndexAny(s, values); i >= 0 {
		return s[:i]
	}
	return s
}

// readingWords are, by program, words of its language by which it reads further files.
var readingWords = map[string][]string{"yq": {"load"}, "jq": {"import", "include"}}

// textArg returns the index of the argument that is a pattern or a program, -1 if there is
// none.
func textArg(name string, args []Word) int {
	switch {
	case !has(name, textFirst|patternFirst):
		return -1
	case has(name, textFirst):
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
	for _, word := range readingWords[name] {
		if first >= 0 && strings.Contains(args[first].Text, word) {
			return -1 // its program reads files
		}
	}
	return first
}
