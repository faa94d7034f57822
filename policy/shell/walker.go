package shell

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a shell command; what is beyond them counts as not parsed.
const (
	maxCommand = 256 << 10 // bytes
	maxParts   = 2048
	maxDepth   = 12      // scripts within scripts
	maxWork    = 1 << 17 // nodes, words and 16 bytes of script, all together
)

// outputWork is what a look at the output of a substitution counts.
const outputWork = 8

// walker takes one shell command apart.
type walker struct {
	home string
	// dirs are the directories that the command may be in at some point;
	// anywhere is set once that isn't known.
	dirs     []string
	anywhere bool

	parts []Part
	vars  map[string][]string
	// oddValues: a variable may hold what arithmetic would run.
	oddValues  bool
	collecting bool
	arithmetic bool
	reads      bool
	loops      bool
	depth      int
	work       int
	// certainInner is the place, from 1, of a wrapper's part whose command was
	// found without doubt.
	certainInner int
	// guessing: what is found may not be run at all.
	guessing bool
	// names are the commands that deny and ask rules are about.
	watched map[string]bool
	// functions: the script defines functions, so that a name may be something else.
	functions bool
	// printers are commands that do nothing but print a text that is known.
	printers map[*syntax.Stmt]bool
	// piped is what an earlier stage of the pipeline surely prints.
	piped map[*syntax.Stmt]stdin
	err   error
}

// commandContext is what is known about a command besides its text.
type Context struct {
	// home is the absolute home directory, dir the absolute working directory.
	Home, Dir string
	// names are the programs that deny and ask rules are about, as ProgramName has them.
	Watched map[string]bool
}

// splitCommand appends the parts of a command to parts. After an error they are
// incomplete.
func Split(command string, c Context, parts []Part) ([]Part, error) {
	w := walker{home: c.Home, dirs: []string{c.Dir}, parts: parts, watched: c.Watched}
	before := len(parts)
	err := w.take(command)
	for i := before; i < len(w.parts); i++ {
		if k := w.parts[i].Kind; k == KindRead || k == KindEdit {
			w.parts[i].File.From = w.bases()
		}
	}
	return w.parts, err
}

var errTooBig = errors.New("is too long or too deep to be judged")

// take splits a whole command.
func (w *walker) take(src string) error {
	w.script(src)
	if strings.Contains(src, "\r") { // a shell takes them for letters, some tools drop them
		w.certain(strings.ReplaceAll(src, "\r", ""))
	}
	if w.err == nil && w.arithmetic {
		p := Part{Kind: KindTool, Text: "arithmetic on variables", Covered: true}
		p.Barred = "arithmetic on variables can run commands that they hold"
		if w.oddValues || w.reads {
			p.Kind, p.Unclear = KindOpaque, true
		}
		w.parts = append(w.parts, p)
	}
	return w.err
}

// script adds the parts of a script that lies within the command.
func (w *walker) script(src string) {
	if w.depth++; w.depth > maxDepth {
		w.err = errTooBig
	}
	defer func() { w.depth-- }()
	if w.work += 1 + len(src)/16; w.work > maxWork {
		w.err = errTooBig
	}
	if w.err != nil {
		return
	}
	f, err := Parse(src)
	if err != nil {
		if w.guessing {
			return
		}
		w.err = err
		return
	}
	if strings.ContainsAny(src, "$`(") {
		w.collect(f)
	}
	w.walk(f)
}

// walk visits every command under node.
func (w *walker) walk(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if w.work++; w.work > maxWork || len(w.parts) > maxParts {
			w.err = errTooBig
		}
		if w.err != nil {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			w.stmt(n)
		case *syntax.BinaryCmd:
			w.pipe(n)
		case *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
			w.loops = true
		case *syntax.WordIter:
			if dangerousVar(n.Name.Value) {
				w.opaque("a value for "+n.Name.Value, nil)
			}
		case *syntax.DeclClause:
			w.declare(n)
		case *syntax.LetClause:
			w.arithmetic = true
			w.add(Part{Kind: KindCommand, Command: Command{Words: lits("let")}, Unclear: true, Barred: "let evaluates what variables hold"})
		case *syntax.ArithmCmd:
			w.arithm(n.X)
		case *syntax.ArithmExp:
			w.arithm(n.X)
		case *syntax.CStyleLoop:
			w.arithm(n)
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				w.arithmetic = true
				w.oddValues = w.oddValues || hasCode(n)
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				w.arithmetic, w.oddValues = true, true
			}
		case *syntax.ParamExp:
			w.param(n)
		case *syntax.ArrayElem:
			w.arithmOf(n.Index)
		case *syntax.Assign:
			w.arithmOf(n.Index)
		}
		return true
	})
}

