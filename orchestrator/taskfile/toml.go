package taskfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		for _, key := range append(keys, others(table)...) {
			value, given := table[key]
			if !given {
				continue
			}
			f := field{key: key, line: places.Line("task", at, key)}
			switch v := value.(type) {
			case []any:
				f.many = true
				for _, item := range v {
					switch item.(type) {
					case []any, map[string]any:
						p.fault(f.line, "%s: each element must be a text", key)
					}
					f.list = append(f.list, fmt.Sprint(item))
				}
			case map[string]any:
				p.fault(f.line, "%s: a value or a list is needed, no table", key)
				continue
			default:
				f.text = fmt.Sprint(v)
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
		if !known(key) || strings.ContainsAny(key, "-") || strings.ToLower(key) != key {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}
