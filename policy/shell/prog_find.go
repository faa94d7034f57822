package shell

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
)

// progXargs handles xargs: the command gets more words from standard input.
func progXargs(w *walker, c *call) {
	args := c.words[1:]
	i, replace, ok := xargsOptions(args)
	if !ok {
		w.opaque("xargs with arguments that aren't known", c.words)
		return
	}
	c.own = min(i, len(args))
	rest := args[c.own:]
	if i == 0 {
		w.cover(c)
	}
	if len(rest) == 0 {
		return
	}
	files := c.in.targets
	if slices.ContainsFunc(args[:i], otherInput) {
		files = nil
	}
	if replace == "" {
		w.command(rest, commandSetting{assigned: c.assigned, moreArgs: true, targets: files})
		return
	}
	w.command(w.placeholders(rest, replace, files), commandSetting{assigned: c.assigned})
}

// otherInput reports whether an option may make xargs read names from elsewhere, or split
// them in another way.
func otherInput(a Word) bool {
	return strings.HasPrefix(a.Text, "--a") || strings.HasPrefix(a.Text, "--d") || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(a.Text, "ad")
}

// xargsOptions returns where the command of xargs starts and its placeholder for input; ok is
// false if unknown.
func xargsOptions(args []Word) (i int, replace string, ok bool) {
	for ; i < len(args); i++ {
		s := args[i].Text
		switch {
		case !args[i].Known():
			return i, replace, false
		case s == "--":
			return i + 1, replace, true
		case len(s) < 2 || s[0] != '-':
			return i, replace, true
		case strings.HasPrefix(s, "--r") && strings.HasPrefix("--replace", strings.SplitN(s, "=", 2)[0]):
			replace = "{}"
			if _, v, found := strings.Cut(s, "="); found {
				replace = v
			}
		case strings.HasPrefix(s, "--"):
			if !strings.Contains(s, "=") && takesValue(s, strings.Fields("max-args max-procs max-lines max-chars delimiter eof arg-file process-slot-var")) {
				i++
			}
		default:
			at := strings.IndexAny(s, "nPLsdEaRSIJeli")
			if at < 0 {
				continue
			}
			value := s[at+1:]
			if value == "" && strings.IndexByte("eli", s[at]) < 0 && i+1 < len(args) { // of those it is optional
				i++
				value = args[i].Text
			}
			switch s[at] {
			case 'I', 'J':
				replace = value
			case 'i':
				if replace = value; value == "" {
					replace = "{}"
				}
			}
		}
	}
	return i, replace, true
}

// placeholders makes the placeholders for input unknown.
func (w *walker) placeholders(words []Word, mark string, files *findTargets) []Word {
	out := make([]Word, len(words))
	for i, x := range words {
		if strings.Contains(x.Text, mark) {
			if x.Text == mark { // with text around it, it is another file
				x.targets = files
			}
			x.Text = strings.ReplaceAll(x.Text, mark, glob.Wild)
			x.dynamic = !has(ProgramName(words[0].Text), data) || i == 0
		}
		out[i] = x
	}
	return out
}

// progFind handles find: -exec and the like, -delete, and the files that it writes.
func progFind(w *walker, c *call) {
	args := c.words[1:]
	var starts []Word
	inPaths := true
	files := w.findTargets(args)
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !a.Known() && (a.Several || a.dynamic) && (a.Text == "" || a.Text[0] == glob.Wild[0] || a.Text[0] == '-') {
			w.opaque("find with arguments that aren't known", c.words)
			continue
		}
		if inPaths = inPaths && (len(a.Text) == 0 || a.Text[0] != '-' && a.Text[0] != '(' && a.Text[0] != '!'); inPaths {
			starts = append(starts, a)
			w.add(Part{Kind: KindRead, Text: w.untilde(a), Covered: true, Unclear: !a.Known()})
			continue
		}
		switch a.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].Text != ";" && !(args[end].Text == "+" && args[end-1].Text == "{}") {
				end++
			}
			w.command(found(args[i+1:end], files), commandSetting{in: c.in})
			i = end
		case "-delete":
			w.command(append(lits("rm", "-r", "-f"), starts...), commandSetting{})
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				i++
				w.opens(KindEdit, args[i])
			}
		case "-files0-from":
			w.bar(c, "where it starts isn't known")
		}
	}
}

// found makes "{}" in a command of find unknown. find puts the starting point before every
// name, so a name cannot be an option.
func found(words []Word, files *findTargets) []Word {
	out := make([]Word, len(words))
	for i, x := range words {
		if strings.Contains(x.Text, "{}") {
			unknown := glob.Wild
			if x.Text == "{}" { // with text around it, it is another file
				if x.targets = files; i > 0 && files != nil && len(files.starts) == 1 {
					unknown = files.starts[0] + glob.Wild
				}
			}
			x.Text = strings.ReplaceAll(x.Text, "{}", unknown)
			x.dynamic = i == 0 || has(ProgramName(words[0].Text), shell)
		}
		out[i] = x
	}
	return out
}

func progFd(w *walker, c *call) {
	args := c.words[1:]
	for i, a := range args {
		if !a.Known() && a.Several {
			w.opaque("fd with arguments that aren't known", c.words)
		}
		var rest []Word
		switch {
		case a.Text == "-x" || a.Text == "-X" || a.Text == "--exec" || a.Text == "--exec-batch":
			rest = args[i+1:]
		case len(a.Text) > 2 && (a.Text[:2] == "-x" || a.Text[:2] == "-X"):
			rest = append([]Word{lit(a.Text[2:])}, args[i+1:]...)
		case strings.HasPrefix(a.Text, "--ex") && strings.Contains(a.Text, "="):
			_, value, _ := strings.Cut(a.Text, "=")
			rest = append([]Word{lit(value)}, args[i+1:]...)
		case len(a.Text) > 2 && a.Text[0] == '-' && a.Text[1] != '-' && strings.ContainsAny(a.Text, "xX"):
			rest = args[i+1:]
		}
		if len(rest) == 0 {
			continue
		}
		for end, x := range rest {
			if x.Text == ";" {
				rest = rest[:end]
				break
			}
		}
		files := &findTargets{starts: []string{"."}}
		w.command(append(found(rest, files), Word{Text: glob.Wild, Several: true, targets: files}), commandSetting{})
		return
	}
}

func progTmux(w *walker, c *call) {
	harmlessVerbs := set("ls list-sessions list-windows list-panes lsw lsp list-clients lsc has-session has capture-pane capturep kill-session kill-window kill-pane select-window select-pane")
	for _, a := range c.words[1:] {
		if harmlessVerbs[a.Text] && known(c.words) && !strings.Contains(Join(c.words), "#(") && !strings.Contains(Join(c.words), ";") {
			return
		}
		if !strings.HasPrefix(a.Text, "-") {
			break
		}
	}
	w.opaque("a command for tmux", c.words)
}

func progScreen(w *walker, c *call) {
	if len(c.words) == 2 && (c.words[1].Text == "-ls" || c.words[1].Text == "-list") {
		return
	}
	w.opaque("a command for screen", c.words)
}
