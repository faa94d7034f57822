// Package taskfile reads files of tasks: TOML ([[task]] tables), YAML (a list,
// or a mapping with the key tasks) and Markdown (a list, one task an item).
//
// Contract: all or nothing. Parse returns every task, or an error with the line of each
// problem (at most maxProblems). It opens no files.
package taskfile

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ccdir/api"
	"ccdir/api/taskkeys"
)

// Bounds of a file.
const (
	// MaxSize is in bytes.
	MaxSize = 8 << 20
	// MaxTasks bounds the tasks of one file.
	MaxTasks = 10_000
	// maxProblems bounds the problems in an error.
	maxProblems = 20
)

// Problem is one fault of a file.
type Problem struct {
	File string
	// Line counts from 1; 0 is the file as a whole.
	Line int
	Text string
}

// Error is "file:line: message".
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// field is one key of a task in the file.
type field struct {
	taskkeys.Field
	line int
}

// entry is one task in the file.
type entry struct {
	line   int
	fields []field
}

// Parse reads a file by its extension (.toml, .yaml, .yml, .md, .markdown). check
// validates a task on its own; nil: no check. lines has the first line of each task.
func Parse(name string, data []byte, check func(api.NewTask) error) (tasks []api.NewTask, lines []int, err error) {
	p := &parser{file: name}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some Windows editors write a byte order mark
	var entries []entry
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case len(data) > MaxSize:
		p.fault(0, "it is larger than %d bytes", MaxSize)
	case !utf8.Valid(data):
		p.fault(0, "it is not UTF-8")
	case ext == ".toml":
		entries = p.toml(string(data))
	case ext == ".yaml" || ext == ".yml":
		entries = p.yaml(data)
	case ext == ".md" || ext == ".markdown":
		entries = p.markdown(string(data))
	default:
		p.fault(0, "the kind of file is not known: end its name in .toml, .yaml or .md")
	}
	if len(p.faults) == 0 && len(entries) == 0 {
		p.fault(0, "it holds no task")
	}
	if len(entries) > MaxTasks {
		p.fault(0, "it holds %d tasks, and at most %d are allowed", len(entries), MaxTasks)
	}
	names := map[string]int{}
	for _, e := range entries {
		n, clean := p.task(e)
		if first, twice := names[n.Name]; n.Name != "" && twice {
			p.fault(e.line, "the name %q is that of the task in line %d", n.Name, first)
		}
		names[n.Name] = e.line
		if clean && check != nil {
			if err := check(n); err != nil {
				p.fault(e.line, "%v", err)
			}
		}
		tasks, lines = append(tasks, n), append(lines, e.line)
	}
	if len(p.faults) > 0 {
		return nil, nil, errors.Join(p.faults...)
	}
	return tasks, lines, nil
}

type parser struct {
	file   string
	faults []error
}

func (p *parser) fault(line int, format string, args ...any) {
	if len(p.faults) < maxProblems {
		p.faults = append(p.faults, &Problem{p.file, line, fmt.Sprintf(format, args...)})
	}
}

// task converts an entry; clean is false if it has problems.
func (p *parser) task(e entry) (n api.NewTask, clean bool) {
	before := len(p.faults)
	seen := map[string]bool{}
	for _, f := range e.fields {
		f.Key = taskkeys.Plain(f.Key)
		if seen[f.Key] {
			p.fault(f.line, "%s is given twice", f.Key)
		}
		seen[f.Key] = true
		if err := taskkeys.Set(&n, f.Field); err != nil {
			p.fault(f.line, "%v", err)
		}
	}
	if !seen["prompt"] {
		p.fault(e.line, "the task has no prompt")
	}
	return n, len(p.faults) == before
}
