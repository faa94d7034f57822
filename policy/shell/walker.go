package shell

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a command. A command beyond them is refused.
const (
	maxCommand = 256 << 10 // bytes
	maxParts   = 2048
	maxDepth   = 12      // scripts within scripts
	maxWork    = 1 << 17 // nodes, words, and 16 bytes of script, in total
)

// outputWork is the work counted for one look at the output of a substitution.
const outputWork = 8

// stageWork is the work counted for a stage of a pipeline or list: the tree is that much deeper.
const stageWork = 16

// walker takes one command apart. It belongs to one call of Split.
type walker struct {
	home string // absolute
	// watched are the programs that deny and ask rules are about.
	watched map[string]bool
	// parts are those found so far, after those that Split was given.
	parts []Part
	// possible: what is found now may not run at all.
	possible bool
	// away: see Context.Away.
	away bool
	// surelyWraps is the place in parts, from 1, of the wrapper whose command was found
	// last without doubt; 0 for none.
	surelyWraps int

	// concerns reports whether rules are about a file; nil if none are. uses are the files
	// that commands name, useBytes the length of their names.
	concerns   func(*Part) bool
	repository func(dir string) bool // see Context.Repository
	uses       []fileUse
	useBytes   int

	cwd   directories
	vars  variables
	arith arithmetic
	seen  scriptFacts
	spent budget
	err   error // ends the walk; nil so far
}

// directories are where the command may be.
type directories struct {
	// known are the directories that the command may be in at some point. They are not
	// cleaned: ".." after a link is the link's parent.
	known []string
	// unknown: it may be in any other as well.
	unknown bool
}

// variables are the values that the command gives to variables.
type variables struct {
	// values has every value that is known, by name.
	values map[string][]string
	// collecting: a value is being noted, so that one within it isn't.
	collecting bool
}

// arithmetic is what an arithmetic expression could run: the shell evaluates the values of
// variables in it, and those can hold command substitutions.
type arithmetic struct {
	used  bool // some expression has a variable
	code  bool // some variable may hold more than a number
	input bool // some variable may hold input
}

// scriptFacts are what the walk learned of the script as a whole.
type scriptFacts struct {
	// functions: the script defines functions, so a name may be something else.
	functions bool
	// loops: a command may run more than once.
	loops bool
	// printers are statements that do nothing but print a text that is known.
	printers map[*syntax.Stmt]bool
	// piped is the certain output of the stage before in a pipeline.
	piped map[*syntax.Stmt]stdin
}

// budget counts what the walk has used of maxDepth and maxWork.
type budget struct{ depth, work int }

// Context is Split's input besides the command.
type Context struct {
	// Home is the absolute home directory, Dir the absolute working directory.
	Home, Dir string
	// Away: Dir is not the project's directory.
	Away bool
	// Watched are the programs that deny and ask rules name, in the spelling of ProgramName.
	Watched map[string]bool
	// Repository reports whether git would take a directory, or one above it but for the project, for a repository
	// without a work tree, whose files are settings for git. Nil if none is.
	Repository func(dir string) bool
	// Concerns reports whether any rule is, or may be, about a file. Split leaves out the
	// files in arguments for which it is false. Nil leaves out all of them.
	Concerns func(*Part) bool
}

// Split appends the parts of a command to parts. After an error they are incomplete.
func Split(command string, c Context, parts []Part) ([]Part, error) {
	w := walker{home: c.Home, away: c.Away, cwd: directories{known: []string{c.Dir}}, parts: parts, watched: c.Watched, concerns: c.Concerns, repository: c.Repository}
	before := len(parts)
	err := w.whole(command)
	for i := before; i < len(w.parts); i++ {
		if k := w.parts[i].Kind; k == KindRead || k == KindEdit {
			w.parts[i].File.From = w.starts()
		}
	}
	w.useParts()
	return w.parts, err
}

var errTooBig = errors.New("is too long or too deep to be judged")

// whole adds the parts of the whole command.
func (w *walker) whole(src string) error {
	w.script(src)
	if strings.Contains(src, "\r") { // a shell takes them for letters, some tools drop them
		w.certain(strings.ReplaceAll(src, "\r", ""))
	}
	if w.err == nil && w.arith.used {
		p := Part{Kind: KindTool, Text: "arithmetic on variables", Covered: true}
		p.Barred = "arithmetic evaluates the values of variables, which can contain commands"
		if w.arith.code || w.arith.input {
			p.Kind, p.Unclear = KindOpaque, true
		}
		w.parts = append(w.parts, p)
	}
	return w.err
}

// script adds the parts of a script inside the command.
func (w *walker) script(src string) {
	if w.spent.depth++; w.spent.depth > maxDepth {
		w.err = errTooBig
	}
	defer func() { w.spent.depth-- }()
	if w.spent.work += 1 + len(src)/16; w.spent.work > maxWork {
		w.err = errTooBig
	}
	if w.err != nil {
		return
	}
	f, err := Parse(src)
	if err != nil {
		if w.possible {
			return
		}
		w.err = err
		return
	}
	if strings.ContainsAny(src, "$`(") {
		w.collect(f)
	}
	w.visit(f)
}

