package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// clusters are programs that take clusters of one-letter options. values are the letters that
// take a value: the rest of the word, or the next word. code are those of them whose value
// can be run.
var clusters = map[string]struct{ values, code string }{
	"tar":    {"fbCTXHVgKLNIF", "IF"},
	"rsync":  {"efBTM@", "eM"},
	"scp":    {"cDFiJloPSX", "SoFD"},
	"sftp":   {"bBcDFiJloPRSsX", "bSoFDs"},
	"curl":   {values: "AbcCdDeEFHKmoPQrtTuUwxXyYz"},
	"wget":   {values: "aoOeBtTwQPUlARDIXi"},
	"sort":   {values: "kStTo"},
	"csplit": {values: "fbn"},
	"grep":   {values: "ABCDdefm"},
	"rg":     {values: "ABCEMTdefgjmtr"},
	"groff":  {"dDfFIKLmMnoPrTwW", "U"},
	"troff":  {"dfFImMnorTwW", "U"},
	"nroff":  {"dDfFIKLmMnoPrTwW", "U"},
	"pic":    {"", "U"},
}

// shortOption returns the index of an option's letter in a word such as -ab, 0 if it isn't
// there. Text behind a letter of values is a value.
func shortOption(s string, letter byte, values string) int {
	if len(s) < 2 || s[0] != '-' || s[1] == '-' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		if s[i] == letter {
			return i
		}
		if strings.IndexByte(values, s[i]) >= 0 {
			return 0
		}
	}
	return 0
}

// codeLetters adds an opaque part if a one-letter option runs something, and returns true
// then.
func (w *walker) codeLetters(c *call) bool {
	spec, ok := clusters[c.name]
	if !ok {
		return false
	}
	for i, a := range c.words[1:] {
		s := a.Text
		if i == 0 && c.name == "tar" && s != "" && s[0] != '-' { // tar czf: all of it is letters
			if strings.ContainsAny(s, spec.code) {
				w.opaque("an option of tar", c.words)
				return true
			}
			continue
		}
		for _, letter := range []byte(spec.code) {
			value, _ := valueIn(a, c.words[i+2:], letter, spec.values, "")
			if shortOption(s, letter, spec.values) == 0 || letter == 'o' && harmlessSSH(value.Text) || letter == 'e' && remoteShell(c.name, value.Text) {
				continue
			}
			w.opaque("the option -"+string(letter)+" of "+c.name, c.words)
			return true
		}
	}
	return false
}

// valueIn returns the value that a word gives to an option, or the one behind it in rest:
// -fV, -xyfV, -f V, --file=V, --file V, and abbreviations of the long name. letter is 0 and
// long "" if there is none; values are the letters of the program that take a value.
func valueIn(a Word, rest []Word, letter byte, values, long string) (value Word, ok bool) {
	name, _, joined := strings.Cut(a.Text, "=")
	at := shortOption(a.Text, letter, values)
	switch isLong := len(name) > 2 && long != "" && strings.HasPrefix(long, name); {
	case at > 0 && at+1 < len(a.Text):
		a.Text = a.Text[at+1:]
	case isLong && joined:
		a.Text = a.Text[len(name)+1:]
	case (at > 0 || isLong) && len(rest) > 0:
		a = rest[0]
	default:
		return Word{}, false
	}
	return a, true
}

// remoteShell reports whether rsync uses plain ssh, perhaps with another port, key or user.
func remoteShell(name, value string) bool {
	f := strings.Fields(value)
	if name != "rsync" || len(f) == 0 || f[0] != "ssh" {
		return false
	}
	for i := 1; i < len(f); i += 2 {
		if f[i] != "-p" && f[i] != "-i" && f[i] != "-l" || i+1 == len(f) || strings.HasPrefix(f[i+1], "-") {
			return false
		}
	}
	return !strings.ContainsAny(value, glob.Wild+"$`\\'\"")
}

