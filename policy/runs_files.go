package policy

import (
	"slices"
	"strings"
)

// runXargs takes xargs: the command gets further words from standard input.
func runXargs(w *walker, c call) {
	args := c.words[1:]
	i, replace, ok := xargsOptions(args)
	if !ok {
		w.opaque("xargs with arguments that aren't known", c.words)
		return
	}
	rest := args[min(i, len(args)):]
	if i == 0 {
		w.needless(c)
	}
	if len(rest) == 0 {
		return
	}
	files := c.in.files
	if slices.ContainsFunc(args[:i], otherInput) {
		files = nil
	}
	if replace == "" {
		w.command(rest, surroundings{prefix: c.prefix, tail: true, files: files})
		return
	}
	w.command(w.placeholders(rest, replace, files), surroundings{prefix: c.prefix})
}

// otherInput reports whether an option of xargs may make it read names elsewhere, or
// divide them otherwise.
func otherInput(a word) bool {
	return strings.HasPrefix(a.s, "--a") || strings.HasPrefix(a.s, "--d") || len(a.s) > 1 && a.s[0] == '-' && a.s[1] != '-' && strings.ContainsAny(a.s, "ad")
}

// xargsOptions finds where the command of xargs begins, and what stands in it for
// words from standard input; ok is false where that can't be told.
func xargsOptions(args []word) (i int, replace string, ok bool) {
	for ; i < len(args); i++ {
		s := args[i].s
		switch {
		case !args[i].known():
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
				value = args[i].s
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

// placeholders makes what stands for input unknown.
func (w *walker) placeholders(words []word, mark string, files *finding) []word {
	out := make([]word, len(words))
	for i, x := range words {
		if strings.Contains(x.s, mark) {
			if x.s == mark { // with text around it, it is another file
				x.files = files
			}
			x.s = strings.ReplaceAll(x.s, mark, wild)
			x.dynamic = !takesData[programName(words[0].s)] || i == 0
		}
		out[i] = x
	}
	return out
}

// runFind takes find: -exec and its like, -delete, and the files it writes.
func runFind(w *walker, c call) {
	args := c.words[1:]
	var starts []word
	inPaths := true
	files := w.findingOf(args)
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !a.known() && (a.multi || a.dynamic) && (a.s == "" || a.s[0] == wild[0] || a.s[0] == '-') {
			w.opaque("find with arguments that aren't known", c.words)
			continue
		}
		if inPaths = inPaths && (len(a.s) == 0 || a.s[0] != '-' && a.s[0] != '(' && a.s[0] != '!'); inPaths {
			starts = append(starts, a)
			w.add(Part{Kind: KindRead, Text: w.untilde(a), Covered: true, Unclear: !a.known()})
			continue
		}
		switch a.s {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].s != ";" && !(args[end].s == "+" && args[end-1].s == "{}") {
				end++
			}
			w.command(found(args[i+1:end], files), surroundings{in: c.in})
			i = end
		case "-delete":
			w.command(append(lits("rm", "-r", "-f"), starts...), surroundings{})
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				i++
				w.file(KindEdit, args[i])
			}
		case "-files0-from":
			w.never(c, "where it starts isn't known")
		}
	}
}

// found makes "{}" in a command of find unknown. find puts its starting point
// before every name, so what comes can't be an option.
func found(words []word, files *finding) []word {
	out := make([]word, len(words))
	for i, x := range words {
		if strings.Contains(x.s, "{}") {
			if x.s == "{}" { // with text around it, it is another file
				x.files = files
			}
			x.s = strings.ReplaceAll(x.s, "{}", wild)
			x.dynamic = i == 0 || isShell[programName(words[0].s)]
		}
		out[i] = x
	}
	return out
}

func runFd(w *walker, c call) {
	args := c.words[1:]
	for i, a := range args {
		if !a.known() && a.multi {
			w.opaque("fd with arguments that aren't known", c.words)
		}
		var rest []word
		switch {
		case a.s == "-x" || a.s == "-X" || a.s == "--exec" || a.s == "--exec-batch":
			rest = args[i+1:]
		case len(a.s) > 2 && (a.s[:2] == "-x" || a.s[:2] == "-X"):
			rest = append([]word{lit(a.s[2:])}, args[i+1:]...)
		case strings.HasPrefix(a.s, "--ex") && strings.Contains(a.s, "="):
			_, value, _ := strings.Cut(a.s, "=")
			rest = append([]word{lit(value)}, args[i+1:]...)
		case len(a.s) > 2 && a.s[0] == '-' && a.s[1] != '-' && strings.ContainsAny(a.s, "xX"):
			rest = args[i+1:]
		}
		if len(rest) == 0 {
			continue
		}
		for end, x := range rest {
			if x.s == ";" {
				rest = rest[:end]
				break
			}
		}
		files := &finding{starts: []string{"."}}
		w.command(append(found(rest, files), word{s: wild, multi: true, files: files}), surroundings{})
		return
	}
}

func runTmux(w *walker, c call) {
	harmlessVerbs := set("ls list-sessions list-windows list-panes lsw lsp list-clients lsc has-session has capture-pane capturep kill-session kill-window kill-pane select-window select-pane")
	for _, a := range c.words[1:] {
		if harmlessVerbs[a.s] && known(c.words) && !strings.Contains(join(c.words), "#(") && !strings.Contains(join(c.words), ";") {
			return
		}
		if !strings.HasPrefix(a.s, "-") {
			break
		}
	}
	w.opaque("a command for tmux", c.words)
}

func runScreen(w *walker, c call) {
	if len(c.words) == 2 && (c.words[1].s == "-ls" || c.words[1].s == "-list") {
		return
	}
	w.opaque("a command for screen", c.words)
}
