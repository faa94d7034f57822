package shell

import "strings"

// Files that well-known programs certainly write: values of options, and archives.

// outputOptions are, by program, options whose value is a file that the program writes.
var outputOptions = map[string]string{
	"curl": "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc", "wget": "-O --output-document -o --output-file -a --append-output -P --directory-prefix",
	"tar": "-C --directory --one-top-level", "unzip": "-d", "7z": "-o", "sort": "-o --output", "gcc": "-o", "cc": "-o", "clang": "-o", "xmllint": "-o --output", "openssl": "-out", "pandoc": "-o --output", "ssh-keygen": "-f", "tcpdump": "-w", "csplit": "-f --prefix",
}

// valueLetters are, by program, the letters of options that take a value: the rest of the
// word, or the next word.
var valueLetters = map[string]string{
	"curl": "AbcCdDeEFHKmoPQrtTuUwxXyYz", "wget": "aoOeBtTwQPUlARDIXi", "sort": "kStTo", "tar": clusters["tar"].values, "xargs": "nPLsdEaRSIJeli", "git commit": "CcFmtSu", "csplit": "fbn",
}

// outputs records the files that options name for writing.
func (w *walker) outputs(name string, args []Word) {
	options := outputOptions[name]
	if options == "" {
		return
	}
	for i, a := range args {
		for _, o := range strings.Fields(options) {
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
				w.use(fileUse{text: w.untilde(file), kind: KindEdit, file: File{Anything: file.dynamic, Receives: true}})
			}
		}
	}
}

// shortIn returns the index of a one-letter option in a word, 0 if it isn't there.
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

// archive records the archive that tar or zip writes.
func (w *walker) archive(name string, args []Word) {
	for i, a := range args {
		at := 0
		switch {
		case name == "zip" && !strings.HasPrefix(a.Text, "-"):
			w.use(fileUse{text: w.untilde(a), kind: KindEdit, file: File{Anything: a.dynamic}})
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
			w.use(fileUse{text: w.untilde(file), kind: KindEdit, file: File{Anything: file.dynamic}})
		}
	}
}
