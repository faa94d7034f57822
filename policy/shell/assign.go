package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ccdir/policy/glob"
)

// assigns adds the parts of assignments, before a command or alone. A command may read, and
// change, the files that its environment names.
func (w *walker) assigns(list []*syntax.Assign, command bool) assignments {
	var out assignments
	var text strings.Builder // linear in the number of assignments
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		v := Word{}
		if a.Value != nil {
			v = w.word(a.Value.Parts)
		} else if a.Array != nil {
			v = Word{Text: glob.Wild, dynamic: true}
		}
		if command {
			w.argFiles(unknownHabit, "", v, false)
		}
		out.add(w, a.Name.Value, v)
		text.WriteString(out.text)
		out.text = ""
	}
	out.text = text.String()
	return out
}

// assignments are those before a command.
type assignments struct {
	text string
	// unsafeVar is the name of a variable that can change what the command does; "" if none
	// can.
	unsafeVar string
}

func (x *assignments) add(w *walker, name string, v Word) {
	x.text += name + "=" + quoted([]Word{v}) + " "
	if noProgram[v.Text] && v.unquoted && (strings.HasSuffix(name, "PAGER") || strings.HasSuffix(name, "EDITOR")) {
		return // the usual way to disable a pager or editor
	}
	if harmlessValue(name, v) {
		return
	}
	if v.dynamic {
		x.unsafeVar = name
	}
	if !harmlessVar(name) || (name == "COLUMNS" || name == "LINES") && strings.Trim(v.Text, "0123456789") != "" { // zsh evaluates those
		x.unsafeVar = name
	}
	if evaluated(v.Text) { // zsh evaluates the values of some variables as arithmetic
		w.opaque("an expression for "+name, nil)
	}
	if dangerousVar(name) {
		w.opaque("a value for "+name, nil)
		if v.Known() && v.Text != "" && !strings.HasPrefix(v.Text, "-") {
			w.possibly(func() { w.script(v.Text) })
		}
	}
}

// harmlessValue reports whether a variable with options for a program, or with directories of
// its code, gets only such as run nothing from elsewhere.
func harmlessValue(name string, v Word) bool {
	runs := longCode
	switch name {
	case "GOFLAGS":
		runs = func(s string) bool {
			option, _, _ := strings.Cut(s, "=")
			return slices.Contains(codeOptions["go"], option)
		}
	case "RUSTFLAGS":
		runs = func(s string) bool { return strings.HasPrefix(s, "-C") || strings.HasPrefix(s, "-Z") }
	case "NODE_OPTIONS":
	case "PYTHONPATH":
		return v.Known() && !strings.ContainsAny(v.Text, "/~:") && v.Text != ".."
	default:
		return false
	}
	words := strings.Fields(v.Text)
	return v.Known() && !slices.ContainsFunc(words, func(s string) bool { return s == "-r" || s == "-e" || s == "-p" || runs(s) })
}

// noProgram are values of pagers and editors that run nothing of interest.
var noProgram = set("cat true :")

// evaluated reports whether an arithmetic evaluation of the text would run a command.
func evaluated(s string) bool {
	return strings.Contains(s, "[") && (strings.Contains(s, "$(") || strings.Contains(s, "`"))
}

// possibly calls find and marks all parts that it adds as Possible.
func (w *walker) possibly(find func()) {
	before := w.possible
	w.possible = true
	find()
	w.possible = before
}

// declare handles declare, export, local, readonly, typeset and nameref.
func (w *walker) declare(d *syntax.DeclClause) {
	words := lits(d.Variant.Value)
	p := Part{Kind: KindCommand}
	for _, a := range d.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			at := len(words)
			words = w.expandWord(words, a.Value)
			for _, v := range words[at:] { // declare "PATH=x"
				x := assignments{}
				name, value, ok := strings.Cut(v.Text, "=")
				switch {
				case strings.Contains(name, glob.Wild) && !strings.HasPrefix(name, "-"):
					w.opaque("a variable whose name isn't known", nil)
				case ok && isName(name):
					x.add(w, name, Word{Text: value, dynamic: v.dynamic})
					w.exported(d, Word{Text: value, dynamic: v.dynamic})
				}
				if x.unsafeVar != "" {
					p.Barred = "it sets " + x.unsafeVar
				}
			}
		case a.Name != nil:
			x := assignments{}
			v := Word{}
			if a.Value != nil {
				v = w.word(a.Value.Parts)
			} else if a.Array != nil {
				v = Word{Text: glob.Wild, dynamic: true}
			}
			if !a.Naked {
				x.add(w, a.Name.Value, v)
				w.exported(d, v)
				words = append(words, Word{Text: a.Name.Value + "=" + v.Text, dynamic: v.dynamic})
			} else {
				words = append(words, lit(a.Name.Value))
			}
			if x.unsafeVar != "" {
				p.Barred = "it sets " + x.unsafeVar
			}
		}
	}
	for _, x := range words[1:] {
		if strings.Contains(x.Text, "[") && strings.ContainsAny(x.Text, "$`") { // quoted, and evaluated all the same
			w.opaque("a subscript", words)
		}
		if strings.HasPrefix(x.Text, "-") && strings.ContainsAny(x.Text, "in") { // -i evaluates, -n refers
			w.arith.used = true
			w.arith.code = w.arith.code || strings.Contains(x.Text, "n")
		}
	}
	p.Command.Words = words
	w.finish(&p)
	w.add(p)
}

