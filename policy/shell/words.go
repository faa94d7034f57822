package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"ccdir/policy/glob"
)

// Bounds of expansions. Beyond them a word is unknown.
const (
	maxBraces = 64 // words from one brace expansion
	maxAlts   = 8  // values of a variable
)

// Word is a shell word after quote removal and brace expansion.
type Word struct {
	Text string
	// dynamic: contains an expansion other than a pattern of file names.
	dynamic bool
	// Several: may expand to several words, or to none.
	Several bool
	// unquoted: no part was quoted, so it may be a tilde prefix, an option or a reserved
	// word.
	unquoted bool
	// alts are known values that it may have; others are possible. Nil if none is known.
	alts []string
	// pipe: it is a process substitution and nothing else.
	pipe bool
	// targets are the files that it names, if a find command selected them; else nil.
	targets *findTargets
}

func (w Word) Known() bool { return !strings.Contains(w.Text, glob.Wild) }

func lit(s string) Word { return Word{Text: s, unquoted: true} }

func lits(ss ...string) []Word {
	out := make([]Word, len(ss))
	for i, s := range ss {
		out[i] = lit(s)
	}
	return out
}

func known(ws []Word) bool { return !slices.ContainsFunc(ws, func(w Word) bool { return !w.Known() }) }

func dynamic(ws []Word) bool { return slices.ContainsFunc(ws, func(w Word) bool { return w.dynamic }) }

// Join returns the words separated by spaces.
func Join(ws []Word) string {
	if len(ws) == 1 {
		return ws[0].Text
	}
	n := len(ws)
	for _, w := range ws {
		n += len(w.Text)
	}
	var b strings.Builder
	b.Grow(n)
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}