// arithmOf is arithm for an expression that may be missing.
func (w *walker) arithmOf(x syntax.ArithmExpr) {
	if x != nil {
		w.arithm(x)
	}
}

// arithm notes arithmetic that evaluates variables: their values are expressions
// themselves, and those can hold command substitutions.
func (w *walker) arithm(x syntax.Node) {
	w.oddValues = w.oddValues || hasCode(x)
	syntax.Walk(x, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Lit); ok && strings.IndexFunc(l.Value, notDigit) >= 0 {
			w.arithmetic = true
		}
		if _, ok := n.(*syntax.ParamExp); ok {
			w.arithmetic = true
		}
		return !w.arithmetic
	})
}

// hasCode reports whether literal text, quoted or not, has an expansion in it: an
// arithmetic evaluation of that text would carry it out.
func hasCode(x syntax.Node) (found bool) {
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			found = found || strings.ContainsAny(n.Value, "$`")
		case *syntax.Lit:
			found = found || strings.ContainsAny(n.Value, "$`")
		}
		return !found
	})
	return found
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

func (w *walker) param(p *syntax.ParamExp) {
	if p.Exp != nil && p.Param != nil && dangerousVar(p.Param.Value) && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		w.opaque("a value for "+p.Param.Value, nil)
	}
	if p.Excl && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		w.opaque("a value for a variable whose name isn't known", nil)
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		w.opaque("an expansion with @", nil)
	}
	w.literalQuotes(p)
	if p.Index != nil {
		if x, ok := p.Index.(*syntax.Word); !ok || x.Lit() != "@" && x.Lit() != "*" {
			w.arithm(p.Index)
		}
	}
	if p.Slice != nil {
		w.arithmOf(p.Slice.Offset)
		w.arithmOf(p.Slice.Length)
	}
}

// literalQuotes looks into single quotes in an expansion: where that is itself in
// double quotes they quote nothing, which the parser doesn't know.
func (w *walker) literalQuotes(p *syntax.ParamExp) {
	syntax.Walk(p, func(n syntax.Node) bool {
		q, ok := n.(*syntax.SglQuoted)
		switch {
		case ok && strings.Contains(q.Value, "}") && strings.Contains(q.Value, `"`): // where it all ends
			w.opaque("a brace in single quotes", nil)
		case ok && strings.ContainsAny(q.Value, "$`"):
			if strings.Contains(q.Value, `"`) {
				w.opaque("an expansion in single quotes", nil)
			} else {
				w.guess(func() { w.script(`: "` + q.Value + `"`) })
			}
		}
		return true
	})
}

// pipe notes what the left side prints for a shell on the right.
func (w *walker) pipe(n *syntax.BinaryCmd) {
	if n.Op != syntax.Pipe && n.Op != syntax.PipeAll || n.X.Cmd == nil {
		return
	}
	in := stdin{texts: w.printed(n.X.Cmd), targets: w.lists(n.X.Cmd)}
	if in.texts != nil || in.targets != nil {
		if w.piped == nil {
			w.piped = map[*syntax.Stmt]stdin{}
		}
		w.piped[n.Y] = in
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	in := w.piped[s]
	for _, r := range s.Redirs {
		w.redirect(r, &in)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	prefix := w.assigns(call.Assigns)
	if len(call.Args) == 0 {
		if name := prefix.unsafeVar; name != "" && (name == "HOME" || name == strings.ToUpper(name)) {
			w.add(Part{Kind: KindTool, Text: name + "=", Covered: true, Barred: "it sets " + name})
		}
		return
	}
	w.command(w.expandWords(call.Args), commandSetting{assigned: prefix, in: in, covered: w.printers[s]})
}

// add appends a part; those of files get the directories at the end (see bases).
func (w *walker) add(p Part) {
	if w.guessing {
		p.Possible, p.Covered = true, true
	}
	w.parts = append(w.parts, p)
}

// opaque adds code that can't be seen through.
func (w *walker) opaque(what string, words []Word) {
	w.add(Part{Kind: KindOpaque, Text: what, Command: Command{Words: words}, Unclear: true, Barred: what + " can't be seen through"})
}

// finish gives a command part its text.
func (w *walker) finish(p *Part) {
	p.Text = quoted(p.Command.Words)
	if known(p.Command.Words) {
		return
	}
	p.Unclear = true
	if dynamic(p.Command.Words) {
		p.Barred = "it contains what is known only when it runs"
	}
}