// exported records the files that a value for the environment of later commands names.
func (w *walker) exported(d *syntax.DeclClause, v Word) {
	if d.Variant.Value == "export" {
		w.argFiles(unknownHabit, "", v, false)
	}
}

// harmlessVar reports whether setting the variable cannot change what a command does to
// others.
func harmlessVar(name string) bool {
	return harmless[name] || strings.HasPrefix(name, "LC_")
}

var harmless = set(`LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES CI GOOS GOARCH GOARM GOMAXPROCS CGO_ENABLED NODE_ENV RUST_BACKTRACE RUST_LOG
 PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RAILS_ENV RACK_ENV MIX_ENV ASAN_OPTIONS DEBUG VERBOSE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS
 GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE RUST_TEST_THREADS DOCKER_BUILDKIT DOTNET_CLI_TELEMETRY_OPTOUT
 PORT LOG_LEVEL APP_ENV FLASK_ENV FLASK_DEBUG CARGO_TERM_COLOR GOGC GODEBUG GOMEMLIMIT GOTRACEBACK`)

// dangerousVar reports whether the value can be, or name, code that a program runs.
func dangerousVar(name string) bool {
	return !harmless[name] && slices.ContainsFunc(dangerous, func(p string) bool { return strings.HasPrefix(name+"=", p) })
}

// dangerous start the names of variables with which programs run others, load code, or read
// more settings. A whole name ends with "=".
var dangerous = strings.Fields(`GIT_ LD_ DYLD_ BASH_ PYTHON PERL RUBY NODE_ NPM_ npm_ LESS JAVA _JAVA JDK_ CARGO_ RUST MAKE GNUMAKE MFLAGS DOCKER GCONV GO ZDOTDIR SSH_ MAN
 LUA_ R_PROFILE R_ENVIRON R_LIBS PHP JULIA_ ERL_ ELIXIR_ DOTNET_ CORECLR_ MONO_ XDG_ FZF_ RIPGREP_ BAT_ DELTA_ SYSTEMD_ PSQL SVN_ CVS HG MAVEN_ MVN_ GRADLE_ SBT_ ANT_ AWS_CONFIG KUBE HELM_ TF_CLI TF_PLUGIN
 ANSIBLE_ CMAKE_ CTEST_ PKG_CONFIG CCACHE_ CGO_ OPENSSL_ RSYNC_ TEXTDOMAIN PIP_ UV_ CONDA_ NIX_ BUNDLE_ GEM_ YARN_ BUN_ DENO_ QT_ GTK_ VIM NVIM_ EMACS SUDO_ LUAJIT COREPACK_ PARALLEL PROMPT SHELL
 PATH= HOME= path= fpath= cdpath= module_path= CDPATH= ENV= IFS= PS0= PS1= PS2= PS3= PS4= PAGER= EDITOR= VISUAL= FCEDIT= BROWSER= BASHOPTS= TAR_OPTIONS= CLASSPATH= CXXFLAGS= CPPFLAGS= FC= SCREENRC= NANORC=
 OPENER= GREP_OPTIONS= AWKPATH= AWKLIBPATH= GUILE_LOAD_PATH= EXINIT= MYVIMRC= CC= CXX= LD= AR= AS= CPP= CFLAGS= LDFLAGS= TERMINFO= GLOBIGNORE= HISTFILE= INPUTRC= NULLCMD= READNULLCMD= TRAPDEBUG= _= psvar=
 aliases= functions= commands= FPATH= MODULE_PATH= MAILCAPS= PREFIX_CMD= DIFF= EXTERNAL_DIFF= XAUTHORITY= COMSPEC= TMUX_TMPDIR=`)
