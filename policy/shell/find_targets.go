package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ccdir/policy/glob"
)

// findTargets are the files that a find command selects.
type findTargets struct {
	starts []string
	// names is a pattern of the files' names, with glob.Wild for unknown text; "" is any
	// name.
	names string
}

// findTargets returns the files that find selects at its first action; nil if unknown.
func (w *walker) findTargets(args []Word) *findTargets {
	f := &findTargets{}
	i := 0
	for i < len(args) && findSwitches[args[i].Text] {
		i++
	}
	for ; i < len(args) && (args[i].Text == "" || strings.IndexByte("-(!", args[i].Text[0]) < 0); i++ {
		if !args[i].Known() {
			return nil
		}
		f.starts = append(f.starts, w.untilde(args[i]))
	}
	if slices.ContainsFunc(args[i:], func(a Word) bool { return findOther[a.Text] }) {
		return nil
	}
	if len(f.starts) == 0 {
		f.starts = []string{"."}
	}
	f.names = leafOf(args[i:])
	return f
}

// findSwitches are options before the directories. findOther are options that name
// directories in another way, or take a value there.
var (
	findSwitches = set("-H -L -P -E -X -d -s -x -O0 -O1 -O2 -O3")
	findOther    = set("-files0-from -f -D")
)

// leafOf returns a pattern for the names that pass the tests before the first action; "" if
// any name may pass.
func leafOf(args []Word) (leaf string) {
	negated := false
	for i, a := range args {
		switch s := a.Text; {
		case findActs(s):
			return leaf
		case s == "-o" || s == "-or" || s == "," || s == "(" || !a.Known():
			return ""
		case s == "!" || s == "-not":
			negated = true
			continue
		case (s == "-name" || s == "-iname") && i+1 < len(args) && strings.HasPrefix(args[i+1].Text, "-"):
			return "" // this one may be the value of the test before
		case (s == "-name" || s == "-iname") && !negated && i+1 < len(args) && args[i+1].Known() && leaf == "":
			leaf = glob.FromNames(glob.Fold(args[i+1].Text))
		}
		negated = false
	}
	return leaf
}

// findActs reports whether a word of find is an action. Tests behind it come too late.
func findActs(s string) bool {
	for _, p := range []string{"-exec", "-ok", "-print", "-fprint", "-ls", "-fls", "-delete"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// untilde returns the text of a word that names a file, with "~" expanded.
func (w *walker) untilde(a Word) string {
	if a.unquoted && (a.Text == "~" || strings.HasPrefix(a.Text, "~/")) {
		return w.home + a.Text[1:]
	}
	return a.Text
}

// listed returns the files that a command lists for the next stage of its pipeline; nil if
// unknown.
func (w *walker) listed(cmd syntax.Command) *findTargets {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 || ProgramName(cmd.Args[0].Lit()) != "find" || w.seen.functions {
			return nil
		}
		args := w.expandWords(cmd.Args[1:])
		if slices.ContainsFunc(args, func(a Word) bool {
			return strings.HasPrefix(a.Text, "-exec") || strings.HasPrefix(a.Text, "-ok") || strings.HasPrefix(a.Text, "-printf")
		}) {
			return nil
		}
		return w.findTargets(args)
	case *syntax.BinaryCmd:
		call, ok := cmd.Y.Cmd.(*syntax.CallExpr)
		if ok && cmd.Op == syntax.Pipe && len(call.Args) > 0 && len(cmd.Y.Redirs) == 0 && has(call.Args[0].Lit(), selects) && !slices.ContainsFunc(call.Args[1:], mayBeFile) {
			return w.listed(cmd.X.Cmd)
		}
	}
	return nil
}

// mayBeFile reports whether an argument is more than an option or a number, or is an option
// that reads other files or cuts lines.
func mayBeFile(x *syntax.Word) bool {
	s := x.Lit()
	if strings.HasPrefix(s, "-c") || strings.HasPrefix(s, "--f") || strings.HasPrefix(s, "--b") {
		return true
	}
	return !strings.HasPrefix(s, "-") && strings.Trim(s, "0123456789") != "" || s == ""
}
