package shell

import "strings"

// Files that well-known programs certainly write: values of options, and archives.

// outputOptions are, by program, options whose value is a file that the program writes.
var outputOptions = map[string]string{
	"curl": "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc", "wget": "-O --output-document -o --output-file -a --append-output -P --directory-prefix",
	"tar": "-C --directory --one-top-level", "unzip": "-d", "7z": "-o", "sort": "-o --output", "gcc": "-o", "cc": "-o", "clang": "-o", "xmllint": "-o --output", "openssl": "-out", "pandoc": "-o --output", "ssh-keygen": "-f", "tcpdump": "-w", "csplit": "-f --prefix",
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
			}
		}
	}
}

// archive records the archive that tar or zip writes.
func (w *walker) archive(name string, args []Word) {
	for i, a := range args {
		file, ok := a, name == "zip" && !strings.HasPrefix(a.Text, "-")
		if name == "tar" {
			if i == 0 && a.Text != "" && a.Text[0] != '-' { // all of the first word is letters
				a.Text = "-" + a.Text[:strings.IndexByte(a.Text, 'f')+1]
			}
			file, ok = valueIn(a, args[i+1:], 'f', clusters["tar"].values, "--file")
		}
		if ok && file.Text != "-" {
			w.use(fileUse{text: w.untilde(file), kind: KindEdit, file: File{Anything: file.dynamic}})
		}
		if ok && name == "zip" {
			return
		}
	}
}
