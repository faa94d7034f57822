package shell

import "strings"

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

// harmlessSetting reports whether git runs no value of the setting.
func harmlessSetting(key string) bool {
	key = strings.ToLower(key)
	for _, p := range []string{"user.", "color.", "branch.", "advice.", "pull.rebase", "pull.ff", "push.default", "push.autosetupremote", "init.defaultbranch", "core.autocrlf", "core.quotepath"} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}