// harmlessSSH reports whether an ssh setting (-o) runs nothing and names no further
// configuration.
func harmlessSSH(setting string) bool {
	key, _, _ := strings.Cut(strings.ReplaceAll(setting, " ", "="), "=")
	return !strings.Contains(setting, glob.Wild) && harmlessSSHKeys[strings.ToLower(key)]
}

var harmlessSSHKeys = set(`stricthostkeychecking connecttimeout connectionattempts batchmode userknownhostsfile globalknownhostsfile serveraliveinterval serveralivecountmax tcpkeepalive loglevel identitiesonly identityfile
 passwordauthentication pubkeyauthentication preferredauthentications numberofpasswordprompts port user hostname addressfamily compression requesttty forwardagent checkhostip hostkeyalgorithms visualhostkey`)

// namesOfFiles bars a command whose patterns could find a file named like an option. Behind
// "--" and as ./* they can't.
func (w *walker) namesOfFiles(c *call) {
	for _, a := range c.words[1:] {
		name, _, _ := strings.Cut(a.Text, "=") // --exclude=*.o finds none that is another option
		switch {
		case a.Text == "--":
			return
		case !a.Known() && a.Several && (a.Text[0] == glob.Wild[0] || a.Text[0] == '-' && strings.Contains(name, glob.Wild)):
			w.bar(c, "a file that a pattern finds may have the name of an option: write ./ before it")
			return
		}
	}
}

// codeWords handles settings that don't look like options. It returns true if one runs
// something.
func (w *walker) codeWords(c *call) bool {
	args := c.words[1:]
	switch {
	case c.name == "go" && len(args) > 1 && args[0].Text == "env" && slices.ContainsFunc(args, func(a Word) bool { return a.Text == "-w" || a.Text == "--w" || !a.Known() }):
		w.opaque("a setting for go", c.words)
	case c.name == "zip" && slices.ContainsFunc(args, func(a Word) bool { return shortOption(a.Text, 'T', "") > 0 && strings.Contains(a.Text, "TT") }):
		w.opaque("the option -TT of zip", c.words)
	case c.name == "go" && slices.ContainsFunc(args, linksOutside):
		w.opaque("another linker for go", c.words)
	case (c.name == "npm" || c.name == "pnpm" || c.name == "yarn") && len(args) > 2 && (args[0].Text == "pkg" || args[0].Text == "config" || args[0].Text == "c") && args[1].Text == "set":
		w.opaque("a setting for "+c.name, c.words)
	default:
		return false
	}
	return true
}

// linksOutside reports whether an argument of go selects a linker: -ldflags "-extld x".
func linksOutside(a Word) bool {
	for from := 0; ; {
		i := strings.Index(a.Text[from:], "-ext")
		if i < 0 {
			break
		}
		if i += from; i == 0 || strings.IndexByte(" \t\r\n='\"-", a.Text[i-1]) >= 0 {
			return true
		}
		from = i + 1
	}
	return !a.Known() && strings.Contains(a.Text, "flags")
}

