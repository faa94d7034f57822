package taskfile

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"ccdir/api/taskkeys"
)

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`line (\d+): (.*)`) })

// yaml reads each document: a list of tasks, at the top or under the key tasks. A task is
// a mapping, or a string: its prompt.
func (p *parser) yaml(data []byte) (entries []entry) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return entries
		} else if err != nil {
			line, text := 0, strings.TrimPrefix(err.Error(), "yaml: ")
			if m := yamlLine().FindStringSubmatch(text); m != nil {
				line, _ = strconv.Atoi(m[1])
				text = m[2]
			}
			p.fault(line, "%s", text)
			return nil
		}
		if len(doc.Content) > 0 && !isNull(doc.Content[0]) {
			entries = append(entries, p.yamlList(doc.Content[0])...)
		}
	}
}

// isNull reports whether a node is null: empty, ~ or null.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// yamlList reads the tasks of one document.
func (p *parser) yamlList(list *yaml.Node) (entries []entry) {
	if list.Kind == yaml.MappingNode && len(list.Content) == 2 && list.Content[0].Value == "tasks" {
		list = list.Content[1]
	}
	if list.Kind != yaml.SequenceNode {
		p.fault(list.Line, "a list of tasks is needed here, or the one key tasks with one")
		return nil
	}
	for _, node := range list.Content {
		e := entry{line: node.Line}
		switch {
		case isNull(node):
			p.fault(node.Line, "a task is a mapping or a text")
			continue
		case node.Kind == yaml.ScalarNode:
			e.fields = append(e.fields, field{Field: taskkeys.Field{Key: "prompt", Text: node.Value}, line: node.Line})
		case node.Kind == yaml.MappingNode:
			for i := 0; i+1 < len(node.Content); i += 2 {
				if isNull(node.Content[i+1]) {
					continue // as if the key were missing
				}
				if f, ok := p.yamlField(node.Content[i], node.Content[i+1]); ok {
					e.fields = append(e.fields, f)
				}
			}
		default:
			p.fault(node.Line, "a task is a mapping or a text")
			continue
		}
		entries = append(entries, e)
	}
	return entries
}

func (p *parser) yamlField(key, value *yaml.Node) (field, bool) {
	f := field{Field: taskkeys.Field{Key: key.Value, Text: value.Value}, line: key.Line}
	switch {
	case key.Kind != yaml.ScalarNode || value.Kind == yaml.AliasNode || value.Kind == yaml.MappingNode:
		p.fault(key.Line, "%q: a value or a list is needed, no mapping and no alias", key.Value)
		return f, false
	case value.Kind == yaml.SequenceNode:
		f.Many = true
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode {
				p.fault(item.Line, "%s: each element must be a text", f.Key)
				return f, false
			}
			f.List = append(f.List, item.Value)
		}
	}
	return f, true
}
