package shell

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// separators stand between the pieces of a word that may be files: those of options, lists,
// revisions, mounts, JSON and of other languages.
const separators = ":=,@<>;\"'`{}[]()|&%+^#!\n"

// pieces calls f with the pieces of a word that may be paths: the word itself, the value of
// an option, and the text between separators, or its words if they are two at most. sure is
// false for text between separators.
func pieces(s, name string, f func(piece string, sure bool)) {
	if s == "" || s == "-" {
		return
	}
	if s[0] == '-' {
		at := strings.IndexByte(s, '=')
		switch {
		case at > 0:
			s = s[at+1:]
		case s[1] == '-' || len(s) < 3 || name == "ls" || name == "rm":
			return
		default: // -xF, or -xyzF with letters before the one that takes F
			for k := 3; k < min(len(s), 7) && isLetter(s[k-1]) && strings.ContainsAny(s[k:], "/."+glob.Wild); k++ {
				f(s[k:], false)
			}
			s = s[2:]
		}
	}
	if scheme, path, ok := strings.Cut(s, "://"); ok && strings.HasPrefix(strings.ToLower(scheme), "file") {
		path = decoded(path, name)
		f(path[max(strings.IndexByte(path, '/'), 0):], true)
		f(path, false) // aws takes it for a relative path
		return
	} else if ok && !strings.HasSuffix(strings.ToLower(scheme), "file") { // an address
		if s = scheme; strings.LastIndexAny(s, separators) < 0 {
			return
		}
	}
	f(s, true)
	end := strings.IndexAny(s, separators)
	if end < 0 && strings.IndexByte(s, ' ') < 0 {
		return
	}
	mark := byte(0) // the last separator that is no quote
	for from := 0; ; {
		piece := s[from:]
		if end >= 0 {
			piece = s[from : from+end]
		}
		member := from > 0 && strings.IndexByte("])}", s[from-1]) >= 0 && strings.HasPrefix(piece, ".") // of a value, as in a[0].b
		if f2 := strings.Fields(piece); len(f2) < 3 && !member {
			for _, one := range f2 {
				f(one, name == "curl" && (mark == '@' || mark == '<') || name == "dd" && mark == '=')
			}
		}
		if end < 0 {
			return
		}
		if from += end + 1; s[from-1] != '"' && s[from-1] != '\'' {
			mark = s[from-1]
		}
		end = strings.IndexAny(s[from:], separators)
	}
}

// decoded is the path of a file:// address as the program understands it.
func decoded(path, name string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	for name == "curl" { // it expands [a-z] and {a,b}
		open := strings.IndexAny(path, "[{")
		if open < 0 {
			break
		}
		path = path[:open] + glob.Wild + path[open+1+max(strings.IndexAny(path[open+1:], "]}"), -1)+1:]
	}
	return path
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// inputNames returns the words of standard input that may be paths: those on lines of one or two words, those that quotes
// or brackets enclose, and of source text for a program that reads such all. Lines may end with NUL.
func inputNames(in stdin, program string) (names []string) {
	for _, text := range in.texts {
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == 0 }) {
			if has(program, sources) {
				line = strings.NewReplacer(`"`, " ", "<", " ", ">", " ", ",", " ", "(", " ", ")", " ", "=", " ").Replace(line)
			}
			if f := strings.Fields(line); len(f) < 3 || has(program, sources) {
				names = append(names, f...)
			} else if !talkers[program] && program != "git" {
				for _, m := range enclosed.FindAllStringSubmatch(line, maxUses) {
					names = append(names, m[1])
				}
			}
			if len(names) > maxUses {
				return names
			}
		}
	}
	return names
}

// enclosed matches a path within quotes or brackets.
var enclosed = regexp.MustCompile(`["'(<\[{]([^\s"'()<>\[\]{}]*[./][^\s"'()<>\[\]{}]*)["')>\]}]`)

// patchedNames returns the files that a patch on standard input names in its headers, without any of the
// directories at the beginning, since options say how many don't count.
func patchedNames(in stdin) (names []string) {
	for _, text := range in.texts {
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) < 2 || !patchHeaders[f[0]] {
				continue
			}
			for _, s := range f[1:] {
				for names = append(names, s); len(names) <= maxUses; names = append(names, s) {
					at := strings.IndexByte(s, '/')
					if at < 0 {
						break
					}
					s = s[at+1:]
				}
			}
		}
	}
	return names
}

// patchHeaders begin the lines of a patch that name files.
var patchHeaders = set("--- +++ *** diff Index: rename copy")

// listsOnInput reports whether a program reads the files that its standard input names.
func listsOnInput(name string, args []Word) bool {
	if name == "cpio" || name == "pax" { // with -i the input is an archive
		return !slices.ContainsFunc(args, func(a Word) bool { return shortOption(a.Text, 'i', "") > 0 })
	}
	for i, a := range args {
		if strings.HasPrefix(a.Text, "--files0") {
			return true
		}
		if i == 0 && name == "tar" {
			a.Text = "-" + strings.TrimPrefix(a.Text, "-")
		}
		list, ok := valueIn(a, args[i+1:], 'T', clusters["tar"].values, "--files-from")
		if has(name, inputFiles) && (ok && list.Text == "-" || name == "zip" && a.Text == "-@") {
			return true
		}
	}
	return false
}
