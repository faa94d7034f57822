package request

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"

	"ccdir/api"
)

// field is one field of a tool's input.
type field struct {
	key   string
	value json.RawMessage
}

func (f field) text() (string, bool) {
	var s string
	err := json.Unmarshal(f.value, &s)
	return s, err == nil && len(f.value) > 0 && f.value[0] == '"'
}

// fieldsOf takes a JSON object apart in its own order.
func fieldsOf(data json.RawMessage) ([]field, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []field
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return nil, false
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, false
		}
		out = append(out, field{key, v})
	}
	_, err := dec.Token()
	return out, err == nil
}

// Command is the command in a tool's input; ok is false if there is none.
func Command(input json.RawMessage) (command string, ok bool) {
	fields, ok := fieldsOf(input)
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == "command" })
	if !ok || i < 0 {
		return "", false
	}
	return fields[i].text()
}

// WithCommand is the input with another command, the rest as it was.
func WithCommand(input json.RawMessage, command string) (json.RawMessage, error) {
	fields, _ := fieldsOf(input)
	text, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, f := range fields {
		key, err := json.Marshal(f.key)
		if err != nil {
			return nil, err
		}
		if f.key == "command" {
			f.value = text
		}
		out.WriteByte("{,"[min(i, 1)])
		out.Write(key)
		out.WriteByte(':')
		out.Write(f.value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Writes is the file that a request would write whole; ok is false for others.
func Writes(r api.Request) (path string, ok bool) {
	fields, ok := fieldsOf(r.Input)
	content := false
	for _, f := range fields {
		text, isText := f.text()
		switch {
		case f.key == "file_path" && isText:
			path = text
		case f.key == "content" && isText:
			content = true
		}
	}
	if !ok || !content || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.CWD, path)
	}
	return path, true
}
