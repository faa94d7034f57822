package taskfile

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

var (
	tomlHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[\[\s*"?task"?\s*\]\]`) })
	// tomlAnyHeader is that of any table.
	tomlAnyHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[`) })
	tomlKey       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*"?([A-Za-z0-9_-]+)"?\s*=`) })
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
		p.fault(foreignLine(text), "only [[task]] tables are allowed")
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
					switch item.(type) {
					case []any, map[string]any, []map[string]any:
						p.fault(f.line, "%s: each element must be a text", key)
					}
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
	slices.Sort(list)
	return list
}

// foreignLine is the first line with a table, or a key before any table, that is no
// task; 0 if it is not found.
func foreignLine(text string) int {
	tables := 0
	for at, line := range tomlBegins(text) {
		switch {
		case tomlHeader().MatchString(line):
			tables++
		case tomlAnyHeader().MatchString(line), tables == 0 && tomlKey().MatchString(line):
			return at
		}
	}
	return 0
}

type tomlTable struct {
	line int
	keys map[string]int
}

// tomlLines finds the lines of tables and keys; the decoder does not tell them.
// Text in multi-line strings is passed over.
func tomlLines(text string) (tables []tomlTable) {
	for at, line := range tomlBegins(text) {
		if tomlHeader().MatchString(line) {
			tables = append(tables, tomlTable{at, map[string]int{}})
		} else if m := tomlKey().FindStringSubmatch(line); m != nil && len(tables) > 0 {
			tables[len(tables)-1].keys[m[1]] = at
		}
	}
	return tables
}

// tomlBegins are the lines that do not begin in a multi-line string, by number.
func tomlBegins(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		inside := ""
		for i, line := range strings.Split(text, "\n") {
			if inside == "" && !yield(i+1, line) {
				return
			}
			inside = tomlInside(inside, line)
		}
	}
}

// tomlInside is the mark of the multi-line string that the end of a line is in, ""
// for none; inside is that of its beginning.
func tomlInside(inside, line string) string {
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
		if inside != "" {
			mark = ""
		}
		inside = mark
	}
	return inside
}