// quoted is Join with quotes around words that contain blanks.
func quoted(ws []Word) string {
	if !slices.ContainsFunc(ws, needsQuotes) {
		return Join(ws)
	}
	out := make([]Word, len(ws))
	for i, w := range ws {
		if needsQuotes(w) {
			w.Text = "'" + strings.ReplaceAll(w.Text, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return Join(out)
}

func needsQuotes(w Word) bool { return w.Text == "" || strings.ContainsAny(w.Text, " \t\n'") }

// expandWords evaluates words of the source.
func (w *walker) expandWords(in []*syntax.Word) []Word {
	out := make([]Word, 0, len(in)+4)
	for _, x := range in {
		out = w.expandWord(out, x)
	}
	return out
}

func (w *walker) expandWord(out []Word, x *syntax.Word) []Word {
	if !hasBrace(x) {
		return append(out, w.word(x.Parts))
	}
	x = &syntax.Word{Parts: slices.Clone(x.Parts)} // syntax.Walk doesn't know split braces
	if !syntax.SplitBraces(x) {
		return append(out, w.word(x.Parts))
	}
	if countBraces(x) > maxBraces {
		return append(out, Word{Text: glob.Wild, dynamic: true, Several: true})
	}
	for y, err := range expand.BracesSeq(nil, x) {
		if err != nil {
			return append(out, Word{Text: glob.Wild, dynamic: true, Several: true})
		}
		if v := w.word(y.Parts); v.Text != "" || !v.unquoted { // an empty one is no word
			out = append(out, v)
		}
	}
	return out
}

func hasBrace(x *syntax.Word) bool {
	for _, p := range x.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.IndexByte(l.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

// countBraces returns the number of words that x expands to, at most maxBraces+1.
func countBraces(x *syntax.Word) int {
	n := 1
	for _, p := range x.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		here := 0
		if b.Sequence {
			from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
			a, errA := strconv.Atoi(from)
			z, errZ := strconv.Atoi(to)
			if errA != nil || errZ != nil {
				if len(from) == 0 || len(to) == 0 {
					return maxBraces + 1
				}
				a, z = int(from[0]), int(to[0])
			}
			if a < -1e6 || a > 1e6 || z < -1e6 || z > 1e6 {
				return maxBraces + 1
			}
			here = max(a-z, z-a) + 1
		} else {
			for _, e := range b.Elems {
				here += countBraces(e)
			}
		}
		if n *= here; n > maxBraces {
			return maxBraces + 1
		}
	}
	return n
}

// word evaluates the parts of one word.
func (w *walker) word(parts []syntax.WordPart) Word {
	if len(parts) == 1 {
		if l, ok := parts[0].(*syntax.Lit); ok && !strings.ContainsAny(l.Value, "\\*?[~\x00") {
			return Word{Text: l.Value, unquoted: true}
		}
	}
	b := builder{w: w, word: Word{unquoted: true}, alts: [][]byte{{}}}
	b.parts(parts, false)
	if len(parts) == 1 {
		p, ok := parts[0].(*syntax.ProcSubst)
		b.word.pipe = ok && p.Op == syntax.CmdIn
	}
	b.word.Text = b.text.String()
	if b.word.dynamic {
		b.word.alts = b.values()
	}
	return b.word
}

// builder builds a word.
type builder struct {
	w    *walker
	text strings.Builder
	word Word
	// alts are the values so far; nil if one is unknown. They grow in place, since a word can
	// be as long as the command.
	alts [][]byte
}

// values returns alts as strings.
func (b *builder) values() []string {
	var out []string
	for _, a := range b.alts {
		out = append(out, string(a))
	}
	return out
}

func (b *builder) add(s string) {
	b.text.WriteString(s)
	for i := range b.alts {
		b.alts[i] = append(b.alts[i], s...)
	}
}

// unknown appends unknown text. values are what it may be; nil if that is unknown too.
func (b *builder) unknown(inQuotes bool, values []string) {
	b.text.WriteString(glob.Wild)
	b.word.dynamic = true
	if !inQuotes {
		b.word.Several = true
	}
	if len(values) == 0 || len(values)*len(b.alts) > maxAlts {
		b.alts = nil
		return
	}
	if len(values) == 1 {
		for i := range b.alts {
			b.alts[i] = append(b.alts[i], values[0]...)
		}
		return
	}
	var alts [][]byte
	for _, a := range b.alts {
		for _, v := range values {
			alts = append(alts, slices.Concat(a, []byte(v)))
		}
	}
	b.alts = alts
}

func (b *builder) parts(parts []syntax.WordPart, inQuotes bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if p.Value == "$" && i+1 < len(parts) && ofZsh(parts[i+1], inQuotes) {
				b.w.opaque("an expansion of zsh", nil)
			}
			if inQuotes {
				b.add(unescapeQuoted(p.Value))
			} else {
				b.literal(p.Value, i == 0)
			}
		case *syntax.SglQuoted:
			b.word.unquoted = false
			if p.Dollar {
				b.add(ansiC(p.Value))
			} else {
				b.add(p.Value)
			}
		case *syntax.DblQuoted:
			b.word.unquoted = false
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			if b.here(p.Param != nil && p.Param.Value == "PWD" && isPlain(p), parts[i+1:], inQuotes) {
				continue
			}
			if isNumber(p) {
				b.text.WriteString(glob.Wild) // only digits: the value is open, but harmless
				b.alts = nil
				continue
			}
			b.unknown(inQuotes && !manyWords(p), b.w.values(p))
		case *syntax.CmdSubst:
			if text, ok := b.w.quotedText(p); ok && inQuotes {
				b.add(text)
				continue
			}
			if b.here(printsDirectory(p), parts[i+1:], inQuotes) {
				continue
			}
			b.unknown(inQuotes, b.w.output(p))
		case *syntax.ExtGlob:
			b.unknown(false, nil)
			b.w.pattern(p)
		case *syntax.ArithmExp:
			b.unknown(inQuotes, nil)
		default: // process substitution, and parts of later parsers
			b.unknown(true, nil)
		}
	}
}

// ofZsh reports whether what follows a dollar makes it an expansion in zsh: $=x, $~x, $^x and $+x.
func ofZsh(next syntax.WordPart, inQuotes bool) bool {
	marks := "=~^+"
	if inQuotes {
		marks = "=~" // the others are common in expressions
	}
	l, ok := next.(*syntax.Lit)
	return ok && len(l.Value) > 1 && strings.IndexByte(marks, l.Value[0]) >= 0
}

// here appends the directory that the command is in, if that is what an expansion gives and
// there is no doubt. Behind it has to stand a slash, or a colon: `rm -rf $PWD` is not the same to rules as
// the same with the path.
func (b *builder) here(is bool, rest []syntax.WordPart, inQuotes bool) bool {
	w := b.w
	if !is || w.cwd.unknown || len(w.cwd.known) != 1 || w.seen.functions || w.seen.loops || len(w.vars.values["PWD"]) > 0 || !inQuotes && strings.ContainsAny(w.cwd.known[0], " \t\n*?[") || len(rest) == 0 {
		return false
	}
	if l, ok := rest[0].(*syntax.Lit); !ok || l.Value == "" || l.Value[0] != '/' && l.Value[0] != ':' {
		return false
	}
	b.add(w.cwd.known[0])
	return true
}

// printsDirectory reports whether a substitution is $(pwd).
func printsDirectory(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 || len(c.Stmts[0].Redirs) > 0 {
		return false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Assigns) == 0 && len(call.Args) == 1 && call.Args[0].Lit() == "pwd"
}

// isPlain reports whether the expansion is the value of a variable and nothing else.
func isPlain(p *syntax.ParamExp) bool {
	return p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && !p.Excl && !p.Length && p.Names == 0
}

// isNumber reports whether the expansion is always a number: $?, $#, $$ and the length of a
// variable.
func isNumber(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Excl || p.Names != 0 {
		return false
	}
	return p.Length || strings.Contains("?#$", p.Param.Value)
}

// pattern handles an extended pattern such as *(a|b). In zsh its qualifiers can run code, and
// bash without extglob runs "!(…)" in a subshell.
func (w *walker) pattern(p *syntax.ExtGlob) {
	w.opaque("a pattern that some shells run", nil)
	w.possibly(func() { w.script(p.Pattern.Value) })
}

// manyWords reports whether the expansion can be several words even in quotes.
func manyWords(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Param.Value == "@" || p.Names != 0 || p.Excl {
		return true
	}
	word, ok := p.Index.(*syntax.Word)
	return p.Index != nil && (!ok || word.Lit() == "@" || word.Lit() == "*")
}

// literal appends unquoted text. Backslashes are removed; patterns of file names, and the
// home of another user, are unknown.
func (b *builder) literal(s string, atStart bool) {
	if atStart && strings.HasPrefix(s, "~") {
		if rest := s[1:]; rest != "" && rest[0] != '/' && rest[0] != '*' {
			b.text.WriteString(glob.Wild)
			b.word.dynamic, b.alts = true, nil
			_, after, _ := strings.Cut(rest, "/")
			if s = ""; after != "" {
				s = "/" + after
			}
		}
	}
	from := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			b.add(s[from:i])
			b.word.unquoted = false
			from = i + 1
			if from < len(s) && s[from] == '\n' {
				from++
			}
			i = from
		case c == '*', c == '?', c == '[' && strings.IndexByte(s[i:], ']') > 0:
			b.add(s[from:i])
			b.text.WriteString(glob.Wild)
			b.word.Several, b.alts = true, nil
			if c == '[' {
				i += strings.LastIndexByte(s[i:], ']')
			}
			from = i + 1
		}
	}
	if from < len(s) {
		b.add(s[from:])
	}
}
