package worktrees

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Check is a command by which a project tells whether work on it is good: [checks] in .ccdir.toml.
type Check struct {
	Name string
	// Command is a line for sh, run at the top of the work tree; exit code 0 is good.
	Command string
}

// maxChecks bounds a project's checks.
const maxChecks = 20

// checkName is what a check may be called: sessions are called after it.
var checkName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,29}$`) })

// parseChecks reads [checks]: a command by each name. The checks are in the order of their names.
func parseChecks(v any) (list []Check, err error) {
	if v == nil {
		return nil, nil
	}
	table, ok := v.(map[string]any)
	if !ok || len(table) > maxChecks {
		return nil, fmt.Errorf("checks must be a table with at most %d commands", maxChecks)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		text, _ := table[name].(string)
		c := Check{Name: name, Command: strings.TrimSpace(text)}
		switch {
		case !checkName().MatchString(name):
			return nil, fmt.Errorf("checks.%.40q: a check's name has up to 30 letters, digits, - and _", name)
		case c.Command == "":
			return nil, fmt.Errorf("checks.%s: it must be a shell command", name)
		case strings.ContainsRune(c.Command, 0):
			return nil, errors.New("checks." + name + ": it has a NUL byte")
		}
		list = append(list, c)
	}
	return list, nil
}
