package shell

import (
	"maps"
	"slices"
	"strings"
)

// gitTrait is a property of a subcommand of git.
type gitTrait uint8

const (
	gitKnown   gitTrait = 1 << iota // a subcommand; any other may be an alias, which can run anything
	gitRefs                         // its words are revisions, names or patterns, no files that are read
	gitReads                        // only reads the files that it is given
	gitChanges                      // certainly changes the files that it is given
	gitHidden                       // runs unknown programs
	gitPushes                       // pushes
)

// gitVerbs are the subcommands of git. One that is neither gitRefs nor gitReads may change
// the files that it is given.
var gitVerbs = func() map[string]gitTrait {
	out := map[string]gitTrait{}
	for _, row := range []struct {
		traits gitTrait
		verbs  string
	}{
		{gitRefs, `branch switch fetch fetch-pack pull push remote ls-files ls-tree ls-remote rev-parse status check-ignore check-mailmap check-ref-format cherry
		cherry-pick rebase bisect merge-base symbolic-ref show-ref show-branch update-ref for-each-ref pack-refs gc fsck prune count-objects help version var
		name-rev describe rev-list send-pack http-push`},
		{gitReads, `add annotate blame cat-file check-attr commit commit-graph commit-tree diff diff-files diff-index diff-pairs diff-tree grep hash-object log merge
		merge-tree notes patch-id range-diff reflog request-pull reset revert shortlog show stage stripspace tag verify-commit verify-pack verify-tag
		whatchanged`},
		{gitChanges, `mv rm restore`},
		{gitHidden, `filter-branch difftool mergetool send-email instaweb web--browse shell hook credential for-each-repo merge-index p4 svn http-backend daemon citool gui
		fast-import quiltimport`},
		{gitPushes, `send-pack http-push`},
		{gitKnown, `am apply archive bundle checkout checkout-index citool clean clone column config credential credential-cache credential-store cvsexportcommit daemon
		difftool fast-export fast-import filter-branch fmt-merge-msg for-each-repo format-patch get-tar-commit-id gui hook http-backend http-fetch imap-send
		index-pack init init-db instaweb interpret-trailers lfs mailinfo mailsplit maintenance merge-file merge-index merge-one-file mergetool mktag mktree
		multi-pack-index p4 pack-objects pack-redundant prune-packed quiltimport read-tree receive-pack refs repack replace replay repo rerere send-email
		shell show-index sparse-checkout stash submodule subtree svn unpack-file unpack-objects update-index update-server-info upload-archive upload-pack
		web--browse worktree write-tree`},
	} {
		for verb := range strings.FieldsSeq(row.verbs) {
			out[verb] |= row.traits | gitKnown
		}
	}
	return out
}()

// gitTextOptions, by subcommand, have a value that is text, mostly in the next word, and gitTextLetters the letters of such
// options. The same words mean other options for other subcommands, without a value: --exclude of grep is
// --exclude-standard.
var (
	gitTextOptions = func() map[string]map[string]bool {
		out := map[string]map[string]bool{}
		for options, verbs := range map[string]string{
			"--author --committer --grep --since --until --after --before --date --format --exclude": "log show diff diff-tree diff-index diff-files whatchanged reflog shortlog format-patch range-diff blame annotate stash rev-list request-pull",
			"--message --author --date --trailer --reason --orphan --exclude":                        "commit merge tag notes checkout switch worktree clean apply ls-files describe interpret-trailers revert cherry-pick replay",
			"--message --exclude --format --sort":                                                    "stash tag branch for-each-ref ls-remote archive ls-tree ls-files cat-file var name-rev",
		} {
			for verb := range strings.FieldsSeq(verbs) {
				if out[verb] == nil {
					out[verb] = map[string]bool{}
				}
				maps.Copy(out[verb], set(options))
			}
		}
		return out
	}()
	gitTextLetters = map[string]string{"commit": "m", "merge": "m", "tag": "m", "notes": "m", "stash": "m", "commit-tree": "m", "log": "SG", "diff": "SG", "show": "SG", "whatchanged": "SG", "grep": "e", "checkout": "bB", "revert": "m", "worktree": "bB"}
)

