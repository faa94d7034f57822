package file

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/tomltext"
	"ccdir/policy"
)

// Bounds of a policy file.
const (
	maxFile  = 1 << 20 // bytes
	maxRules = 20000   // per file, with sets expanded
)

// Problem is one error in a policy file.
type Problem struct {
	File string `json:"file"`
	// Line and Column count from 1, Column in bytes; 0 if the error is about the whole file.
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Error returns "file:line:column: message".
func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems are all errors of a load, in file order. There is at least one.
type Problems []Problem

// Error returns the first problem and the number of others.
func (p Problems) Error() string {
	s := p[0].Error()
	if len(p) > 1 {
		s += fmt.Sprintf(" (and %d more)", len(p)-1)
	}
	return s
}

// document is one policy file: its rules are compiled, its roles are not merged yet.
type document struct {
	file  string
	roles map[string]*role
	sets  map[string][]string
	trust map[string]string // project directory → fingerprint
	loss  policy.Effect     // on_daemon_loss, "" if it isn't there

	pos        tomltext.Positions
	text       string
	problems   Problems
	rules      int
	conditions map[string]*policy.Condition
}

type role struct {
	inherits string
	rules    []*policy.Rule
}

// Parse compiles the text of one policy file. file is the name in rules and errors. The error
// is of type Problems.
func Parse(data []byte, file string) (*policy.Policy, error) {
	doc := readDocument(data, file)
	doc.checkInherits(nil)
	if len(doc.problems) > 0 {
		return nil, doc.sorted()
	}
	return policy.New(build(doc, nil, false)), nil
}

func (d *document) sorted() Problems {
	slices.SortStableFunc(d.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return d.problems
}

// readDocument decodes a file and makes all checks that need no other file.
func readDocument(data []byte, file string) *document {
	d := &document{file: file, roles: map[string]*role{}, sets: map[string][]string{}, trust: map[string]string{}, conditions: map[string]*policy.Condition{}}
	if len(data) > maxFile {
		d.problems = Problems{{File: file, Message: fmt.Sprintf("the file is larger than %d bytes", maxFile)}}
		return d
	}
	d.text = string(data)
	raw, pos, err := tomltext.Decode(d.text)
	if err != nil {
		p := Problem{File: file, Line: 1, Column: 1, Message: textsafe.Line(err.Error())}
		var syntax *tomltext.Error
		if errors.As(err, &syntax) {
			p.Line, p.Column, p.Message = syntax.Line, syntax.Col, textsafe.Line(syntax.Message)
		}
		d.problems = Problems{p}
		return d
	}
	d.pos = pos
	d.readSets(raw["sets"])
	for name, v := range raw {
		switch name {
		case "sets":
		case "roles":
			d.table(v, func(role string, v any) { d.readRole(role, v) }, "roles")
		case "trust":
			d.table(v, d.readTrust, "trust")
		case "on_daemon_loss":
			s, _ := v.(string)
			if d.loss = policy.Effect(s); d.loss != policy.Ask && d.loss != policy.None && d.loss != policy.Deny {
				d.problem(fmt.Sprintf(`on_daemon_loss is "ask", "none" or "deny", not %v`, v), name)
			}
		default:
			d.problem(fmt.Sprintf("unknown key %q; a policy has roles, sets, trust and on_daemon_loss", name), name)
		}
	}
	return d
}

// problem records an error at the value with this path.
func (d *document) problem(message string, path ...string) { d.problemAt(message, d.pos.At(path...)) }

func (d *document) problemAt(message string, at tomltext.Position) {
	d.problems = append(d.problems, Problem{File: d.file, Line: at.Line, Column: at.Col, Message: textsafe.Line(message)})
}

// table calls f for each entry of a table, in file order.
func (d *document) table(v any, f func(name string, v any), path ...string) {
	t, ok := v.(map[string]any)
	if !ok {
		d.problem("expected a table", path...)
		return
	}
	var names []string
	for name := range t {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		p, q := d.pos.At(append(path, a)...), d.pos.At(append(path, b)...)
		return (p.Line-q.Line)*100000 + p.Col - q.Col
	})
	for _, name := range names {
		f(name, t[name])
	}
}

func (d *document) readSets(v any) {
	if v == nil {
		return
	}
	d.table(v, func(name string, v any) {
		if !policy.IsSetName(name) {
			d.problem(fmt.Sprintf("the name of a set has letters, digits and _ only, not %q", name), "sets", name)
			return
		}
		d.sets[name] = []string{}
		d.list(v, func(s string, _ int) { d.sets[name] = append(d.sets[name], s) }, "sets", name)
	}, "sets")
}

// list calls f for each string of an array.
func (d *document) list(v any, f func(s string, i int), path ...string) {
	items, ok := v.([]any)
	if !ok {
		d.problem(`expected a list such as ["…"]`, path...)
		return
	}
	for i, item := range items {
		s, ok := item.(string)
		if !ok {
			d.problem("expected a text", append(path, fmt.Sprint(i))...)
			continue
		}
		f(s, i)
	}
}

func (d *document) readTrust(dir string, v any) {
	s, ok := v.(string)
	if !ok || !strings.HasPrefix(s, "sha256:") || len(s) != len("sha256:")+64 {
		d.problem(`expected "sha256:…", as ccdir policy check prints it for the project's file`, "trust", dir)
		return
	}
	d.trust[dir] = s
}
