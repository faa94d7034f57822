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
	values := strings.Fields("n P L s d E a R S I J max-args max-procs max-lines max-chars delimiter eof arg-file process-slot-var")
	for ; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.Known():
			return i, replace, false
		case a.Text == "--":
			return i + 1, replace, true
		case len(a.Text) < 2 || a.Text[0] != '-':
			return i, replace, true
		}
		for _, letter := range []byte("IJi") {
			mark, given := valueIn(a, args[i+1:], letter, "nPLsdEaRSIJeli", "--replace")
			if optional := letter == 'i' || strings.HasPrefix(a.Text, "--"); given && optional && mark.Text == argAt(args, i+1) || letter == 'i' && a.Text == "-i" {
				mark.Text, given = "{}", true // its value has to be in the same word
			}
			if given {
				replace = mark.Text
			}
		}
		if takesValue(a.Text, values) {
			i++
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
			x.dynamic = !has(ProgramName(words[0].Text), data) || i == 0 || beginsName(x.Text)
		}
		out[i] = x
	}
	return out
}

// beginsName reports whether a name begins with unknown text and goes on: from {}nv and .e it
// becomes .env, though no pattern of the shell finds hidden names so.
func beginsName(s string) bool {
	for seg := range strings.SplitSeq(s, "/") {
		if rest, ok := strings.CutPrefix(seg, glob.Wild); ok && rest != "" && rest[0] != glob.Wild[0] {
			return true
		}
	}
	return false
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
			if files != nil && len(starts) > 0 && (files.names != "" || files.starts[0] != w.untilde(starts[0])) {
				starts = slices.Clone(starts)
				starts[0].targets = files
			}
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
			x.dynamic = i == 0 || has(ProgramName(words[0].Text), shell) || beginsName(x.Text)
		}
		out[i] = x
	}
	return out
}

// progFd handles fd: a pattern, directories, and the command for what it finds.
func progFd(w *walker, c *call) {
	args := c.words[1:]
	var named []Word
	for i, a := range args {
		if !a.Known() && a.Several {
			w.opaque("fd with arguments that aren't known", c.words)
		}
		command, joined := valueIn(a, args[i+1:], 'x', "deEtScjoX", "--exec")
		if !joined {
			command, joined = valueIn(a, args[i+1:], 'X', "deEtScjox", "--exec-batch")
		}
		if !joined {
			if !strings.HasPrefix(a.Text, "-") {
				w.use(fileUse{text: w.untilde(a), kind: KindRead, possible: true, file: File{Literal: true}})
				named = append(named, a)
			}
			continue
		}
		rest := args[i+1:]
		if len(rest) == 0 || command.Text != rest[0].Text {
			rest = append([]Word{command}, rest...)
		}
		if end := slices.IndexFunc(rest, func(x Word) bool { return x.Text == ";" }); end >= 0 {
			rest = rest[:end]
		}
		files := &findTargets{starts: []string{"."}}
		if len(named) > 1 && known(named) {
			files.starts = nil
			for _, dir := range named[1:] {
				files.starts = append(files.starts, w.untilde(dir))
			}
		}
		w.command(append(found(rest, files), Word{Text: glob.Wild, Several: true, targets: files}), commandSetting{})
		return
	}
}