// progGit handles git: its own options, then the subcommand.
func progGit(w *walker, c *call) {
	args := c.words[1:]
	aliases := map[string]string{}
	plain := true // only harmless options before the subcommand
	var dirs []Word
	i := 0
loop:
	for ; i < len(args); i++ {
		a := args[i]
		if !a.Known() {
			w.opaque("git with arguments that aren't known", c.words)
			return
		}
		s := a.Text
		if len(s) < 2 || s[0] != '-' {
			break
		}
		name, value, hasValue := strings.Cut(s, "=")
		switch {
		case s == "-C" && i+1 < len(args):
			i++
			dirs = append(dirs, args[i])
			w.chdir(args[i])
		case s == "-c" && i+1 < len(args), strings.HasPrefix(s, "-c") && len(s) > 2:
			setting := args[i]
			if s == "-c" {
				i++
				setting = args[i]
			} else {
				setting.Text = s[2:]
			}
			plain = w.gitSetting(setting, aliases) && plain
		case name == "--work-tree" && hasValue:
			plain = false
			w.chdir(Word{Text: value, dynamic: a.dynamic})
		case name == "--work-tree" && i+1 < len(args):
			plain = false
			i++
			w.chdir(args[i])
		case name == "--git-dir" || name == "--namespace" || name == "--super-prefix" || name == "--attr-source" || name == "--list-cmds":
			plain = false
			if !hasValue {
				i++
				value = argAt(args, i)
			}
			if name == "--git-dir" && value != ".git" && !strings.HasSuffix(value, "/.git") {
				w.opaque("a repository with settings of its own", c.words)
			}
		case name == "--exec-path" && hasValue && value != "", name == "--config-env":
			plain = false
			w.opaque("the option "+name+" of git", nil)
			if name == "--config-env" && !hasValue {
				i++
			}
		case s == "--version" || s == "--help" || s == "-v" || s == "-h":
			break loop
		}
	}
	if i >= len(args) || args[i].Text != "" && args[i].Text[0] == '-' {
		return
	}
	if w.repository != nil && slices.ContainsFunc(w.cwd.known, w.repository) {
		w.opaque("a repository with settings of its own", c.words)
	}
	w.gitVerb(c, args[i:], aliases, plain, i > 0, dirs)
}

// gitSetting handles `-c key=value`. It returns false if the setting can change what git
// runs.
func (w *walker) gitSetting(setting Word, aliases map[string]string) bool {
	key, value, _ := strings.Cut(setting.Text, "=")
	if key = strings.ToLower(key); setting.Known() && harmlessSetting(key) {
		return true
	}
	w.opaque("the setting "+key+" for git", nil)
	if name, ok := strings.CutPrefix(key, "alias."); ok && setting.Known() {
		aliases[name] = value
	} else if setting.Known() {
		w.possibly(func() { w.script(value) })
	}
	return false
}

// gitVerb handles a subcommand with its arguments.
func (w *walker) gitVerb(c *call, rest []Word, aliases map[string]string, plain, options bool, dirs []Word) {
	verb := strings.ToLower(rest[0].Text)
	if value, ok := aliases[verb]; ok {
		delete(aliases, verb)
		if cmd, shell := strings.CutPrefix(value, "!"); shell {
			w.script(cmd + " " + quoted(rest[1:]))
			return
		}
		words := append(lits(strings.Fields(value)...), rest[1:]...)
		if len(words) == 0 {
			return // an empty alias is an error
		}
		w.gitVerb(c, words, aliases, false, true, dirs)
		return
	}
	words := append(lits("git", verb), rest[1:]...)
	canonical := Part{Kind: KindCommand, Command: Command{Words: words}, Text: quoted(words), Covered: true, Unclear: !known(words)}
	if options {
		// Deny and ask rules see git without its own options. Allow rules do only if the
		// options change nothing.
		if plain {
			w.parts[c.part].Command.WithoutOptions, w.parts[c.part].Command.Dirs = canonical.Text, dirs
		}
		w.add(canonical)
	}
	w.parts[c.part].Command.VerbFirst = true
	if !options && rest[0].Text != verb {
		w.add(canonical)
	}
	args := rest[1:]
	if gitVerbs[verb]&gitPushes != 0 || (verb == "subtree" || verb == "lfs") && len(args) > 0 && args[0].Text == "push" {
		w.add(Part{Kind: KindCommand, Command: Command{Words: append(lits("git", "push"), args...)}, Text: "git push " + quoted(args), Covered: true, Unclear: !known(args)})
	}
	switch {
	case gitVerbs[verb] == 0:
		w.opaque("git "+verb+", which may be an alias,", c.words)
	case gitVerbs[verb]&gitHidden != 0:
		w.opaque("git "+verb, c.words)
	}
	w.gitRuns(c, verb, args)
	w.gitFiles(verb, args, c.in)
}