// visit handles every command below node.
func (w *walker) visit(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if w.spent.work++; w.spent.work > maxWork || len(w.parts) > maxParts {
			w.err = errTooBig
		}
		if w.err != nil {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			w.stmt(n)
		case *syntax.BinaryCmd:
			w.spent.work += stageWork
			w.pipe(n)
		case *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
			w.seen.loops = true
		case *syntax.WordIter:
			if dangerousVar(n.Name.Value) {
				w.opaque("a value for "+n.Name.Value, nil)
			}
		case *syntax.DeclClause:
			w.declare(n)
		case *syntax.LetClause:
			w.arith.used = true
			w.arith.code = w.arith.code || hasCode(n)
			w.add(Part{Kind: KindCommand, Command: Command{Words: lits("let")}, Unclear: true, Barred: "let evaluates the values of variables"})
		case *syntax.ArithmCmd:
			w.arithm(n.X)
		case *syntax.ArithmExp:
			w.arithm(n.X)
		case *syntax.CStyleLoop:
			w.arithm(n)
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				w.arith.used = true
				w.arith.code = w.arith.code || hasCode(n)
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				w.arith.used, w.arith.code = true, true
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

// arithmOf is arithm for an optional expression.
func (w *walker) arithmOf(x syntax.ArithmExpr) {
	if x != nil {
		w.arithm(x)
	}
}

// arithm records arithmetic that evaluates variables. Their values are expressions, which can
// contain command substitutions.
func (w *walker) arithm(x syntax.Node) {
	w.arith.code = w.arith.code || hasCode(x)
	syntax.Walk(x, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Lit); ok && strings.IndexFunc(l.Value, notDigit) >= 0 {
			w.arith.used = true
		}
		if _, ok := n.(*syntax.ParamExp); ok {
			w.arith.used = true
		}
		return !w.arith.used
	})
}

// hasCode reports whether literal text, quoted or not, contains an expansion. Arithmetic
// evaluation would carry it out.
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

// literalQuotes handles single quotes in an expansion. If the expansion is in double quotes,
// they quote nothing, which the parser does not know.
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
				w.possibly(func() { w.script(`: "` + q.Value + `"`) })
			}
		}
		return true
	})
}

// pipe records the output of the left side for a command on the right.
func (w *walker) pipe(n *syntax.BinaryCmd) {
	if n.Op != syntax.Pipe && n.Op != syntax.PipeAll || n.X.Cmd == nil {
		return
	}
	in := stdin{texts: w.printed(n.X.Cmd), targets: w.listed(n.X.Cmd)}
	if to, ok := n.Y.Cmd.(*syntax.CallExpr); ok && in.texts == nil && len(to.Args) > 0 && (to.Args[0].Lit() == "patch" || to.Args[0].Lit() == "git") {
		in.texts = w.shown(n.X)
	}
	if in.texts != nil || in.targets != nil {
		if w.seen.piped == nil {
			w.seen.piped = map[*syntax.Stmt]stdin{}
		}
		w.seen.piped[n.Y] = in
	}
}

// shown returns the here-document that a bare cat prints; nil for other statements.
func (w *walker) shown(s *syntax.Stmt) []string {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(s.Redirs) != 1 || s.Redirs[0].Hdoc == nil {
		return nil
	}
	return []string{w.hdoc(s.Redirs[0]).Text}
}

func (w *walker) stmt(s *syntax.Stmt) {
	in := w.seen.piped[s]
	for _, r := range s.Redirs {
		w.redirect(r, &in)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	prefix := w.assigns(call.Assigns, len(call.Args) > 0)
	if len(call.Args) == 0 {
		if name := prefix.unsafeVar; name != "" && (name == "HOME" || name == strings.ToUpper(name)) {
			w.add(Part{Kind: KindTool, Text: name + "=", Covered: true, Barred: "it sets " + name})
		}
		return
	}
	w.command(w.expandWords(call.Args), commandSetting{assigned: prefix, in: in, covered: w.seen.printers[s]})
}

// add appends a part. Split sets the directories of files at the end.
func (w *walker) add(p Part) {
	if w.possible {
		p.Possible, p.Covered = true, true
	}
	w.parts = append(w.parts, p)
}

// opaque adds a part for code that can't be analysed.
func (w *walker) opaque(what string, words []Word) {
	w.add(Part{Kind: KindOpaque, Text: what, Command: Command{Words: words}, Unclear: true, Barred: what + " can't be seen through"})
}

// finish sets the text of a command part.
func (w *walker) finish(p *Part) {
	p.Text = quoted(p.Command.Words)
	if known(p.Command.Words) {
		return
	}
	p.Unclear = true
	pipes := has(ProgramName(p.Command.Words[0].Text), data|reads) && !slices.ContainsFunc(p.Command.Words, func(x Word) bool { return x.dynamic && !x.pipe })
	if dynamic(p.Command.Words) && !pipes {
		p.Barred = "it contains text that is unknown until it runs"
	}
}
