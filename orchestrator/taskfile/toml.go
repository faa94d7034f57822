package taskfile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

var (
	tomlHeader = regexp.MustCompile(`^\s*\[\[\s*"?task"?\s*\]\]`)
	tomlKey    = regexp.MustCompile(`^\s*"?([A-Za-z0-9_-]+)"?\s*=`)
)

// toml reads [[task]] tables.
func (p *parser) toml(text string) (entries []entry) {
	var file map[string]any
	if _, err := toml.Decode(text, &file); err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			p.fault(parse.Position.Line, "%s", parse.Message)
		} else {
			p.fault(0, "%v", err)
		}
		return nil
	}
	lines := tomlLines(text)
	list, ok := file["task"].([]map[string]any)
	if len(file) > 0 && (!ok || len(file) > 1) {
		p.fault(0, "only [[task]] tables are allowed")
		return nil
	}
	for i, table := range list {
		e := entry{}
		var at map[string]int
		if i < len(lines) {
			e.line, at = lines[i].line, lines[i].keys
		}
		for _, key := range append(keys, others(table)...) {
			value, given := table[key]
			if !given {
				continue
			}
			f := field{key: key, line: at[key]}
			if f.line == 0 {
				f.line = e.line
			}
			switch v := value.(type) {
			case []any:
				f.many = true
				for _, item := range v {
					f.list = append(f.list, fmt.Sprint(item))
				}
			case map[string]any, []map[string]any:
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

// others are the keys of a table that no task has.
func others(table map[string]any) (list []string) {
	for key := range table {
		if !known(key) || strings.ContainsAny(key, "-") || strings.ToLower(key) != key {
			list = append(list, key)
		}
	}
	return list
}

type tomlTable struct {
	line int
	keys map[string]int
}

// tomlLines finds the lines of tables and keys; the decoder does not tell them.
// Text in multi-line strings is passed over.
func tomlLines(text string) (tables []tomlTable) {
	inside := ""
	for i, line := range strings.Split(text, "\n") {
		begins := inside == ""
		if begins && tomlHeader.MatchString(line) {
			tables = append(tables, tomlTable{i + 1, map[string]int{}})
		} else if m := tomlKey.FindStringSubmatch(line); begins && m != nil && len(tables) > 0 {
			tables[len(tables)-1].keys[m[1]] = i + 1
		}
		for rest := line; rest != ""; {
			marks := []string{`"""`, "'''"}
			if inside != "" {
				marks = []string{inside}
			}
			at, mark := -1, ""
			for _, m := range marks {
				if j := strings.Index(rest, m); j >= 0 && (at < 0 || j < at) {
					at, mark = j, m
				}
			}
			if at < 0 {
				break
			}
			rest = rest[at+3:]
			if inside = mark; !begins {
				inside = ""
			}
			begins = inside == ""
		}
	}
	return tables
}