// gitRuns adds the commands in arguments of subcommands.
func (w *walker) gitRuns(c *call, verb string, args []Word) {
	positional := 0
	for i, a := range args {
		name, value, hasValue := strings.Cut(a.Text, "=")
		if len(a.Text) > 1 && a.Text[0] != '-' || a.Text == "" {
			positional++
		}
		if cmd, ok := valueIn(a, args[i+1:], 'x', "CsXS", "--exec"); ok && verb == "rebase" { // -x cmd, -ixcmd
			w.wordsOrScript(c, []Word{cmd})
			continue
		}
		switch {
		case strings.Contains(a.Text, "ext::") || strings.Contains(a.Text, "fd::"):
			w.opaque("a transport of git that runs a command", c.words)
		case verb == "submodule" && a.Text == "foreach", verb == "bisect" && a.Text == "run":
			cmd := args[i+1:]
			for len(cmd) > 0 && (cmd[0].Text == "--recursive" || cmd[0].Text == "-q" || cmd[0].Text == "--quiet") {
				cmd = cmd[1:]
			}
			w.wordsOrScript(c, cmd)
			return
		case verb == "bisect" && (a.Text == "visualize" || a.Text == "view") && i+1 < len(args): // a subcommand, or a program that begins with git
			w.opaque("git bisect "+a.Text, c.words)
			w.command(append(lits("git"), args[i+1:]...), commandSetting{})
			return
		case gitCodeOption(verb, a.Text, name):
			w.opaque("the option "+name+" of git "+verb, c.words)
		case name == "--output" && hasValue:
			w.opens(KindEdit, Word{Text: value, dynamic: a.dynamic})
		case (name == "--output" || a.Text == "-o" && (verb == "archive" || verb == "format-patch")) && i+1 < len(args):
			w.opens(KindEdit, args[i+1])
		case verb == "push" && len(a.Text) > 1 && a.Text[0] == '+': // +ref is --force for one ref
			forced := append(lits("git", "push", "--force"), args...)
			w.add(Part{Kind: KindCommand, Command: Command{Words: forced}, Text: quoted(forced), Covered: true, Unclear: !known(forced)})
		}
	}
	if verb == "config" {
		w.gitConfig(c, args)
	}
	if verb == "remote" && positional > 2 && len(args) > 2 && strings.Contains(Join(args), "::") {
		w.opaque("a transport of git", c.words)
	}
}

func gitCodeOption(verb, s, name string) bool {
	long := func(options ...string) bool {
		for _, o := range options {
			if len(name) > 2 && strings.HasPrefix(o, name) { // any unambiguous abbreviation
				return true
			}
		}
		return false
	}
	switch verb {
	case "clone":
		return shortOption(s, 'c', "obuj") > 0 || shortOption(s, 'u', "obcj") > 0 || long("--config", "--upload-pack", "--template")
	case "init":
		return long("--template")
	case "fetch", "pull", "ls-remote", "fetch-pack":
		return verb == "ls-remote" && strings.HasPrefix(s, "-u") || long("--upload-pack", "--exec")
	case "push", "archive", "send-pack":
		return long("--receive-pack", "--exec")
	case "grep":
		return shortOption(s, 'O', "ABCefm") > 0 || long("--open-files-in-pager")
	case "diff", "log", "show":
		return s == "--ext-diff"
	case "commit", "merge", "tag", "rebase", "cherry-pick":
		return long("--gpg-program")
	}
	return false
}

// wordsOrScript adds a command that is given as words, or as one string for a shell.
func (w *walker) wordsOrScript(c *call, words []Word) {
	switch {
	case len(words) == 0:
	case !known(words):
		w.opaque("a command that isn't known", c.words)
	case len(words) == 1 && strings.ContainsAny(words[0].Text, " \t\n;|&$`<>(){}\\'\""):
		w.script(words[0].Text)
	default:
		w.command(words, commandSetting{})
	}
}

// quietSettings are options of git config that take no value and don't change what is set.
var quietSettings = set("--global --local --system --worktree --add --replace-all --bool --int --path --bool-or-int --fixed-value --all")

// gitConfig handles git config. The next git may run what is set.
func (w *walker) gitConfig(c *call, args []Word) {
	if !known(args) {
		w.opaque("a setting for git", c.words)
		return
	}
	if len(args) > 0 && args[0].Text == "set" {
		args = args[1:]
	}
	var words []string
	odd := false
	for _, a := range args {
		switch {
		case readsSettings(a.Text) && len(words) == 0 && !odd:
			return
		case strings.HasPrefix(a.Text, "-") && len(words) < 2:
			odd = odd || !quietSettings[a.Text]
		default:
			words = append(words, a.Text)
		}
	}
	if len(words) < 2 && !odd && (len(words) == 0 || words[0] != "edit") {
		return // it shows a setting
	}
	if len(words) == 2 && !odd && harmlessSetting(words[0]) {
		return
	}
	w.opaque("a setting for git", c.words)
	for i := range words {
		if i == 0 {
			continue
		}
		cmd, shell := strings.CutPrefix(words[i], "!")
		if !shell && strings.HasPrefix(strings.ToLower(words[i-1]), "alias.") {
			cmd = "git " + words[i]
		}
		if odd || len(words) > 2 {
			w.possibly(func() { w.script(cmd) })
		} else {
			w.certain(cmd)
		}
	}
}

// readsSettings reports whether this word makes git config only show or remove settings.
func readsSettings(s string) bool {
	return strings.HasPrefix(s, "--get") || strings.HasPrefix(s, "--unset") || s == "--list" || s == "-l" || s == "list" || s == "get" || s == "unset"
}

// harmlessSettings start the names of settings whose values git never runs.
var harmlessSettings = strings.Fields(`user. color. branch. advice. i18n. log. status. column. pull.rebase pull.ff push.default push.autosetupremote init.defaultbranch
 commit.gpgsign tag.gpgsign core.autocrlf core.quotepath core.abbrev`)

func harmlessSetting(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(harmlessSettings, func(p string) bool { return strings.HasPrefix(key, p) })
}
