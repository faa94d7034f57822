package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// Files that well-known programs certainly write: values of options, and archives.

// outputOptions are, by program, options whose value is a file that the program writes.
var outputOptions = map[string]string{
	"curl": "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc", "wget": "-O --output-document -o --output-file -a --append-output -P --directory-prefix",
	"tar": "-C --directory --one-top-level --index-file --transform --xform -s", "unzip": "-d", "7z": "-o", "sort": "-o --output", "gcc": "-o", "cc": "-o", "clang": "-o", "xmllint": "-o --output", "openssl": "-out", "pandoc": "-o --output", "ssh-keygen": "-f", "tcpdump": "-w", "csplit": "-f --prefix",
}

// outputs records the files that options name for writing.
func (w *walker) outputs(name string, args []Word) {
	options := strings.Fields(outputOptions[name])
	for i, a := range args {
		for _, o := range options {
			letter, long := byte(0), o
			if len(o) == 2 {
				letter, long = o[1], ""
			}
			file, ok := valueIn(a, args[i+1:], letter, clusters[name].values, long)
			if ok && file.Text != "-" && !strings.HasPrefix(file.Text, "/dev/") {
				w.use(fileUse{text: w.untilde(file), kind: KindEdit, file: File{Anything: file.dynamic, Receives: true}})
				if o == "--transform" || o == "--xform" || o == "-s" { // s,X,FILE,
					pieces(file.Text, name, func(s string, _ bool) {
						w.use(fileUse{text: s, kind: KindEdit, possible: true, file: File{Receives: true}})
					})
				}
			}
		}
	}
}

// archive records the archive that tar or zip creates, and the files that they or unzip put in
// place or remove.
func (w *walker) archive(name string, args []Word, creates bool) {
	values := clusters["tar"].values
	puts := name == "unzip"
	var written []Word // the archive, then the others
	for i, a := range args {
		if name == "tar" && i == 0 && a.Text != "" && a.Text[0] != '-' { // all of the first word is letters
			letters, _, hasFile := strings.Cut(a.Text, "f")
			if a.Text = "-" + letters; hasFile {
				a.Text += "f"
			}
		}
		option := strings.HasPrefix(a.Text, "-")
		puts = puts || name == "zip" && shortOption(a.Text, 'm', "") > 0 || name == "tar" && (shortOption(a.Text, 'x', values) > 0 || a.Text == "--extract" || a.Text == "--get")
		file, ok := valueIn(a, args[i+1:], 'f', values, "--file")
		switch {
		case name == "tar" && ok && file.Text != "-":
			written = append([]Word{file}, written...)
		case !option && a.Text != "-":
			written = append(written, a)
		}
	}
	for i, file := range written {
		if i == 0 && creates || i > 0 && puts && (file.Text != written[0].Text) {
			u := fileUse{text: w.untilde(file), kind: KindEdit, file: File{Anything: file.dynamic, Receives: true}}
			if i > 0 && strings.ContainsAny(u.text, "*?[") { // of names in the archive
				u.text = glob.FromNames(u.text)
			}
			w.use(u)
		}
	}
}

// writes reports whether an argument of a program that only reads may name a file which it writes: the value of an option
// whose name says so, or that is not known for one of a compiler, or the second file of cpp.
func writes(name string, args []Word, i int) bool {
	s, before := args[i].Text, ""
	if i > 0 {
		before = args[i-1].Text
	}
	option := len(s) > 1 && s[0] == '-'
	switch {
	case has(name, sources) && name != "xmllint" && name != "pandoc":
		if option {
			return len(s) > 2 && strings.IndexByte("IDULOglxmi", s[1]) < 0
		}
		return name == "cpp" && slices.ContainsFunc(args[:i], func(a Word) bool { return a.Text != "" && a.Text[0] != '-' }) ||
			slices.ContainsFunc(compilerOutputs, func(p string) bool { return strings.HasPrefix(before, p) })
	case has(name, data|patternFirst|names) || name == "tar" || name == "zip" || name == "unzip":
		return false
	case option:
		return saysOutput(s, strings.HasPrefix(s, "--") && strings.Contains(s, "="))
	}
	return saysOutput(before, true) && !strings.Contains(before, "=")
}

// saysOutput reports whether an option is one for output by its name. With whole its last letter counts, otherwise
// the value may follow in the word.
func saysOutput(option string, whole bool) bool {
	switch {
	case len(option) < 2 || option[0] != '-':
		return false
	case option[1] != '-' && whole:
		return strings.HasSuffix(strings.ToLower(option), "o")
	case option[1] != '-':
		return strings.ContainsAny(option, "oO")
	}
	option = strings.ToLower(option)
	return slices.ContainsFunc(outputWords, func(p string) bool { return strings.HasPrefix(option, p) })
}

var (
	// outputWords begin long options for output, as short as they may be written.
	outputWords = strings.Fields("--o --lo --sa --wr --du --tr --rep --extr")
	// compilerOutputs begin options of compilers with a file that is written in the next word.
	compilerOutputs = strings.Fields("-o -MF -MJ -MT -MQ -X -dump -aux -Map -a --o -serialize --serialize -index-store")
)
