package taskfile

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"ccdir/api/taskkeys"
	"ccdir/internal/text/tomltext"
)

// toml reads [[task]] tables.
func (p *parser) toml(text string) (entries []entry) {
	file, places, err := tomltext.Decode(text)
	if err != nil {
		var syntax *tomltext.Error
		if errors.As(err, &syntax) {
			p.fault(syntax.Line, "%s", syntax.Message)
		} else {
			p.fault(0, "%v", err)
		}
		return nil
	}
	list, ok := tomltext.Tables(file["task"])
	foreign := 0 // the line of the first key that is not task; 0: none
	for name := range file {
		if line := places.Line(name); (name != "task" || !ok) && (foreign == 0 || line < foreign) {
			foreign = line
		}
	}
	if foreign > 0 {
		p.fault(foreign, "only [[task]] tables are allowed")
		return nil
	}
	for i, table := range list {
		at := strconv.Itoa(i)
		e := entry{line: places.Line("task", at)}
		for _, key := range append(taskkeys.Keys[:len(taskkeys.Keys):len(taskkeys.Keys)], others(table)...) {
			value, given := table[key]
			if !given {
				continue
			}
			f := field{line: places.Line("task", at, key)}
			if f.Field, err = taskkeys.Of(key, value); err != nil {
				p.fault(f.line, "%v", err)
				continue
			}
			e.fields = append(e.fields, f)
		}
		entries = append(entries, e)
	}
	return entries
}

// others are the keys of a table that tasks do not have.
func others(table map[string]any) (list []string) {
	for key := range table {
		if !taskkeys.Known(key) || strings.ContainsAny(key, "-") || strings.ToLower(key) != key {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}
