package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"ccdir/policy/glob"
)

// variables are the names that a condition can use.
type variables struct {
	Tool    string              `expr:"tool"`
	Command string              `expr:"command"`
	Path    string              `expr:"path"`
	Role    string              `expr:"role"`
	Cwd     string              `expr:"cwd"`
	Branch  string              `expr:"branch"`
	Agent   string              `expr:"agent"`
	Session string              `expr:"session"`
	Label   string              `expr:"label"` // the first one
	Labels  []string            `expr:"labels"`
	Cost    float64             `expr:"cost"`
	Tokens  int                 `expr:"tokens"`
	Hour    int                 `expr:"hour"`
	Time    string              `expr:"time"`
	Date    string              `expr:"date"`
	Weekday string              `expr:"weekday"`
	Sets    map[string][]string `expr:"sets"`
}

// Condition is a compiled `when`. It is immutable.
type Condition struct {
	program *vm.Program
	sets    map[string][]string
	// variables are the names that it uses.
	variables map[string]bool
}

// maxCondition bounds the text of a condition, in bytes.
const maxCondition = 4096

// ConditionError is an error with a position inside the condition. Line and Col count from 0.
type ConditionError struct {
	Line, Col int
	message   string
}

func (e *ConditionError) Error() string { return e.message }

// CompileCondition checks and compiles a condition. Its type must be bool.
func CompileCondition(text string, sets map[string][]string) (*Condition, error) {
	if len(text) > maxCondition {
		return nil, fmt.Errorf("a condition may have %d bytes at most", maxCondition)
	}
	check := setChecker{sets: sets, used: map[string]bool{}}
	options := []expr.Option{
		expr.Env(variables{}), expr.AsBool(), expr.MaxNodes(500), expr.Patch(&check),
		expr.DisableAllBuiltins(),
		expr.Function("glob", globFunction, new(func(string, string) bool), new(func(string, []string) bool)),
	}
	for _, name := range []string{"lower", "upper", "trim", "len", "any", "all", "none"} {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	if err == nil {
		err = check.err
	}
	if err != nil {
		var at *file.Error
		if errors.As(err, &at) {
			return nil, &ConditionError{Line: at.Line - 1, Col: at.Column, message: at.Message}
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(first)
	}
	return &Condition{program: program, sets: sets, variables: check.used}, nil
}

// setChecker reports sets that do not exist, which the type checker accepts as keys of a map.
type setChecker struct {
	sets map[string][]string
	used map[string]bool
	err  error
}

// Visit implements ast.Visitor.
func (c *setChecker) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		c.used[n.Value] = true
	case *ast.MemberNode:
		id, ok := n.Node.(*ast.IdentifierNode)
		if !ok || id.Value != "sets" {
			return
		}
		name, ok := n.Property.(*ast.StringNode)
		if !ok {
			c.fail(n, "write sets.NAME")
		} else if _, known := c.sets[name.Value]; !known {
			c.fail(n.Property, fmt.Sprintf("there is no set %q", name.Value))
		}
	}
}

func (c *setChecker) fail(n ast.Node, message string) {
	if c.err == nil {
		c.err = &file.Error{Location: n.Location(), Line: 1, Column: n.Location().From, Message: message}
	}
}

// globFunction implements glob(text, pattern) and glob(text, sets.name). "*" is any text.
func globFunction(args ...any) (any, error) {
	s, ok := args[0].(string)
	if !ok {
		return false, errors.New("glob needs a text")
	}
	switch p := args[1].(type) {
	case string:
		return glob.Match(p, s), nil
	case []string:
		for _, one := range p {
			if glob.Match(one, s) {
				return true, nil
			}
		}
		return false, nil
	}
	return false, errors.New("glob needs a pattern or a set")
}

// holds evaluates the condition. If evaluation fails, deny and ask rules hold and allow rules
// do not.
func (c *Condition) holds(v variables, effect Effect) bool {
	if c == nil {
		return true
	}
	v.Sets = c.sets
	out, err := expr.Run(c.program, v)
	if err != nil {
		return effect != Allow
	}
	yes, ok := out.(bool)
	return yes && ok
}

// fill sets the variables that depend on the time.
func (v *variables) fill(now time.Time) {
	if now.IsZero() {
		return
	}
	v.Hour, v.Time, v.Date, v.Weekday = now.Hour(), now.Format("15:04"), now.Format("2006-01-02"), strings.ToLower(now.Weekday().String())
}
