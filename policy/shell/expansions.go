package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Values of variables and command substitutions, as far as the script shows them. They serve
// to find more parts, never to allow any: an expansion may always be something else.

// collect records every value that the script assigns to a variable, anywhere.
func (w *walker) collect(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			w.seen.functions = true
		case *syntax.Assign:
			if n.Name != nil {
				w.assigned(n.Name.Value, n.Value)
				if n.Array != nil {
					for _, e := range n.Array.Elems {
						w.assigned(n.Name.Value, e.Value)
					}
				}
			}
		case *syntax.WordIter:
			for _, item := range n.Items {
				w.assigned(n.Name.Value, item)
			}
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && n.Exp.Word != nil && !w.vars.collecting {
				w.assigned(n.Param.Value, n.Exp.Word)
			}
		}
		return true
	})
}

func (w *walker) assigned(name string, value *syntax.Word) {
	if value == nil {
		return
	}
	w.vars.collecting = true
	defer func() { w.vars.collecting = false }()
	v := w.word(value.Parts)
	if strings.ContainsAny(v.Text, "[`$") || !v.Known() && !numeric(value) {
		w.arith.code = true
	}
	if w.vars.values == nil {
		w.vars.values = map[string][]string{}
	}
	if v.Known() {
		w.vars.values[name] = append(w.vars.values[name], v.Text)
		return
	}
	w.vars.values[name] = append(w.vars.values[name], v.alts...)
}

// numeric reports whether a word is an arithmetic expansion and nothing else.
func numeric(x *syntax.Word) bool {
	if len(x.Parts) != 1 {
		return false
	}
	_, ok := x.Parts[0].(*syntax.ArithmExp)
	return ok
}

// values returns the possible values of an expansion; nil if unknown.
func (w *walker) values(p *syntax.ParamExp) []string {
	if p.Param == nil || p.Excl || p.Length {
		return nil
	}
	out := w.vars.values[p.Param.Value]
	if len(out) == 0 {
		switch p.Param.Value {
		case "HOME":
			out = []string{w.home}
		case "PWD":
			out = w.cwd.known
		case "IFS":
			out = []string{" "}
		}
	}
	if len(out) > maxAlts {
		return nil
	}
	return out
}

// quotedText returns the output of $(cat <<'E' …), which is the text of the here-document as
// it stands. Agents write commit messages like that.
func (w *walker) quotedText(c *syntax.CmdSubst) (string, bool) {
	if len(c.Stmts) != 1 || w.seen.functions {
		return "", false
	}
	s := c.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(s.Redirs) != 1 || s.Negated || s.Background || s.Coprocess {
		return "", false
	}
	r := s.Redirs[0]
	if r.Op != syntax.Hdoc || r.N != nil || r.Hdoc == nil {
		return "", false
	}
	body := w.hdoc(r)
	if !body.Known() || body.dynamic {
		return "", false
	}
	if w.seen.printers == nil {
		w.seen.printers = map[*syntax.Stmt]bool{}
	}
	w.seen.printers[s] = true
	return strings.TrimRight(body.Text, "\n"), true
}

// output returns the possible outputs of a substitution that only runs echo or printf; nil
// for others.
func (w *walker) output(c *syntax.CmdSubst) []string {
	// The inside is visited again for each enclosing substitution.
	if w.spent.work += outputWork; w.spent.work > maxWork {
		w.err = errTooBig
		return nil
	}
	if text, ok := w.quotedText(c); ok {
		delete(w.seen.printers, c.Stmts[0]) // its output is split into words and file names
		return []string{text}
	}
	if len(c.Stmts) != 1 || len(c.Stmts[0].Redirs) > 0 {
		return nil
	}
	return w.printed(c.Stmts[0].Cmd)
}

// printed returns the output of echo or printf without trailing line breaks; nil for other
// commands.
func (w *walker) printed(cmd syntax.Command) []string {
	call, ok := cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return nil
	}
	words := w.expandWords(call.Args)
	if !known(words) {
		return nil
	}
	switch args := words[1:]; words[0].Text {
	case "echo":
		for len(args) > 0 && (args[0].Text == "-n" || args[0].Text == "-e" || args[0].Text == "-ne" || args[0].Text == "-E") {
			args = args[1:]
		}
		text := Join(args)
		return []string{text, ansiC(text)}[:1+b2i(strings.Contains(text, "\\"))]
	case "printf":
		if args[0].Text == "--" && len(args) > 1 {
			args = args[1:]
		}
		if end := nulEscape.FindStringIndex(args[0].Text); end == nil {
			return []string{printfText(args)}
		}
		var out []string // a NUL ends a name in a list, and is left out of a substitution
		for _, end := range []string{"\n", ""} {
			out = append(out, printfText(append([]Word{{Text: nulEscape.ReplaceAllString(args[0].Text, end+"$1")}}, args[1:]...)))
		}
		return out
	}
	return nil
}

// nulEscape matches how printf is told to print a NUL, and what follows.
var nulEscape = regexp.MustCompile(`\\(?:0{1,3}|x0{1,2})([^0-7]|$)`)

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// printfText approximates the output of printf: escapes and %s of the format.
func printfText(args []Word) string {
	format, args := ansiC(args[0].Text), args[1:]
	var b strings.Builder
	for {
		rest, left := format, len(args)
		for {
			before, after, ok := strings.Cut(rest, "%")
			b.WriteString(before)
			if !ok {
				break
			}
			i := strings.IndexFunc(after, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '%' })
			if i < 0 {
				break
			}
			switch {
			case after[i] == '%':
				b.WriteByte('%')
			case len(args) > 0:
				b.WriteString(args[0].Text)
				args = args[1:]
			}
			rest = after[i+1:]
		}
		if len(args) == 0 || len(args) == left {
			return strings.TrimRight(b.String(), "\n")
		}
	}
}