// codeOptions are, by program, the options that make it run something else.
var codeOptions = map[string][]string{
	"tar":   {"--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"},
	"scp":   nil,
	"sftp":  nil,
	"groff": nil, "troff": nil, "nroff": nil, "pic": nil, "json_pp": {"-f"}, "json_xs": {"-f", "-e"},
	"rsync": {"--rsh", "--rsync-path", "--remote-option"},
	"zip":   {"--unzip-command"}, "sort": {"--compress-program"}, "split": {"--filter"}, "install": {"--strip-program"},
	"man": {"-P", "--pager", "-H", "--html"}, "less": {"+", "-P", "--lesskey"}, "more": {"+"},
	"vim": {"-", "+", "--cmd"}, "rake": {"-e", "-E", "-p", "--execute"}, "mix": {"-e", "--eval", "eval"}, "rails": {"runner", "r", "console", "c", "dbconsole", "db"}, "gradle": {"-I", "--init-script"}, "mvn": {"exec:exec", "exec:java"}, "nix": {"run", "shell", "develop", "-c", "--command"}, "sbt": {"eval", "console"}, "rg": {"--pre", "--hostname-bin"}, "fzf": {"--preview", "--bind", "--execute"},
	"go":    {"-toolexec", "-exec", "-vettool", "-overlay", "-modfile", "--toolexec", "--exec", "--vettool", "-extld"},
	"cargo": {"--config", "-Z", "-C", "watch"}, "rustc": {"-C", "--codegen"}, "gcc": {"-wrapper", "-fplugin", "-B", "-specs"}, "cc": {"-wrapper", "-fplugin", "-B", "-specs"}, "clang": {"-fplugin", "-Xclang", "-B"},
	"cmake": {"-E", "-P"}, "curl": {"-K", "--config", "--engine"}, "wget": {"--use-askpass", "-e", "--execute"}, "hash": {"-p"}, "jq": {"-L", "-f", "--from-file"},
	"docker": {"--entrypoint"}, "npm": {"exec", "x", "explore", "create", "set", "set-script", "--script-shell", "script-shell", "--node-options", "--call", "--shell", "--editor", "--browser", "--viewer", "--git", "--init-module", "--userconfig", "--globalconfig", "--node-gyp", "--onload-script"}, "pnpm": {"exec", "dlx", "node"}, "yarn": {"exec", "dlx", "node"},
	"terraform": {"console"}, "tcpdump": {"-z"}, "mount": {"-o"}, "pip": {"--python", "--editor"}, "gh": {"alias", "extension"}, "kubectl": {"--kubeconfig"}, "dig": {"-f"},
	"pandoc": {"-F", "--filter", "-L", "--lua-filter", "--pdf-engine"}, "protoc": {"--plugin"}, "delta": {"--pager"}, "just": {"--shell", "--shell-command"},
	"tox": {"-x", "--override"}, "bazel": {"--workspace_status_command", "--run_under"}, "mypy": {"--python-executable"},
	"yq": {"-e"}, "openssl": {"-engine", "engine"}, "ansible": {"-m", "-a"},
	"systemctl": {"edit", "link", "set-environment", "import-environment"}, "launchctl": {"submit"},
}

// progCodeOptions handles a program with codeOptions.
func progCodeOptions(w *walker, c *call) {
	if w.codeLetters(c) || w.codeWords(c) {
		return
	}
	if c.name == "sftp" && c.in.texts != nil { // a line of it may begin with !
		w.opaque("sftp with commands from standard input", c.words)
		return
	}
	if has(c.name, optionNames) {
		w.namesOfFiles(c)
	}
	for i, a := range c.words[1:] {
		for _, o := range codeOptions[c.name] {
			name, _, _ := strings.Cut(a.Text, "=")
			if c.name == "npm" && len(name) > 1 && name[0] == '-' && name[1] != '-' { // it takes -long for --long
				name = "-" + name
			}
			if value, ok := valueIn(a, c.words[i+2:], 0, "", "--rsh"); ok && o == "--rsh" && remoteShell(c.name, value.Text) {
				continue
			}
			switch {
			case a.Text == o, name == o,
				strings.HasPrefix(o, "--") && len(name) > 3 && strings.HasPrefix(o, name), // as short as it is clear
				(len(o) == 2 && o[0] == '-' || o[0] == '+' || o == "-") && strings.HasPrefix(a.Text, o) && !strings.HasPrefix(a.Text, "--") && a.Text != "-":
				w.opaque("the option "+name+" of "+c.name, c.words)
				return
			}
		}
		if len(codeOptions[c.name]) > 0 && !a.Known() && a.Several && (a.Text[0] == glob.Wild[0] || a.Text[0] == '-') && a.dynamic {
			w.opaque(c.name+" with arguments that aren't known", c.words)
			return
		}
	}
}
