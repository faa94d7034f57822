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
	var dir string
	if f.names, dir = testsOf(args[i:]); dir != "" && len(f.starts) == 1 && (f.starts[0] == "." || strings.HasPrefix(dir, f.starts[0]+"/")) {
		f.starts[0] = dir
	}
	return f
}

// findSwitches are options before the directories. findOther are options that name
// directories in another way, or take a value there.
var (
	findSwitches = set("-H -L -P -E -X -d -s -x -O0 -O1 -O2 -O3")
	findOther    = set("-files0-from -f -D")
)

// testsOf returns what the tests before the first action ask of files: a pattern for their
// names, "" if any name may pass, and the directory in which all of them lie, "" if unknown.
func testsOf(args []Word) (leaf, dir string) {
	negated := false
	for i, a := range args {
		test := strings.TrimPrefix(strings.Replace(a.Text, "-i", "-", 1), "-")
		valued := !negated && i+1 < len(args) && args[i+1].Known()
		switch s := a.Text; {
		case findActs(s):
			return leaf, dir
		case s == "-o" || s == "-or" || s == "," || s == "(" || !a.Known():
			return "", ""
		case s == "!" || s == "-not":
			negated = true
			continue
		case s == "" || s[0] != '-' || test != "name" && test != "path" && test != "wholename":
		case i+1 < len(args) && strings.HasPrefix(args[i+1].Text, "-"):
			return "", "" // this one may be the value of the test before
		case valued && test == "name" && leaf == "":
			leaf = glob.FromNames(glob.Fold(args[i+1].Text))
		case valued && test != "name" && s[1] != 'i' && dir == "":
			fixed := args[i+1].Text
			if at := strings.IndexAny(fixed, "*?[\\"); at >= 0 {
				fixed = fixed[:at]
			}
			dir = fixed[:max(strings.LastIndexByte(fixed, '/'), 0)]
		}
		negated = false
	}
	return leaf, dir
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
		if len(cmd.Args) == 0 || w.seen.functions {
			return nil
		}
		if len(cmd.Args) > 1 && cmd.Args[0].Lit() == "git" && cmd.Args[1].Lit() == "ls-files" {
			return tracked(w.expandWords(cmd.Args[2:]))
		}
		switch name := ProgramName(cmd.Args[0].Lit()); name {
		case "grep", "egrep", "fgrep", "rg":
			return w.matching(name, w.expandWords(cmd.Args[1:]))
		case "find":
		default:
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

// matching returns the files that a search with -l lists; nil if unknown.
func (w *walker) matching(name string, args []Word) *findTargets {
	f := &findTargets{}
	f.names, _ = searched(name, args)
	lists, pattern := false, false
	for i := 0; i < len(args); i++ {
		switch s := args[i].Text; {
		case !args[i].Known() || s == "-":
			return nil
		case name == "rg" && s == "-g" && i+1 < len(args):
			i++
		case strings.HasPrefix(s, "--include=") || strings.HasPrefix(s, "--exclude"):
			if !strings.Contains(s, "=") {
				return nil
			}
		case len(s) > 1 && s[0] == '-':
			if strings.Trim(s[1:], "rRlinwxsIFEP") != "" {
				return nil // it may print more than names, or other ones
			}
			lists = lists || strings.Contains(s, "l")
		case !pattern:
			pattern = true
		default:
			f.starts = append(f.starts, w.untilde(args[i]))
		}
	}
	if !lists {
		return nil
	}
	if len(f.starts) == 0 {
		f.starts = []string{"."}
	}
	return f
}

// tracked returns the files that `git ls-files args…` lists; nil if unknown.
func tracked(args []Word) *findTargets {
	f := &findTargets{starts: []string{"."}}
	for _, a := range args {
		switch s := a.Text; {
		case s == "-z" || s == "--":
		case !a.Known() || f.names != "" || s == "" || strings.HasPrefix(s, "-") || strings.ContainsAny(s, "/:\\"):
			return nil
		default:
			f.names = glob.FromNames(glob.Fold(s))
		}
	}
	return f
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
