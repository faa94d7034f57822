package policy

import (
	"strings"
)

// runXargs takes xargs: the command gets further words from standard input.
func runXargs(w *walker, c call) {
	args := c.words[1:]
	replace := ""
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if !a.known() {
			w.opaque("xargs with arguments that aren't known", c.words)
			return
		}
		s := a.s
		if s == "--" {
			i++
			break
		}
		if len(s) < 2 || s[0] != '-' {
			break
		}
		switch {
		case strings.HasPrefix(s, "--replace"), strings.HasPrefix(s, "-i"):
			replace = "{}"
			if _, v, ok := strings.Cut(s, "="); ok {
				replace = v
			} else if s[1] == 'i' && len(s) > 2 {
				replace = s[2:]
			}
		case s[1] == 'I' || s[1] == 'J':
			if replace = s[2:]; replace == "" && i+1 < len(args) {
				i++
				replace = args[i].s
			}
		case strings.HasPrefix(s, "--"):
			if !strings.Contains(s, "=") && takesValue(s, strings.Fields("max-args max-procs max-lines max-chars delimiter eof arg-file process-slot-var")) {
				i++
			}
		case strings.IndexByte("nPLsdEaRS", s[len(s)-1]) >= 0 && len(s) == 2 || strings.HasSuffix(s, "I"):
			i++
			if strings.HasSuffix(s, "I") && i < len(args) {
				replace = args[i].s
			}
		}
	}
	rest := args[min(i, len(args)):]
	if i == 0 {
		w.needless(c)
	}
	if len(rest) == 0 {
		return
	}
	if replace == "" {
		w.command(rest, surroundings{prefix: c.prefix, tail: true})
		return
	}
	w.command(w.placeholders(rest, replace), surroundings{prefix: c.prefix})
}

// placeholders makes what stands for input unknown.
func (w *walker) placeholders(words []word, mark string) []word {
	out := make([]word, len(words))
	for i, x := range words {
		if strings.Contains(x.s, mark) {
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
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !a.known() && (a.multi || a.dynamic) && (a.s == "" || a.s[0] == wild[0] || a.s[0] == '-') {
			w.opaque("find with arguments that aren't known", c.words)
			continue
		}
		if inPaths = inPaths && (len(a.s) == 0 || a.s[0] != '-' && a.s[0] != '(' && a.s[0] != '!'); inPaths {
			starts = append(starts, a)
			w.add(part{kind: partRead, text: a.s, needless: true, hidden: !a.known()})
			continue
		}
		switch a.s {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].s != ";" && !(args[end].s == "+" && args[end-1].s == "{}") {
				end++
			}
			w.command(found(args[i+1:end]), surroundings{in: c.in})
			i = end
		case "-delete":
			w.command(append(lits("rm", "-r", "-f"), starts...), surroundings{})
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				i++
				w.file(partEdit, args[i])
			}
		case "-files0-from":
			w.never(c, "where it starts isn't known")
		}
	}
}

// found makes "{}" in a command of find unknown. find puts its starting point
// before every name, so what comes can't be an option.
func found(words []word) []word {
	out := make([]word, len(words))
	for i, x := range words {
		if strings.Contains(x.s, "{}") {
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
		w.command(append(found(rest), word{s: wild, multi: true}), surroundings{})
		return
	}
}

// runSSH takes a remote command: the words after the host, for a shell there.
func runSSH(w *walker, c call) {
	args := c.words[1:]
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if !a.known() && a.multi {
			w.opaque("ssh with arguments that aren't known", c.words)
			return
		}
		if len(a.s) < 2 || a.s[0] != '-' || a.s == "--" {
			break
		}
		if strings.Contains(strings.ToLower(a.s), "command") || a.s[1] == 'F' || a.s == "-o" || a.s[1] == 'o' {
			w.opaque("an option of ssh", nil)
		}
		if strings.IndexByte("bcDEeFIiJLlmOopQRSWwBP", a.s[len(a.s)-1]) >= 0 && len(a.s) == 2 {
			i++
		}
	}
	if i < len(args) && args[i].s == "--" {
		i++
	}
	rest := args[min(i, len(args)):]
	if len(rest) > 0 {
		rest = rest[1:]
	}
	for len(rest) > 0 && (rest[0].s == "--" || len(rest[0].s) > 1 && rest[0].s[0] == '-') { // options after the host
		w.opaque("an option of ssh", nil)
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		w.fromInput(c)
		w.parts[c.part].needless = false
	case !known(rest):
		w.opaque("a remote command that isn't known", c.words)
	default:
		w.script(join(rest))
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

func runMake(w *walker, c call) {
	args := c.words[1:]
	for i, a := range args {
		s := a.s
		switch {
		case !a.known() && (a.multi || strings.HasPrefix(s, "-")),
			strings.HasPrefix(s, "--ev"), strings.HasPrefix(s, "-E"),
			strings.Contains(s, "=") && (strings.ContainsAny(s, "$`") || strings.HasPrefix(s, "SHELL") || strings.HasPrefix(s, ".SHELL") || strings.HasPrefix(s, "MAKE")),
			(s == "-f" || s == "--file" || s == "--makefile") && i+1 < len(args) && (args[i+1].s == "-" || strings.HasPrefix(args[i+1].s, "/dev/") || !args[i+1].known()),
			s == "-f-" || strings.HasPrefix(s, "-f/dev/") || strings.HasPrefix(s, "--file=/dev/") || s == "--file=-" || s == "--makefile=-":
			w.opaque("code for make", c.words)
			return
		}
	}
}
